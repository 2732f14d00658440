"""A DynamoGraphDeployment, read: what it becomes, or every fault that keeps it from that."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hooks import labels, names
from hooks.api.graph_deployment import GraphDeploymentSpec, PersistentVolumeClaim
from hooks.api.salvage import salvaged
from hooks.builders.component_deployment import Graph, build_component_deployment, handed_down
from hooks.builders.discovery import build_discovery
from hooks.builders.finish import finish
from hooks.controllers.claims import Claims, claims
from hooks.errors import Fault, InvalidSpec, shown
from hooks.memo import Memo
from hooks.pods.component import defaults_of_type, read_component, users_service_account
from hooks.pods.faults import name_faults, shared_faults, variable_faults
from hooks.pods.hints import hints, type_hint
from hooks.protocol import Object, spec_of
from hooks.quantities import is_quantity, parse_quantity
from hooks.settings import Settings

_built = Memo(limit=16 << 20)
"""Graphs at rest: about 400 of 10 services."""

ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
"""How a volume may be mounted (Kubernetes, PersistentVolumeClaim)."""


@dataclass(frozen=True)
class Built:
    """What a graph becomes, as far as it follows from its parent and the settings alone."""

    components: dict[str, Object]
    """Service key → its component, sorted by key."""
    claims: Claims
    discovery: list[Object]
    """Account, Role and binding where pods of the graph discover each other through Kubernetes."""
    notes: list[str]
    """What is to be said about it, in sentences."""


def built(parent: Object, settings: Settings) -> Built:
    """What a graph becomes.

    Raises:
        InvalidSpec: with every fault of the graph.
    """
    metadata = parent["metadata"]
    inputs = [
        parent.get("spec"),
        metadata["name"],
        metadata.get("namespace"),
        handed_down(metadata),
        settings.fingerprint,
    ]
    found = _built(inputs, lambda: _build(read_graph(parent, settings)))
    return Built(found["components"], Claims(**found["claims"]), found["discovery"], found["notes"])


def _build(graph: Graph) -> Object:
    """The parts of `Built`, as JSON."""
    components = _build_components(graph)
    return {
        "components": components,
        "claims": vars(claims(graph)),
        "discovery": _build_discovery(graph),
        "notes": [*_hints(graph, components)],
    }


def read_graph(parent: Object, settings: Settings) -> Graph:
    """Read a DynamoGraphDeployment.

    Raises:
        InvalidSpec: the spec has not the shape of one; the faults of what has are told as well. Otherwise they are in
            `graph_faults`. Those of a pod are its component's to report.
    """
    raw = spec_of(parent)
    read = salvaged(GraphDeploymentSpec, raw)
    graph = _graph(parent, read.raw, read.model, settings)
    if not read.faults:
        return graph
    faults = list(read.faults)
    try:
        _build_components(graph)
    except InvalidSpec as invalid:
        faults += invalid.faults
    faults += [fault for fault in _name_faults(graph.name, _services_of(raw)) if fault not in faults]
    raise InvalidSpec(faults)


def _services_of(spec: Any) -> Mapping[str, Any]:
    """The services of a spec of whatever shape."""
    services = spec.get("services") if isinstance(spec, dict) else None
    return services if isinstance(services, dict) else {}


def _build_components(graph: Graph) -> dict[str, Object]:
    """Service key → its component, sorted by key.

    Raises:
        InvalidSpec: with every fault of the graph.
    """
    faults = graph_faults(graph)
    components = {}
    for key in sorted(graph.services):
        try:
            components[key] = build_component_deployment(graph, key)
        except InvalidSpec as invalid:
            faults.extend(invalid.faults)
    if faults:
        raise InvalidSpec(faults)
    return components


def _hints(graph: Graph, components: Mapping[str, Object]) -> Iterator[str]:
    """What the spec probably does not mean as it stands."""
    if not components:
        yield "spec.services: none is described, so nothing runs; add one"
    for key, component in components.items():
        service = graph.service_spec(key)
        found = [type_hint(service.component_type)]
        if service.multinode:
            found = hints(read_component(component, graph.settings))
        yield from (of_service(hint, key) for hint in found if hint)


def of_service(hint: str, key: str) -> str:
    """What is said of a component, as it is said of the service that it comes from."""
    return hint.replace("spec.", f"spec.services.{key}.")


def _build_discovery(graph: Graph) -> list[Object]:
    backends = {_discovery_backend(graph, key) for key in graph.services}
    if "kubernetes" not in backends:
        return []
    accounts = []
    for key in graph.services:
        service = graph.service_spec(key)
        by_type = defaults_of_type(service.component_type, graph.settings.defaults).service_account_name
        account = users_service_account(service.extra_pod_spec or {}) or by_type
        accounts += [account] if account else []
    return [finish(child) for child in build_discovery(graph.name, graph.namespace, accounts)]


def _discovery_backend(graph: Graph, key: str) -> str | None:
    service = graph.service_spec(key)
    for found in (service.annotations or {}, service.labels or {}, graph.handed_down):
        if found.get(labels.DISCOVERY_BACKEND):
            return found[labels.DISCOVERY_BACKEND]
    return graph.settings.discovery_backend


def graph_faults(graph: Graph) -> list[Fault]:
    """What is wrong with a graph's spec as far as can be seen before anything is built."""
    spec = graph.spec
    return [
        *_name_faults(graph.name, graph.services),
        *(
            fault
            for key, service in sorted((spec.services or {}).items())
            for fault in shared_faults(service, f"spec.services.{key}")
        ),
        *variable_faults("spec.envs", spec.envs),
        *(
            fault
            for index, claim in enumerate(spec.pvcs or ())
            for fault in _claim_faults(f"spec.pvcs[{index}]", claim)
        ),
    ]


