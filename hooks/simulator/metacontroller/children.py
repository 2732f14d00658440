"""Making the children of a parent what its hook wants them to be."""

import random
from collections.abc import Iterator, Mapping

from hooks.protocol import Kind, Object
from hooks.simulator.errors import ApiError
from hooks.simulator.metacontroller.apply import first_version, next_version
from hooks.simulator.metacontroller.failures import SyncFailed
from hooks.simulator.metacontroller.object_map import ObjectMap, map_key, ordered
from hooks.simulator.metacontroller.plain import same, sent
from hooks.simulator.store import Store


def owner_reference(parent: Object) -> Object:
    """The reference to a parent that each of its children carries."""
    metadata = parent["metadata"]
    return {
        "apiVersion": parent["apiVersion"],
        "kind": parent["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


class Children:
    """Creates, updates and deletes children.

    Args:
        store: where they live.
        methods: the update strategy of each kind; `OnDelete` for one that is not in it.
        order: the order of children of one kind, which Metacontroller leaves to chance.
    """

    def __init__(self, store: Store, methods: Mapping[Kind, str], order: random.Random) -> None:
        self._store = store
        self._methods = methods
        self._order = order

    def manage(self, parent: Object, observed: ObjectMap, desired: ObjectMap) -> list[Exception]:
        """Delete what is observed and not desired, then create or update what is desired.

        Returns:
            What failed; one failure keeps nothing else from being tried.
        """
        problems: list[Exception] = []
        for kind, item in self._each(observed):
            if map_key(item) not in desired.get(kind, {}):
                self._delete(kind, item, problems)
        for kind, item in self._each(desired):
            old = observed.get(kind, {}).get(map_key(item))
            try:
                self._apply(kind, old, item, parent)
            except (ApiError, SyncFailed) as error:
                problems.append(error)
        return problems

    def _each(self, objects: ObjectMap) -> Iterator[tuple[Kind, Object]]:
        for kind, items in ordered(objects):
            for key in self._order.sample(list(items), len(items)):
                yield kind, items[key]

    def _delete(self, kind: Kind, item: Object, problems: list[Exception]) -> None:
        metadata = item["metadata"]
        if "deletionTimestamp" in metadata:
            return
        try:
            self._store.delete(kind, metadata["name"], metadata.get("namespace", ""), uid=metadata["uid"])
        except ApiError as error:
            if error.reason != "NotFound":
                problems.append(error)

    def _apply(self, kind: Kind, old: Object | None, desired: Object, parent: Object) -> None:
        if old is None:
            self._create(desired, parent)
            return
        new = next_version(old, desired)
        method = self._methods.get(kind, "OnDelete")
        if same(new, old) or "deletionTimestamp" in old["metadata"] or method == "OnDelete":
            return
        try:
            if method == "Recreate":
                metadata = old["metadata"]
                self._store.delete(kind, metadata["name"], metadata.get("namespace", ""), uid=metadata["uid"])
            else:
                self._store.update(sent(new))
        except ApiError as error:
            # Gone or changed in the meantime: that change brings the next sync.
            if error.reason != "NotFound" and not (error.reason == "Conflict" and method == "InPlace"):
                raise

    def _create(self, desired: Object, parent: Object) -> None:
        made = sent(first_version(desired))
        metadata = made["metadata"]
        owners = metadata.get("ownerReferences") or []
        if all(owner.get("uid") != parent["metadata"]["uid"] for owner in owners):
            metadata["ownerReferences"] = [*owners, owner_reference(parent)]
        try:
            self._store.create(made)
        except ApiError as error:
            if error.reason != "AlreadyExists":  # swallowed: nobody is told
                raise
