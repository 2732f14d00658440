"""Virtual time: a queue of what is due, and a clock that jumps from one to the next."""

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 1, tzinfo=UTC)
"""When a clock starts that is not told otherwise: any fixed time does, as long as each run has the same."""

_EVENTS_PER_INSTANT = 100_000
"""Events at one and the same instant after which it is a loop: the largest scenario has some thousands."""


class EndlessLoop(Exception):  # noqa: N818 - it says what happened
    """Events go on begetting events without time passing."""


@dataclass(order=True)
class Event:
    """Something that is due; ordered by time, then by lot, then by age."""

    due: datetime
    lot: float
    number: int
    action: Callable[[], object] = field(compare=False)
    background: bool = field(default=False, compare=False)
    cancelled: bool = field(default=False, compare=False)
    on_cancel: Callable[[], object] = field(default=lambda: None, compare=False)

    def cancel(self) -> None:
        """Keep it from happening."""
        if not self.cancelled:
            self.cancelled = True
            self.on_cancel()


class Clock:
    """Time that passes only as events happen.

    What is due at the same instant happens in the order it was asked for, or in one drawn from `seed`.
    """

    def __init__(self, start: datetime = START, seed: int | None = None) -> None:
        self._now = start
        self._lots = None if seed is None else random.Random(seed)  # noqa: S311 - replayable is what it must be
        self._queue: list[Event] = []
        self._number = 0
        self._at_this_instant = 0
        self._foreground = 0

    def now(self) -> datetime:
        """The current virtual time, in UTC."""
        return self._now

    def call_later(self, seconds: float, action: Callable[[], object], *, background: bool = False) -> Event:
        """Have `action` called in so many seconds (0: at this instant, after what is running now).

        Args:
            seconds: from now.
            action: what to call.
            background: whether it comes round for ever, as a periodic look does, so that nobody waits for it.
        """
        self._number += 1
        lot = 0.0 if self._lots is None else self._lots.random()
        due = self._now + timedelta(seconds=max(0.0, seconds))
        event = Event(due, lot, self._number, action, background=background)
        if not background:
            self._foreground += 1
            event.on_cancel = self._one_less
        heapq.heappush(self._queue, event)
        return event

    @property
    def idle(self) -> bool:
        """Whether nothing is due but what comes round for ever."""
        return self._foreground == 0

    def _one_less(self) -> None:
        self._foreground -= 1

    def next_due(self) -> datetime | None:
        """When the next event is due, None where nothing is."""
        while self._queue and self._queue[0].cancelled:
            heapq.heappop(self._queue)
        return self._queue[0].due if self._queue else None

    def step(self) -> bool:
        """Let the next event happen; False where nothing is due.

        Raises:
            EndlessLoop: events keep coming without time passing.
        """
        due = self.next_due()
        if due is None:
            return False
        event = heapq.heappop(self._queue)
        self._at_this_instant = self._at_this_instant + 1 if due <= self._now else 1
        if self._at_this_instant > _EVENTS_PER_INSTANT:
            raise EndlessLoop(f"more than {_EVENTS_PER_INSTANT} events at {due.isoformat()}")
        self._now = max(self._now, due)
        if not event.background:
            self._foreground -= 1
        event.cancelled = True  # it is happening: cancelling it now changes nothing
        event.action()
        return True

    def run_until(self, end: datetime, condition: Callable[[], bool] | None = None) -> bool:
        """Let events happen until `condition` holds (asked after each) or time reaches `end`.

        Returns:
            Whether the condition held; always False where there is none. If not, it is `end` now.
        """
        if condition is not None and condition():
            return True
        while (due := self.next_due()) is not None and due <= end:
            self.step()
            if condition is not None and condition():
                return True
        self._now = max(self._now, end)
        return False

    def run_for(self, seconds: float, condition: Callable[[], bool] | None = None) -> bool:
        """`run_until` so many seconds from now."""
        return self.run_until(self._now + timedelta(seconds=seconds), condition)


def timestamp(moment: datetime) -> str:
    """A time as Kubernetes writes it, in whole seconds."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
