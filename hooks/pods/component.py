"""A component as builders and pods know it: read once from its DynamoComponentDeployment, with the platform's settings.

Source: seed, "DynamoComponentDeployment" and "Operator Default Values Injection".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from hooks import labels, names
from hooks.api.component_deployment import Backend, ComponentDeploymentSpec
from hooks.api.kubernetes import ExtraPodSpec, MainContainer
from hooks.api.salvage import salvaged
from hooks.children import controller_of
from hooks.defaults import STRATEGIES, ComponentDefaults, Defaults
from hooks.errors import Fault, InvalidSpec, problem_faults, shown
from hooks.kinds import GRAPH_DEPLOYMENT
from hooks.pods.backend import backend_of
from hooks.pods.command import CommandLine, Environment
from hooks.pods.faults import component_faults
from hooks.protocol import Object, part, spec_of
from hooks.settings import Settings

WORKER_TYPES = frozenset({"worker", "prefill", "decode"})
FRONTEND = "frontend"
PLANNER = "planner"


Role = Literal["leader", "worker"]
"""What a pod is in the group of a component whose replicas span nodes."""


READ_ANNOTATIONS = frozenset(
    {
        labels.ENABLE_METRICS,
        labels.DISCOVERY_BACKEND,
        labels.DEPLOYMENT_STRATEGY,
        labels.DISABLE_PULL_SECRET_DISCOVERY,
    }
)
"""Annotations of a component's metadata that are looked at; its spec's count before them."""


@dataclass(frozen=True)
class Component:
    """One DynamoComponentDeployment, read."""

    name: str
    namespace: str
    spec: ComponentDeploymentSpec
    settings: Settings
    graph_deployment: str
    """Name of the graph it belongs to; its own where it stands alone."""
    in_graph: bool
    is_merged: bool
    """Whether its lists may stand in another order than they were written in: Metacontroller merged a graph's edits."""
    dynamo_namespace: str
    own_labels: dict[str, str]
    """Labels of ours, over any of a user's: the names on every child and pod, the types on pods."""
    labels: dict[str, str]
    """On every child and pod."""
    annotations: dict[str, str]
    """On every child and pod."""
    discovery: bool
    """Whether components find each other through Kubernetes rather than etcd."""
    metrics: bool
    """Whether PodMonitors select the pods."""
    strategy: str | None
    pull_secret_discovery: bool
    line: CommandLine
    """Command and args of the main container."""
    backend: Backend | None
    faults: tuple[Fault, ...]
    """What is wrong with its spec as far as can be seen before anything is built."""

    @property
    def extra_pod_spec(self) -> ExtraPodSpec:
        """The user's pod spec, empty where there is none."""
        return self.spec.extra_pod_spec or {}

    @property
    def main_container(self) -> MainContainer:
        """The user's main container, empty where there is none."""
        return self.extra_pod_spec.get("mainContainer") or {}

    @property
    def defaults(self) -> ComponentDefaults:
        """What its type gets by default."""
        return defaults_of_type(self.spec.component_type, self.settings.defaults)

    @property
    def is_worker(self) -> bool:
        """Whether it runs an inference engine."""
        return self.spec.component_type in WORKER_TYPES

    def with_labels(self, given: dict[str, str] | None) -> dict[str, str]:
        """Its labels under a user's further ones, which change none of ours."""
        found = {**self.labels, **users_labels(given)}
        return {**found, **{key: value for key, value in self.own_labels.items() if key in found}}

    @property
    def node_count(self) -> int:
        """Nodes that one replica spans."""
        return self.spec.multinode.node_count if self.spec.multinode else 1


def defaults_of_type(component_type: str | None, defaults: Defaults) -> ComponentDefaults:
    """The defaults of a component type; every type that is not known gets the general ones."""
    if component_type in WORKER_TYPES:
        return defaults.worker
    return {FRONTEND: defaults.frontend, PLANNER: defaults.planner}.get(component_type or "", defaults.general)


