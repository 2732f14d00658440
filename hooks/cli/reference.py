"""docs/settings.md, made of the settings' own model."""

import ast
import inspect
import typing
from collections.abc import Iterator
from itertools import pairwise
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pydantic
import yaml

from hooks.configuration import variables
from hooks.settings import Settings

_HEAD = """\
# Settings

Made by `dynamo-hooks config --reference`. The chart has values of the same names; [service.md](service.md) says how a
settings file and environment variables are read. An unknown key, or a wrong value, is refused by its path.
"""
_DEFAULTS = """
## What is built in

A whole settings file (`dynamo-hooks config` prints the one in effect). A file of yours names only what it changes.

```yaml
{yaml}```
"""
_NAMES = {str: "text", int: "whole number", bool: "true or false", dict: "object", list: "list", Any: "anything"}


def reference() -> str:
    """The reference of all settings: keys, types, variables and what they are for, and the built-in file."""
    known = {".".join(variable.path): name for name, variable in variables().items()}
    lines = [_HEAD, *_section(Settings, "", known)]
    content = yaml.safe_dump(Settings().model_dump(by_alias=True), sort_keys=False, allow_unicode=True, width=120)
    return "\n".join(lines) + _DEFAULTS.format(yaml=content)


def _section(model: type[pydantic.BaseModel], prefix: str, known: dict[str, str]) -> Iterator[str]:
    texts = _texts(model)
    below: list[tuple[str, type[pydantic.BaseModel]]] = []
    if prefix:
        yield f"\n## {prefix}\n\n{inspect.getdoc(model)}\n"
    yield "| key | value | variable |\n|---|---|---|"
    for name, field in model.model_fields.items():
        key = field.alias or name
        path = f"{prefix}.{key}" if prefix else key
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, pydantic.BaseModel):
            below.append((path, kind))
            continue
        said = f". {texts[name]}" if name in texts else ""
        yield f"| `{key}` | {_named(kind)}{said} | `{known[path]}` |"
    for path, kind in below:
        yield from _section(kind, path, known)


def _named(kind: Any) -> str:
    """What a value may be, in words."""
    origin, members = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " or ".join(f"`{member}`" for member in members)
    if origin in (Union, UnionType):
        return " or ".join(_named(member) for member in members if member is not type(None)) + ", or nothing"
    if origin is typing.Annotated:
        return _named(members[0])
    return _NAMES.get(origin or kind, "object")


def _texts(model: type[pydantic.BaseModel]) -> dict[str, str]:
    """The docstrings below a model's fields, each on one line."""
    (definition,) = ast.parse(inspect.getsource(model)).body
    found: dict[str, str] = {}
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    for field, text in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            found[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    return found
