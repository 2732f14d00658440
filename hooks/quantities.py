"""Kubernetes quantities (`500m`, `8Gi`): reading them, and their canonical form.

The API server hands back every quantity in canonical form, so another spelling of ours would be written again on
each sync. Rules: the documentation of `resource.Quantity` in k8s.io/apimachinery, tried on an API server (the table in
tests/test_quantities.py). Libraries that read quantities (lightkube, the official client) bring a whole Kubernetes
client and stop at the number: none makes the canonical form.

Two spellings differ from the API server's on purpose. One that it keeps as it was written (`+1`, `01`, `1e+3`) gets
its canonical form here, which it keeps as well. And `1000E`, which it turns into `1`, becomes `1e21`, which it keeps.
"""

import re
from fractions import Fraction
from functools import lru_cache

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DECIMAL_SUFFIXES = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")

_QUANTITY = re.compile(
    r"(?P<sign>[+-]?)(?=\.?[0-9])(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?"
    r"(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?[0-9]+))?",
    re.ASCII,
)
_CANONICAL = re.compile(r"0|[1-9][0-9]{0,2}(?:[mkMGTPE]|[KMGTP]i)?", re.ASCII)
"""What most people write is canonical already, and not below a thousandth."""

_NANO = 10**9
_MICRO_IN_NANOS = 10**6
_LARGEST_BINARY = (2**63 - 1) * _NANO
"""Where the API server caps a quantity with a binary suffix, in billionths."""
_LONGEST = 1000
"""Characters, and largest exponent: far beyond any amount, and quick to work out (`1e2147483647` takes minutes)."""


class InvalidQuantity(ValueError):  # noqa: N818 - named as the other faults are
    """A value that is no quantity."""

    def __init__(self, value: object) -> None:
        text = repr(value)
        shown = text if len(text) <= 80 else text[:79] + "…"
        super().__init__(f"{shown} is no quantity; write a number with or without a suffix, such as 2, 500m or 8Gi")


def is_quantity(value: object) -> bool:
    """Whether a value can be read as a quantity."""
    try:
        _read(value)
    except InvalidQuantity:
        return False
    return True


def parse_quantity(value: object) -> Fraction:
    """The exact amount, which the API server rounds away from zero to a whole number of billionths.

    Raises:
        InvalidQuantity: the value is no quantity.
    """
    return Fraction(_read(value)[0], _NANO)


def canonical_quantity(value: object, *, whole_thousandths: bool = False) -> str:
    """The spelling in which the API server hands a quantity back.

    Args:
        value: a string, or a number as YAML has it (`cpu: 1`).
        whole_thousandths: whether the amount is rounded up to thousandths, as the API server does in lists of
            resources (`requests`, `limits`, a claim's `resources`), but not in `sizeLimit` or `divisor`.

    Raises:
        InvalidQuantity: the value is no quantity.
    """
    if isinstance(value, str) and _CANONICAL.fullmatch(value):
        return value
    nanos, notation = _read(value)
    if whole_thousandths:
        nanos = _away_from_zero(nanos, _MICRO_IN_NANOS) * _MICRO_IN_NANOS
    if nanos == 0:
        return "0"
    if notation == "binary" and nanos % _NANO == 0 and abs(nanos) >= 1024 * _NANO:
        return _binary(nanos // _NANO)
    return _decimal(nanos, exponential=notation == "exponential")


def _binary(whole: int) -> str:
    power = 0
    while whole % 1024 == 0:
        whole //= 1024
        power += 1
    return f"{whole}{_BINARY[power]}"


def _decimal(nanos: int, *, exponential: bool) -> str:
    exponent = -9
    while nanos % 1000 == 0:
        nanos //= 1000
        exponent += 3
    suffix = None if exponential else _DECIMAL_SUFFIXES.get(exponent)
    if suffix is None:
        suffix = f"e{exponent}" if exponent else ""
    return f"{nanos}{suffix}"


def _read(value: object) -> tuple[int, str]:
    """The amount in billionths and the notation it is written in: binary, decimal or exponential."""
    text = _text(value)
    read = _read_text(text) if len(text) <= _LONGEST else None
    if read is None:
        raise InvalidQuantity(value)
    return read


@lru_cache(maxsize=4096)  # a cluster has few different amounts, and each sync reads some of them several times
def _read_text(text: str) -> tuple[int, str] | None:
    found = _QUANTITY.fullmatch(text)
    if found is None:
        return None
    whole, fraction, suffix, power = found["whole"], found["fraction"] or "", found["suffix"] or "", found["exponent"]
    digits = int(whole + fraction)
    if suffix.endswith("i"):
        nanos = _away_from_zero((digits * _NANO) << 10 * _BINARY.index(suffix), 10 ** len(fraction))
        # Less than one byte is no matter of powers of two any more.
        notation = "binary" if nanos >= _NANO else "decimal"
        nanos = min(nanos, _LARGEST_BINARY)
    else:
        exponent = _DECIMAL[suffix] if power is None else int(power)
        if abs(exponent) > _LONGEST:
            return None
        shift = exponent - len(fraction) + 9
        nanos = digits * 10**shift if shift >= 0 else _away_from_zero(digits, 10**-shift)
        notation = "decimal" if power is None else "exponential"
    return (-nanos if found["sign"] == "-" else nanos), notation


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.strip(" ")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise InvalidQuantity(value)


def _away_from_zero(amount: int, unit: int) -> int:
    """How many units an amount is, rounded away from zero: who asks for a little gets a little, not nothing."""
    return -(-amount // unit) if amount >= 0 else amount // unit
