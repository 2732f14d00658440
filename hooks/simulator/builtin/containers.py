"""What the API server says of containers.

Source: Kubernetes 1.36, `pkg/apis/core/validation`, and its answers (tests/simulator/server_cases).
"""

import re
from collections.abc import Collection

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.probes import hook_faults, probe_faults
from hooks.simulator.builtin.requests import resource_faults
from hooks.simulator.builtin.security import container_security_faults
from hooks.simulator.errors import duplicate, forbidden_field, invalid_value, missing_reference, required

_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_VARIABLE = re.compile(r"[ -<>-~]+")
_VARIABLE_RULE = "a valid environment variable name must consist only of printable ASCII characters other than '='"
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_FIELDS = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
]
_FIELD_MAP = re.compile(r"metadata\.(labels|annotations)\['[^']+'\]")
_RESOURCES = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
]
_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_LIFE_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def containers_faults(pod: Object, where: str, volumes: Collection[str]) -> Faults:
    """All containers of a pod spec, `volumes` being the names of its sound volumes."""
    names: set[str] = set()
    if not pod.get("containers"):
        yield required(f"{where}.containers")
    for index, container in enumerate(pod.get("containers") or ()):
        yield from _container_faults(container, f"{where}.containers[{index}]", pod, volumes)
        yield from _unique_name(container, f"{where}.containers[{index}]", names)
    for index, container in enumerate(pod.get("initContainers", ())):
        place = f"{where}.initContainers[{index}]"
        yield from _container_faults(container, place, pod, volumes)
        yield from _unique_name(container, place, names)
        yield from checks.one_of(f"{place}.restartPolicy", container.get("restartPolicy"), _RESTART_POLICIES)
        if container.get("restartPolicy") != "Always":
            for key in (*_LIFE_PROBES, "lifecycle"):
                if key in container:
                    yield forbidden_field(
                        f"{place}.{key}", "may not be set for init containers without restartPolicy=Always"
                    )
    yield from _host_ports(pod, where)


def _unique_name(container: Object, where: str, names: set[str]) -> Faults:
    name = container.get("name", "")
    if name in names:
        yield duplicate(f"{where}.name", name)
    elif name:
        names.add(name)


