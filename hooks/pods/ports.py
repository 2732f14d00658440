"""Ports of the main container: the defaults of its type, and the user's over them.

Source: seed, "Port Configurations".
"""

from typing import Any

from hooks.pods.component import Component

Port = dict[str, Any]


def ports(component: Component) -> list[Port]:
    """The container ports. A user's port is laid over the default one of its name or number; others follow."""
    given: list[Port] = [
        {key: value for key, value in port.items() if value not in (None, "")}
        for port in component.main_container.get("ports") or ()
    ]
    merged = []
    for default in component.defaults.ports:
        match = _match(default, given)
        if match is not None:
            given.remove(match)
        merged.append({**default, **(match or {})})
    return merged + given


def renumbered(component: Component) -> dict[int, int]:
    """Default port number → the number that the user gave to the port of that name."""
    given = component.main_container.get("ports") or ()
    numbers = {port.get("name"): port["containerPort"] for port in given}
    return {
        default["containerPort"]: numbers[default["name"]]
        for default in component.defaults.ports
        if numbers.get(default.get("name"), default["containerPort"]) != default["containerPort"]
    }


def _match(default: Port, given: list[Port]) -> Port | None:
    """The user's port that stands for a default one. One without a name takes ours only where no other has it."""
    is_named = any(port.get("name") == default.get("name") for port in given)
    for port in given:
        same_number = port["containerPort"] == default["containerPort"]
        same_protocol = (port.get("protocol") or "TCP") == default.get("protocol", "TCP")
        if same_number and same_protocol and (port.get("name") or not is_named):
            return port
        if port.get("name") and port.get("name") == default.get("name"):
            return port
    return None
