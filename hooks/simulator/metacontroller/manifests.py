"""Controllers as their manifests declare them.

Source: Metacontroller's API reference for CompositeController and DecoratorController. What this project does not use
(rolling updates, revisions, ETags) is refused by name, so that nobody believes it was simulated.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hooks.protocol import Object

GROUP_VERSION = "metacontroller.k8s.io/v1alpha1"
METHODS = ("OnDelete", "InPlace", "Recreate")
"""Update strategies that are simulated."""


class UnusableController(ValueError):  # noqa: N818 - names what it is about
    """A controller's manifest that Metacontroller would refuse, or that needs what is not simulated."""


@dataclass(frozen=True)
class ResourceName:
    """A resource as a rule names it, by API version and plural."""

    api_version: str
    plural: str


@dataclass(frozen=True)
class Selection:
    """Which objects of a resource a controller looks after: all, where it has no selectors."""

    resource: ResourceName
    label_selector: Object | None = None
    annotation_selector: Object | None = None
    ignore_status_changes: bool = False


@dataclass(frozen=True)
class Webhook:
    """Where a hook is called, and the version of its contract."""

    path: str
    version: Literal["v1", "v2"]
    strict: bool


@dataclass(frozen=True)
class ControllerManifest:
    """A CompositeController or a DecoratorController."""

    kind: Literal["CompositeController", "DecoratorController"]
    name: str
    manifest: Object
    parents: tuple[Selection, ...]
    children: Mapping[ResourceName, str]
    """Child resources or attachments, with the update strategy of each."""
    hooks: Mapping[str, Webhook]
    generate_selector: bool = False
    resync_period_seconds: int | None = None

    @property
    def composite(self) -> bool:
        """Whether it is a CompositeController."""
        return self.kind == "CompositeController"

    @property
    def finalizer(self) -> str:
        """The finalizer that it puts on its parents, if it has a finalize hook."""
        return f"metacontroller.io/{self.kind.lower()}-{self.name}"


@dataclass
class _Reader:
    """Reads one manifest and says where it is wrong."""

    name: str
    spec: Object
    kind: Any = field(default=None)

    def fail(self, where: str, problem: str) -> UnusableController:
        return UnusableController(f"{self.kind} {self.name}, {where}: {problem}")


def read_controllers(documents: Iterable[Object]) -> list[ControllerManifest]:
    """Read every controller among the documents of manifests, other kinds left out.

    Raises:
        UnusableController: one lacks something, or needs what is not simulated.
    """
    return [read_controller(document) for document in documents if document.get("apiVersion") == GROUP_VERSION]


def read_controller(document: Object) -> ControllerManifest:
    """Read one controller.

    Raises:
        UnusableController: it lacks something, or needs what is not simulated.
    """
    kind: Any = document.get("kind")
    name = document.get("metadata", {}).get("name", "")
    reader = _Reader(name, document.get("spec", {}), kind)
    parents: tuple[Selection, ...]
    if kind == "CompositeController":
        parents = (_selection(reader, reader.spec.get("parentResource"), "spec.parentResource"),)
        rules = "childResources"
    elif kind == "DecoratorController":
        listed = reader.spec.get("resources") or []
        parents = tuple(_selection(reader, rule, f"spec.resources[{i}]") for i, rule in enumerate(listed))
        rules = "attachments"
    else:
        raise UnusableController(f"{kind} {name} is no controller of Metacontroller's")
    children = enumerate(reader.spec.get(rules) or [])
    return ControllerManifest(
        kind=kind,
        name=name,
        manifest=document,
        parents=parents,
        children=dict(_child(reader, rule, f"spec.{rules}[{i}]") for i, rule in children),
        hooks=dict(_hooks(reader)),
        generate_selector=reader.spec.get("generateSelector", False),
        resync_period_seconds=reader.spec.get("resyncPeriodSeconds"),
    )


def _resource(reader: _Reader, rule: Any, where: str) -> ResourceName:
    if not isinstance(rule, dict) or not rule.get("apiVersion") or not rule.get("resource"):
        raise reader.fail(where, "needs apiVersion and resource")
    return ResourceName(rule["apiVersion"], rule["resource"])


def _selection(reader: _Reader, rule: Any, where: str) -> Selection:
    resource = _resource(reader, rule, where)
    if rule.get("revisionHistory"):
        raise reader.fail(where, "revisionHistory is not simulated")
    annotations = rule.get("annotationSelector")
    return Selection(
        resource=resource,
        label_selector=rule.get("labelSelector"),
        annotation_selector=annotations
        and {
            "matchLabels": annotations.get("matchAnnotations") or {},
            "matchExpressions": annotations.get("matchExpressions") or [],
        },
        ignore_status_changes=rule.get("ignoreStatusChanges", False),
    )


def _child(reader: _Reader, rule: Any, where: str) -> tuple[ResourceName, str]:
    resource = _resource(reader, rule, where)
    method = (rule.get("updateStrategy") or {}).get("method") or "OnDelete"
    if method not in METHODS:
        raise reader.fail(f"{where}.updateStrategy.method", f"{method} is not simulated, one of {METHODS} is")
    return resource, method


def _hooks(reader: _Reader) -> Iterable[tuple[str, Webhook]]:
    hooks = reader.spec.get("hooks") or {}
    if not hooks.get("sync") and not hooks.get("finalize"):
        raise reader.fail("spec.hooks", "has neither sync nor finalize")
    for hook in ("sync", "finalize", "customize"):
        if hooks.get(hook):
            yield hook, _webhook(reader, hooks[hook], f"spec.hooks.{hook}")


def _webhook(reader: _Reader, hook: Object, where: str) -> Webhook:
    webhook = hook.get("webhook") or {}
    if webhook.get("etag"):
        raise reader.fail(where, "etag is not simulated")
    if "url" in webhook:
        path = "/" + webhook["url"].split("://", 1)[-1].partition("/")[2]
    elif "path" in webhook and "service" in webhook:
        path = webhook["path"]
    else:
        raise reader.fail(where, "webhook needs a url, or a service and a path")
    version: Any = hook.get("version") or "v1"
    mode = webhook.get("responseUnMarshallMode") or ("strict" if version == "v2" else "loose")
    return Webhook(path=path, version=version, strict=mode == "strict")
