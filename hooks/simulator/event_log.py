"""Kubernetes Events: what happened to an object, said once however often it happens."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from hooks.protocol import Object
from hooks.simulator.clock import Clock


@dataclass
class Event:
    """Something that was said about an object, `count` times."""

    kind: str
    namespace: str
    name: str
    type: str
    reason: str
    message: str
    first: datetime
    last: datetime
    count: int = 1


class EventLog:
    """All events, in the order in which each was first said."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._events: dict[tuple[str, str, str, str], Event] = {}
        self._listeners: list[Callable[[Event], object]] = []

    def watch(self, listener: Callable[[Event], object]) -> None:
        """Have the listener called whenever something is said."""
        self._listeners.append(listener)

    def record(self, about: Object, kind: str, reason: str, message: str) -> None:
        """Say something about an object. `kind` is Normal or Warning."""
        metadata, now = about["metadata"], self._clock.now()
        key = metadata["uid"], kind, reason, message
        event = self._events.get(key)
        if event is None:
            namespace = metadata.get("namespace", "")
            event = Event(about["kind"], namespace, metadata["name"], kind, reason, message, first=now, last=now)
            self._events[key] = event
        else:
            event.last = now
            event.count += 1
        for listener in self._listeners:
            listener(event)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events.values())
