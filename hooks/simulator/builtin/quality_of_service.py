"""The quality of service that a pod gets by what it asks for.

Source: kubernetes.io, "Pod Quality of Service Classes".
"""

from collections import Counter

from hooks.protocol import Object
from hooks.simulator.builtin.quantities import nano_units

_COUNTED = frozenset({"cpu", "memory"})


def quality_of_service(pod: Object) -> str:
    """The class of a pod's spec: what its containers ask for counts, or what it asks for as a whole."""
    whole = pod.get("resources")
    holders = [whole] if whole else [c.get("resources", {}) for c in _containers(pod)]
    requests: Counter[str] = Counter()
    limits: Counter[str] = Counter()
    bounded = True
    for resources in holders:
        limited = _amounts(resources.get("limits", {}))
        limits.update(limited)
        requests.update(_amounts({**resources.get("limits", {}), **resources.get("requests", {})}))
        bounded = bounded and limited.keys() == _COUNTED
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if bounded and requests == limits else "Burstable"


def _containers(pod: Object) -> list[Object]:
    return [*(pod.get("containers") or ()), *pod.get("initContainers", ())]


def _amounts(resources: Object) -> dict[str, int]:
    amounts = {name: nano_units(str(quantity)) for name, quantity in resources.items() if name in _COUNTED}
    return {name: amount for name, amount in amounts.items() if amount > 0}
