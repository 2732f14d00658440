"""What the API server says of resource requests and limits."""

from hooks.protocol import Object
from hooks.simulator import naming
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.quantities import nano_units
from hooks.simulator.errors import FieldError, invalid_value, required

_STANDARD = {"cpu", "memory", "ephemeral-storage"}
_NANO = 10**9


def resource_faults(resources: Object, where: str, pod: Object) -> Faults:
    """A container's resources."""
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    for kind, given in (("limits", limits), ("requests", requests)):
        for name, quantity in given.items():
            yield from _name_faults(name, f"{where}.{kind}[{name}]")
            yield from _quantity_faults(name, quantity, f"{where}.{kind}[{name}]")
    for name, quantity in requests.items():
        limit = limits.get(name)
        if limit is not None:
            yield from _against_limit(name, quantity, limit, f"{where}.requests")
        elif not _overcommitted(name):
            yield required(f"{where}.limits", "Limit must be set for non overcommitable resources")
    known = [claim.get("name") for claim in pod.get("resourceClaims", ())]
    for index, claim in enumerate(resources.get("claims", ())):
        if claim.get("name") not in known:
            listed = ": " + ", ".join(f'"{name}"' for name in known) if known else " which is empty"
            names = f"must be one of the names in pod.spec.resourceClaims{listed}"
            yield FieldError(f"{where}.claims[{index}]", "Not found", claim.get("name"), names)


def _against_limit(name: str, quantity: str, limit: str, where: str) -> Faults:
    if _overcommitted(name):
        if nano_units(quantity) > nano_units(limit):
            yield invalid_value(where, quantity, f"must be less than or equal to {name} limit of {limit}")
    elif nano_units(quantity) != nano_units(limit):
        yield invalid_value(where, quantity, f"must be equal to {name} limit of {limit}")


def _overcommitted(name: str) -> bool:
    """Whether requests may be less than limits: not for huge pages and devices, such as GPUs."""
    return "/" not in name.removeprefix("kubernetes.io/") and not name.startswith("hugepages-")


def _name_faults(name: str, where: str) -> Faults:
    faults = naming.qualified_name_faults(name)
    for fault in faults:
        yield invalid_value(where, name, fault)
    if faults:
        yield invalid_value(where, name, "doesn't follow extended resource name standard")
    elif "/" not in name and name not in _STANDARD and not name.startswith("hugepages-"):
        yield invalid_value(where, name, "must be a standard resource type or fully qualified")
        yield invalid_value(where, name, "must be a standard resource for containers")


def _quantity_faults(name: str, quantity: str, where: str) -> Faults:
    value = nano_units(quantity)
    if value < 0:
        yield invalid_value(where, quantity, "must be greater than or equal to 0")
    if "/" in name and value % _NANO:
        yield invalid_value(where, quantity, "must be an integer")
