"""Ports of the main container: the defaults of its type, and the user's over them.

Source: seed, "Port Configurations".
"""

from collections.abc import Mapping
from typing import Any

from hooks.defaults import LAST_PORT
from hooks.pods.component import Component, literal_values

Port = dict[str, Any]


def ports(component: Component) -> list[Port]:
    """The container ports. A user's port is laid over the default one of its name or number; others follow."""
    given = _given(component)
    by_variable = _numbers_by_variable(component)
    merged = []
    for default in component.defaults.ports:
        number = by_variable.get(default["containerPort"], default["containerPort"])
        meant = {**default, "containerPort": number}
        match = _match(meant, given)
        if match is not None:
            given.remove(match)
        merged.append({**meant, **(match or {})})
    return merged + given


def moved_ports(component: Component) -> dict[int, int]:
    """Default port → the port that it is in this component, where that is another one.

    A user moves one by a port of its name, or else by a variable that tells the program where to listen
    such as DYN_SYSTEM_PORT. The probes, the Service and the default variables follow.
    """
    named = {port.get("name"): port["containerPort"] for port in _given(component)}
    by_variable = _numbers_by_variable(component)
    defaults = {port["containerPort"]: port.get("name") for port in component.defaults.ports}
    numbers = {number: named.get(name) or by_variable.get(number, number) for number, name in defaults.items()}
    return {default: number for default, number in numbers.items() if number != default}


def default_environment(component: Component) -> dict[str, str]:
    """The default variables of the component's type, with the numbers that its ports have."""
    moved = moved_ports(component)
    told = {name: str(moved[port]) for name, port in _port_variables(component).items() if port in moved}
    return {**component.defaults.env, **told}


def _port_variables(component: Component) -> Mapping[str, int]:
    """Default variable that tells the program where to listen → the default port that it names."""
    numbers = {str(port["containerPort"]): port["containerPort"] for port in component.defaults.ports}
    env = component.defaults.env
    return {name: numbers[env[name]] for name in env if name.endswith("_PORT") and env[name] in numbers}


def _numbers_by_variable(component: Component) -> dict[int, int]:
    """Default port → the number that the user gives it by a variable; the first of several decides."""
    values = literal_values([*(component.main_container.get("env") or ()), *(component.spec.envs or ())])
    found: dict[int, int] = {}
    for name, port in _port_variables(component).items():
        text = values.get(name) or ""
        if text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= LAST_PORT:
            found.setdefault(port, int(text[:6]))
    return found


def _given(component: Component) -> list[Port]:
    return [
        {key: value for key, value in port.items() if value not in (None, "")}
        for port in component.main_container.get("ports") or ()
    ]


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
