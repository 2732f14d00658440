"""What is wrong with a component's spec beyond its shape: what the API server would refuse in what is made of it.

A user's Kubernetes objects (`extraPodSpec`, probes, metrics) are the API server's to judge, save for what the hooks
themselves read there.
"""

from collections.abc import Iterable

from hooks import labels, names
from hooks.api.component_deployment import ComponentDeploymentSpec, ComponentSharedSpec, Ingress
from hooks.api.kubernetes import ContainerPort, EnvVar, ExtraPodSpec
from hooks.defaults import LAST_PORT, PROTOCOLS
from hooks.errors import Fault, problem_faults, shown
from hooks.manifest import repeated_keys, unreadable_quantities
from hooks.quantities import is_quantity, parse_quantity


def component_faults(spec: ComponentDeploymentSpec) -> list[Fault]:
    """What is wrong with a component's spec."""
    extra = spec.extra_pod_spec or {}
    return [
        *shared_faults(spec, "spec"),
        *_dynamo_namespace_faults(spec),
        *_container_faults(extra),
        *_port_faults((extra.get("mainContainer") or {}).get("ports")),
        *_repeated_faults(spec),
        *variable_faults("spec.extraPodSpec.mainContainer.env", (extra.get("mainContainer") or {}).get("env")),
        *_quantity_faults(spec),
    ]


def shared_faults(spec: ComponentSharedSpec, prefix: str) -> list[Fault]:
    """What is wrong with the fields that a component and a graph's service have in common, at `prefix`."""
    extra = spec.extra_pod_metadata
    return [
        *labels.faults(f"{prefix}.labels", spec.labels),
        *labels.annotation_faults(f"{prefix}.annotations", spec.annotations),
        *labels.faults(f"{prefix}.extraPodMetadata.labels", extra.labels if extra else None),
        *labels.annotation_faults(f"{prefix}.extraPodMetadata.annotations", extra.annotations if extra else None),
        *labels.value_faults(f"{prefix}.serviceName", spec.service_name),
        *labels.value_faults(f"{prefix}.componentType", spec.component_type),
        *labels.value_faults(f"{prefix}.subComponentType", spec.sub_component_type),
        *_ingress_faults(spec.ingress or Ingress(), f"{prefix}.ingress"),
        *variable_faults(f"{prefix}.envs", spec.envs),
        *name_faults(f"{prefix}.envFromSecret", spec.env_from_secret),
        *(
            fault
            for index, mount in enumerate(spec.volume_mounts or ())
            for fault in name_faults(f"{prefix}.volumeMounts[{index}].name", mount.name)
        ),
    ]


def name_faults(field: str, name: str | None) -> list[Fault]:
    """What is wrong with the name of another object, such as a Secret; nothing where there is none."""
    problem = names.object_name_problem(name) if name else None
    return problem_faults(field, name, problem, "write the name of an object")


def variable_faults(field: str, variables: Iterable[EnvVar] | None) -> list[Fault]:
    """What is wrong with the names of environment variables."""
    return [
        Fault(
            f"{field}[{index}].name",
            f"{shown(variable['name'])} is no name of an environment variable",
            "write letters, digits and '_'",
        )
        for index, variable in enumerate(variables or ())
        if not names.is_variable(variable["name"])
    ]


def _ingress_faults(ingress: Ingress, prefix: str) -> list[Fault]:
    return [
        *labels.faults(f"{prefix}.labels", ingress.labels),
        *labels.annotation_faults(f"{prefix}.annotations", ingress.annotations),
        *name_faults(f"{prefix}.ingressControllerClassName", ingress.ingress_controller_class_name),
        *name_faults(f"{prefix}.tls.secretName", ingress.tls.secret_name if ingress.tls else None),
    ]


def _dynamo_namespace_faults(spec: ComponentDeploymentSpec) -> list[Fault]:
    """A component takes its own Dynamo namespace as it stands, and its label carries it."""
    given = spec.dynamo_namespace
    if spec.global_dynamo_namespace or not given or labels.is_value(names.label_value(given)):
        return []
    return [Fault("spec.dynamoNamespace", f"{shown(given)} is no label value", labels.VALUE_RULE)]


