"""Metacontroller's envelopes, and looking up the objects they carry.

Source: Metacontroller's API reference for CompositeController and DecoratorController hooks, version `v2`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hooks.adapters import Outcomes
from hooks.errors import Fault, InvalidSpec, MalformedRequest, UnprocessableRequest

Object = dict[str, Any]
"""A Kubernetes object as plain JSON."""


@dataclass(frozen=True)
class Kind:
    """A kind in one API version, as Metacontroller's maps key it (`Deployment.apps/v1`)."""

    kind: str
    api_version: str
    plural: str
    namespaced: bool = True

    @property
    def key(self) -> str:
        """The key of this kind in `children`, `attachments` and `related`."""
        return f"{self.kind}.{self.api_version}"


class Observed:
    """Objects of one of Metacontroller's maps: `children`, `attachments` or `related`.

    The inner keys differ by hook version (`name` or `namespace/name`) and are never read: `metadata` is. An entry that
    is absent means that nobody asked, which proves nothing; one that is empty means that there is none.
    """

    def __init__(self, kinds: Mapping[str, Mapping[str, Object]]) -> None:
        self._kinds = kinds
        self._by_name: dict[str, dict[tuple[str, str], Object]] = {}

    def asked(self, kind: Kind) -> bool:
        """Whether the request says anything about this kind."""
        return kind.key in self._kinds

    def all(self, kind: Kind, namespace: str | None = None) -> list[Object]:
        """The objects of a kind, of one namespace where one is given, ordered by namespace and name."""
        named = self._named(kind)
        return [named[key] for key in sorted(named) if namespace is None or key[0] == namespace]

    def find(self, kind: Kind, name: str, namespace: str = "") -> Object | None:
        """The object of that kind, name and namespace, if it was observed."""
        return self._named(kind).get((namespace, name))

    def __iter__(self) -> Iterator[Object]:
        """Every object, ordered by kind, namespace and name."""
        for key in sorted(self._kinds):
            yield from sorted(self._kinds[key].values(), key=name_of)

    def _named(self, kind: Kind) -> dict[tuple[str, str], Object]:
        named = self._by_name.get(kind.key)
        if named is None:
            named = {name_of(item): item for item in self._kinds.get(kind.key, {}).values()}
            self._by_name[kind.key] = named
        return named


def name_of(item: Object) -> tuple[str, str]:
    """An object's namespace (empty for a cluster-scoped one) and name."""
    metadata = item["metadata"]
    return metadata.get("namespace", ""), metadata["name"]


def is_leaving(item: Object) -> bool:
    """Whether an object is being deleted."""
    return item["metadata"].get("deletionTimestamp") is not None


def spec_of(parent: Object) -> Any:
    """A custom resource's spec, whatever it holds.

    Raises:
        InvalidSpec: there is none, so that nothing can be concluded: least of all that it asks for nothing.
    """
    spec = parent.get("spec")
    if spec is None:
        raise InvalidSpec([Fault("spec", "is required", "add it")])
    return spec


def part(item: Object, key: str) -> Object:
    """An object's part that should be an object; empty where it is absent or something else."""
    value = item.get(key)
    return value if isinstance(value, dict) else {}


def entries(item: Object, key: str) -> list[Object]:
    """An object's part that should be a list of objects; without whatever else stands there."""
    value = item.get(key)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


@dataclass(frozen=True)
class SyncRequest:
    """The body of a `sync` or `finalize` hook.

    A DecoratorController's `object` is our `parent`, its `attachments` are our `children`.
    """

    parent: Object
    children: Observed = field(default_factory=lambda: Observed({}))
    related: Observed = field(default_factory=lambda: Observed({}))
    controller: Object | None = None
    finalizing: bool = False
    randomness: bytes = b""
    """Fresh random bytes for what nobody may guess, such as a key; none where the caller has none to give."""
    outcomes: Outcomes | None = None
    """What came of the controller's task on workers, where it has one."""

    @property
    def deleting(self) -> bool:
        """Whether the parent is on its way out, so that nothing new may be made for it."""
        return self.finalizing or is_leaving(self.parent)

    def installed(self, kind: Kind) -> bool:
        """Whether the cluster has this kind: the controller lists it as a child, or nobody says which it lists."""
        return _installed(self.controller, kind)


