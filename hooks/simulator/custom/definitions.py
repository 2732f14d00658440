"""CustomResourceDefinitions → the kinds that they add to a cluster."""

from collections.abc import Iterable

from hooks.protocol import Kind, Object
from hooks.simulator.custom.ways import CustomWays
from hooks.simulator.resources import Resource


def custom_resources(definitions: Iterable[Object]) -> list[Resource]:
    """The kinds that CustomResourceDefinitions add, one for each served version."""
    return [
        _resource(definition["spec"], version)
        for definition in definitions
        for version in definition["spec"]["versions"]
        if version.get("served", True)
    ]


def _resource(spec: Object, version: Object) -> Resource:
    names, subresources = spec["names"], version.get("subresources", {})
    schema = version.get("schema", {}).get("openAPIV3Schema", {"x-kubernetes-preserve-unknown-fields": True})
    return Resource(
        Kind(names["kind"], f"{spec['group']}/{version['name']}", names["plural"]),
        namespaced=spec["scope"] == "Namespaced",
        has_status="status" in subresources,
        unconditional_update=False,
        ways=CustomWays(schema, subresources.get("scale")),
        short_names=tuple(names.get("shortNames", ())),
        columns=version.get("additionalPrinterColumns", ()),
    )
