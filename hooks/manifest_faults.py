"""What is wrong with a custom resource as somebody wrote it, each fault by itself and in the same words everywhere.

Two judge it: the API server by its CRD, and the hooks. Where both find a fault in a field, it is told in our words, as
they name the cure.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from hooks.controllers import component_deployment, graph
from hooks.controllers.model import read_model
from hooks.errors import Fault, InvalidSpec, MalformedRequest, problem_faults
from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, MODEL
from hooks.misplaced import is_covered, misplaced
from hooks.names import namespace_problem, object_name_problem
from hooks.profiling.specification import read_request
from hooks.protocol import Object, name_of, read_sync
from hooks.settings import Settings

_KEY = re.compile(r"\[([^\]]*[^\]\d][^\]]*)\]")
"""A key of a map as the API server's rules write it, `services[A]`; the number of an entry stands like that as well."""
_HANDED_DOWN = ("backendFramework", "envs")
"""What a component has from its graph, wholly or beside its own."""
KINDS = {kind.kind: kind for kind in (GRAPH_DEPLOYMENT, COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, MODEL)}
"""The custom resources by their names."""


class Refusal(NamedTuple):
    """Why the API server would not take an object: the field, empty where it names none, and what it says."""

    field: str
    text: str


Refusals = Callable[[Object], Iterable[Refusal]]
"""Finds what the API server would refuse in an object of ours."""


class Judged(NamedTuple):
    """What is wrong with an object, a line each."""

    faults: list[str]
    refused: bool
    """Whether the API server would not take it, so that it never came to the hooks."""
    all_told: bool = False
    """Whether what the hooks would say beside the faults misleads."""


def judged(parent: Object, settings: Settings, refusals: Refusals | None = None) -> Judged:
    """What is wrong with a custom resource of ours, which names its namespace.

    Args:
        parent: the custom resource.
        settings: the platform's settings.
        refusals: finds what the API server would refuse; without it, the hooks alone judge.
    """
    try:
        read_sync({"parent": parent}, KINDS[parent["kind"]])
    except MalformedRequest as error:
        return Judged([str(error).removeprefix("$.parent.")], refused=True)
    misnamed, out_of_place = list(_misnamed(parent)), misplaced(parent)
    found = [*spec_faults(parent, settings), *_faults_of_services(parent, settings)]
    ours = [*misnamed, *dict.fromkeys(each.fault for each in out_of_place)]
    ours += [fault for fault in found if not is_covered(fault.field, out_of_place)]
    theirs = list(refusals(parent)) if refusals else []
    lines = [str(fault) for fault in ours]
    lines += [
        refusal.text
        for refusal in theirs
        if not (_is_told(refusal, ours) or is_covered(_KEY.sub(r".\1", refusal.field), out_of_place))
    ]
    return Judged(lines, bool(misnamed or theirs), bool(out_of_place))


def title(item: Object) -> str:
    """What a message calls an object."""
    namespace, name = name_of(item)
    return f"{item['kind']} {namespace}/{name}" if namespace else f"{item['kind']} {name}"


def spec_faults(parent: Object, settings: Settings) -> tuple[Fault, ...]:
    """What the hooks find wrong with a custom resource's spec."""
    kind = parent["kind"]
    try:
        if kind == GRAPH_DEPLOYMENT.kind:
            graph.built(parent, settings)
        elif kind == COMPONENT_DEPLOYMENT.kind:
            component_deployment.built(parent, settings)
        elif kind == GRAPH_DEPLOYMENT_REQUEST.kind:
            read_request(parent, settings)
        elif kind == MODEL.kind:
            read_model(parent)
    except InvalidSpec as invalid:
        return invalid.faults
    return ()


def fault_lines(item: Object, graph: Object | None, settings: Settings) -> list[str]:
    """What the hooks find wrong with a custom resource, by what somebody wrote.

    Args:
        item: the custom resource.
        graph: the graph that it is a component of, if it comes from one: then what is wrong is told as it stands there.
        settings: the platform's settings.
    """
    lines = []
    for fault in spec_faults(item, settings):
        written = None if graph is None else _in_graph(fault, item["spec"]["serviceName"])
        lines.append(f"{title(graph)}: {written}" if graph is not None and written else f"{title(item)}: {fault}")
    return lines


def _faults_of_services(parent: Object, settings: Settings) -> Iterable[Fault]:
    """What is wrong with the components of a graph, as far as it stands in its services."""
    if parent["kind"] != GRAPH_DEPLOYMENT.kind:
        return
    try:
        components = graph.built(parent, settings).components
    except InvalidSpec:
        return
    for service, component in components.items():
        found = (_in_graph(fault, service) for fault in spec_faults(component, settings))
        yield from (fault for fault in found if fault)


def _in_graph(fault: Fault, service: str) -> Fault | None:
    """A fault of a component as it stands in its graph; None where the component has the field from elsewhere."""
    head, _, rest = fault.field.partition(".")
    if head != "spec" or rest.startswith(_HANDED_DOWN):
        return None
    return Fault(f"spec.services.{service}.{rest}", fault.problem, fault.cure)


def _misnamed(parent: Object) -> Iterable[Fault]:
    for key, check in (("name", object_name_problem), ("namespace", namespace_problem)):
        value = parent["metadata"][key]
        if isinstance(value, str):
            yield from problem_faults(f"metadata.{key}", value, check(value), "change it")


def _is_told(refusal: Refusal, faults: Iterable[Fault]) -> bool:
    field = _KEY.sub(r".\1", refusal.field)
    return any(fault.field == field or fault.field.startswith((f"{field}.", f"{field}[")) for fault in faults)
