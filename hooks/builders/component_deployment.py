"""The DynamoComponentDeployment of a graph's service."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hooks import labels, names
from hooks.api.component_deployment import ComponentSharedSpec
from hooks.api.graph_deployment import GraphDeploymentSpec
from hooks.builders.component_environment import Variables, environments
from hooks.builders.deployment_config import VARIABLE, DeploymentConfig, read_deployment_config
from hooks.builders.finish import stamp
from hooks.errors import Fault
from hooks.kinds import COMPONENT_DEPLOYMENT
from hooks.manifest import repeated_keys, without_nulls
from hooks.pods.component import FRONTEND, read_component
from hooks.pods.environment import referred_to
from hooks.pods.variables import SUPPLIED_TO_SOME, supplied_names, supplied_to, with_references_resolved
from hooks.protocol import Object, part
from hooks.settings import Settings

_KNOWN = frozenset(field.alias or name for name, field in ComponentSharedSpec.model_fields.items())
"""Fields of a service that a component has too: others were pruned, or will be."""

_HANDED_DOWN = (labels.ENABLE_METRICS, labels.DISCOVERY_BACKEND)
"""Annotations of the graph that its components get, unless they have their own."""


@dataclass(frozen=True)
class Graph:
    """A DynamoGraphDeployment, read."""

    name: str
    namespace: str
    metadata: Object
    spec: GraphDeploymentSpec
    services: dict[str, Object]
    """The services as the user wrote them."""
    settings: Settings

    @cached_property
    def handed_down(self) -> dict[str, str]:
        """What every service's annotations are laid over."""
        return handed_down(self.metadata)

    def service_spec(self, key: str) -> ComponentSharedSpec:
        """The service, parsed."""
        return (self.spec.services or {})[key]


def handed_down(metadata: Object) -> dict[str, str]:
    """What the components of a graph with this metadata get as annotations, unless they have their own."""
    annotations = part(metadata, "annotations")
    found = {key: annotations[key] for key in _HANDED_DOWN if key in annotations}
    label = part(metadata, "labels").get(labels.DISCOVERY_BACKEND)
    if label:
        found.setdefault(labels.DISCOVERY_BACKEND, label)
    return found


def build_component_deployment(graph: Graph, key: str) -> Object:
    """The component of the service `key`.

    Raises:
        InvalidSpec: DYN_DEPLOYMENT_CONFIG is broken, a list repeats a key that it is merged by, or all is too large.
    """
    service = graph.service_spec(key)
    spec = {field: value for field, value in graph.services[key].items() if field in _KNOWN and value is not None}
    config = deployment_config(graph, key)
    _apply_config(spec, config, key, service)
    config_text = config.text_for(key, service.component_type) if config else None
    supplied = supplied_names(service.component_type, graph.settings)
    _set_environment(spec, environments(graph.spec.envs, service, config_text, supplied))
    _mount_each_claim_once(spec, service)
    dynamo_namespace = names.GLOBAL_DYNAMO_NAMESPACE
    if not service.global_dynamo_namespace:
        dynamo_namespace = names.dynamo_namespace(graph.namespace, graph.name)
    spec["serviceName"] = key
    spec["dynamoNamespace"] = dynamo_namespace
    spec["labels"] = _labels(graph, key, service, dynamo_namespace)
    found = {
        "annotations": _annotations(graph, service),
        "backendFramework": graph.spec.backend_framework,
        "ingress": _platform_ingress(graph) if service.component_type == FRONTEND and service.ingress is None else None,
    }
    spec.update({field: value for field, value in found.items() if value})
    metadata = {
        "name": names.component_name(graph.name, key),
        "namespace": graph.namespace,
        "labels": dict(spec["labels"]),
    }
    if SUPPLIED_TO_SOME & _referred_to(graph, service):  # which it gets can be told once all the rest is known
        read = read_component({"metadata": metadata, "spec": without_nulls(spec)}, graph.settings)
        supplied += supplied_to(read)
        _set_environment(spec, environments(graph.spec.envs, service, config_text, supplied))
    kind = COMPONENT_DEPLOYMENT
    component = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": without_nulls(spec)}
    return stamp(component, _repeated(component, key))


def deployment_config(graph: Graph, key: str) -> DeploymentConfig | None:
    """DYN_DEPLOYMENT_CONFIG as the service sees it: its own, else the graph's."""
    service = graph.service_spec(key)
    main = (service.extra_pod_spec or {}).get("mainContainer") or {}
    places: list[tuple[str, Any]] = [
        (f"spec.services.{key}.envs", service.envs or ()),
        (f"spec.services.{key}.extraPodSpec.mainContainer.env", main.get("env") or ()),
        ("spec.envs", graph.spec.envs or ()),
    ]
    for field, entries in places:
        values = [entry.get("value") for entry in entries if entry["name"] == VARIABLE]
        if values:
            return read_deployment_config(f"{field}[{VARIABLE}]", values[-1]) if values[-1] else None
    return None


