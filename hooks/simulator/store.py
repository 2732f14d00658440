"""The store: objects, their versions, and who may change them; what the API server does for every kind alike.

It refuses where the real one refuses, and a write that changes nothing is none: no new resourceVersion, no event.
"""

import random
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hooks.protocol import Kind, Object
from hooks.simulator import errors
from hooks.simulator.clock import Clock, timestamp
from hooks.simulator.metadata import keep_system_fields, metadata_faults, read_metadata
from hooks.simulator.objects import Key, Objects, copied
from hooks.simulator.resources import Resource, generation_changes
from hooks.simulator.selectors import matches

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"

Listener = Callable[[str, Kind, Object], object]
"""Told of each real change: event type, kind, object. The object is shared by all listeners and not to be changed."""

NAMESPACE = Kind("Namespace", "v1", "namespaces")

Faults = Sequence[errors.FieldError]

_SUFFIX = "bcdfghjklmnpqrstvwxz2456789"
"""Signs of which a generated name's five last are drawn (k8s.io/apimachinery, `util/rand`)."""


@dataclass(frozen=True)
class Write:
    """One write request: who sent it, what for, and whether anything came of it."""

    verb: str
    kind: str
    namespace: str
    name: str
    changed: bool
    by: str = ""
    refused: errors.ApiError | None = None


