"""Probes of the main container.

Source: seed, "Health Probes by Component Type"; Kubernetes API reference, Probe.
"""

from typing import Any

from hooks.errors import Fault
from hooks.pods.component import Component

HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
FIELDS = ("livenessProbe", "readinessProbe", "startupProbe")

Probe = dict[str, Any]


def probes(component: Component, renumbered: dict[int, int]) -> tuple[dict[str, Probe], list[Fault]]:
    """The probes of the main container by field.

    A user's probe replaces the default as a whole; one without a handler is laid over it. The component's own fields
    win over those of its main container. `renumbered` maps a default port to the one that the user gave its name to.
    """
    defaults = component.defaults
    spec = component.spec
    by_default = (defaults.liveness_probe, defaults.readiness_probe, defaults.startup_probe)
    by_user = (spec.liveness_probe, spec.readiness_probe, None)
    found: dict[str, Probe] = {}
    faults = []
    for field, default, own in zip(FIELDS, by_default, by_user, strict=True):
        probe = _renumbered(default, renumbered)
        main: Any = component.main_container.get(field)
        places = ((f"spec.extraPodSpec.mainContainer.{field}", main), (f"spec.{field}", own))
        for place, given in places:
            if not given:
                continue
            probe = _laid_over(probe, given)
            if not has_handler(probe):
                cure = f"add one of {', '.join(HANDLERS)}"
                faults.append(
                    Fault(place, "has no handler, and this component type has no default to lay it over", cure)
                )
        if probe:
            found[field] = probe
    return found, faults


def has_handler(probe: Probe) -> bool:
    """Whether a probe says what to probe."""
    return any(probe.get(handler) is not None for handler in HANDLERS)


def _laid_over(probe: Probe | None, given: Probe) -> Probe:
    return given if has_handler(given) else {**(probe or {}), **given}


def _renumbered(probe: Probe | None, renumbered: dict[int, int]) -> Probe | None:
    port = (probe or {}).get("httpGet", {}).get("port")
    if probe is None or port not in renumbered:
        return probe
    return {**probe, "httpGet": {**probe["httpGet"], "port": renumbered[port]}}
