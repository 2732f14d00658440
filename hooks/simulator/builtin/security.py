"""What the API server says of security contexts."""

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.errors import invalid_value, required

_LARGEST = 2**31 - 1
_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")


def pod_security_faults(context: Object, where: str) -> Faults:
    """A pod's security context."""
    for key in ("runAsUser", "runAsGroup", "fsGroup"):
        yield from checks.between(f"{where}.{key}", context.get(key), 0, _LARGEST)
    for index, group in enumerate(context.get("supplementalGroups", ())):
        yield from checks.between(f"{where}.supplementalGroups[{index}]", group, 0, _LARGEST)
    yield from checks.one_of(
        f"{where}.fsGroupChangePolicy", context.get("fsGroupChangePolicy"), ("Always", "OnRootMismatch")
    )
    yield from _profile_faults(context, where)


def container_security_faults(context: Object, where: str) -> Faults:
    """A container's security context."""
    for key in ("runAsUser", "runAsGroup"):
        yield from checks.between(f"{where}.{key}", context.get(key), 0, _LARGEST)
    if context.get("privileged") and context.get("allowPrivilegeEscalation") is False:
        detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        yield invalid_value(where, context, detail)
    yield from _profile_faults(context, where)


def _profile_faults(context: Object, where: str) -> Faults:
    if "seccompProfile" in context:
        place = f"{where}.seccompProfile.type"
        kind = context["seccompProfile"].get("type")
        if not kind:
            yield required(place, "type is required when seccompProfile is set")
        else:
            yield from checks.one_of(place, kind, _PROFILES)
