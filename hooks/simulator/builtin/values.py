"""Readers of single values, as Go's JSON package and Kubernetes' own types read them."""

import base64
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from hooks.simulator.builtin import quantities
from hooks.simulator.errors import FieldError
from hooks.simulator.metadata import json_type

_BASE64 = frozenset(string.ascii_letters + string.digits + "+/=")


class Unreadable(Exception):  # noqa: N818 - it describes the value
    """A value that its type cannot hold, in the words of Go's JSON package."""

    def __init__(self, problem: str, expected: str = "") -> None:
        super().__init__(problem)
        self.problem, self.expected = problem, expected
        self.type_name, self.path = "", ""

    def inside(self, type_name: str, key: str) -> "Unreadable":
        """The same, once it is known in which field of which type it happened."""
        self.type_name = self.type_name or type_name.rpartition(".")[2]
        self.path = f"{key}.{self.path}" if self.path else key
        return self

    def __str__(self) -> str:
        if not self.expected:
            return self.problem
        return f"json: {self.problem} into Go struct field {self.type_name}.{self.path} of type {self.expected}"


@dataclass
class Findings:
    """What a reading found besides the object."""

    warnings: list[str] = field(default_factory=list)
    faults: list[FieldError] = field(default_factory=list)
    path: list[str | int] = field(default_factory=list)
    """Where the reading is."""

    def here(self, key: str = "") -> str:
        """The current place, and a field below it."""
        text = ""
        for part in [*self.path, key] if key else self.path:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
        return text


Reader = Callable[[Any, Findings], Any]


def wrong(value: Any, expected: str) -> Unreadable:
    """A value of another type than the expected one, which is named as in Go."""
    shown = f"number {value}" if expected.startswith(("int", "float")) and json_type(value) == "number" else ""
    return Unreadable(f"cannot unmarshal {shown or json_type(value)}", expected)


def read_string(value: Any, _: Findings) -> str:
    """A string."""
    if type(value) is not str:
        raise wrong(value, "string")
    return value


def read_boolean(value: Any, _: Findings) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise wrong(value, "bool")
    return value


def integer_reader(bits: int) -> Reader:
    """The reader of whole numbers of so many bits; one with a point is none, not even `30.0`."""
    limit = 1 << (bits - 1)

    def read(value: Any, _: Findings) -> int:
        if type(value) is not int or not -limit <= value < limit:
            raise wrong(value, f"int{bits}")
        return value

    return read


def read_number(value: Any, _: Findings) -> float:
    """A number."""
    if type(value) not in (int, float):
        raise wrong(value, "float64")
    number: float = value
    return number


def _read_quantity(value: Any, *, milli: bool = False) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise Unreadable(quantities.NO_QUANTITY)
    try:
        return quantities.canonical(value, milli=milli)
    except ValueError as error:
        raise Unreadable(str(error)) from None


def read_rounded_quantity(value: Any, _: Findings) -> str:
    """A quantity of a resource, which is counted in thousandths."""
    return _read_quantity(value, milli=True)


def read_integer_or_string(value: Any, _: Findings) -> int | str:
    """A whole number or a string."""
    if type(value) not in (int, str) or (type(value) is int and not -(2**31) <= value < 2**31):
        raise wrong(value, "int32")
    known: int | str = value
    return known


def _time(value: Any, findings: Findings) -> str:
    text = read_string(value, findings)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or "T" not in text:
        raise Unreadable(f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse it')
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _micro_time(value: Any, findings: Findings) -> str:
    _time(value, findings)
    return datetime.fromisoformat(value).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def read_bytes(value: Any, findings: Findings) -> str:
    """Bytes in base64."""
    text = read_string(value, findings).replace("\n", "").replace("\r", "")
    try:
        base64.b64decode(text, validate=True)
    except ValueError:  # that of wrong characters, or of one beyond ASCII
        bad = next((i for i, sign in enumerate(text) if sign not in _BASE64), len(text))
        raise Unreadable(f"illegal base64 data at input byte {bad}") from None
    return text


SPECIAL: Mapping[str, Reader] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": lambda value, _: _read_quantity(value),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": read_integer_or_string,
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": _time,
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": _micro_time,
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": lambda value, _: value,
}
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
