"""Fields of a custom resource that its CRD does not have: the API server would drop them, and kubectl refuses them."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml

from hooks.packaged import packaged
from hooks.protocol import Object

_KEEPS_ALL = "x-kubernetes-preserve-unknown-fields"


def unknown_fields(item: Object) -> Iterator[str]:
    """The paths of fields below `spec` that the CRD of the object's kind does not know; none for another kind."""
    schema = _schemas().get((item["apiVersion"], item["kind"]))
    if schema is not None and "spec" in item:
        yield from _unknown(item["spec"], schema["properties"]["spec"], "spec")


def _unknown(value: Any, schema: Object, path: str) -> Iterator[str]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(item, schema.get("items", {}), f"{path}[{index}]")
        return
    if not isinstance(value, dict):
        return
    properties = schema.get("properties", {})
    of_others = schema.get("additionalProperties")
    for key, item in value.items():
        if key in properties:
            yield from _unknown(item, properties[key], f"{path}.{key}")
        elif isinstance(of_others, dict):
            yield from _unknown(item, of_others, f"{path}.{key}")
        elif schema.get("type") == "object" and not schema.get(_KEEPS_ALL):
            yield f"{path}.{key}"


@cache
def _schemas() -> dict[tuple[str, str], Object]:
    """(API version, kind) → OpenAPI schema, of all our CRDs."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where libyaml is there
    found = {}
    for path in sorted(packaged("crds").glob("*.yaml")):
        spec = yaml.load(path.read_text(encoding="utf-8"), loader)["spec"]  # noqa: S506 - a safe loader either way
        for version in spec["versions"]:
            key = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
            found[key] = version["schema"]["openAPIV3Schema"]
    return found
