"""Ingresses: their rules, paths and backends."""

import ipaddress
from collections.abc import Sequence

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.ways import BuiltIn
from hooks.simulator.errors import FieldError, invalid_value, required

_CLASS_ANNOTATION = "kubernetes.io/ingress.class"
_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_CLIMBING = ("//", "/./", "/../", "%2f", "%2F")
_CLIMBING_ENDS = ("/..", "/.")


class IngressWays(BuiltIn):
    """Ingresses."""

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        del known
        spec = item["spec"]
        found: list[FieldError] = []
        if not spec.get("rules") and "defaultBackend" not in spec:
            found.append(invalid_value("spec", None, "either `defaultBackend` or `rules` must be specified"))
        for index, rule in enumerate(spec.get("rules", ())):
            found += _rule_faults(rule, f"spec.rules[{index}]")
        for index, tls in enumerate(spec.get("tls", ())):
            for number, host in enumerate(tls.get("hosts", ())):
                found += _host_faults(host, f"spec.tls[{index}].hosts[{number}]")
        if "defaultBackend" in spec:
            found += _backend_faults(spec["defaultBackend"], "spec.defaultBackend")
        if "ingressClassName" in spec:
            found += checks.subdomain("spec.ingressClassName", spec["ingressClassName"])
            annotated = item["metadata"].get("annotations", {}).get(_CLASS_ANNOTATION)
            if annotated not in (None, spec["ingressClassName"]):
                detail = "must match `ingressClassName` when both are specified"
                found.append(invalid_value(f"annotations.{_CLASS_ANNOTATION}", annotated, detail))
        return found


def _rule_faults(rule: Object, where: str) -> Faults:
    if rule.get("host"):
        try:
            ipaddress.ip_address(rule["host"])
            yield invalid_value(f"{where}.host", rule["host"], "must be a DNS name, not an IP address")
        except ValueError:
            yield from _host_faults(rule["host"], f"{where}.host")
    if "http" in rule and not rule["http"].get("paths"):
        yield required(f"{where}.http.paths")
    for index, path in enumerate(rule.get("http", {}).get("paths") or ()):
        yield from _path_faults(path, f"{where}.http.paths[{index}]")


def _host_faults(host: str, where: str) -> Faults:
    yield from checks.subdomain(where, host.removeprefix("*."))


def _path_faults(path: Object, where: str) -> Faults:
    kind, text = path.get("pathType"), path.get("path", "")
    if not kind:
        yield required(f"{where}.pathType", "pathType must be specified")
        return
    if kind in {"Exact", "Prefix"} and not text.startswith("/"):
        yield invalid_value(f"{where}.path", text, "must be an absolute path")
    elif kind in {"Exact", "Prefix"}:
        for part in _CLIMBING:
            if part in text:
                yield invalid_value(f"{where}.path", text, f"must not contain '{part}'")
        for part in _CLIMBING_ENDS:
            if text.endswith(part):
                yield invalid_value(f"{where}.path", text, f"cannot end with '{part}'")
    elif kind == "ImplementationSpecific" and text and not text.startswith("/"):
        yield invalid_value(f"{where}.path", text, "must be an absolute path")
    else:
        yield from checks.one_of(f"{where}.pathType", kind, _PATH_TYPES)
    yield from _backend_faults(path["backend"], f"{where}.backend")


def _backend_faults(backend: Object, where: str) -> Faults:
    if "service" not in backend:
        if "resource" not in backend:
            yield invalid_value(where, "", "resource or service backend is required")
        return
    service = backend["service"]
    if service.get("name"):
        yield from checks.dns_label(f"{where}.service.name", service["name"])
    name, number = service["port"].get("name"), service["port"].get("number")
    if name and number:
        yield invalid_value(where, "", "cannot set both port name & port number")
    elif name:
        yield from checks.port_name(f"{where}.service.port.name", name)
    elif number:
        yield from checks.port_number(f"{where}.service.port.number", number)
    else:
        yield required(where, "port name or number is required")