def users_service_account(extra: ExtraPodSpec) -> str | None:
    """The ServiceAccount that a user names, by the field's old name too (`serviceAccount`); empty ones do not count."""
    return extra.get("serviceAccountName") or extra.get("serviceAccount") or None


def read_component(parent: Object, settings: Settings) -> Component:
    """Read a DynamoComponentDeployment.

    A field that has not the right shape is left out, and its fault told with the others in `Component.faults`.

    Raises:
        InvalidSpec: so much has not the right shape that nothing can be said of the rest.
    """
    spec, shape_faults = _spec(parent)
    metadata = parent["metadata"]
    name, namespace = metadata["name"], metadata.get("namespace", "")
    graph_deployment = _graph_deployment(metadata)
    annotations = users_annotations(spec.annotations)
    read = {**part(metadata, "annotations"), **annotations}
    dynamo_namespace = _dynamo_namespace(spec, namespace, graph_deployment or name)
    own_labels = _own_labels(metadata, spec, graph_deployment or name, dynamo_namespace)
    line = command_line(spec, defaults_of_type(spec.component_type, settings.defaults))
    backend, backend_faults = _backend(spec, line)
    faults = [
        *shape_faults,
        *backend_faults,
        *_name_faults(name, spec),
        *_annotation_faults(read),
        *component_faults(spec),
        *labels.value_faults("metadata.ownerReferences", owning_graph(metadata)),
    ]
    return Component(
        name=name,
        namespace=namespace,
        spec=spec,
        settings=settings,
        graph_deployment=graph_deployment or name,
        in_graph=graph_deployment is not None,
        is_merged=owning_graph(metadata) is not None,
        dynamo_namespace=dynamo_namespace,
        own_labels=own_labels,
        labels=_labels(metadata, spec, own_labels),
        annotations=annotations,
        discovery=_discovery(read, metadata, spec, settings) == "kubernetes",
        metrics=read.get(labels.ENABLE_METRICS) != "false",
        strategy=read.get(labels.DEPLOYMENT_STRATEGY),
        pull_secret_discovery=read.get(labels.DISABLE_PULL_SECRET_DISCOVERY) != "true",
        line=line,
        backend=backend,
        faults=tuple(faults),
    )


_READ_BY_OTHERS = frozenset({"backendFramework", "componentType", "extraPodSpec", "multinode"})
"""Fields on which it depends whether another one is right."""


def _spec(parent: Object) -> tuple[ComponentDeploymentSpec, list[Fault]]:
    raw = spec_of(parent)
    read = salvaged(ComponentDeploymentSpec, raw)
    if read.taken & _READ_BY_OTHERS or not isinstance(raw, dict):
        raise InvalidSpec([*read.faults, *(component_faults(read.model) if isinstance(raw, dict) else ())])
    return read.model, read.faults


def owning_graph(metadata: Object) -> str | None:
    """Name of the graph that made the component."""
    owner = controller_of({"metadata": metadata})
    name = owner.get("name") if owner and owner.get("kind") == GRAPH_DEPLOYMENT.kind else None
    return name if isinstance(name, str) and name else None


def _graph_deployment(metadata: Object) -> str | None:
    return owning_graph(metadata) or part(metadata, "labels").get(labels.GRAPH_DEPLOYMENT) or None


def _dynamo_namespace(spec: ComponentDeploymentSpec, namespace: str, graph_deployment: str) -> str:
    if spec.global_dynamo_namespace:
        return names.GLOBAL_DYNAMO_NAMESPACE
    return spec.dynamo_namespace or names.dynamo_namespace(namespace, graph_deployment)


def _own_labels(
    metadata: Object, spec: ComponentDeploymentSpec, graph_deployment: str, dynamo_namespace: str
) -> dict[str, str]:
    found = {
        labels.COMPONENT: spec.service_name or metadata["name"],
        labels.DYNAMO_NAMESPACE: names.label_value(dynamo_namespace),
        labels.GRAPH_DEPLOYMENT: graph_deployment,
        labels.COMPONENT_TYPE: spec.component_type,
        labels.SUB_COMPONENT_TYPE: spec.sub_component_type,
    }
    return {key: value for key, value in found.items() if value}


