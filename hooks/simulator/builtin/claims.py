"""PersistentVolumeClaims: what they ask for, and that only a bound one may grow."""

from collections.abc import Sequence

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.quantities import nano_units
from hooks.simulator.builtin.ways import BuiltIn
from hooks.simulator.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from hooks.simulator.resources import Lookup

PROTECTION = "kubernetes.io/pvc-protection"

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_RULE = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"


class ClaimWays(BuiltIn):
    """PersistentVolumeClaims, each with the finalizer that keeps one in use (see hooks.simulator.protection)."""

    @override
    def prepare(self, item: Object, old: Object | None, store: Lookup) -> None:
        """A new one waits for its volume."""
        del store
        if old is None:
            item["status"] = {"phase": "Pending"}
            finalizers = item["metadata"].setdefault("finalizers", [])
            if PROTECTION not in finalizers:
                finalizers.append(PROTECTION)

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        del known
        return list(claim_spec_faults(item["spec"], "spec"))

    @override
    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        new, before = item["spec"], old["spec"]
        bound = old.get("status", {}).get("phase") == "Bound"
        free = {"resources", "volumeAttributesClassName"} if bound else set()
        if any(new.get(key) != before.get(key) for key in (new.keys() | before.keys()) - free - {"volumeName"}):
            return [forbidden_field("spec", _RULE)]
        if bound and _storage(new) < _storage({"resources": {"requests": old["status"].get("capacity", {})}}):
            detail = "field can not be less than status.capacity"
            return [forbidden_field("spec.resources.requests.storage", detail)]
        return []


def _storage(spec: Object) -> int:
    return nano_units(spec["resources"].get("requests", {}).get("storage", "0"))


def claim_spec_faults(spec: Object, where: str) -> Faults:
    """What a claim, or a template of one, asks for."""
    modes = spec.get("accessModes", ())
    if not modes:
        yield required(f"{where}.accessModes", "at least 1 access mode is required")
    for mode in modes:
        if mode not in _ACCESS_MODES:
            yield unsupported(f"{where}.accessModes", mode, _ACCESS_MODES)
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        yield forbidden_field(f"{where}.accessModes", "may not use ReadWriteOncePod with other access modes")
    storage = spec["resources"].get("requests", {}).get("storage")
    if storage is None:
        yield required(f"{where}.resources[storage]")
    elif nano_units(storage) <= 0:
        yield invalid_value(f"{where}.resources[storage]", storage, "must be greater than zero")
    if spec.get("storageClassName"):
        yield from checks.subdomain(f"{where}.storageClassName", spec["storageClassName"])
    yield from checks.one_of(f"{where}.volumeMode", spec["volumeMode"], ("Block", "Filesystem"))
    yield from checks.label_selector(f"{where}.selector", spec.get("selector", {}))
