"""The objects of a cluster in memory, found by name, by owner and by uid. No rule is known here."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from hooks.protocol import Kind, Object


class Key(NamedTuple):
    """Where an object lies."""

    kind: Kind
    namespace: str
    name: str


def copied(item: Any) -> Any:
    """A deep copy of plain JSON."""
    return orjson.loads(orjson.dumps(item))


class Objects:
    """Objects by kind, namespace and name. What lies here is never changed, only replaced."""

    def __init__(self) -> None:
        self._kinds: dict[Kind, dict[str, dict[str, Object]]] = defaultdict(lambda: defaultdict(dict))
        self._owned: dict[str, set[Key]] = defaultdict(set)
        self._uids: dict[str, Key] = {}

    def find(self, key: Key) -> Object | None:
        """The object that lies there."""
        return self._kinds[key.kind][key.namespace].get(key.name)

    def put(self, key: Key, item: Object) -> None:
        """Lay an object there, in place of another version of itself."""
        self._forget(key)
        self._kinds[key.kind][key.namespace][key.name] = item
        self._uids[item["metadata"]["uid"]] = key
        for owner in item["metadata"].get("ownerReferences", ()):
            self._owned[owner["uid"]].add(key)

    def remove(self, key: Key) -> None:
        """Take the object away."""
        self._forget(key)
        self._kinds[key.kind][key.namespace].pop(key.name, None)

    def of_kind(self, kind: Kind, namespace: str | None = None) -> Iterator[Object]:
        """The objects of a kind, of one namespace where one is given, ordered by namespace and name."""
        namespaces = self._kinds[kind]
        for place in sorted(namespaces) if namespace is None else [namespace] if namespace in namespaces else []:
            named = namespaces[place]
            for name in sorted(named):
                yield named[name]

    def keys_in(self, namespace: str) -> list[Key]:
        """Where the objects of a namespace lie."""
        return [
            Key(kind, namespace, name)
            for kind, namespaces in self._kinds.items()
            if namespace in namespaces
            for name in sorted(namespaces[namespace])
        ]

    def owned_by(self, uid: str) -> list[Key]:
        """Where the objects lie that name that uid in an owner reference, in a stable order."""
        return sorted(self._owned.get(uid, ()), key=lambda key: (key.kind.key, key.namespace, key.name))

    def by_uid(self, uid: str) -> Key | None:
        """Where the object with that uid lies."""
        return self._uids.get(uid)

    def _forget(self, key: Key) -> None:
        item = self.find(key)
        if item is None:
            return
        self._uids.pop(item["metadata"]["uid"], None)
        for owner in item["metadata"].get("ownerReferences", ()):
            keys = self._owned[owner["uid"]]
            keys.discard(key)
            if not keys:
                del self._owned[owner["uid"]]