def _container_faults(container: Object, where: str, pod: Object, volumes: Collection[str]) -> Faults:
    if container.get("name"):
        yield from checks.dns_label(f"{where}.name", container["name"])
    if not container.get("image"):
        yield required(f"{where}.image")
    yield from checks.one_of(f"{where}.imagePullPolicy", container.get("imagePullPolicy"), _PULL_POLICIES)
    policy = container.get("terminationMessagePolicy")
    yield from checks.one_of(f"{where}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    for index, port in enumerate(container.get("ports", ())):
        yield from _port_faults(port, f"{where}.ports[{index}]", pod)
    yield from _unique_port_names(container, where)
    for index, variable in enumerate(container.get("env", ())):
        yield from _variable_faults(variable, f"{where}.env[{index}]")
    for index, source in enumerate(container.get("envFrom", ())):
        yield from _variables_faults(source, f"{where}.envFrom", index)
    yield from _mounts_faults(container, where, volumes)
    yield from _life_faults(container, where)
    yield from resource_faults(container.get("resources", {}), f"{where}.resources", pod)
    if "securityContext" in container:
        yield from container_security_faults(container["securityContext"], f"{where}.securityContext")


def _life_faults(container: Object, where: str) -> Faults:
    for key in _LIFE_PROBES:
        if key in container:
            yield from probe_faults(container[key], f"{where}.{key}", key)
    for key, hook in container.get("lifecycle", {}).items():
        if isinstance(hook, dict):
            yield from hook_faults(hook, f"{where}.lifecycle.{key}")


def _port_faults(port: Object, where: str, pod: Object) -> Faults:
    if port.get("name"):
        yield from checks.port_name(f"{where}.name", port["name"])
    if not port.get("containerPort"):
        yield required(f"{where}.containerPort")
    else:
        yield from checks.port_number(f"{where}.containerPort", port["containerPort"])
    if "hostPort" in port:
        yield from checks.port_number(f"{where}.hostPort", port["hostPort"])
        if pod.get("hostNetwork") and port["hostPort"] != port.get("containerPort"):
            detail = "must match `containerPort` when `hostNetwork` is true"
            yield invalid_value(f"{where}.hostPort", port["hostPort"], detail)
    yield from checks.one_of(f"{where}.protocol", port.get("protocol"), checks.PROTOCOLS)


def _unique_port_names(container: Object, where: str) -> Faults:
    names: set[str] = set()
    for index, port in enumerate(container.get("ports", ())):
        name = port.get("name")
        if name in names:
            yield duplicate(f"{where}.ports[{index}].name", name)
        elif name:
            names.add(name)


def _host_ports(pod: Object, where: str) -> Faults:
    taken: set[str] = set()
    for number, container in enumerate(pod.get("containers") or ()):
        for index, port in enumerate(container.get("ports", ())):
            if "hostPort" in port:
                key = f"{port['protocol']}/{port.get('hostIP', '')}/{port['hostPort']}"
                if key in taken:
                    yield duplicate(f"{where}.containers[{number}].ports[{index}].hostPort", key)
                taken.add(key)


def _variable_faults(variable: Object, where: str) -> Faults:
    name = variable.get("name", "")
    if name and not _VARIABLE.fullmatch(name):
        yield invalid_value(f"{where}.name", name, _VARIABLE_RULE)
    if "valueFrom" not in variable:
        return
    source, place = variable["valueFrom"], f"{where}.valueFrom"
    given = [choice for choice in _SOURCES if choice in source]
    if variable.get("value"):
        yield invalid_value(place, "", "may not be specified when `value` is not empty")
    elif not given:
        choices = "`, `".join(_SOURCES[:-1])
        yield invalid_value(place, "", f"must specify one of: `{choices}` or `{_SOURCES[-1]}`")
    elif len(given) > 1:
        yield invalid_value(place, "", "may not have more than one field specified at a time")
    for choice in given:
        yield from _source_faults(choice, source[choice], f"{place}.{choice}")


def _source_faults(choice: str, source: Object, where: str) -> Faults:
    if choice == "fieldRef":
        path = source.get("fieldPath", "")
        version = source.get("apiVersion", "v1")
        if version != "v1":
            detail = f"error converting fieldPath: unsupported pod version: {version}"
            yield invalid_value(f"{where}.fieldPath", path, detail)
        elif path and path not in _FIELDS and not _FIELD_MAP.fullmatch(path):
            detail = f"error converting fieldPath: field label not supported: {path}"
            yield invalid_value(f"{where}.fieldPath", path, detail)
    elif choice == "resourceFieldRef":
        resource = source.get("resource", "")
        if resource and not re.match(r"(limits|requests)\.hugepages-", resource):
            yield from checks.one_of(f"{where}.resource", resource, _RESOURCES)
    elif choice in {"configMapKeyRef", "secretKeyRef"}:
        if not source.get("name"):
            yield required(f"{where}.name")
        if source.get("key"):
            yield from checks.config_key(f"{where}.key", source["key"])


def _variables_faults(source: Object, where: str, index: int) -> Faults:
    given = [choice for choice in ("configMapRef", "secretRef") if choice in source]
    if not given:
        yield invalid_value(where, "", "must specify one of: `configMapRef` or `secretRef`")
    elif len(given) > 1:
        yield invalid_value(where, "", "may not have more than one field specified at a time")
    for choice in given:
        name, place = source[choice].get("name"), f"{where}[{index}].{choice}.name"
        yield from checks.subdomain(place, name) if name else [required(place)]


def _mounts_faults(container: Object, where: str, volumes: Collection[str]) -> Faults:
    paths: set[str] = set()
    for index, mount in enumerate(container.get("volumeMounts", ())):
        place = f"{where}.volumeMounts[{index}]"
        if mount.get("name", "") not in volumes:
            yield missing_reference(f"{place}.name", mount.get("name", ""))
        path = mount.get("mountPath", "")
        if path in paths:
            yield invalid_value(f"{place}.mountPath", path, "must be unique")
        paths.add(path)
        for key in ("subPath", "subPathExpr"):
            yield from relative_path_faults(mount.get(key, ""), f"{where}.volumeMounts.{key}")


def relative_path_faults(path: str, where: str) -> Faults:
    """A path inside a volume: neither absolute nor climbing out of it."""
    if path.startswith("/"):
        yield invalid_value(where, path, "must be a relative path")
    if ".." in path.split("/"):
        yield invalid_value(where, path, "must not contain '..'")
