"""Resources of the main container.

Source: seed, "Resources"; Kubernetes, "Resource Management for Pods and Containers".
"""

from typing import Any

from hooks import labels
from hooks.api.component_deployment import ResourceItem, Resources
from hooks.errors import Fault, shown
from hooks.pods.component import Component
from hooks.quantities import is_quantity, parse_quantity

DEFAULT_GPU = "nvidia.com/gpu"

Amounts = dict[str, Any]


def resources(component: Component) -> tuple[dict[str, Any], list[Fault]]:
    """Requests, limits and claims; what `mainContainer.resources` names wins, resource by resource."""
    spec = component.spec.resources or Resources()
    gpu = gpu_resource(component)
    given = component.main_container.get("resources") or {}
    requests = {**_amounts(spec.requests, gpu), **_without_nulls(given.get("requests"))}
    limits = {**_amounts(spec.limits, gpu), **_without_nulls(given.get("limits"))}
    for name, amount in requests.items():
        if _is_extended(name):
            limits.setdefault(name, amount)  # Kubernetes demands it of what cannot be overcommitted
    found: dict[str, Any] = {}
    if requests:
        found["requests"] = requests
    if limits:
        found["limits"] = limits
    claims = _each_once([*(spec.claims or ()), *(given.get("claims") or ())])
    if claims:
        found["claims"] = claims
    return found, _faults(spec) or [
        *_name_faults(requests | limits),
        *_whole_faults(requests | limits),
        *_bound_faults(requests, limits),
    ]


def gpu_resource(component: Component) -> str:
    """The resource that the component's `gpu` amounts are of: what requests or limits name in `gpuType`, for both."""
    spec = component.spec.resources or Resources()
    for item in (spec.limits, spec.requests):
        if item and item.gpu_type:
            return item.gpu_type
    return DEFAULT_GPU


def gpus_per_node(component: Component) -> int:
    """GPUs of the main container on each node; 0 where it asks for none."""
    found, _ = resources(component)
    amounts = {**found.get("requests", {}), **found.get("limits", {})}
    amount = amounts.get(gpu_resource(component))
    return max(0, int(parse_quantity(amount))) if is_quantity(amount) else 0


def _amounts(item: ResourceItem | None, gpu: str) -> Amounts:
    if item is None:
        return {}
    named = {"cpu": item.cpu, "memory": item.memory, gpu: item.gpu, **(item.custom or {})}
    return {name: amount for name, amount in named.items() if amount not in (None, "")}


def _each_once(claims: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each claim of dynamic resource allocation once: the last of a name (and of one request of it) wins."""
    return list({(str(claim.get("name")), str(claim.get("request"))): claim for claim in claims}.values())


def _without_nulls(amounts: Amounts | None) -> Amounts:
    return {name: amount for name, amount in (amounts or {}).items() if amount is not None}


def _is_extended(name: str) -> bool:
    prefix, slash, _ = name.rpartition("/")
    return name.startswith("hugepages-") or bool(slash and not prefix.endswith("kubernetes.io"))


_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage"})
"""Resources of a container that have no domain in their name, besides huge pages."""


def _name_faults(amounts: Amounts) -> list[Fault]:
    """A resource that is not Kubernetes' own has a domain in its name, such as nvidia.com/gpu."""
    return [
        Fault("spec.resources", f"{shown(name)} is no resource", "write cpu, memory or a name such as nvidia.com/gpu")
        for name in amounts
        if not (name in _STANDARD or name.startswith("hugepages-") or ("/" in name and labels.is_key(name)))
    ]


def _whole_faults(amounts: Amounts) -> list[Fault]:
    """Nobody gets half a GPU: Kubernetes refuses fractions of what cannot be overcommitted."""
    return [
        Fault(f"spec.resources, {name}", f"{shown(amount)} is no whole number", "write one such as 1")
        for name, amount in amounts.items()
        if _is_extended(name) and is_quantity(amount) and parse_quantity(amount) % 1 != 0
    ]


def _bound_faults(requests: Amounts, limits: Amounts) -> list[Fault]:
    """What Kubernetes demands of requests beside limits; the quantities of mainContainer are looked at elsewhere."""
    faults = []
    for name in [name for name in requests if name in limits and is_quantity(requests[name])]:
        request, limit = requests[name], limits[name]
        if not is_quantity(limit):
            continue
        if _is_extended(name) and parse_quantity(request) != parse_quantity(limit):
            problem, cure = "differs from its limit", f"write the same in both: {name} cannot be overcommitted"
        elif parse_quantity(request) > parse_quantity(limit):
            problem, cure = "is more than its limit", "raise the limit, or lower the request"
        else:
            continue
        faults.append(Fault(f"spec.resources, request of {name}", f"{request} {problem} of {limit}", cure))
    return faults


def _faults(spec: Resources) -> list[Fault]:
    places: dict[str, Any] = {}
    for block, item in (("requests", spec.requests), ("limits", spec.limits)):
        if item:
            own = {"cpu": item.cpu, "memory": item.memory, "gpu": item.gpu}
            places |= {f"spec.resources.{block}.{name}": amount for name, amount in own.items()}
            places |= {f"spec.resources.{block}.custom[{name}]": amount for name, amount in (item.custom or {}).items()}
    return [
        Fault(field, f"{shown(amount)} is no amount", "write one such as 2, 500m or 20Gi")
        for field, amount in places.items()
        if amount not in (None, "") and not (is_quantity(amount) and parse_quantity(amount) >= 0)
    ]
