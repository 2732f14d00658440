"""Validation of custom resources by their schema, worded as the API server words it.

The library jsonschema-rs judges; this file hands it the schema in plain JSON Schema and puts its errors into words.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import jsonschema_rs

from hooks.simulator.errors import FieldError, invalid_value, required, too_long, too_many, unsupported

NOWHERE = "<nil>"
"""The field that the server names where it names none."""

_KEPT = [
    "type",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "required",
]
_JSON_TYPES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
_BITS = {"int32": 32, "int64": 64}
_LIMITS = {limit: kind for kind, bits in _BITS.items() for limit in (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)}
_ONE_OF = "validate one and only one schema (oneOf)"


def plain_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A structural schema in JSON Schema 2020-12."""
    plain: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
    for bound in ("Minimum", "Maximum"):
        if isinstance(plain.get(f"exclusive{bound}"), bool) and plain.pop(f"exclusive{bound}"):
            plain[f"exclusive{bound}"] = plain.pop(bound.lower())
    if schema.get("x-kubernetes-int-or-string"):
        plain["type"] = ["integer", "string"]
    if schema.get("nullable"):
        kind = plain.get("type", [])
        plain["type"] = [*(kind if isinstance(kind, list) else [kind]), "null"]
    if schema.get("format") in _BITS:
        limit = 1 << (_BITS[plain.pop("format")] - 1)
        plain["allOf"] = [{"minimum": -limit, "maximum": limit - 1}]
    plain |= _below(schema, plain.get("allOf", []))
    if schema.get("x-kubernetes-embedded-resource"):
        plain["required"] = sorted({*plain.get("required", ()), "apiVersion", "kind"})
    return plain


def _below(schema: Mapping[str, Any], bounds: list[dict[str, Any]]) -> dict[str, Any]:
    """The schemas inside a schema; `bounds` come before its own `allOf`."""
    plain: dict[str, Any] = {}
    if "properties" in schema:
        plain["properties"] = {name: plain_schema(value) for name, value in schema["properties"].items()}
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), Mapping):
            plain[key] = plain_schema(schema[key])
    for key in ("allOf", "anyOf", "oneOf"):
        if key in schema:
            plain[key] = [*(bounds if key == "allOf" else []), *(plain_schema(value) for value in schema[key])]
    return plain


@dataclass(frozen=True)
class Judge:
    """A structural schema, and its compiled validator."""

    schema: Mapping[str, Any]
    compiled: jsonschema_rs.Draft202012Validator


def validator(schema: Mapping[str, Any]) -> Judge:
    """The judge by a structural schema."""
    formats = {"byte": _is_base64, "date-time": _is_time}
    compiled = jsonschema_rs.Draft202012Validator(
        plain_schema(schema), validate_formats=True, formats=formats, ignore_unknown_formats=True
    )
    return Judge(schema, compiled)


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error:
        return False
    return True


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def schema_faults(judge: Judge, value: Any, root: str = "") -> list[tuple[tuple[str | int, ...], FieldError]]:
    """Everything wrong with a value by its schema, each with the path to it inside the value.

    Args:
        judge: the schema.
        value: what it is held against.
        root: the field that the value is, nothing for a whole object.
    """
    if judge.compiled.is_valid(value):
        return []
    found = []
    for error in judge.compiled.iter_errors(value):
        path = tuple(error.instance_path)
        faults = _fraction(error, path, root, judge.schema) or _worded(error, path, root)
        found += [(path, fault) for fault in faults]
    return found


def _fraction(
    error: jsonschema_rs.ValidationError, path: tuple[str | int, ...], root: str, schema: Any
) -> list[FieldError]:
    """What is said of a fraction in place of a whole number: it depends on the number's format."""
    if error.kind.name != "type" or not isinstance(error.instance, float):
        return []
    if "integer" not in error.kind.value or "string" in error.kind.value:
        return []
    for part in error.schema_path[:-1]:
        schema = schema[part]
    where, body, kind = field_name(path, root), field_name(path), schema.get("format")
    if kind in _BITS:
        return _too_many_bits(where, body, kind, None)
    detail = f"Checked value must be of type integer (default format) in {body}"
    return [invalid_value(NOWHERE, "", detail), *_wrong_type(where, body, error.instance, "integer")]


