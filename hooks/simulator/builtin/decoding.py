"""Reading a built-in object as Kubernetes' Go types do, and what they drop, keep and add on the way.

Readers are made from the published schemas, once for each type. What a type says wrong of a value is an error (400),
what nobody knows is dropped with a warning, as is what is empty in a field that is no pointer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from hooks.protocol import Object
from hooks.simulator.builtin import defaults, schemas, values
from hooks.simulator.builtin.go_types import EMPTY_OBJECTS, KEPT_ZEROS, MAY_BE_EMPTY, WRITTEN_ANYWAY
from hooks.simulator.builtin.values import Findings, Reader, Unreadable
from hooks.simulator.errors import required

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class _Field:
    read: Reader
    keeps_zero: bool
    nested: bool
    """Whether there are fields below, so that the place has to be known."""


class _Struct:
    """The reader of one of Kubernetes' types."""

    def __init__(self, name: str) -> None:
        self._schema = schemas.definitions()[name]
        self._name = schemas.short_name(name)
        self._empty = EMPTY_OBJECTS.get(self._name, ())
        self._written = WRITTEN_ANYWAY.get(self._name, {})
        self._complete = defaults.of(self._name)
        may_be_empty = MAY_BE_EMPTY.get(self._name, "").split()
        self._checked = [key for key in sorted(self._required_strings()) if key not in may_be_empty]

    @cached_property
    def _fields(self) -> Mapping[str, _Field]:
        kept = KEPT_ZEROS.get(self._name, frozenset()) | set(self._schema.get("required", ())) | self._written.keys()
        fields = {}
        for key, schema in self._schema.get("properties", {}).items():
            read, nested = _reader(schema)
            fields[key] = _Field(read, key in kept or bool(schemas.referred(schema)), nested)
        return fields

    def _required_strings(self) -> list[str]:
        properties = self._schema.get("properties", {})
        return [key for key in self._schema.get("required", ()) if "string" in properties[key].get("type", "")]

    def __call__(self, value: Any, findings: Findings) -> Object:
        if type(value) is not dict:
            raise values.wrong(value, f"v1.{self._name.rpartition('.')[2]}")
        item: Object = {}
        fields = self._fields
        for key, given in value.items():
            known = fields.get(key)
            if known is None:
                findings.warnings.append(f'unknown field "{findings.here(key)}"')
            elif given is not None:
                self._read(item, key, given, known, findings)
        for key in self._empty:
            if key not in item:
                self._read(item, key, {}, fields[key], findings)
        for key, nothing in self._written.items():
            item[key] = item.get(key) or nothing
        self._complete(item)
        if self._checked:
            self._check(item, findings)
        return item

    def _read(self, item: Object, key: str, given: Any, known: _Field, findings: Findings) -> None:
        try:
            if known.nested:
                findings.path.append(key)
                read = known.read(given, findings)
                findings.path.pop()
            else:
                read = known.read(given, findings)
        except Unreadable as error:
            raise error.inside(self._name, key) from None
        if read or known.keeps_zero:
            item[key] = read

    def _check(self, item: Object, findings: Findings) -> None:
        if findings.path[:1] != ["status"]:
            findings.faults += [required(findings.here(key)) for key in self._checked if not item.get(key)]


@cache
def reader(name: str) -> Reader:
    """The reader of a definition, such as `io.k8s.api.core.v1.PodSpec`."""
    return _Struct(name)


def _reader(schema: Schema) -> tuple[Reader, bool]:
    """How to read a value of that schema, and whether there are fields below it."""
    name = schemas.referred(schema)
    if name:
        return (values.SPECIAL[name], False) if name in values.SPECIAL else (reader(name), True)
    kind = _json_type(schema)
    if kind == "array":
        return _list(schema["items"]), True
    if kind == "object":
        return _map(schema["additionalProperties"]), True
    if kind == "integer":
        return values.integer_reader(32 if schema.get("format") == "int32" else 64), False
    if kind == "string":
        return values.read_bytes if schema.get("format") == "byte" else values.read_string, False
    return {"boolean": values.read_boolean, "number": values.read_number}[kind], False


def _json_type(schema: Schema) -> str:
    """The type of a schema; those that may be null too have a list of two."""
    kind: str | list[str] = schema.get("type", "")
    return kind[0] if isinstance(kind, list) else kind


def _list(items: Schema) -> Reader:
    read_item, nested = _reader(items)
    empty: Any = {} if nested else ""

    def read(value: Any, findings: Findings) -> list[Any]:
        if type(value) is not list:
            raise values.wrong(value, f"[]{_go_type(items)}")
        entries = []
        path = findings.path
        for index, entry in enumerate(value):
            path.append(index)
            entries.append(read_item(empty if entry is None else entry, findings))
            path.pop()
        return entries

    return read


def _map(entries: Schema) -> Reader:
    quantities = schemas.referred(entries) == values.QUANTITY
    read_entry = values.read_rounded_quantity if quantities else _reader(entries)[0]
    empty = "0" if quantities else ""

    def read(value: Any, findings: Findings) -> Object:
        if type(value) is not dict:
            raise values.wrong(value, f"map[string]{_go_type(entries)}")
        return {key: read_entry(empty if entry is None else entry, findings) for key, entry in value.items()}

    return read


def _go_type(schema: Schema) -> str:
    name = schemas.referred(schema)
    if name:
        return f"v1.{name.rpartition('.')[2]}"
    return {"integer": "int64", "boolean": "bool", "array": "[]string"}.get(_json_type(schema), "string")
