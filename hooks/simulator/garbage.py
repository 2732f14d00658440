"""The garbage collector: what happens to an object whose owners go.

Source: Kubernetes, "Owners and dependents" and "Garbage collection"; pkg/controller/garbagecollector for the cases.
"""

from hooks.protocol import Kind, Object
from hooks.simulator.errors import ApiError
from hooks.simulator.objects import Key
from hooks.simulator.store import DELETED, Store

_DELAY = 0.1
"""Seconds after which it looks at what changed: some, so that others can come before it."""

_FOREGROUND, _ORPHAN = "foregroundDeletion", "orphan"


class GarbageCollector:
    """Deletes what has only owners that do not exist (any more), looked up by uid, kind, name and namespace."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.watch(self._seen)

    def _seen(self, event: str, kind: Kind, item: Object) -> None:
        metadata = item["metadata"]
        uid: str = metadata["uid"]
        if event == DELETED:
            for key in self._store.owned_by(uid):
                self._later(key)
            for owner in metadata.get("ownerReferences", ()):
                found = self._store.by_uid(owner["uid"])
                if found is not None and self._held(found, _FOREGROUND):
                    self._later(found)
            return
        namespace = metadata.get("namespace", "")
        owners = metadata.get("ownerReferences", ())
        finalizers = metadata.get("finalizers", ()) if "deletionTimestamp" in metadata else ()
        if not all(self._exists(owner, namespace) for owner in owners) or {_FOREGROUND, _ORPHAN} & set(finalizers):
            self._later(Key(kind, namespace, metadata["name"]))

    def _later(self, key: Key) -> None:
        self._store.clock.call_later(_DELAY, lambda: self._look(key))

    def _look(self, key: Key) -> None:
        item = self._store.find(key.kind.kind, key.name, key.namespace, key.kind.api_version)
        if item is None:
            return
        with self._store.acting("garbage-collector"):
            if self._held(key, _ORPHAN):
                self._orphan(key, item)
            elif self._held(key, _FOREGROUND):
                self._delete_dependents(key, item)
            elif "deletionTimestamp" not in item["metadata"]:
                self._collect(key, item)

    def _collect(self, key: Key, item: Object) -> None:
        owners = item["metadata"].get("ownerReferences", ())
        if not owners or not self._resolvable(key, item):
            return
        solid = [owner for owner in owners if self._exists(owner, key.namespace)]
        if len(solid) == len(owners):
            return
        uid = item["metadata"]["uid"]
        if not solid:
            self._store.delete(key.kind, key.name, key.namespace, uid=uid)
        else:
            self._set_owners(key, solid)

    def _orphan(self, key: Key, item: Object) -> None:
        uid = item["metadata"]["uid"]
        for dependent in self._store.owned_by(uid):
            owned = self._store.get(dependent.kind, dependent.name, dependent.namespace)
            self._set_owners(dependent, [o for o in owned["metadata"]["ownerReferences"] if o["uid"] != uid])
        self._release(key, _ORPHAN)

    def _delete_dependents(self, key: Key, item: Object) -> None:
        uid = item["metadata"]["uid"]
        blocked = False
        for dependent in self._store.owned_by(uid):
            owned = self._store.get(dependent.kind, dependent.name, dependent.namespace)
            owners = owned["metadata"]["ownerReferences"]
            others = [o for o in owners if o["uid"] != uid and self._exists(o, dependent.namespace)]
            if others:
                self._set_owners(dependent, [o for o in owners if o["uid"] != uid])
                continue
            blocked |= any(o["uid"] == uid and o.get("blockOwnerDeletion", False) for o in owners)
            if "deletionTimestamp" not in owned["metadata"]:
                how = "Foreground" if self._store.owned_by(owned["metadata"]["uid"]) else "Background"
                self._store.delete(dependent.kind, dependent.name, dependent.namespace, propagation=how)
        if not blocked or not self._store.owned_by(uid):
            self._release(key, _FOREGROUND)

    def _set_owners(self, key: Key, owners: list[Object]) -> None:
        item = self._store.get(key.kind, key.name, key.namespace)
        item["metadata"]["ownerReferences"] = owners
        self._store.update(item)

    def _release(self, key: Key, finalizer: str) -> None:
        try:
            item = self._store.get(key.kind, key.name, key.namespace)
        except ApiError:
            return
        item["metadata"]["finalizers"] = [f for f in item["metadata"].get("finalizers", ()) if f != finalizer]
        self._store.update(item)

    def _held(self, key: Key, finalizer: str) -> bool:
        item = self._store.find(key.kind.kind, key.name, key.namespace, key.kind.api_version)
        if item is None or "deletionTimestamp" not in item["metadata"]:
            return False
        return finalizer in item["metadata"].get("finalizers", ())

    def _exists(self, owner: Object, namespace: str) -> bool:
        found = self._store.find(owner["kind"], owner["name"], namespace, owner["apiVersion"])
        return found is not None and found["metadata"]["uid"] == owner["uid"]

    def _resolvable(self, key: Key, item: Object) -> bool:
        """Whether its owners can be looked up: a cluster-scoped object cannot have a namespaced owner."""
        if key.namespace:
            return True
        scopes = {(r.kind.kind, r.kind.api_version): r.namespaced for r in self._store.kinds()}
        owners = item["metadata"]["ownerReferences"]
        return not any(scopes.get((owner["kind"], owner["apiVersion"])) for owner in owners)
