"""Kubernetes' published schemas, and their types as a CRD can hold them.

Source: the schemas that the Python package kubernetes-validate brings (made from Kubernetes' own OpenAPI), and for what
a CRD may hold kubernetes.io, "Extend the Kubernetes API with CustomResourceDefinitions", "Specifying a structural
schema".
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Schema = dict[str, Any]

VERSION = "1.36"
"""Kubernetes version whose types the CRDs embed. Fields of a newer one are unknown to them, and so dropped."""

PRESERVE = "x-kubernetes-preserve-unknown-fields"

_QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
"""What Kubernetes reads as a quantity."""

_INTEGER_OR_STRING: Schema = {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}

_BY_HAND: Mapping[str, Schema] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {**_INTEGER_OR_STRING, "pattern": _QUANTITY},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": _INTEGER_OR_STRING,
}
"""Types that are a number or a string, which a CRD says in its own way."""

_MAP_KEY_DEFAULTS = {"protocol": "TCP", "name": ""}
"""Keys of list items that Kubernetes does not require: the value that an absent one has there.

A CRD needs one or the other. An image pull secret without a name is no error to Kubernetes, so it is none here.
"""

_CHANGED = frozenset({"type", "properties", "items", "additionalProperties"})
_KEPT = frozenset(
    {"enum", "format", "required", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"}
)
_DROPPED = frozenset(
    {
        "description",  # most of the size, and `kubectl explain pod.spec` shows it
        "x-kubernetes-patch-merge-key",
        "x-kubernetes-patch-strategy",
        "x-kubernetes-unions",
    }
)
"""What a CRD cannot hold, and descriptions."""


class MissingSchemasError(Exception):
    """The package with the published schemas is not installed."""

    def __init__(self) -> None:
        super().__init__("the published Kubernetes schemas are missing: pip install 'dynamo-hooks[simulate]'")


@cache
def published_definitions() -> Mapping[str, Schema]:
    """The published schema of each Kubernetes type, by its full name.

    Raises:
        MissingSchemasError: the package that brings them is not installed.
    """
    package = find_spec("kubernetes_validate")  # importing it would import its command line as well
    if package is None or package.origin is None:
        raise MissingSchemasError
    folder = Path(package.origin).parent / "kubernetes-json-schema" / f"v{VERSION}.0-local"
    definitions: Mapping[str, Schema] = json.loads((folder / "_definitions.json").read_bytes())["$defs"]
    return definitions


def embedded(name: str, *, optional: Iterable[str] = ()) -> Schema:
    """The structural schema of a Kubernetes type with everything it refers to, less what it requires of `optional`."""
    if name in _BY_HAND:
        return dict(_BY_HAND[name])
    schema = _structural(published_definitions()[name])
    required = [field for field in schema.pop("required", ()) if field not in optional]
    return schema | {"required": required} if required else schema


def _structural(published: Schema) -> Schema:
    reference = published.get("$ref")
    if reference is not None:
        return embedded(reference.rpartition("/")[2])
    strange = published.keys() - _CHANGED - _KEPT - _DROPPED
    if strange:
        raise ValueError(f"keywords of the published schemas that nobody has thought about yet: {sorted(strange)}")
    schema = {keyword: value for keyword, value in published.items() if keyword in _KEPT}
    schema["type"] = _without_null(published["type"])
    if "properties" in published:
        schema["properties"] = {field: _structural(item) for field, item in published["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if keyword in published:
            schema[keyword] = _structural(published[keyword])
    if schema["type"] == "object" and not schema.keys() & {"properties", "additionalProperties"}:
        schema[PRESERVE] = True
    for key in schema.get("x-kubernetes-list-map-keys", ()):
        _ensure_present(schema["items"], key)
    return schema


def _without_null(types: str | list[str]) -> str:
    if isinstance(types, str):
        return types
    (remaining,) = (kind for kind in types if kind != "null")
    return remaining


def _ensure_present(item: Schema, key: str) -> None:
    """Give a list item's map key its default where it is not required."""
    if key not in item.get("required", ()):
        item["properties"][key]["default"] = _MAP_KEY_DEFAULTS[key]
