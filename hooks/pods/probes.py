"""Probes of the main container.

Source: seed, "Health Probes by Component Type"; Kubernetes API reference, Probe.
"""

from typing import Any

from hooks.defaults import PROBE_HANDLERS
from hooks.errors import Fault
from hooks.pods.component import Component

FIELDS = ("livenessProbe", "readinessProbe", "startupProbe")

Probe = dict[str, Any]


def probes(component: Component, moved: dict[int, int]) -> tuple[dict[str, Probe], list[Fault]]:
    """The probes of the main container by field.

    A user's probe replaces the default as a whole; one without a handler is laid over it. The component's own fields
    win over those of its main container. `moved` is what `moved_ports` tells.
    """
    defaults = component.defaults
    spec = component.spec
    by_default = (defaults.liveness_probe, defaults.readiness_probe, defaults.startup_probe)
    by_user = (spec.liveness_probe, spec.readiness_probe, None)
    found: dict[str, Probe] = {}
    faults = []
    for field, default, own in zip(FIELDS, by_default, by_user, strict=True):
        probe = _moved(default, moved)
        main: Any = component.main_container.get(field)
        for given in (main, own):
            probe = _laid_over(probe, {key: value for key, value in (given or {}).items() if value is not None})
        if probe:
            found[field] = probe
            faults += _handler_faults(f"spec.{field}" if own else f"spec.extraPodSpec.mainContainer.{field}", probe)
    return found, faults


def has_handler(probe: Probe) -> bool:
    """Whether a probe says what to probe."""
    return any(probe.get(handler) is not None for handler in PROBE_HANDLERS)


def _handler_faults(place: str, probe: Probe) -> list[Fault]:
    found = [handler for handler in PROBE_HANDLERS if probe.get(handler) is not None]
    if not found:
        cure = f"add one of {', '.join(PROBE_HANDLERS)}"
        return [Fault(place, "has no handler, and this component type has no default to lay it over", cure)]
    return [Fault(place, f"has {' and '.join(found)}", "keep one of them")] if len(found) > 1 else []


def _laid_over(probe: Probe | None, given: Probe) -> Probe:
    return given if has_handler(given) else {**(probe or {}), **given}


def _moved(probe: Probe | None, moved: dict[int, int]) -> Probe | None:
    for handler in ("httpGet", "tcpSocket", "grpc"):
        found = (probe or {}).get(handler) or {}
        if probe is not None and found.get("port") in moved:
            return {**probe, handler: {**found, "port": moved[found["port"]]}}
    return probe
