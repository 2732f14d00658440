"""A component as builders and pods know it: read once from its DynamoComponentDeployment, with the platform's settings.

Source: seed, "DynamoComponentDeployment" and "Operator Default Values Injection".
"""

import re
from dataclasses import dataclass

import pydantic

from hooks import labels, names
from hooks.api.component_deployment import ComponentDeploymentSpec, ComponentSharedSpec, without_nulls
from hooks.api.kubernetes import ExtraPodSpec, MainContainer
from hooks.children import controller_of
from hooks.defaults import ComponentDefaults, Defaults
from hooks.errors import Fault, InvalidSpec, faults_of, shown
from hooks.kinds import GRAPH_DEPLOYMENT
from hooks.manifest import unreadable_quantities
from hooks.protocol import Object, part
from hooks.settings import Settings

WORKER_TYPES = frozenset({"worker", "prefill", "decode"})
FRONTEND = "frontend"
PLANNER = "planner"

_NEVER_ON_CHILDREN = frozenset({labels.CONTROLLER_UID, labels.BASE_MODEL_HASH})
"""Labels that Metacontroller and a model's Service select by: on a child they would claim what is not theirs."""


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
    dynamo_namespace: str
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
    backend: str | None
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

    @property
    def node_count(self) -> int:
        """Nodes that one replica spans."""
        return self.spec.multinode.node_count if self.spec.multinode else 1


def defaults_of_type(component_type: str | None, defaults: Defaults) -> ComponentDefaults:
    """The defaults of a component type; every type that is not known gets the general ones."""
    if component_type in WORKER_TYPES:
        return defaults.worker
    return {FRONTEND: defaults.frontend, PLANNER: defaults.planner}.get(component_type or "", defaults.general)


def read_component(parent: Object, settings: Settings) -> Component:
    """Read a DynamoComponentDeployment.

    Raises:
        InvalidSpec: the spec has not the shape of one. Other faults are in `Component.faults`.
    """
    try:
        spec = ComponentDeploymentSpec.model_validate(without_nulls(parent.get("spec", {})))
    except pydantic.ValidationError as error:
        raise InvalidSpec(faults_of(error, "spec")) from None
    metadata = parent["metadata"]
    name, namespace = metadata["name"], metadata.get("namespace", "")
    graph_deployment = _graph_deployment(metadata)
    annotations = spec.annotations or {}
    read = {**part(metadata, "annotations"), **annotations}
    dynamo_namespace = _dynamo_namespace(spec, namespace, graph_deployment or name)
    backend, faults = _backend(spec)
    faults += _faults(name, spec, read)
    return Component(
        name=name,
        namespace=namespace,
        spec=spec,
        settings=settings,
        graph_deployment=graph_deployment or name,
        in_graph=graph_deployment is not None,
        dynamo_namespace=dynamo_namespace,
        labels=_labels(metadata, spec, graph_deployment or name, dynamo_namespace),
        annotations=annotations,
        discovery=_discovery(read, metadata, spec, settings) == "kubernetes",
        metrics=read.get(labels.ENABLE_METRICS) != "false",
        strategy=read.get(labels.DEPLOYMENT_STRATEGY),
        pull_secret_discovery=read.get(labels.DISABLE_PULL_SECRET_DISCOVERY) != "true",
        backend=backend,
        faults=tuple(faults),
    )


def _graph_deployment(metadata: Object) -> str | None:
    owner = controller_of({"metadata": metadata})
    if owner and owner.get("kind") == GRAPH_DEPLOYMENT.kind:
        return str(owner["name"])
    return part(metadata, "labels").get(labels.GRAPH_DEPLOYMENT)


def _dynamo_namespace(spec: ComponentDeploymentSpec, namespace: str, graph_deployment: str) -> str:
    if spec.global_dynamo_namespace:
        return names.GLOBAL_DYNAMO_NAMESPACE
    return spec.dynamo_namespace or names.dynamo_namespace(namespace, graph_deployment)


def _labels(
    metadata: Object, spec: ComponentDeploymentSpec, graph_deployment: str, dynamo_namespace: str
) -> dict[str, str]:
    carried = part(metadata, "labels")
    found = {key: value for key, value in carried.items() if key in labels.OWN_LABELS}
    found.update(spec.labels or {})
    found[labels.COMPONENT] = spec.service_name or metadata["name"]
    found[labels.DYNAMO_NAMESPACE] = names.label_value(dynamo_namespace)
    found[labels.GRAPH_DEPLOYMENT] = graph_deployment
    return {key: value for key, value in found.items() if key not in _NEVER_ON_CHILDREN}


