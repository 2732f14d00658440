"""The published Kubernetes schemas, as the package kubernetes-validate brings them."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from hooks.protocol import Kind

VERSION = "1.36.0"
"""Version of Kubernetes whose schemas these are, and whose API server this package resembles."""


@cache
def definitions() -> Mapping[str, Mapping[str, Any]]:
    """All definitions by name, such as `io.k8s.api.core.v1.PodSpec`."""
    folder = resources.files("kubernetes_validate") / "kubernetes-json-schema" / f"v{VERSION}-local-strict"
    found: Mapping[str, Mapping[str, Any]] = json.loads((folder / "_definitions.json").read_bytes())["$defs"]
    return found


def published_name(kind: Kind) -> str:
    """The definition of a built-in kind: `Role` of `rbac.authorization.k8s.io/v1` is `io.k8s.api.rbac.v1.Role`."""
    group, _, version = kind.api_version.rpartition("/")
    return f"io.k8s.api.{group.partition('.')[0] or 'core'}.{version}.{kind.kind}"


def short_name(name: str) -> str:
    """A definition's name without what all have in common: `core.v1.PodSpec`."""
    return name.removeprefix("io.k8s.api.").removeprefix("io.k8s.apimachinery.pkg.apis.")


def referred(schema: Mapping[str, Any]) -> str:
    """The name of the definition that a schema refers to, nothing where it refers to none."""
    reference: str = schema.get("$ref", "")
    return reference.rpartition("/")[2]
