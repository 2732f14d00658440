"""Small checks that many kinds share, each worded as the API server words it."""

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hooks.protocol import Object
from hooks.simulator import naming
from hooks.simulator.errors import FieldError, invalid_value, required, unsupported
from hooks.simulator.metadata import label_faults

Faults = Iterator[FieldError]

PROTOCOLS = ("SCTP", "TCP", "UDP")
_PERCENT = re.compile(r"[0-9]+%")
_PERCENT_RULE = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')"
)
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def one_of(where: str, value: Any, supported: Iterable[str]) -> Faults:
    """A value out of a list, where there is one."""
    if value is not None and value not in supported:
        yield unsupported(where, value, supported)


def at_least(where: str, value: Any, least: int) -> Faults:
    """A number that is not too small, where there is one."""
    if value is not None and value < least:
        yield invalid_value(where, value, f"must be greater than or equal to {least}")


def between(where: str, value: Any, least: int, most: int) -> Faults:
    """A number in a range, where there is one."""
    if value is not None and not least <= value <= most:
        yield invalid_value(where, value, f"must be between {least} and {most}, inclusive")


def port_number(where: str, value: int) -> Faults:
    """A port, from 1 to 65535."""
    yield from between(where, value, 1, 65535)


def port_name(where: str, name: str) -> Faults:
    """A name of a port: at most 15 lower-case letters, digits and single hyphens, with a letter in it."""
    if len(name) > 15:
        yield invalid_value(where, name, "must be no more than 15 characters")
    if not re.fullmatch(r"[-a-z0-9]+", name):
        yield invalid_value(where, name, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search(r"[a-z]", name):
        yield invalid_value(where, name, "must contain at least one letter (a-z)")
    if "--" in name:
        yield invalid_value(where, name, "must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        yield invalid_value(where, name, "must not begin or end with a hyphen")


def port_number_or_name(where: str, value: int | str) -> Faults:
    """A port by number or by name."""
    yield from port_name(where, value) if isinstance(value, str) else port_number(where, value)


def number_or_percent(where: str, value: int | str) -> Faults:
    """A number of pods, or a percentage of all."""
    if isinstance(value, int):
        yield from at_least(where, value, 0)
    elif not _PERCENT.fullmatch(value):
        yield invalid_value(where, value, _PERCENT_RULE)


def subdomain(where: str, name: str) -> Faults:
    """The name of another object."""
    for fault in naming.subdomain_faults(name):
        yield invalid_value(where, name, fault)


def dns_label(where: str, name: str) -> Faults:
    """A DNS label."""
    for fault in naming.dns_label_faults(name):
        yield invalid_value(where, name, fault)


def config_key(where: str, key: str) -> Faults:
    """A key of a ConfigMap or Secret."""
    for fault in naming.config_key_faults(key):
        yield invalid_value(where, key, fault)


def address(where: str, text: str) -> Faults:
    """An IP address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        yield invalid_value(where, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")


def label_selector(where: str, selector: Mapping[str, Any]) -> Faults:
    """A label selector."""
    yield from label_faults(f"{where}.matchLabels", selector.get("matchLabels", {}))
    for index, expression in enumerate(selector.get("matchExpressions", ())):
        yield from _expression(f"{where}.matchExpressions[{index}]", expression)


def _expression(where: str, expression: Object) -> Faults:
    operator, values = expression.get("operator", ""), expression.get("values", [])
    if operator in {"In", "NotIn"} and not values:
        yield required(f"{where}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in {"Exists", "DoesNotExist"} and values:
        yield FieldError(
            f"{where}.values", "Forbidden", detail="may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        )
    elif operator not in _OPERATORS:
        yield invalid_value(f"{where}.operator", operator, "not a valid selector operator")
    for fault in naming.qualified_name_faults(expression.get("key", "")):
        yield invalid_value(f"{where}.key", expression.get("key", ""), fault)


def exactly_one(where: str, item: Object, choices: Iterable[str], none: FieldError, word: str) -> Faults:
    """One of several fields that exclude each other; `word` is what the message calls them."""
    given = [choice for choice in choices if choice in item]
    for choice in given[1:]:
        yield FieldError(f"{where}.{choice}", "Forbidden", detail=f"may not specify more than 1 {word} type")
    if not given:
        yield none
