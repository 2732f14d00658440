"""A DynamoGraphDeploymentRequest as the Job's builder knows it: read once, with every fault that it shows."""

import re
from dataclasses import dataclass
from typing import Any

import pydantic

from hooks import labels, names
from hooks.api.graph_deployment_request import LONGEST_NAME, DeploymentOverrides, GraphDeploymentRequestSpec
from hooks.errors import Fault, InvalidSpec, faults_of, problem_faults, shown
from hooks.manifest import desired_hash, without_nulls
from hooks.profiling.configuration import as_yaml, configuration, size_faults
from hooks.profiling.requested import RequestedGraph, requested_graph
from hooks.protocol import Object
from hooks.settings import Settings

_DNS_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")

LONGEST_GRAPH_NAME = names.LABEL_LENGTH - len("-x")
"""Characters of a graph's name, with a service of the shortest name: both together are a component's name."""
LONGEST_SERVICE = len("TRTLLMPrefillWorker")
"""Characters of the longest name that Dynamo's profilers give a service."""


@dataclass(frozen=True)
class Request:
    """One DynamoGraphDeploymentRequest, read."""

    name: str
    namespace: str
    uid: str
    spec: GraphDeploymentRequestSpec
    configuration: Object
    """What the profiler is told."""
    configuration_text: str
    """The same as YAML."""
    graph: RequestedGraph
    settings: Settings


def read_request(parent: Object, settings: Settings) -> Request:
    """Read a DynamoGraphDeploymentRequest.

    Raises:
        InvalidSpec: with every fault.
    """
    spec = parse_spec(parent.get("spec", {}))
    graph = requested_graph(parent)
    config, faults = configuration(spec, graph.request_namespace)
    text = as_yaml(config)
    faults += size_faults(text) + _faults(graph, spec, settings)
    if faults:
        raise InvalidSpec(faults)
    return Request(
        name=graph.request,
        namespace=graph.request_namespace,
        uid=graph.request_uid,
        spec=spec,
        configuration=config,
        configuration_text=text,
        graph=graph,
        settings=settings,
    )


def parse_spec(spec: Any) -> GraphDeploymentRequestSpec:
    """The spec as a model.

    Raises:
        InvalidSpec: it has not the shape of one.
    """
    try:
        return GraphDeploymentRequestSpec.model_validate(without_nulls(spec))
    except pydantic.ValidationError as error:
        raise InvalidSpec(faults_of(error, "spec")) from None


def spec_hash(spec: GraphDeploymentRequestSpec) -> str:
    """SHA-256 of a spec in hex digits. A field that has its default counts as absent, so that no default changes it."""
    return desired_hash(spec.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def little_room(graph: RequestedGraph) -> str:
    """What is to be said of a graph's name that may be too long for what profilers call its services."""
    left = names.LABEL_LENGTH - len(f"{graph.name}-")
    if left >= LONGEST_SERVICE:
        return ""
    cure = "a shorter spec.deploymentOverrides.name" if graph.auto_apply else "a request with a shorter name"
    return (
        f"; the graph will be called {graph.name}, which leaves {left} characters for the names of its services, where "
        f"profilers write up to {LONGEST_SERVICE}: {cure} is safer"
    )


def _faults(graph: RequestedGraph, spec: GraphDeploymentRequestSpec, settings: Settings) -> list[Fault]:
    faults = []
    if len(graph.request) > LONGEST_NAME:
        problem = f"has {len(graph.request)} characters, {LONGEST_NAME} are allowed, as the Job is named after it"
        faults.append(Fault("metadata.name", problem, "choose a shorter name"))
    if spec.enable_gpu_discovery and settings.namespace_restriction.enabled:
        problem = "is true, but this installation looks after chosen namespaces only and has no rights on nodes"
        cure = "leave it out, and describe the GPUs in spec.profilingConfig.config.hardware"
        faults.append(Fault("spec.enableGpuDiscovery", problem, cure))
    reference = spec.profiling_config.config_map_ref
    if reference is not None:
        where = "spec.profilingConfig.configMapRef"
        faults += problem_faults(f"{where}.name", reference.name, names.object_name_problem(reference.name))
        faults += problem_faults(f"{where}.key", reference.key, names.config_key_problem(reference.key))
    image = spec.profiling_config.profiler_image
    faults += problem_faults("spec.profilingConfig.profilerImage", image, names.image_problem(image))
    return faults + _override_faults(spec.deployment_overrides or DeploymentOverrides())


def _override_faults(overrides: DeploymentOverrides) -> list[Fault]:
    """What the API server would refuse in the graph, hours later."""
    field = "spec.deploymentOverrides"
    faults = []
    name = overrides.name
    if name and not (len(name) <= LONGEST_GRAPH_NAME and names.is_object_name(name)):
        cure = f"write at most {LONGEST_GRAPH_NAME} of a-z, 0-9, '-' and '.', the first and last a letter or digit"
        faults.append(Fault(f"{field}.name", f"{shown(name)} is no name that a graph may have", cure))
    if overrides.namespace and not _DNS_LABEL.fullmatch(overrides.namespace):
        cure = "write the name of a namespace that exists"
        faults.append(Fault(f"{field}.namespace", f"{shown(overrides.namespace)} is no name of a namespace", cure))
    image = overrides.workers_image
    faults += problem_faults(f"{field}.workersImage", image, names.image_problem(image)) if image else []
    faults += labels.faults(f"{field}.labels", overrides.labels)
    return faults + labels.annotation_faults(f"{field}.annotations", overrides.annotations)
