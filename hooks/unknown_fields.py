"""Fields of a custom resource that its CRD does not have: the API server would drop them, and kubectl refuses them."""

import difflib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import yaml

from hooks.api.common import GROUP_VERSION
from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, MODEL
from hooks.misplaced import is_covered, misplaced
from hooks.packaged import packaged
from hooks.protocol import Object

_KEEPS_ALL = "x-kubernetes-preserve-unknown-fields"
_NEAR = 0.75
"""How alike two names must be (difflib's ratio) for one to be taken for the other misspelt."""
_IN_METADATA = frozenset(
    (  # noqa: SIM905 - as a list it would be fifteen lines
        "name generateName namespace labels annotations finalizers ownerReferences uid resourceVersion generation "
        "creationTimestamp deletionTimestamp deletionGracePeriodSeconds selfLink managedFields"
    ).split()
)
"""Fields of an object's metadata (Kubernetes API reference, ObjectMeta)."""

_INSTEAD = {
    ("spec", "components"): "list the components by name under spec.services",
    ("spec", "modelName"): "write the model's name under spec.model",
    ("spec", "sla"): "write it under spec.profilingConfig.config",
    ("services", "pvc"): "describe the claim under spec.pvcs and mount it by its name under volumeMounts",
    ("services", "podTemplate"): "write the pod's spec under extraPodSpec, its container main as mainContainer",
    ("services", "type"): "write it under componentType",
    ("requests", "nvidia.com/gpu"): "write it under gpu",
    ("limits", "nvidia.com/gpu"): "write it under gpu",
}
"""Fields that other versions of the resources have, by the part they stand in → what stands for them in this one.

In manifests of Dynamo's users (repository ai-dynamo/dynamo): `pvc` until 0.5, `components` in `v1beta1`.
"""
_FURTHER_DOWN = (("spec",), ("extraPodSpec", "mainContainer"), ("extraPodSpec",))
"""Where a user may have meant to write a field that stands too high."""


class UnknownField(NamedTuple):
    """A field that counts for nothing."""

    path: str
    hint: str
    """What was probably meant, or has taken its place; empty where nobody can tell."""

    def __str__(self) -> str:
        said = f"unknown field {self.path} counts for nothing, and kubectl refuses it"
        return f"{said}; {self.hint}" if self.hint else said


def unknown_fields(item: Object) -> Iterator[UnknownField]:
    """The fields of one of our custom resources that its CRD does not know; none for another kind."""
    plural = _PLURALS.get(item["kind"]) if item["apiVersion"] == GROUP_VERSION else None
    if plural is None:
        return
    metadata, rest = item.get("metadata"), {key: value for key, value in item.items() if key != "metadata"}
    for key in metadata if isinstance(metadata, dict) else ():
        if key not in _IN_METADATA:
            yield UnknownField(f"metadata.{key}", _did_you_mean(key, _IN_METADATA))
    out_of_place = misplaced(item)
    for found in _unknown(rest, schema_of(plural), (), ""):
        if not is_covered(found.path, out_of_place):
            yield found


def schema_of(plural: str) -> Object:
    """The OpenAPI schema of one of our custom resources."""
    return _schemas(plural)[GROUP_VERSION.rpartition("/")[2]]


def _unknown(value: Any, schema: Object, parts: tuple[str, ...], path: str) -> Iterator[UnknownField]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(item, schema.get("items", {}), parts, f"{path}[{index}]")
        return
    if not isinstance(value, dict):
        return
    properties = schema.get("properties", {})
    of_others = schema.get("additionalProperties")
    for key, item in value.items():
        place = f"{path}.{key}" if path else str(key)
        if key in properties:
            yield from _unknown(item, properties[key], (*parts, key), place)
        elif isinstance(of_others, dict):
            yield from _unknown(item, of_others, parts, place)
        elif schema.get("type") == "object" and not schema.get(_KEEPS_ALL):
            yield UnknownField(place, _hint(str(key), properties, parts[-1] if parts else ""))


def _hint(key: str, properties: Object, part: str) -> str:
    """What a field probably should be, among the `properties` of the part that it stands in."""
    if (part, key) in _INSTEAD:
        return _INSTEAD[part, key]
    near = _did_you_mean(key, properties)
    if near:
        return near
    for steps in _FURTHER_DOWN:
        below = properties
        for step in steps:
            below = below.get(step, {}).get("properties", {})
        if key in below:
            return f"write it under {'.'.join(steps)}"
    if key in properties.get("services", {}).get("additionalProperties", {}).get("properties", {}):
        return "it is a field of a service; write it under one of spec.services"
    return ""


def _did_you_mean(key: str, names: Iterable[str]) -> str:
    """The nearest of some names, whatever their capitals."""
    by_lower = {name.lower(): name for name in sorted(names)}
    found = difflib.get_close_matches(key.lower(), by_lower, n=1, cutoff=_NEAR)
    return f"did you mean {by_lower[found[0]]}?" if found else ""


_PLURALS = {
    kind.kind: kind.plural for kind in (GRAPH_DEPLOYMENT, COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, MODEL)
}


@cache
def _schemas(plural: str) -> dict[str, Object]:
    """Version → OpenAPI schema. Each definition has ten thousand lines, so only one that is asked for is read."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where libyaml is there
    path = packaged("crds") / f"{GROUP_VERSION.rpartition('/')[0]}_{plural}.yaml"
    spec = yaml.load(path.read_text(encoding="utf-8"), loader)["spec"]  # noqa: S506 - a safe loader either way
    return {version["name"]: version["schema"]["openAPIV3Schema"] for version in spec["versions"]}
