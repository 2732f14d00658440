"""An informer's cache: what somebody knows of the store, which may be a while behind it."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hooks.protocol import Kind, Object
from hooks.simulator.clock import Clock
from hooks.simulator.objects import Key, Objects, copied
from hooks.simulator.selectors import matches
from hooks.simulator.store import ADDED, DELETED, Store

CacheListener = Callable[[str, Kind, Object, Object | None], object]
"""Told of each event as it arrives: type, kind, object, and what the cache had before; not to be changed."""


class Cache:
    """Mirrors a store through its watch events, each delivered `lag` seconds late.

    Events of one kind keep their order, events of different kinds may overtake each other, as informers' do.
    """

    def __init__(self, store: Store, clock: Clock, lag: float | Callable[[], float] = 0.0) -> None:
        self._store, self._clock = store, clock
        self._lag = lag if callable(lag) else lambda: lag
        self._listeners: list[CacheListener] = []
        self._objects = Objects()
        self._pending: dict[Kind, deque[tuple[str, Object]]] = {}
        self._restarts = 0
        self._relist()
        store.watch(self._queue)

    def find(self, kind: Kind, name: str, namespace: str = "") -> Object | None:
        """The object as far as it is known, or None."""
        item = self._objects.find(Key(kind, namespace, name))
        return None if item is None else self._copy(item)

    def list(self, kind: Kind, namespace: str | None = None, selector: Mapping[str, Any] | None = None) -> list[Object]:
        """The known objects of a kind that a label selector selects, ordered by namespace and name."""
        return [self._copy(item) for item in self._objects.of_kind(kind, namespace) if matches(selector, item)]

    def owned_by(self, uid: str) -> Iterable[tuple[Kind, Object]]:
        """The known objects that name that uid in an owner reference, in a stable order."""
        for key in self._objects.owned_by(uid):
            item = self._objects.find(key)
            if item is not None:
                yield key.kind, self._copy(item)

    def watch(self, listener: CacheListener) -> None:
        """Have the listener called for each event as it arrives."""
        self._listeners.append(listener)

    def restart(self) -> None:
        """Forget everything, as a process that restarts does, and list anew: each object arrives as ADDED."""
        self._objects = Objects()
        self._pending = {}
        self._restarts += 1
        for resource in self._store.kinds():
            for item in self._store.list(resource.kind):
                self._queue(ADDED, resource.kind, item)

    def _relist(self) -> None:
        for resource in self._store.kinds():
            for item in self._store.list(resource.kind):
                self._objects.put(self._key(resource.kind, item), item)

    def _queue(self, event: str, kind: Kind, item: Object) -> None:
        self._pending.setdefault(kind, deque()).append((event, item))
        restarts = self._restarts
        self._clock.call_later(self._lag(), lambda: self._deliver(kind, restarts))

    def _deliver(self, kind: Kind, restarts: int) -> None:
        if restarts != self._restarts:
            return  # it was for the process before the restart
        event, item = self._pending[kind].popleft()
        key = self._key(kind, item)
        old = self._objects.find(key)
        if event == DELETED:
            self._objects.remove(key)
        else:
            self._objects.put(key, item)
        for listener in tuple(self._listeners):
            listener(event, kind, item, old)

    def _key(self, kind: Kind, item: Object) -> Key:
        return Key(kind, item["metadata"].get("namespace", ""), item["metadata"]["name"])

    def _copy(self, item: Object) -> Object:
        copy: Object = copied(item)
        return copy
