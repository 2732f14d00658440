"""What is wrong with settings beyond their shape: what the API server would refuse in what is made of them.

Without this a wrong name or amount would be found by each resource that gets it, one failing call after the other.
Probes are checked with their shape (`hooks.defaults`).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hooks import labels, names
from hooks.defaults import LAST_PORT, PROTOCOLS, ComponentDefaults, Defaults
from hooks.errors import Fault, problem_faults, shown
from hooks.quantities import is_quantity, parse_quantity
from hooks.settings import IngressSettings, ProfilingSettings, Settings

_OPERATORS = ("Exists", "Equal", "Lt", "Gt")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_PORT_FIELDS = ("name", "containerPort", "protocol", "hostPort", "hostIP")
_TOLERATION_FIELDS = ("key", "operator", "value", "effect", "tolerationSeconds")


def settings_faults(settings: Settings) -> list[Fault]:
    """Every fault of settings that have their shape; fields are paths in a settings file."""
    restriction = settings.namespace_restriction
    return [
        *_ingress_faults(settings.ingress),
        *_name_faults("mpiRun.secretName", settings.mpi_run.secret_name),
        *_role_faults("rbac.plannerClusterRole", settings.rbac.planner_cluster_role),
        *_role_faults("rbac.profilingClusterRole", settings.rbac.profiling_cluster_role),
        *_role_faults("rbac.nodeReaderClusterRole", settings.rbac.node_reader_cluster_role),
        *_profiling_faults(settings.profiling),
        *_restriction_faults(enabled=restriction.enabled, namespaces=restriction.namespaces),
        *_defaults_faults(settings.defaults),
    ]


def _ingress_faults(ingress: IngressSettings) -> Iterator[Fault]:
    for key, name in (("className", ingress.class_name), ("tlsSecretName", ingress.tls_secret_name)):
        if name is not None:
            yield from _name_faults(f"ingress.{key}", name)
    suffix = ingress.host_suffix
    if suffix is not None:
        yield from problem_faults("ingress.hostSuffix", suffix, names.host_problem(suffix))


def _profiling_faults(profiling: ProfilingSettings) -> Iterator[Fault]:
    secret = profiling.hf_token_secret
    yield from _name_faults("profiling.hfTokenSecret.name", secret.name)
    yield from problem_faults("profiling.hfTokenSecret.key", secret.key, names.config_key_problem(secret.key))
    image = profiling.output_copier_image
    yield from problem_faults("profiling.outputCopierImage", image, names.image_problem(image))
    yield from labels.faults("profiling.nodeSelector", profiling.node_selector)
    yield from _resources_faults("profiling.resources", profiling.resources)
    for index, toleration in enumerate(profiling.tolerations):
        yield from _toleration_faults(f"profiling.tolerations[{index}]", toleration)


def _restriction_faults(*, enabled: bool, namespaces: list[str]) -> Iterator[Fault]:
    if enabled and not namespaces:
        problem = "is empty, and an installation for chosen namespaces would look after none"
        yield Fault("namespaceRestriction.namespaces", problem, "name them, or leave namespaceRestriction.enabled out")
    for index, name in enumerate(namespaces):
        yield from problem_faults(f"namespaceRestriction.namespaces[{index}]", name, names.namespace_problem(name))


def _defaults_faults(defaults: Defaults) -> Iterator[Fault]:
    for key in ("general", "frontend", "worker", "planner"):
        component: ComponentDefaults = getattr(defaults, key)
        where = f"defaults.{key}"
        for index, port in enumerate(component.ports):
            yield from _port_faults(f"{where}.ports[{index}]", port)
        for variable in component.env:
            if not names.is_variable(variable):
                problem = "is no name of an environment variable"
                yield Fault(f"{where}.env.{variable}", problem, "write letters, digits and '_'")
        if component.service_account_name is not None:
            yield from _name_faults(f"{where}.serviceAccountName", component.service_account_name)
    for backend, path in defaults.compilation_cache_mount_points.items():
        if not path.startswith("/"):
            place = f"defaults.compilationCacheMountPoints.{backend}"
            yield Fault(place, f"{shown(path)} is no absolute path", "write one that begins with '/'")


def _port_faults(where: str, port: Mapping[str, Any]) -> Iterator[Fault]:
    yield from _field_faults(where, port, _PORT_FIELDS)
    name, number = port.get("name"), port.get("containerPort")
    problem = names.port_problem(name) if isinstance(name, str) else "is no name"
    yield from problem_faults(f"{where}.name", name, problem, "write one such as http")
    if type(number) is not int or not 0 < number <= LAST_PORT:
        yield Fault(f"{where}.containerPort", f"{shown(number)} is no port", f"write a number from 1 to {LAST_PORT}")
    yield from _word_faults(f"{where}.protocol", port.get("protocol"), PROTOCOLS)


def _resources_faults(where: str, resources: Mapping[str, Any]) -> Iterator[Fault]:
    yield from _field_faults(where, resources, ("requests", "limits", "claims"))
    for key in ("requests", "limits"):
        amounts = resources.get(key, {})
        if not isinstance(amounts, dict):
            yield Fault(f"{where}.{key}", f"has the value {shown(amounts)}", "write an object (key: value)")
            continue
        for resource, amount in amounts.items():
            if not (is_quantity(amount) and parse_quantity(amount) >= 0):
                problem = f"{shown(amount)} is no amount"
                yield Fault(f"{where}.{key}.{resource}", problem, "write a quantity such as 2, 500m or 20Gi")


def _toleration_faults(where: str, toleration: Mapping[str, Any]) -> Iterator[Fault]:
    """Source: Kubernetes, "Taints and Tolerations"."""
    yield from _field_faults(where, toleration, _TOLERATION_FIELDS)
    key, operator, seconds = toleration.get("key"), toleration.get("operator"), toleration.get("tolerationSeconds")
    if key and not (isinstance(key, str) and labels.is_key(key)):
        yield Fault(f"{where}.key", f"{shown(key)} is no key of a taint", labels.KEY_RULE)
    yield from _word_faults(f"{where}.operator", operator, _OPERATORS)
    if operator == "Exists" and toleration.get("value"):
        yield Fault(f"{where}.value", "has no meaning with the operator Exists", "leave it out")
    if operator != "Exists" and not key:
        yield Fault(f"{where}.key", "is required", "add it, or tolerate all taints with operator: Exists")
    yield from _word_faults(f"{where}.effect", toleration.get("effect"), _EFFECTS)
    if seconds is not None and type(seconds) is not int:
        yield Fault(f"{where}.tolerationSeconds", f"has the value {shown(seconds)}", "write a whole number of seconds")


def _name_faults(where: str, name: str) -> Iterator[Fault]:
    yield from problem_faults(where, name, names.object_name_problem(name))


def _role_faults(where: str, name: str) -> Iterator[Fault]:
    """A role's name may be whatever can stand in a path (Kubernetes, "Using RBAC Authorization")."""
    if not name or name in (".", "..") or "/" in name or "%" in name:
        yield Fault(where, f"{shown(name)} is no name of a ClusterRole", "write it without '/' and '%'")


def _word_faults(where: str, word: Any, known: Iterable[str]) -> Iterator[Fault]:
    if word and word not in known:
        yield Fault(where, f"has the value {shown(word)}", f"write one of {', '.join(known)}")


def _field_faults(where: str, found: Mapping[str, Any], known: tuple[str, ...]) -> Iterator[Fault]:
    for key in found:
        if key not in known:
            yield Fault(f"{where}.{key}", "is no field of Kubernetes", f"there are {', '.join(known)}")
