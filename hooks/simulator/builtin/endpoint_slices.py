"""EndpointSlices."""

from collections.abc import Sequence

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.ways import BuiltIn, immutable
from hooks.simulator.errors import FieldError, duplicate, required

_ADDRESS_TYPES = ("FQDN", "IPv4", "IPv6")


class EndpointSliceWays(BuiltIn):
    """EndpointSlices; their generation counts changes of labels too."""

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        del known
        kind = item.get("addressType")
        found = list(checks.one_of("addressType", kind, _ADDRESS_TYPES))
        for index, endpoint in enumerate(item["endpoints"] or ()):
            where = f"endpoints[{index}].addresses"
            if not endpoint.get("addresses"):
                found.append(required(where, "must contain at least 1 address"))
            for number, text in enumerate(endpoint.get("addresses") or ()):
                found += () if kind == "FQDN" else checks.address(f"{where}[{number}]", text)
        for index, port in enumerate(item["ports"] or ()):
            found += checks.one_of(f"ports[{index}].protocol", port.get("protocol"), checks.PROTOCOLS)
        names = [port.get("name") for port in item["ports"] or ()]
        found += [duplicate(f"ports[{index}].name", name) for index, name in enumerate(names) if name in names[:index]]
        return found

    @override
    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        kind = item.get("addressType")
        return [] if kind == old["addressType"] else [immutable("addressType", kind)]

    @override
    def counts(self, item: Object, old: Object) -> bool:
        return bool(item["metadata"].get("labels") != old["metadata"].get("labels"))
