"""Plain JSON as Go sees it: typed equality, copies as they go over the wire, and its text."""

from typing import Any

import orjson

from hooks.protocol import Object

_ESCAPED = ((b"<", b"\\u003c"), (b">", b"\\u003e"), (b"&", b"\\u0026"))
"""Characters that Go's encoder writes as escapes, so that JSON can stand inside HTML; they count in sizes."""

_WHOLE = 2.0**63
"""From here on a number without a fraction is read as a float again."""


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal with equal types: unlike in Python, `1`, `1.0` and `true` all differ."""
    return left is right or (left == right and _same_types(left, right))


def _same_types(left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        return all(_same_types(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return all(map(_same_types, left, right))
    return type(left) is type(right)


def sent(value: Any) -> Any:
    """A deep copy as it arrives at the other end of a connection: Go writes the float `500.0` as `500`."""
    if isinstance(value, dict):
        return {key: sent(item) for key, item in value.items()}
    if isinstance(value, list):
        return [sent(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE:
        return int(value)
    return value


def text(item: Object) -> str:
    """An object as Go's encoder writes it: keys sorted, no spaces, a few characters escaped."""
    encoded = orjson.dumps(sent(item), option=orjson.OPT_SORT_KEYS)
    for character, escape in _ESCAPED:
        encoded = encoded.replace(character, escape)
    return encoded.decode()
