"""The CustomResourceDefinition of a custom resource."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from hooks.api.common import GROUP_VERSION
from hooks.crds.published import Schema
from hooks.crds.resources import RESOURCES, Column, Resource
from hooks.crds.structural import structural_schema

_GROUP, _, _VERSION = GROUP_VERSION.partition("/")


@cache
def all_definitions() -> Mapping[str, dict[str, Any]]:
    """The CustomResourceDefinition of each custom resource, by its plural name.

    Raises:
        MissingSchemasError: the package with Kubernetes' published schemas is not installed.
    """
    return {resource.plural: _definition(resource) for resource in RESOURCES}


def _definition(resource: Resource) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{resource.plural}.{_GROUP}"},
        "spec": {
            "group": _GROUP,
            "names": {
                "kind": resource.kind,
                "listKind": f"{resource.kind}List",
                "plural": resource.plural,
                "singular": resource.kind.lower(),
                "shortNames": [resource.short_name],
            },
            "scope": "Namespaced",
            "versions": [
                {
                    "name": _VERSION,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}} | ({"scale": resource.scale} if resource.scale else {}),
                    "additionalPrinterColumns": [_column(column) for column in resource.columns],
                    "schema": {"openAPIV3Schema": _schema(resource)},
                }
            ],
        },
    }


def _column(column: Column) -> dict[str, Any]:
    shown = {"name": column.name, "type": column.type, "jsonPath": column.path}
    return shown | {"priority": column.priority} if column.priority else shown


def _schema(resource: Resource) -> Schema:
    schema = structural_schema(resource.model)
    # `kubectl explain` has its own words for these three. A rule may be about the name, so the name has a schema.
    every_object: Schema = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
    }
    schema["properties"] = every_object | schema["properties"]
    return schema