def _apply_config(spec: Object, config: DeploymentConfig | None, key: str, service: ComponentSharedSpec) -> None:
    if config is None:
        return
    if service.replicas is None and config.workers(key) is not None:
        spec["replicas"] = config.workers(key)
    amounts = config.amounts(key)
    if amounts:
        given = spec.get("resources") or {}
        blocks = {block: _overlaid(given.get(block) or {}, amounts) for block in ("requests", "limits")}
        spec["resources"] = {**given, **blocks}


def _overlaid(item: Object, amounts: Object) -> Object:
    merged = {**item, **amounts}
    if amounts.get("custom"):
        merged["custom"] = {**(item.get("custom") or {}), **amounts["custom"]}
    return merged


def _referred_to(graph: Graph, service: ComponentSharedSpec) -> set[str]:
    """The names that variables of the main container refer to."""
    main = (service.extra_pod_spec or {}).get("mainContainer") or {}
    entries = (*(graph.spec.envs or ()), *(main.get("env") or ()), *(service.envs or ()))
    return {name for entry in entries for name in referred_to(entry)}


def _set_environment(spec: Object, environment: tuple[Variables, Variables]) -> None:
    main_env, envs = environment
    if envs:
        spec["envs"] = envs
    extra = dict(spec.get("extraPodSpec") or {})
    if main_env:
        extra["mainContainer"] = {**extra["mainContainer"], "env": main_env}
    for field in ("containers", "initContainers"):
        if extra.get(field):
            extra[field] = [*map(with_references_resolved, extra[field])]
    if extra:
        spec["extraPodSpec"] = extra


def _labels(graph: Graph, key: str, service: ComponentSharedSpec, dynamo_namespace: str) -> dict[str, str]:
    found = {name: value for name, value in (service.labels or {}).items() if name not in labels.CHOOSING}
    found[labels.COMPONENT] = key
    found[labels.DYNAMO_NAMESPACE] = names.label_value(dynamo_namespace)
    found[labels.GRAPH_DEPLOYMENT] = graph.name
    return found


def _annotations(graph: Graph, service: ComponentSharedSpec) -> dict[str, str]:
    inherited = dict(graph.handed_down)
    if labels.DISCOVERY_BACKEND in (service.labels or {}):
        inherited.pop(labels.DISCOVERY_BACKEND, None)
    return {**inherited, **(service.annotations or {})}


def _platform_ingress(graph: Graph) -> Object | None:
    """The platform's default ingress; None where the settings define none."""
    platform = graph.settings.ingress
    if platform.virtual_service_gateway:
        gateway = platform.virtual_service_gateway
        return {"enabled": True, "host": graph.name, "useVirtualService": True, "virtualServiceGateway": gateway}
    if platform.class_name or platform.host_suffix:
        return {"enabled": True, "host": graph.name}
    return None


def _mount_each_claim_once(spec: Object, service: ComponentSharedSpec) -> None:
    """Move further mounts of a claim to `extraPodSpec`: `volumeMounts` is merged by name, and one would be lost.

    The compilation cache stays, since only there it is one.
    """
    mounts = sorted(enumerate(service.volume_mounts or ()), key=lambda entry: not entry[1].use_as_compilation_cache)
    first: dict[str, int] = {}
    further = []
    for index, mount in mounts:
        if mount.name not in first:
            first[mount.name] = index
        else:
            further.append((index, mount))
    if not further:
        return
    spec["volumeMounts"] = [spec["volumeMounts"][index] for index in sorted(first.values())]
    extra = dict(spec.get("extraPodSpec") or {})
    main = dict(extra.get("mainContainer") or {})
    volumes = list(extra.get("volumes") or ())
    container_mounts = list(main.get("volumeMounts") or ())
    for _, mount in sorted(further, key=lambda entry: entry[0]):
        volume = names.volume_name(mount.name)
        if volume not in {there["name"] for there in volumes}:
            volumes.append({"name": volume, "persistentVolumeClaim": {"claimName": mount.name}})
        if mount.mount_point:  # without one it is the compilation cache once more
            container_mounts.append({"name": volume, "mountPath": mount.mount_point})
    main["volumeMounts"] = container_mounts
    spec["extraPodSpec"] = {**extra, "volumes": volumes, "mainContainer": main}


def _repeated(component: Object, key: str) -> list[Fault]:
    faults = []
    for path, merge_key, value in repeated_keys(component["spec"]):
        problem = f"{merge_key} {value} stands twice, and one of the two would be lost"
        faults.append(Fault(f"spec.services.{key}.{path}", problem, "keep one of them"))
    return faults