@dataclass(frozen=True)
class CustomizeRequest:
    """The body of a `customize` hook."""

    parent: Object
    controller: Object | None = None

    def installed(self, kind: Kind) -> bool:
        """Whether the cluster has this kind (see `SyncRequest.installed`)."""
        return _installed(self.controller, kind)


def _ending(resync_after_seconds: float | None, finalized: bool | None) -> Object:  # noqa: FBT001 - as answers have it
    """The keys that answers of both kinds of controllers end in, where they have them."""
    ending = {"resyncAfterSeconds": resync_after_seconds, "finalized": finalized}
    return {key: value for key, value in ending.items() if value is not None}


@dataclass(frozen=True)
class CompositeAnswer:
    """What a CompositeController's `sync` or `finalize` answers."""

    status: Object
    children: list[Object]
    resync_after_seconds: float | None = None
    finalized: bool | None = None

    def body(self) -> Object:
        """The JSON object, with exactly the keys that Metacontroller's strict `v2` reading knows."""
        body: Object = {"status": self.status, "children": self.children}
        return body | _ending(self.resync_after_seconds, self.finalized)


@dataclass(frozen=True)
class DecoratorAnswer:
    """What a DecoratorController's `sync` or `finalize` answers; a label or annotation that is None is deleted."""

    attachments: list[Object] = field(default_factory=list)
    labels: Mapping[str, str | None] = field(default_factory=dict)
    annotations: Mapping[str, str | None] = field(default_factory=dict)
    resync_after_seconds: float | None = None
    finalized: bool | None = None

    def body(self) -> Object:
        """The JSON object; `status` is never in it, so the decorated object's own is left alone."""
        body: Object = {"attachments": self.attachments}
        if self.labels:
            body["labels"] = dict(self.labels)
        if self.annotations:
            body["annotations"] = dict(self.annotations)
        return body | _ending(self.resync_after_seconds, self.finalized)


@dataclass(frozen=True)
class RelatedRule:
    """One rule of a `customize` answer: objects of a kind, by names or by label selector, in one namespace or in all.

    `selector` is a whole Kubernetes label selector: a bare map of labels would be read as one that selects everything.
    """

    kind: Kind
    names: tuple[str, ...] | None = None
    selector: Object | None = None
    namespace: str | None = None

    def __post_init__(self) -> None:
        if (self.names is None) == (self.selector is None):
            raise ValueError("a rule is by names or by selector, one of the two")
        if self.selector is not None and not self.selector.keys() <= {"matchLabels", "matchExpressions"}:
            raise ValueError(f"not a label selector: {self.selector}")

    def body(self) -> Object:
        """The rule as Metacontroller reads it."""
        body: Object = {"apiVersion": self.kind.api_version, "resource": self.kind.plural}
        if self.names is not None:
            body["names"] = list(self.names)
        else:
            body["labelSelector"] = self.selector
        if self.namespace is not None:
            body["namespace"] = self.namespace
        return body


def customize_body(rules: Iterable[RelatedRule]) -> Object:
    """The answer of a `customize` hook."""
    return {"relatedResources": [rule.body() for rule in rules]}


def read_sync(body: Any, *kinds: Kind) -> SyncRequest:
    """Read the body of a `sync` or `finalize` hook whose parent is of one of the given kinds.

    Raises:
        MalformedRequest: the body has not the envelope's shape.
        UnprocessableRequest: the parent is of another kind.
    """
    envelope = _object(body, "$")
    decorator = "object" in envelope and "parent" not in envelope
    parent = _parent(envelope, "object" if decorator else "parent", kinds)
    children = "attachments" if decorator else "children"
    return SyncRequest(
        parent=parent,
        children=_observed(envelope, children),
        related=_observed(envelope, "related"),
        controller=_controller(envelope),
        finalizing=_boolean(envelope, "finalizing"),
    )


