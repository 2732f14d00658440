"""Published Kubernetes types inside custom resources of others, such as the pod templates of a LeaderWorkerSet.

Its CRD carries them in full; what its webhook does with them on the way (it reads them as Go types and patches what
differs) is written here as defaults, and as `x-quantity` on the quantities that it puts into canonical form.
"""

from collections.abc import Mapping
from typing import Any

from hooks.simulator.builtin.go_types import EMPTY_OBJECTS
from hooks.simulator.builtin.schemas import definitions, referred, short_name

INTEGER_OR_STRING = {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}
_METADATA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "namespace": {"type": "string"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
        "finalizers": {"type": "array", "items": {"type": "string"}},
    },
}
_SPECIAL: Mapping[str, Mapping[str, Any]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {**INTEGER_OR_STRING, "x-quantity": True},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": INTEGER_OR_STRING,
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": {"type": "string", "format": "date-time"},
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": _METADATA,
}
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "core.v1.ConfigMapEnvSource": {"name": ""},
    "core.v1.ConfigMapKeySelector": {"name": ""},
    "core.v1.ConfigMapProjection": {"name": ""},
    "core.v1.ConfigMapVolumeSource": {"name": ""},
    "core.v1.ContainerPort": {"protocol": "TCP"},
    "core.v1.GRPCAction": {"service": ""},
    "core.v1.LocalObjectReference": {"name": ""},
    "core.v1.SecretEnvSource": {"name": ""},
    "core.v1.SecretKeySelector": {"name": ""},
    "core.v1.SecretProjection": {"name": ""},
}
"""Defaults that the types' markers give to CRDs made from them."""
_KEPT = ("format", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type")


def structural_schema(name: str) -> dict[str, Any]:
    """A published type, such as `io.k8s.api.core.v1.PodTemplateSpec`, as a structural schema."""
    schema, short = definitions()[name], short_name(name)
    made: dict[str, Any] = {"type": "object"}
    if "required" in schema:
        made["required"] = [key for key in schema["required"] if key not in EMPTY_OBJECTS.get(short, ())]
    made["properties"] = {key: _field(value) for key, value in schema.get("properties", {}).items()}
    for key in EMPTY_OBJECTS.get(short, ()):
        made["properties"][key] = {**made["properties"][key], "default": {}}
    for key, value in _DEFAULTS.get(short, {}).items():
        made["properties"][key] = {**made["properties"][key], "default": value}
    return made


def _field(schema: Mapping[str, Any]) -> dict[str, Any]:
    name = referred(schema)
    if name:
        return dict(_SPECIAL[name]) if name in _SPECIAL else structural_schema(name)
    kind = schema["type"]
    made: dict[str, Any] = {"type": kind[0] if isinstance(kind, list) else kind}
    made |= {key: schema[key] for key in _KEPT if key in schema}
    for key in ("items", "additionalProperties"):
        if key in schema:
            made[key] = _field(schema[key])
    return made