def _quantity_faults(spec: ComponentDeploymentSpec) -> list[Fault]:
    """Quantities that cannot be read: in the user's own Kubernetes objects, and of the shared memory."""
    metrics = {"metrics": (spec.autoscaling.metrics if spec.autoscaling else None) or []}
    unreadable = [
        *unreadable_quantities(dict(spec.extra_pod_spec or {}), "spec.extraPodSpec"),
        *unreadable_quantities(metrics, "spec.autoscaling"),
    ]
    cure = "write one such as 2, 500m or 20Gi"
    faults = [Fault(found.path, f"{shown(found.value)} is no quantity", cure) for found in unreadable]
    size = None if spec.shared_memory is None or spec.shared_memory.disabled else spec.shared_memory.size
    if size not in (None, "") and not (is_quantity(size) and parse_quantity(size) >= 0):
        faults.append(Fault("spec.sharedMemory.size", f"{shown(size)} is no amount", "write one such as 16Gi"))
    return faults


def _port_faults(ports: Iterable[ContainerPort] | None) -> Iterable[Fault]:
    """Ports of the main container, which become those of the Service."""
    for index, port in enumerate(ports or ()):
        place = f"spec.extraPodSpec.mainContainer.ports[{index}]"
        number, name, protocol = port["containerPort"], port.get("name"), port.get("protocol")
        if not 0 < number <= LAST_PORT:
            yield Fault(f"{place}.containerPort", f"{number} is no port", f"write a number from 1 to {LAST_PORT}")
        problem = names.port_problem(name) if name else None
        yield from problem_faults(f"{place}.name", name, problem, "write one such as http")
        if protocol and protocol not in PROTOCOLS:
            problem = f"has the value {shown(protocol)}"
            yield Fault(f"{place}.protocol", problem, f"write one of {', '.join(PROTOCOLS)}")


def _image_faults(place: str, image: str | None) -> list[Fault]:
    problem = names.image_problem(image) if image else None
    return problem_faults(f"{place}.image", image, problem, "write it without")


_EACH_ONCE = frozenset(
    {
        "containers",
        "imagePullSecrets",
        "initContainers",
        "mainContainer.env",
        "mainContainer.resources.claims",
        "mainContainer.volumeMounts",
    }
)
"""Lists of `extraPodSpec` that may repeat a key, or of which that is told elsewhere."""


def _repeated_faults(spec: ComponentDeploymentSpec) -> list[Fault]:
    """Entries of the user's own lists of which one would be lost, since Metacontroller merges them by a key."""
    extra = repeated_keys({**(spec.extra_pod_spec or {})})
    metrics = repeated_keys({"metrics": (spec.autoscaling.metrics if spec.autoscaling else None) or []})
    found = [("spec.extraPodSpec", repeated) for repeated in extra if repeated.path not in _EACH_ONCE]
    return [
        Fault(
            f"{prefix}.{repeated.path}",
            f"{repeated.key} {repeated.value} stands twice, and one of the two would be lost",
            "keep one of them",
        )
        for prefix, repeated in [*found, *(("spec.autoscaling", repeated) for repeated in metrics)]
    ]


def _container_faults(extra: ExtraPodSpec) -> list[Fault]:
    seen: set[str] = {"main"}
    faults = _image_faults("spec.extraPodSpec.mainContainer", (extra.get("mainContainer") or {}).get("image"))
    for field, containers in (
        ("containers", extra.get("containers")),
        ("initContainers", extra.get("initContainers")),
    ):
        for index, container in enumerate(containers or ()):
            name, place = container["name"], f"spec.extraPodSpec.{field}[{index}]"
            if name in seen:
                is_main = name == "main" and field == "containers"
                cure = "write it under mainContainer" if is_main else "give it another name"
                faults.append(Fault(f"{place}.name", f"{shown(name)} is taken already", cure))
            seen.add(name)
            faults += _image_faults(place, container.get("image"))
    return faults
