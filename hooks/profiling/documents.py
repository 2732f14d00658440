"""YAML that somebody else's program wrote, read as JSON: bounded, without nulls, and with nothing that JSON lacks.

Kubernetes reads YAML so too: a date is a string, a key is a string. Aliases are followed, as PyYAML writes them for
whatever two objects share, but a document may not grow without bound by them.
"""

import math
from typing import Any

import yaml

LARGEST = 100_000
"""Values that a document may hold once its aliases are followed; a graph near its size limit holds half as many."""

DEEPEST = 100
"""Levels of objects and lists: a graph comes back in its request's status, and may not be too deep for a hook then."""

_INTEGERS = range(-(2**63), 2**64)
"""What fits in JSON as the API server reads it."""

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's is ten times as fast

_NOT_OF_ITS_TAG = (AttributeError, KeyError, TypeError, ValueError)
"""What PyYAML's constructors raise for `!!int abc`, `!!bool maybe`, `!!timestamp x`."""


class UnreadableDocuments(Exception):  # noqa: N818 - named as the other problems of requests are
    """A text is not YAML, or holds what JSON cannot; says what and where."""


class _Loader(_Base):  # type: ignore[misc, no-any-unimported]
    """PyYAML's safe loader, but for dates."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own way to say it
        first: [entry for entry in resolvers if entry[0] != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in _Base.yaml_implicit_resolvers.items()
    }


def read_documents(text: str) -> list[Any]:
    """The documents of a YAML text, without the empty ones.

    Raises:
        UnreadableDocuments: the text is not YAML, or holds what JSON cannot.
    """
    try:
        loader = _Loader(text)
        try:
            documents = []
            while loader.check_node():
                node = loader.get_node()
                if _size(node, {}) > LARGEST:
                    raise UnreadableDocuments(f"a document holds more than {LARGEST} values once aliases are followed")
                documents.append(_as_json(loader.construct_document(node), "$", 0))
        finally:
            loader.dispose()
    except (yaml.YAMLError, *_NOT_OF_ITS_TAG) as error:
        raise UnreadableDocuments(" ".join(str(error).split())) from None
    except RecursionError:
        raise UnreadableDocuments("it is nested too deeply") from None
    return [document for document in documents if document is not None]


def _size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Values that a node stands for. `sizes` holds what is known already, -1 for a node that is being looked at."""
    if isinstance(node, yaml.ScalarNode):
        return 1
    known = sizes.get(id(node))
    if known == -1:
        raise UnreadableDocuments("a value contains itself")
    if known is not None:
        return known
    sizes[id(node)] = -1
    parts = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
    # Beyond the limit the exact number does not matter, and would grow to thousands of digits.
    sizes[id(node)] = min(1 + sum(_size(part, sizes) for part in parts), LARGEST + 1)
    return sizes[id(node)]


def _as_json(value: Any, path: str, depth: int) -> Any:
    """A copy that shares nothing with itself, without nulls in objects and lists."""
    if depth > DEEPEST:
        raise UnreadableDocuments(f"it is nested more than {DEEPEST} levels deep")
    if isinstance(value, dict):
        pairs = ((key, item) for key, item in value.items() if item is not None)
        return {_key(key, path): _as_json(item, f"{path}.{key}", depth + 1) for key, item in pairs}
    if isinstance(value, list):
        items = ((index, item) for index, item in enumerate(value) if item is not None)
        return [_as_json(item, f"{path}[{index}]", depth + 1) for index, item in items]
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int) and value in _INTEGERS:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise UnreadableDocuments(f"{path} has a value that JSON cannot hold: {str(value)[:80]!r}")


def _key(key: Any, path: str) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, str | int):
        return str(key)
    raise UnreadableDocuments(f"{path} has a key that is no string: {str(key)[:80]!r}")