def _labels(metadata: Object, spec: ComponentDeploymentSpec, own: dict[str, str]) -> dict[str, str]:
    carried = {key: value for key, value in part(metadata, "labels").items() if key in labels.OWN_LABELS}
    found = {**users_labels(carried), **users_labels(spec.labels)}
    on_pods_only = {labels.COMPONENT_TYPE, labels.SUB_COMPONENT_TYPE} - found.keys()
    return {**found, **{key: value for key, value in own.items() if key not in on_pods_only}}


def users_labels(given: dict[str, str] | None) -> dict[str, str]:
    """The labels that a user may set: none that others select by."""
    return {key: value for key, value in (given or {}).items() if key not in labels.NEVER_OF_USER}


def users_annotations(given: dict[str, str] | None) -> dict[str, str]:
    """The annotations that a user may set: none that tell what was applied."""
    return {key: value for key, value in (given or {}).items() if key not in labels.NEVER_ANNOTATED_BY_USER}


def _discovery(
    annotations: dict[str, str], metadata: Object, spec: ComponentDeploymentSpec, settings: Settings
) -> str | None:
    carried = {**part(metadata, "labels"), **(spec.labels or {})}
    return (
        annotations.get(labels.DISCOVERY_BACKEND) or carried.get(labels.DISCOVERY_BACKEND) or settings.discovery_backend
    )


def command_line(spec: ComponentDeploymentSpec, defaults: ComponentDefaults) -> CommandLine:
    """The user's command and args; one who sets a command replaces both, one who sets args alone replaces those."""
    given = (spec.extra_pod_spec or {}).get("mainContainer") or {}
    command, args = list(given.get("command") or ()), list(given.get("args") or ())
    if not command:
        command = defaults.command
        args = args or defaults.args
    return CommandLine(tuple(command), tuple(args))


def _backend(spec: ComponentDeploymentSpec, line: CommandLine) -> tuple[Backend | None, list[Fault]]:
    """The inference engine of a worker: what its command calls, else what the spec names."""
    if spec.component_type not in WORKER_TYPES:
        return None, []
    main = (spec.extra_pod_spec or {}).get("mainContainer") or {}
    env = literal_values([*(main.get("env") or ()), *(spec.envs or ())])
    try:
        return backend_of(line, spec.backend_framework, env, multinode=spec.multinode is not None), []
    except InvalidSpec as invalid:
        return None, list(invalid.faults)


def literal_values(env: Iterable[Any]) -> Environment:
    """Variable → its value, None where it comes from elsewhere; of a name that stands twice the last counts."""
    return {entry["name"]: None if entry.get("valueFrom") else entry.get("value") or "" for entry in env}


def _name_faults(name: str, spec: ComponentDeploymentSpec) -> list[Fault]:
    problem = names.service_name_problem(name)
    faults = problem_faults("metadata.name", name, problem, "choose a name that a Service may have")
    lws = names.leader_worker_set_name(name)
    problem = names.leader_worker_set_name_problem(lws) if spec.multinode else None
    if problem:
        longest = names.LEADER_WORKER_SET_LENGTH - len(names.leader_worker_set_name(""))
        problem = f"the LeaderWorkerSet would be called {shown(lws)}, which {problem}"
        faults.append(Fault("metadata.name", problem, f"choose a name of at most {longest} characters"))
    return faults


def _annotation_faults(annotations: dict[str, str]) -> list[Fault]:
    strategy = annotations.get(labels.DEPLOYMENT_STRATEGY)
    if strategy is None or strategy in STRATEGIES:
        return []
    field = f"annotation {labels.DEPLOYMENT_STRATEGY}"
    return [Fault(field, f"has the value {shown(strategy)}", f"write one of {', '.join(STRATEGIES)}")]
