"""Fields that stand too far left in a manifest: a service's beside the services, a spec's beside the spec.

What else could be said of them misleads, as by their place they are services, or nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pydantic

from hooks.api.component_deployment import ComponentDeploymentSpec, ComponentSharedSpec
from hooks.api.graph_deployment import GraphDeploymentSpec
from hooks.api.graph_deployment_request import GraphDeploymentRequestSpec
from hooks.api.model import ModelSpec
from hooks.errors import Fault
from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, MODEL
from hooks.protocol import Object


class Misplaced(NamedTuple):
    """A field in the wrong place."""

    fault: Fault
    place: str
    """The field of which nothing else is to be told, nor of what is below it."""


def misplaced(item: Object) -> list[Misplaced]:
    """The fields of a custom resource of ours that stand too far left."""
    spec = item.get("spec")
    if spec is None:
        return list(_beside_the_spec(item))
    services = spec.get("services") if isinstance(spec, dict) and item["kind"] == GRAPH_DEPLOYMENT.kind else None
    return list(_beside_the_services(services)) if isinstance(services, dict) else []


def is_covered(field: str, found: list[Misplaced]) -> bool:
    """Whether a field is a misplaced one, or below one."""
    return any(field == each.place or field.startswith((f"{each.place}.", f"{each.place}[")) for each in found)


def _beside_the_spec(item: Object) -> Iterator[Misplaced]:
    fields = [key for key in item if key in _fields(_SPECS[item["kind"]])]
    if fields:
        yield Misplaced(Fault("spec", "is required", f"write {', '.join(fields)} under it"), "spec")


def _beside_the_services(services: Mapping[str, Any]) -> Iterator[Misplaced]:
    fields, above, is_empty = _fields(ComponentSharedSpec), "", False
    for key, value in services.items():
        if key not in fields or (isinstance(value, dict | None) and not is_empty):
            above, is_empty = str(key), value is None
            continue
        cure = f"indent it under {above}" if above else "write it under the name of a service"
        fault = Fault(f"spec.services.{key}", "is a field of a service", cure)
        yield Misplaced(fault, fault.field)
        if is_empty:
            yield Misplaced(fault, f"spec.services.{above}")


def _fields(model: type[pydantic.BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


_SPECS: Mapping[str, type[pydantic.BaseModel]] = {
    GRAPH_DEPLOYMENT.kind: GraphDeploymentSpec,
    COMPONENT_DEPLOYMENT.kind: ComponentDeploymentSpec,
    GRAPH_DEPLOYMENT_REQUEST.kind: GraphDeploymentRequestSpec,
    MODEL.kind: ModelSpec,
}
