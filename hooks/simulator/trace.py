"""What happened in a cluster, line by line, so that a failure under some seed can be read and replayed."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from hooks.protocol import Kind, Object
from hooks.simulator.event_log import Event, EventLog
from hooks.simulator.store import Store

_KEPT = 5000
"""Lines that are kept, the latest: enough for any scenario, little enough for a hundred graphs."""


@dataclass(frozen=True)
class Happening:
    """One change of an object, or one Event about it."""

    at: datetime
    what: str
    kind: str
    namespace: str
    name: str
    by: str = ""

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.at:%H:%M:%S.%f} {self.what} {self.kind} {place}" + (f" by {self.by}" if self.by else "")


class Trace:
    """The latest happenings in a store and among its Events."""

    def __init__(self, store: Store, events: EventLog) -> None:
        self._store = store
        self._happenings: deque[Happening] = deque(maxlen=_KEPT)
        store.watch(self._changed)
        events.watch(self._said)

    def __iter__(self) -> Iterator[Happening]:
        return iter(self._happenings)

    def __str__(self) -> str:
        return "\n".join(map(str, self._happenings))

    def _changed(self, event: str, kind: Kind, item: Object) -> None:
        metadata, now = item["metadata"], self._store.clock.now()
        namespace = metadata.get("namespace", "")
        self._happenings.append(Happening(now, event, kind.kind, namespace, metadata["name"], self._store.actor))

    def _said(self, event: Event) -> None:
        what = f"{event.reason} ({event.message}) about"
        self._happenings.append(Happening(event.last, what, event.kind, event.namespace, event.name))