def _graph(parent: Object, raw: Object, spec: GraphDeploymentSpec, settings: Settings) -> Graph:
    metadata = parent["metadata"]
    return Graph(
        name=metadata["name"],
        namespace=metadata.get("namespace", ""),
        metadata=metadata,
        spec=spec,
        services=raw.get("services") or {},
        settings=settings,
    )


def _name_faults(graph_deployment: str, services: Mapping[str, Any]) -> list[Fault]:
    """Names of components that do not fit, or that two services would share."""
    faults = []
    taken: dict[str, str] = {}
    for key in sorted(map(str, services)):
        where = f"spec.services.{key}"
        name = names.component_name(graph_deployment, key)
        derived_names = _names(name, services.get(key))
        for what, derived, problem in derived_names:
            cure = "shorten or change the service's or the graph's name"
            faults += (
                [Fault(where, f"{what} would be called {shown(derived)}, which {problem}", cure)] if problem else []
            )
        for _, derived, _ in derived_names:
            if derived in taken:
                also = f"the name {shown(derived)} is that of service {taken[derived]} too"
                faults.append(Fault(where, also, "rename one of the two"))
            taken.setdefault(derived, key)
        faults += labels.value_faults(where, key)
    return faults


def _names(component: str, service: Any) -> list[tuple[str, str, str | None]]:
    """What a service makes, its name, and what is wrong with that; a LeaderWorkerSet has a Service of its own name."""
    found = [("the component", component, names.service_name_problem(component))]
    if isinstance(service, dict) and service.get("multinode") is not None:
        lws = names.leader_worker_set_name(component)
        found.append(("the LeaderWorkerSet", lws, names.leader_worker_set_name_problem(lws)))
    return found


def _claim_faults(where: str, claim: PersistentVolumeClaim) -> list[Fault]:
    """What the API server would refuse of a claim."""
    faults = name_faults(f"{where}.name", claim.name)
    if not claim.create:
        return faults
    faults += name_faults(f"{where}.storageClass", claim.storage_class)
    if not (is_quantity(claim.size) and parse_quantity(claim.size) > 0):
        faults.append(Fault(f"{where}.size", f"{shown(claim.size)} is no size", "write one such as 100Gi"))
    if claim.volume_access_mode not in ACCESS_MODES:
        problem = f"has the value {shown(claim.volume_access_mode)}"
        faults.append(Fault(f"{where}.volumeAccessMode", problem, f"write one of {', '.join(ACCESS_MODES)}"))
    return faults