class Store:
    """The API server's face: create, update, update_status, delete, get, list, watch.

    Objects go in and come out as copies. Where a kind is wanted, a `Kind` or its name will do.
    """

    def __init__(self, clock: Clock, resources: Iterable[Resource], seed: int = 0) -> None:
        self.clock = clock
        self.writes: list[Write] = []
        self.warnings: list[str] = []
        """What the server warned of: fields that nobody knows and that it dropped."""
        self._resources: dict[tuple[str, str], Resource] = {}
        self._by_name: dict[str, Resource] = {}
        self.serve(resources)
        self._objects = Objects()
        self._listeners: list[Listener] = []
        self._version = 0
        self._random = random.Random(seed)  # noqa: S311 - the same uids in each run are what it is for
        self.actor = ""
        """Who is writing just now; set it with `acting`."""

    def serve(self, resources: Iterable[Resource]) -> None:
        """Serve more kinds, or kinds anew whose definition has changed."""
        for resource in resources:
            self._resources[resource.kind.kind, resource.kind.api_version] = resource
            known = self._by_name.setdefault(resource.kind.kind, resource)
            if known.kind == resource.kind:
                self._by_name[resource.kind.kind] = resource

    # Reading

    def kinds(self) -> list[Resource]:
        """The kinds that this cluster serves."""
        return list(self._resources.values())

    def get(self, kind: Kind | str, name: str, namespace: str = "") -> Object:
        """One object.

        Raises:
            ApiError: NotFound.
        """
        resource = self.resource(kind)
        return self._copy(self._stored(Key(resource.kind, namespace if resource.namespaced else "", name)))

    def find(self, kind: str, name: str, namespace: str = "", api_version: str | None = None) -> Object | None:
        """The object as it is stored, not to be changed, or None; for admission and the garbage collector."""
        resource = self._by_name.get(kind) if api_version is None else self._resources.get((kind, api_version))
        if resource is None:
            return None
        return self._objects.find(Key(resource.kind, namespace if resource.namespaced else "", name))

    def list(
        self, kind: Kind | str, namespace: str | None = None, selector: Mapping[str, Any] | None = None
    ) -> list[Object]:
        """The objects of a kind that a label selector selects, ordered by namespace and name."""
        found = self._objects.of_kind(self.resource(kind).kind, namespace)
        return [copied(item) for item in found if matches(selector, item)]

    def owned_by(self, uid: str) -> Sequence[Key]:
        """Where the objects lie that name that uid in an owner reference."""
        return self._objects.owned_by(uid)

    def by_uid(self, uid: str) -> Key | None:
        """Where the object with that uid lies."""
        return self._objects.by_uid(uid)

    def keys_in(self, namespace: str) -> Sequence[Key]:
        """Where the objects of a namespace lie."""
        return self._objects.keys_in(namespace)

    def watch(self, listener: Listener) -> None:
        """Have the listener called after each real change, in the order of the changes."""
        self._listeners.append(listener)

    def resource(self, kind: Kind | str, api_version: str | None = None) -> Resource:
        """What the server knows of a kind.

        Raises:
            ApiError: the cluster does not serve it.
        """
        if isinstance(kind, Kind):
            return self.resource(kind.kind, kind.api_version)
        resource = self._by_name.get(kind) if api_version is None else self._resources.get((kind, api_version))
        if resource is None:
            raise errors.no_such_kind(kind, api_version or "any version")
        return resource

    # Writing

    @contextmanager
    def acting(self, by: str) -> Iterator[None]:
        """Write `by` behind each write in the log."""
        before, self.actor = self.actor, by
        try:
            yield
        finally:
            self.actor = before

    def create(self, item: Object, *, strict: bool = False) -> Object:
        """Make an object; `strict` refuses unknown fields, as `kubectl` asks for, instead of dropping them.

        Raises:
            ApiError: AlreadyExists, Invalid, NotFound (namespace or kind), Forbidden, BadRequest.
        """
        with self._logged("create", item) as log:
            resource, made, faults = self._read(item, strict=strict, with_status=False)
            metadata = made["metadata"]
            if metadata.pop("resourceVersion", ""):
                raise errors.ApiError(
                    500, "InternalError", "resourceVersion should not be set on objects to be created"
                )
            key = self._new_key(resource, metadata)
            log["name"] = key.name
            self._check_namespace(resource, key)
            metadata["uid"] = str(uuid.UUID(int=self._random.getrandbits(128), version=4))
            metadata["creationTimestamp"] = timestamp(self.clock.now())
            for name in ("deletionTimestamp", "deletionGracePeriodSeconds", "generation"):
                metadata.pop(name, None)
            if resource.has_generation:
                metadata["generation"] = 1
            resource.ways.prepare(made, None, self)
            self._check(resource, made, None, faults)
            if self._objects.find(key) is not None:
                raise errors.already_exists(resource.kind, key.name)
            log["changed"] = True
            return self._save(ADDED, key, made)

    def update(self, item: Object, *, strict: bool = False) -> Object:
        """Replace an object, its status excepted where that is a subresource.

        Raises:
            ApiError: NotFound, Conflict (a stale resourceVersion, another uid), Invalid, BadRequest.
        """
        with self._logged("update", item) as log:
            resource, made, old, faults = self._read_update(item, strict=strict)
            if resource.has_status:
                made.pop("status", None)
                if "status" in old:
                    made["status"] = old["status"]
            resource.ways.prepare(made, old, self)
            self._check(resource, made, old, faults)
            if resource.has_generation and self._counts(resource, made, old):
                made["metadata"]["generation"] = old["metadata"]["generation"] + 1
            log["changed"] = made != old
            return self._replace(resource, made, old)

    def update_status(self, item: Object, *, strict: bool = False) -> Object:
        """Replace an object's status, and nothing else of it but a built-in object's metadata.

        Raises:
            ApiError: NotFound (also where the kind has no status subresource), Conflict, Invalid, BadRequest.
        """
        with self._logged("update_status", item) as log:
            resource, given, old, _ = self._read_update(item, strict=strict)
            if not resource.has_status:
                raise errors.ApiError(404, "NotFound", "the server could not find the requested resource")
            made = resource.ways.with_status(old, given)
            faults = resource.ways.status_faults(made, old)
            if faults:
                raise errors.invalid(resource.kind, old["metadata"]["name"], faults)
            log["changed"] = made != old
            return self._replace(resource, made, old)

    def delete(
        self,
        kind: Kind | str,
        name: str,
        namespace: str = "",
        *,
        propagation: str = "Background",
        uid: str | None = None,
    ) -> None:
        """Delete an object, or mark it where finalizers hold it.

        Args:
            kind: its kind.
            name: its name.
            namespace: its namespace, empty for a cluster-scoped one.
            propagation: what becomes of what it owns: Background, Foreground or Orphan.
            uid: refuse (Conflict) to delete another object of that name.

        Raises:
            ApiError: NotFound, Conflict.
        """
        resource = self.resource(kind)
        key = Key(resource.kind, namespace if resource.namespaced else "", name)
        with self._logged("delete", _named(key)) as log:
            old = self._stored(key)
            self._check_uid(key, old, uid)
            finalizer = {"Foreground": "foregroundDeletion", "Orphan": "orphan"}.get(propagation)
            finalizers = list(old["metadata"].get("finalizers", ()))
            if finalizer and finalizer not in finalizers:
                finalizers.append(finalizer)
            log["changed"] = True
            if not finalizers and not resource.ways.lingers(old):
                self._drop(key, old)
            elif "deletionTimestamp" not in old["metadata"]:
                self._mark(resource, key, old, finalizers)
            else:
                log["changed"] = False

    def finalize(self, name: str) -> None:
        """Say that a Namespace that is being deleted is empty (its `finalize` subresource)."""
        key = Key(NAMESPACE, "", name)
        with self._logged("finalize", _named(key)) as log:
            log["changed"] = True
            made = {**self._stored(key), "spec": {}}
            self._replace(self.resource(NAMESPACE), made, self._stored(key))

    # Behind the verbs

    @contextmanager
    def _logged(self, verb: str, item: Object) -> Iterator[dict[str, Any]]:
        given = item.get("metadata")
        metadata: Object = given if isinstance(given, dict) else {}
        log: dict[str, Any] = {"name": metadata.get("name", ""), "changed": False}
        refused: errors.ApiError | None = None
        try:
            yield log
        except errors.ApiError as error:
            log["changed"] = False
            refused = error
            raise
        finally:
            namespace, kind = metadata.get("namespace") or "", str(item.get("kind"))
            self.writes.append(Write(verb, kind, namespace, log["name"], log["changed"], self.actor, refused))

    def _read(self, item: Object, *, strict: bool, with_status: bool = True) -> tuple[Resource, Object, Faults]:
        resource = self.resource(str(item.get("kind")), str(item.get("apiVersion")))
        made = copied(item)
        if resource.has_status and not with_status:
            made.pop("status", None)  # so that a built-in object gets an empty one
        warnings = read_metadata(resource.kind, made, resource.ways.metadata_prefix)
        read = resource.ways.read(made)
        warnings += read.warnings
        if warnings and strict:
            raise errors.unreadable(resource.kind, f"strict decoding error: {', '.join(warnings)}")
        self.warnings += warnings
        return resource, read.item, read.faults

    def _read_update(self, item: Object, *, strict: bool) -> tuple[Resource, Object, Object, Faults]:
        resource, made, faults = self._read(item, strict=strict)
        metadata = made["metadata"]
        name = metadata.get("name", "")
        key = Key(resource.kind, metadata.get("namespace", "") if resource.namespaced else "", name)
        old = self._stored(key)
        version = metadata.get("resourceVersion", "")
        if not version and not resource.unconditional_update:
            fault = errors.invalid_value("metadata.resourceVersion", 0, "must be specified for an update")
            raise errors.invalid(resource.kind, name, [fault])
        self._check_uid(key, old, metadata.get("uid"))
        if version and version != old["metadata"]["resourceVersion"]:
            raise errors.conflict(resource.kind, name)
        keep_system_fields(made, old)
        return resource, made, old, faults

    def _check_uid(self, key: Key, old: Object, uid: str | None) -> None:
        found = old["metadata"]["uid"]
        if uid and uid != found:
            why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {found}"
            raise errors.conflict(key.kind, key.name, why)

    def _new_key(self, resource: Resource, metadata: Object) -> Key:
        if not metadata.get("name") and metadata.get("generateName"):
            metadata["name"] = metadata["generateName"] + "".join(self._random.choices(_SUFFIX, k=5))
        if not resource.namespaced:
            metadata.pop("namespace", None)
        return Key(resource.kind, metadata.get("namespace", ""), metadata.get("name", ""))

    def _check_namespace(self, resource: Resource, key: Key) -> None:
        if not resource.namespaced or "Namespace" not in self._by_name:
            return
        if not key.namespace:
            raise errors.ApiError(
                405, "MethodNotAllowed", "the server does not allow this method on the requested resource"
            )
        namespace = self._objects.find(Key(NAMESPACE, "", key.namespace))
        if namespace is None:
            raise errors.not_found(NAMESPACE, key.namespace)
        if "deletionTimestamp" in namespace["metadata"]:
            why = f"unable to create new content in namespace {key.namespace} because it is being terminated"
            raise errors.forbidden(resource.kind, key.name, why)

    def _check(self, resource: Resource, made: Object, old: Object | None, found: Faults) -> None:
        known = [*metadata_faults(made, old, resource.ways.name_faults), *found]
        faults = resource.ways.faults(made, old, known)
        if faults:
            raise errors.invalid(resource.kind, made["metadata"].get("name", ""), faults)

    def _counts(self, resource: Resource, made: Object, old: Object) -> bool:
        return generation_changes(made, old, has_status=resource.has_status) or resource.ways.counts(made, old)

    def _replace(self, resource: Resource, made: Object, old: Object) -> Object:
        key = Key(resource.kind, old["metadata"].get("namespace", ""), old["metadata"]["name"])
        if made == old:
            return self._copy(old)
        leaves = "deletionTimestamp" in made["metadata"] and not made["metadata"].get("finalizers")
        if leaves and not resource.ways.lingers(made):
            self._drop(key, made)
            return made
        return self._save(MODIFIED, key, made)

    def _mark(self, resource: Resource, key: Key, old: Object, finalizers: Sequence[str]) -> None:
        made = self._copy(old)
        metadata = made["metadata"]
        metadata["deletionTimestamp"] = timestamp(self.clock.now())
        metadata["deletionGracePeriodSeconds"] = 0
        if finalizers:
            metadata["finalizers"] = [*finalizers]
        if "generation" in metadata:
            metadata["generation"] += 1
        resource.ways.mark_deleted(made)
        self._save(MODIFIED, key, made)

    def _drop(self, key: Key, item: Object) -> None:
        self._objects.remove(key)
        self._tell(DELETED, key.kind, self._versioned(item))

    def _save(self, event: str, key: Key, item: Object) -> Object:
        item = self._versioned(item)
        self._objects.put(key, item)
        self._tell(event, key.kind, item)
        return self._copy(item)

    def _versioned(self, item: Object) -> Object:
        self._version += 1
        return {**item, "metadata": {**item["metadata"], "resourceVersion": str(self._version)}}

    def _tell(self, event: str, kind: Kind, item: Object) -> None:
        if self._listeners:
            told = self._copy(item)
            for listener in tuple(self._listeners):
                listener(event, kind, told)

    def _stored(self, key: Key) -> Object:
        item = self._objects.find(key)
        if item is None:
            raise errors.not_found(key.kind, key.name)
        return item

    def _copy(self, item: Object) -> Object:
        copy: Object = copied(item)
        return copy


def _named(key: Key) -> Object:
    return {"kind": key.kind.kind, "metadata": {"name": key.name, "namespace": key.namespace}}
