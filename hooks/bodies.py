"""Bodies of requests: JSON, or the YAML of a manifest, and neither too deep."""

from collections.abc import Iterable
from typing import Any

import orjson
import yaml

from hooks.errors import MalformedRequest

DEEPEST = 200
"""Levels of objects and lists that what a user writes may have. The core's recursions and orjson's (254 levels) bear
more; real ones have about twenty."""
LARGEST = 1_000_000
"""Values that a manifest may have once its aliases are written out: a few lines of them can stand for billions."""
_SHOWN = 8
"""Steps of a path that a message shows."""


def read_json(body: bytes) -> Any:
    """The JSON value of a body.

    Raises:
        MalformedRequest: it is no JSON, as with NaN or a number too large.
    """
    if not body:
        raise MalformedRequest("$", 'the body is empty; send {"parent": {…}}')
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise MalformedRequest("$", f"the body is not JSON: {error}") from error


def read_manifest(body: bytes) -> list[Any]:
    """The documents of a manifest in YAML, of which JSON is a part.

    Raises:
        MalformedRequest: it is no YAML, nested too deep, or too large once its aliases are written out.
    """
    try:
        documents = list(yaml.safe_load_all(body))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        cure = "" if b"\n" in body else "; it is one line: curl keeps those of a file with --data-binary, not with -d"
        raise MalformedRequest("$", f"the body is not YAML: {' '.join(str(error).split())}{cure}") from error
    except RecursionError:
        raise MalformedRequest("$", f"is nested more than {DEEPEST} levels deep") from None
    _check_size(documents)
    check_depth(documents, "$")
    return documents


def _check_size(documents: list[Any]) -> None:
    left = LARGEST
    open_containers: list[Any] = [documents]
    while open_containers:
        container = open_containers.pop()
        items = container.values() if isinstance(container, dict) else container
        left -= len(container)
        if left < 0:
            raise MalformedRequest("$", f"has more than {LARGEST} values once its aliases are written out")
        open_containers += [item for item in items if isinstance(item, dict | list)]


def check_depth(value: Any, where: str) -> None:
    """See that a value is not nested more than 200 levels deep.

    Args:
        value: JSON.
        where: JSON path to it.

    Raises:
        MalformedRequest: it is; says where.
    """
    levels = [[value] if type(value) is dict or type(value) is list else []]
    while levels[-1]:
        if len(levels) > DEEPEST:
            raise MalformedRequest(where + _path(levels), f"is nested more than {DEEPEST} levels deep")
        levels.append([
            item
            for container in levels[-1]
            for item in (container.values() if type(container) is dict else container)
            if type(item) is dict or type(item) is list
        ])  # fmt: skip


def _path(levels: list[list[Any]]) -> str:
    """JSON path to the first of the deepest items, from the top as far as a message shows it."""
    item, steps = levels[-1][0], []
    for level in reversed(levels[:-1]):
        step, item = next(
            (step, container) for container in level for step, below in _items(container) if below is item
        )
        steps.append(step)
    return "".join([*steps[: -_SHOWN - 1 : -1], "…"])


def _items(container: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(container, dict):
        return ((f".{key}" if str(key).isidentifier() else f"[{key!r}]", item) for key, item in container.items())
    return ((f"[{index}]", item) for index, item in enumerate(container))