def _discovery(
    annotations: dict[str, str], metadata: Object, spec: ComponentDeploymentSpec, settings: Settings
) -> str | None:
    carried = {**part(metadata, "labels"), **(spec.labels or {})}
    return (
        annotations.get(labels.DISCOVERY_BACKEND) or carried.get(labels.DISCOVERY_BACKEND) or settings.discovery_backend
    )


_ENGINE_CALL = re.compile(r"python[\w./]*\s(?:[^;&|]*?\s)??-m\s+dynamo\.(vllm|sglang|trtllm)\b")


def _backend(spec: ComponentDeploymentSpec) -> tuple[str | None, list[Fault]]:
    """The inference engine of a worker: what its command calls, else what the spec names."""
    if spec.component_type not in WORKER_TYPES:
        return None, []
    main = (spec.extra_pod_spec or {}).get("mainContainer") or {}
    called = sorted(set(_ENGINE_CALL.findall(" ".join([*(main.get("command") or ()), *(main.get("args") or ())]))))
    if len(called) > 1:
        problem = f"calls more than one engine: {', '.join(f'dynamo.{engine}' for engine in called)}"
        return None, [Fault("spec.extraPodSpec.mainContainer", problem, "call one of them")]
    if called and spec.backend_framework and called[0] != spec.backend_framework:
        problem = f"is {spec.backend_framework}, but the command calls dynamo.{called[0]}"
        return None, [Fault("spec.backendFramework", problem, f"write {called[0]}, or change the command")]
    return called[0] if called else spec.backend_framework, []


_STRATEGIES = ("RollingUpdate", "Recreate", "RampedSlowRollout", "BestEffortControlledRollout")


def _faults(name: str, spec: ComponentDeploymentSpec, annotations: dict[str, str]) -> list[Fault]:
    faults = []
    problem = names.service_name_problem(name)
    if problem:
        faults.append(Fault("metadata.name", f"{shown(name)} {problem}", "choose a name that a Service may have"))
    strategy = annotations.get(labels.DEPLOYMENT_STRATEGY)
    if strategy is not None and strategy not in _STRATEGIES:
        faults.append(
            Fault(
                f"spec.annotations[{labels.DEPLOYMENT_STRATEGY}]",
                f"has the value {shown(strategy)}",
                f"write one of {', '.join(_STRATEGIES)}",
            )
        )
    faults += label_faults(spec, "spec")
    faults += _container_faults(spec.extra_pod_spec or {})
    faults += _quantity_faults(spec)
    return faults


def label_faults(spec: ComponentSharedSpec, prefix: str) -> list[Fault]:
    """What cannot become a label among the fields of a component or service at `prefix`."""
    extra = spec.extra_pod_metadata
    ingress = spec.ingress
    return [
        *labels.faults(f"{prefix}.labels", spec.labels),
        *labels.faults(f"{prefix}.extraPodMetadata.labels", extra.labels if extra else None),
        *labels.faults(f"{prefix}.ingress.labels", ingress.labels if ingress else None),
        *labels.value_faults(f"{prefix}.serviceName", spec.service_name),
        *labels.value_faults(f"{prefix}.componentType", spec.component_type),
        *labels.value_faults(f"{prefix}.subComponentType", spec.sub_component_type),
    ]


def _quantity_faults(spec: ComponentDeploymentSpec) -> list[Fault]:
    """Quantities in the user's own Kubernetes objects that cannot be read."""
    metrics = {"metrics": (spec.autoscaling.metrics if spec.autoscaling else None) or []}
    unreadable = [
        *unreadable_quantities(dict(spec.extra_pod_spec or {}), "spec.extraPodSpec"),
        *unreadable_quantities(metrics, "spec.autoscaling"),
    ]
    cure = "write one such as 2, 500m or 20Gi"
    return [Fault(found.path, f"{shown(found.value)} is no quantity", cure) for found in unreadable]


def _container_faults(extra: ExtraPodSpec) -> list[Fault]:
    seen: set[str] = {"main"}
    faults = []
    for field, containers in (
        ("containers", extra.get("containers")),
        ("initContainers", extra.get("initContainers")),
    ):
        for index, container in enumerate(containers or ()):
            name = container["name"]
            if name in seen:
                cure = "write it under mainContainer" if name == "main" else "give it another name"
                faults.append(
                    Fault(f"spec.extraPodSpec.{field}[{index}].name", f"{shown(name)} is taken already", cure)
                )
            seen.add(name)
    return faults
