"""Quantities in the form in which the API server writes them back.

Source: k8s.io/apimachinery `api/resource`. A quantity is counted in thousand-millionths, the finest it can be.
"""

import re
from fractions import Fraction
from typing import NamedTuple

_FORM = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)")

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_SUFFIXES = {power: suffix for suffix, power in _DECIMAL.items()}
_BINARY_SUFFIXES = {0: "", **{power: suffix for suffix, power in _BINARY.items()}}
_EXPONENT = re.compile(r"[eE][+-]?[0-9]+")

_NANO = 10**9
_MILLI = 10**6
_LARGEST = 2**63 - 1
_LONGEST = 1000
"""Characters, and exponent, up to which it is worked out: more is no amount of anything, and takes minutes."""

NO_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
NO_SUFFIX = "unable to parse quantity's suffix"


class _Parts(NamedTuple):
    """A quantity as written: its digits without leading zeros, and what its suffix stands for."""

    negative: bool
    whole: str
    fraction: str
    binary: int | None
    """Power of 1024."""
    power: int
    """Power of ten."""
    exponent: bool
    """Whether the power was written as one, as in `1e3`."""


def _parts(text: str) -> _Parts:
    form = _FORM.fullmatch(text) if text else None
    if form is None:
        raise ValueError(NO_QUANTITY)
    sign, whole, fraction, suffix = form.groups(default="")
    binary = _BINARY.get(suffix)
    exponent = bool(_EXPONENT.fullmatch(suffix))
    if binary is None and not exponent and suffix not in _DECIMAL:
        raise ValueError(NO_SUFFIX)
    power = 0 if binary else int(suffix[1:]) if exponent else _DECIMAL[suffix]
    if len(text) > _LONGEST or abs(power) > _LONGEST:
        raise ValueError(NO_QUANTITY)
    return _Parts(sign == "-", whole or "0", fraction, binary, power, exponent)


def nano_units(text: str) -> int:
    """The value in thousand-millionths, rounded away from zero.

    Raises:
        ValueError: it is no quantity.
    """
    return _value(_parts(text.strip()))


def _value(parts: _Parts) -> int:
    number = Fraction(int(parts.whole + parts.fraction), 10 ** len(parts.fraction))
    exact = number * (1024**parts.binary if parts.binary else Fraction(10) ** parts.power)
    rounded = -(-exact * _NANO // 1)
    if parts.binary:
        rounded = min(rounded, _LARGEST * _NANO)
    return -rounded if parts.negative else rounded


def canonical(given: str | float, *, milli: bool = False) -> str:
    """The quantity as the server writes it: `1000m` is `1`, `1024Mi` is `1Gi`, `0.5` is `500m`.

    Args:
        given: a string, or a number as JSON allows it too.
        milli: round up to thousandths, as the server does for requests and limits.

    Raises:
        ValueError: it is no quantity.
    """
    text = given.strip() if isinstance(given, str) else repr(given)
    parts = _parts(text)
    if _kept(parts, -3 if milli else -9):
        return text
    value = _value(parts)
    if milli:
        magnitude = -(-abs(value) // _MILLI) * _MILLI
        value = -magnitude if value < 0 else magnitude
    if value == 0:
        return "0"
    if parts.binary and abs(value) >= 1024 * _NANO and value % _NANO == 0:
        return _scaled(value // _NANO, 1024, 0, _BINARY_SUFFIXES)
    if parts.exponent:
        return _scaled(value, 1000, -9, {power: f"e{power}" if power else "" for power in range(-9, 100, 3)})
    return _scaled(value, 1000, -9, _SUFFIXES)


def _kept(parts: _Parts, finest: int) -> bool:
    """Whether the server takes the text for canonical as it is and keeps it: `1.500` stays so, `1500m` too."""
    digits = parts.whole + parts.fraction
    if parts.binary:
        fits = not parts.fraction and len(digits) + 3 * parts.binary <= 14
        return fits and int(digits) % 8 != 0
    power = parts.power - len(parts.fraction)
    fits = len(digits) <= 18 and power >= finest
    return fits and power % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _scaled(value: int, step: int, power: int, suffixes: dict[int, str]) -> str:
    up = 3 if step == 1000 else 1
    while value % step == 0 and power + up in suffixes:
        value, power = value // step, power + up
    return f"{value}{suffixes[power]}"
