"""A queue of keys to work on, each at most once at a time, with retries that come ever later."""

from collections.abc import Callable, Hashable
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from hooks.simulator.clock import Clock, Event

Key = TypeVar("Key", bound=Hashable)

FIRST_RETRY = 0.005
"""Seconds until the first retry; each further one takes twice as long. client-go's default."""
LAST_RETRY = 1000.0
"""Seconds that the wait between retries grows to. client-go's default."""


class WorkQueue(Generic[Key]):
    """Calls `work` with each key that was added, after `latency` seconds; a key that waits is not added again.

    One that is added while it is worked on (time can pass within that) waits until this has ended, as in client-go.
    """

    def __init__(self, clock: Clock, work: Callable[[Key], object], latency: float) -> None:
        self._clock = clock
        self._work = work
        self._latency = latency
        self._waiting: set[Key] = set()
        self._working: set[Key] = set()
        self._delayed: dict[Key, tuple[datetime, Event]] = {}
        self._failures: dict[Key, int] = {}
        self._open = True

    def add(self, key: Key) -> None:
        """Have the key worked on soon."""
        if key not in self._waiting and self._open:
            self._waiting.add(key)
            if key not in self._working:
                self._run_soon(key)

    def add_after(self, key: Key, seconds: float, *, background: bool = False) -> None:
        """Add the key in so many seconds; of several such wishes the earliest counts.

        Args:
            key: what to work on.
            seconds: from now.
            background: whether a cluster is at rest though this is still to come, as with a periodic look.
        """
        due = self._clock.now() + timedelta(seconds=seconds)
        known = self._delayed.get(key)
        if known is not None:
            if known[0] <= due and (background or not known[1].background):
                return
            known[1].cancel()
            due = min(due, known[0])
        left = (due - self._clock.now()).total_seconds()
        event = self._clock.call_later(left, lambda: self._undelay(key), background=background)
        self._delayed[key] = due, event

    def retry(self, key: Key) -> float:
        """Add the key again after a failure; returns the seconds until then."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        seconds = min(FIRST_RETRY * 2.0 ** min(failures, 30), LAST_RETRY)
        self.add_after(key, seconds, background=seconds > PATIENCE)
        return seconds

    def forget(self, key: Key) -> None:
        """After a success: the next failure is the first again."""
        self._failures.pop(key, None)

    def cancel_delayed(self, key: Key) -> None:
        """Forget that the key was to be added later."""
        known = self._delayed.pop(key, None)
        if known is not None:
            known[1].cancel()

    def close(self) -> None:
        """Work on nothing any more."""
        self._open = False

    def _undelay(self, key: Key) -> None:
        del self._delayed[key]
        self.add(key)

    def _run_soon(self, key: Key) -> None:
        self._clock.call_later(self._latency, lambda: self._run(key))

    def _run(self, key: Key) -> None:
        if not self._open:
            return
        self._waiting.discard(key)
        self._working.add(key)
        try:
            self._work(key)
        finally:
            self._working.discard(key)
            if key in self._waiting:
                self._run_soon(key)


PATIENCE = 60.0
"""Seconds: a retry that is further away than this does not keep a cluster from being at rest."""