def read_customize(body: Any, *kinds: Kind) -> CustomizeRequest:
    """Read the body of a `customize` hook; raises as `read_sync` does."""
    envelope = _object(body, "$")
    return CustomizeRequest(parent=_parent(envelope, "parent", kinds), controller=_controller(envelope))


def _installed(controller: Object | None, kind: Kind) -> bool:
    if controller is None:
        return True
    spec = part(controller, "spec")
    if "childResources" not in spec:
        return True
    return any(
        entry.get("apiVersion") == kind.api_version and entry.get("resource") == kind.plural
        for entry in entries(spec, "childResources")
    )


def _parent(envelope: Object, key: str, kinds: tuple[Kind, ...]) -> Object:
    if key not in envelope:
        raise MalformedRequest(f"$.{key}", 'is required; send {"parent": {…}}')
    parent = _kubernetes_object(envelope[key], f"$.{key}")
    found = parent.get("kind"), parent.get("apiVersion")
    kind = next((kind for kind in kinds if (kind.kind, kind.api_version) == found), None)
    if kind is None:
        wanted = " or a ".join(f"{kind.kind} of {kind.api_version}" for kind in kinds)
        raise UnprocessableRequest(f"$.{key}", f"is a {found[0]} of {found[1]}, this hook is for a {wanted}")
    if kind.namespaced and not parent["metadata"].get("namespace"):
        raise MalformedRequest(f"$.{key}.metadata.namespace", f"is required, a {kind.kind} lies in one; add it")
    return parent


def _kubernetes_object(value: Any, *path: str) -> Object:
    """Check what every object must have. `path` becomes text for a fault only: there are hundreds without one."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if (
        isinstance(metadata, dict)
        and isinstance(name := metadata.get("name"), str)
        and name
        and isinstance(metadata.get("namespace", ""), str)
        and _are_strings(metadata.get("labels"))
        and _are_strings(metadata.get("annotations"))
    ):
        return value  # type: ignore[no-any-return] # an object, as its metadata shows
    where = path[0] + "".join(f"[{step!r}]" for step in path[1:])
    metadata = _object(_object(value, where).get("metadata"), f"{where}.metadata")
    if not isinstance(metadata.get("name"), str) or not metadata["name"]:
        raise MalformedRequest(f"{where}.metadata.name", "must be a string that is not empty")
    if not isinstance(metadata.get("namespace", ""), str):
        raise MalformedRequest(f"{where}.metadata.namespace", "must be a string")
    key = "annotations" if _are_strings(metadata.get("labels")) else "labels"
    raise MalformedRequest(f"{where}.metadata.{key}", "must be an object of strings")


def _are_strings(entries: Any) -> bool:
    """Whether labels or annotations, as JSON, are absent or strings alone."""
    return entries is None or (isinstance(entries, dict) and {*map(type, entries.values())} <= {str})


def _observed(envelope: Object, key: str) -> Observed:
    kinds = envelope.get(key)
    if kinds is None:
        return Observed({})
    where = f"$.{key}"
    for key_of_kind, items in _object(kinds, where).items():
        kind, _, api_version = key_of_kind.partition(".")
        for name, item in _object(items, f"{where}[{key_of_kind!r}]").items():
            _kubernetes_object(item, where, key_of_kind, name)
            if item.get("kind") != kind or item.get("apiVersion") != api_version:
                found = f"{item.get('kind')} of {item.get('apiVersion')}"
                raise MalformedRequest(f"{where}[{key_of_kind!r}][{name!r}]", f"is a {found}, which its place denies")
    return Observed(kinds)


def _controller(envelope: Object) -> Object | None:
    controller = envelope.get("controller")
    if controller is None:
        return None
    _object(_object(controller, "$.controller").get("spec", {}), "$.controller.spec")
    return dict(controller)


def _boolean(envelope: Object, key: str) -> bool:
    value = envelope.get(key, False)
    if not isinstance(value, bool):
        raise MalformedRequest(f"$.{key}", "must be true or false")
    return value


def _object(value: Any, where: str) -> Object:
    if not isinstance(value, dict):
        raise MalformedRequest(where, f"must be an object, is {_json_type(value)}")
    return value


def _json_type(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "a boolean", type(None): "null or absent"}
    return names.get(type(value), "a number")
