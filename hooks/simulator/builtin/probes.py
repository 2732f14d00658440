"""What the API server says of probes and life cycle hooks."""

import re

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.errors import invalid_value, required

_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOKS = ("exec", "httpGet", "tcpSocket", "sleep")
_HEADER = re.compile(r"[-A-Za-z0-9]+")
_HEADER_RULE = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for "
    "validation is '[-A-Za-z0-9]+')"
)
_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


def probe_faults(probe: Object, where: str, kind: str) -> Faults:
    """A probe, `kind` being the field that it stands in."""
    nothing = required(where, "must specify a handler type")
    yield from checks.exactly_one(where, probe, _HANDLERS, nothing, "handler")
    yield from _handler_faults(probe, where)
    for key in _NUMBERS:
        yield from checks.at_least(f"{where}.{key}", probe.get(key), 0)
    grace = probe.get("terminationGracePeriodSeconds")
    if kind == "readinessProbe":
        if grace is not None:
            place = f"{where}.terminationGracePeriodSeconds"
            yield invalid_value(place, grace, "must not be set for readinessProbes")
        return
    if grace is not None and grace <= 0:
        yield invalid_value(f"{where}.terminationGracePeriodSeconds", grace, "must be greater than 0")
    if probe["successThreshold"] != 1:
        yield invalid_value(f"{where}.successThreshold", probe["successThreshold"], "must be 1")


def hook_faults(hook: Object, where: str) -> Faults:
    """What is done after a container's start or before its stop."""
    nothing = required(where, "must specify a handler type")
    yield from checks.exactly_one(where, hook, _HOOKS, nothing, "handler")
    yield from _handler_faults(hook, where)


def _handler_faults(handler: Object, where: str) -> Faults:
    if "exec" in handler and not handler["exec"].get("command"):
        yield required(f"{where}.exec.command")
    for key in ("httpGet", "tcpSocket"):
        if key in handler:
            yield from checks.port_number_or_name(f"{where}.{key}.port", handler[key].get("port", 0))
    if "grpc" in handler:
        yield from checks.port_number(f"{where}.grpc.port", handler["grpc"].get("port", 0))
    if "httpGet" in handler:
        for header in handler["httpGet"].get("httpHeaders", ()):
            if not _HEADER.fullmatch(header.get("name", "")):
                yield invalid_value(f"{where}.httpGet.httpHeaders", header.get("name", ""), _HEADER_RULE)
        yield from checks.one_of(f"{where}.httpGet.scheme", handler["httpGet"].get("scheme"), ("HTTP", "HTTPS"))