def field_name(path: tuple[str | int, ...], root: str = "") -> str:
    """A path as the server writes it: `spec.ports[0].name`."""
    text = root
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _worded(error: jsonschema_rs.ValidationError, path: tuple[str | int, ...], root: str) -> list[FieldError]:
    keyword, limit, value = error.kind.name, error.kind.value, error.instance
    where, body = field_name(path, root), field_name(path)
    if keyword in {"minimum", "maximum"} and limit in _LIMITS:
        return _too_many_bits(where, body, _LIMITS[limit], value)
    phrase = _PHRASES.get(keyword)
    if phrase is not None:
        shown = len(value) if isinstance(value, (list, dict)) else value
        return [invalid_value(where or NOWHERE, shown, f"{body} in body should {phrase.format(limit)}")]
    if isinstance(error.kind, (jsonschema_rs.ValidationErrorKind.OneOfMultipleValid)):
        count = sum(not faults for faults in error.kind.context)
        return _of_several(f"{_ONE_OF}. Found {count} valid alternatives")(where, body, value, limit)
    worded = _WORDED.get(keyword)
    return worded(where, body, value, limit) if worded else [invalid_value(where or NOWHERE, value, error.message)]


_PHRASES: Mapping[str, str] = {
    "minimum": "be greater than or equal to {}",
    "maximum": "be less than or equal to {}",
    "exclusiveMinimum": "be greater than {}",
    "exclusiveMaximum": "be less than {}",
    "multipleOf": "be a multiple of {}",
    "minLength": "be at least {} chars long",
    "pattern": "match '{}'",
    "minItems": "have at least {} items",
    "minProperties": "have at least {} properties",
    "uniqueItems": "not contain duplicates",
}


def _wrong_type(where: str, body: str, value: Any, limit: Any) -> list[FieldError]:
    found = _JSON_TYPES.get(type(value), "null")
    wanted = ",".join(kind for kind in limit if kind != "null") if isinstance(limit, list) else limit
    return [invalid_value(where or NOWHERE, found, f'{body} in body must be of type {wanted}: "{found}"')]


def _wrong_format(where: str, body: str, value: Any, limit: Any) -> list[FieldError]:
    return [invalid_value(where, value, f'{body} in body must be of type {limit}: "{value}"')]


def _too_many_bits(where: str, body: str, kind: str, value: Any) -> list[FieldError]:
    faults = [invalid_value(NOWHERE, "", f"Checked value must be of type integer with format {kind} in {body}")]
    if value is None or not -(1 << 63) <= value < 1 << 63:
        faults.append(invalid_value(where, "float64", f'{body} in body must be of type {kind}: "float64"'))
    return faults


def _of_several(text: str) -> Callable[[str, str, Any, Any], list[FieldError]]:
    return lambda _where, body, _value, _limit: [invalid_value(NOWHERE, "", f'"{body}" must {text}')]


_WORDED: Mapping[str, Callable[[str, str, Any, Any], list[FieldError]]] = {
    "type": _wrong_type,
    "format": _wrong_format,
    "required": lambda where, _, __, key: [required(f"{where}.{key}" if where else key)],
    "enum": lambda where, _, value, options: [unsupported(where, value, options)],
    "maxLength": lambda where, _, __, limit: [too_long(where, limit)],
    "maxItems": lambda where, _, value, limit: [too_many(where, len(value), limit)],
    "maxProperties": lambda where, _, value, limit: [too_many(where, len(value), limit)],
    "anyOf": _of_several("validate at least one schema (anyOf)"),
    "oneOf": _of_several(f"{_ONE_OF}. Found none valid"),
    "not": _of_several("not validate the schema (not)"),
}
