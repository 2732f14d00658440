"""Planting a text in every string of a custom resource, by its CRD's schema, so that no new field is missed."""

from collections.abc import Iterator
from typing import Any

from hooks.crds.definition import all_definitions

KEY = object()
"""Last step of a path: the key of a map."""
ANYTHING = object()
"""Last step of a path: an object without a schema, planted with the text as key and as value."""
_OWN = ("command", "args")
"""Fields that hold the user's own commands, in containers, probes and lifecycle hooks."""

Path = tuple[Any, ...]


def spec_schema(plural):
    """The schema of a custom resource's spec."""
    versions = all_definitions()[plural]["spec"]["versions"]
    return versions[0]["schema"]["openAPIV3Schema"]["properties"]["spec"]


def string_places(schema, path: Path = ()) -> Iterator[Path]:
    """The paths of all that may be a string, but for the user's own commands: fields, keys, lists' first entries."""
    if path and path[-1] in _OWN:
        return
    if "properties" in schema:
        for name, below in schema["properties"].items():
            yield from string_places(below, (*path, name))
    elif "additionalProperties" in schema:
        yield (*path, KEY)
        yield from string_places(schema["additionalProperties"], (*path, "key"))
    elif "items" in schema:
        yield from string_places(schema["items"], (*path, 0))
    elif schema.get("x-kubernetes-int-or-string") or schema.get("type") == "string":
        yield path
    elif schema.get("x-kubernetes-preserve-unknown-fields"):
        yield (*path, ANYTHING)


def planted(value, schema, paths, text):
    """A copy of a value with the text in these places; what they need around them is made."""
    for path in paths:
        value = _with(value, schema, path, text)
    return value


def _with(value, schema, path, text):
    if not path:
        return text
    step, rest = path[0], path[1:]
    if step is ANYTHING:
        return {**(value or {}), text: {text: text}}
    if step is KEY:
        return {**(value or {}), text: _least(schema["additionalProperties"])}
    if step == 0:
        items = list(value or [_least(schema["items"])])
        items[0] = _with(items[0], schema["items"], rest, text)
        return items
    below = schema["properties"][step] if "properties" in schema else schema["additionalProperties"]
    there = value if value is not None else _least(schema)
    return {**there, step: _with(there.get(step), below, rest, text)}


def _least(schema):
    """The least that a schema takes."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "string")
    if kind == "object":
        return {name: _least(schema["properties"][name]) for name in schema.get("required", ())}
    return {"array": [], "integer": 1, "number": 1, "boolean": False}.get(kind, "x")
