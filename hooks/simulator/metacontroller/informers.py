"""Metacontroller's view of the cluster: a lagging mirror, indexed by owner."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hooks.protocol import Kind, Object, name_of
from hooks.simulator.cache import Cache
from hooks.simulator.store import ADDED, DELETED, Store

GENERATED_LABEL = "controller-uid"
"""Label by which a CompositeController with `generateSelector` knows its children."""


class ObjectKey(NamedTuple):
    """Where an object lies."""

    kind: Kind
    namespace: str
    name: str


class Change(NamedTuple):
    """A change of an object: as it is now (or was last, where it is gone), and as it was known before."""

    item: Object
    old: Object | None
    gone: bool


Handler = Callable[[Change], object]


def key_of(kind: Kind, item: Object) -> ObjectKey:
    """Where an object of that kind lies."""
    return ObjectKey(kind, *name_of(item))


def controller_of(item: Object) -> Object | None:
    """The owner reference of the object's controller."""
    for owner in item["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            found: Object = owner
            return found
    return None


class Informers:
    """The objects as they were seen last. Nobody may change them."""

    def __init__(self, store: Store, cache: Cache) -> None:
        self._items: dict[Kind, dict[str, dict[str, Object]]] = {}
        self._owned: dict[tuple[Kind, str], dict[ObjectKey, Object]] = {}
        self._orphans: dict[tuple[Kind, str], dict[ObjectKey, Object]] = {}
        self._handlers: dict[Kind, list[Handler]] = {}
        for resource in store.kinds():
            for item in cache.list(resource.kind):
                self._changed(ADDED, resource.kind, item, None)
        cache.watch(self._changed)

    def subscribe(self, kind: Kind, handler: Handler) -> None:
        """Have the handler told of each change of an object of that kind."""
        self._handlers.setdefault(kind, []).append(handler)

    def close(self) -> None:
        """Tell nobody anything any more."""
        self._handlers.clear()

    def find(self, key: ObjectKey) -> Object | None:
        """The object that lies there."""
        return self._items.get(key.kind, {}).get(key.namespace, {}).get(key.name)

    def all(self, kind: Kind, namespace: str | None = None) -> Iterator[Object]:
        """The objects of a kind, of one namespace where one is given, in no particular order."""
        namespaces = self._items.get(kind, {})
        for named in namespaces.values() if namespace is None else [namespaces.get(namespace, {})]:
            yield from named.values()

    def owned_by(self, uid: str, kind: Kind) -> list[Object]:
        """The objects of a kind whose controller has that uid."""
        return list(self._owned.get((kind, uid), {}).values())

    def orphans(self, kind: Kind, label: str | None = None) -> list[Object]:
        """The objects of a kind without a controller, those with that `controller-uid` where one is given."""
        if label is not None:
            return list(self._orphans.get((kind, label), {}).values())
        return [item for item in self.all(kind) if controller_of(item) is None]

    def _changed(self, event: str, kind: Kind, item: Object, _: Object | None) -> None:
        key = key_of(kind, item)
        old = self.find(key)
        new = None if event == DELETED else item
        if old is not None:
            self._unindex(key, old)
        if new is not None:
            self._items.setdefault(kind, {}).setdefault(key.namespace, {})[key.name] = new
            self._index(key, new)
        elif old is not None:
            del self._items[kind][key.namespace][key.name]
        for handler in tuple(self._handlers.get(kind, ())):
            handler(Change(item, old, gone=new is None))

    def _index(self, key: ObjectKey, item: Object) -> None:
        index, by = self._place(key, item)
        index.setdefault(by, {})[key] = item

    def _unindex(self, key: ObjectKey, item: Object) -> None:
        index, by = self._place(key, item)
        entries = index[by]
        del entries[key]
        if not entries:
            del index[by]

    def _place(
        self, key: ObjectKey, item: Object
    ) -> tuple[dict[tuple[Kind, str], dict[ObjectKey, Object]], tuple[Kind, str]]:
        controller = controller_of(item)
        if controller is not None:
            return self._owned, (key.kind, controller["uid"])
        return self._orphans, (key.kind, (item["metadata"].get("labels") or {}).get(GENERATED_LABEL, ""))
