"""Services: the address that each is given and keeps, and their ports."""

import ipaddress
import random
from collections.abc import Sequence

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator import naming
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.ways import BuiltIn
from hooks.simulator.errors import FieldError, duplicate, forbidden_field, invalid_value, required
from hooks.simulator.metadata import label_faults
from hooks.simulator.resources import Lookup

_RANGE = ipaddress.ip_network("10.96.0.0/16")
_FAMILY_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")
_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")


class ServiceWays(BuiltIn):
    """Services. Their names are held to what Kubernetes up to 1.35 wants, which is stricter than 1.36."""

    @override
    def name_faults(self, name: str) -> list[str]:
        return naming.service_name_faults(name)

    @override
    def prepare(self, item: Object, old: Object | None, store: Lookup) -> None:
        """Give it an address, or leave it the one it has where none is asked for."""
        del store
        spec = item["spec"]
        if spec["type"] == "ExternalName":
            return
        kept = old["spec"] if old is not None and old["spec"]["type"] != "ExternalName" else {}
        if "clusterIP" not in spec:
            spec["clusterIP"] = kept.get("clusterIP") or _address_for(item["metadata"]["uid"])
        elif spec["clusterIP"] != kept.get("clusterIP") and spec.get("clusterIPs") == kept.get("clusterIPs"):
            spec.pop("clusterIPs", None)  # the list follows where only the one is changed
        for key in ("ipFamilies", "ipFamilyPolicy"):
            if key not in spec and key in kept:
                spec[key] = kept[key]
        spec.setdefault("clusterIPs", [spec["clusterIP"]])
        spec.setdefault("ipFamilyPolicy", "RequireDualStack" if len(spec["clusterIPs"]) > 1 else "SingleStack")
        if spec["clusterIP"] == "None" and not spec.get("selector"):
            spec["ipFamilyPolicy"] = "RequireDualStack"
            spec.setdefault("ipFamilies", ["IPv4", "IPv6"])
        spec.setdefault("ipFamilies", ["IPv4"])

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        del known
        spec = item["spec"]
        found = list(checks.one_of("spec.type", spec["type"], _TYPES))
        found += checks.one_of("spec.sessionAffinity", spec["sessionAffinity"], ("ClientIP", "None"))
        found += label_faults("spec.selector", spec.get("selector", {}))
        found += checks.one_of("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), _FAMILY_POLICIES)
        for index, family in enumerate(spec.get("ipFamilies", ())):
            found += checks.one_of(f"spec.ipFamilies[{index}]", family, ("IPv4", "IPv6"))
        found += _address_faults(spec)
        if spec["type"] == "ExternalName":
            if not spec.get("externalName"):
                found.append(required("spec.externalName"))
            else:
                found += checks.subdomain("spec.externalName", spec["externalName"])
        elif not spec.get("ports") and spec.get("clusterIP") != "None":
            found.append(required("spec.ports"))
        found += _ports_faults(spec)
        return found

    @override
    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        new, before = item["spec"].get("clusterIPs"), old["spec"].get("clusterIPs")
        if item["spec"]["type"] == "ExternalName" or before is None or new == before:
            return []
        if new[:1] != [item["spec"]["clusterIP"]]:
            return []  # that is said already
        return [invalid_value("spec.clusterIPs[0]", new, "may not change once set")]


def _address_for(uid: str) -> str:
    """An address in the cluster's range, drawn by the uid: two Services may share one, nobody routes here."""
    draw = random.Random(uid)  # noqa: S311 - the same for each run
    return str(_RANGE[draw.randrange(256, _RANGE.num_addresses - 1)])


def _address_faults(spec: Object) -> Faults:
    text = spec.get("clusterIP", "None")
    if "clusterIPs" in spec and spec["clusterIPs"][:1] != [text]:
        yield invalid_value("spec.clusterIPs", spec["clusterIPs"], "first value must match `clusterIP`")
        return
    if text == "None":
        return
    faults = list(checks.address("spec.clusterIPs[0]", text))
    yield from faults
    if not faults and ipaddress.ip_address(text) not in _RANGE:
        detail = (
            f"failed to allocate IP {text}: the provided IP ({text}) is not in the valid range. "
            f"The range of valid IPs is {_RANGE}"
        )
        yield invalid_value("spec.clusterIPs", spec["clusterIPs"], detail)


def _ports_faults(spec: Object) -> Faults:
    names: set[str] = set()
    numbers: set[tuple[str, int]] = set()
    ports = spec.get("ports", ())
    for index, port in enumerate(ports):
        where = f"spec.ports[{index}]"
        yield from _port_faults(port, where, spec["type"])
        name = port.get("name", "")
        if not name and len(ports) > 1:
            yield required(f"{where}.name")
        elif name in names:
            yield duplicate(f"{where}.name", name)
        elif name:
            names.add(name)
        key = port["protocol"], port["port"]
        if key in numbers and port["port"]:
            yield duplicate(where, {"Protocol": port["protocol"], "Port": port["port"]})
        numbers.add(key)


def _port_faults(port: Object, where: str, kind: str) -> Faults:
    if port.get("name"):
        yield from checks.dns_label(f"{where}.name", port["name"])
    port.setdefault("port", 0)
    yield from checks.port_number(f"{where}.port", port["port"])
    yield from checks.one_of(f"{where}.protocol", port["protocol"], checks.PROTOCOLS)
    yield from checks.port_number_or_name(f"{where}.targetPort", port["targetPort"])
    if "nodePort" in port and kind == "ClusterIP":
        yield forbidden_field(f"{where}.nodePort", "may not be used when `type` is 'ClusterIP'")
    if "appProtocol" in port:
        for fault in naming.qualified_name_faults(port["appProtocol"]):
            yield invalid_value(f"{where}.appProtocol", port["appProtocol"], fault)
