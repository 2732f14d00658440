"""The JSON schema of a pydantic model → the structural schema that a CRD needs."""

from collections.abc import Mapping

from pydantic import BaseModel

from hooks.api.common import RULES
from hooks.api.kubernetes import FURTHER_FIELDS, OPTIONAL_FIELDS, PUBLISHED_TYPE
from hooks.crds.published import PRESERVE, Schema, embedded

_RULE_ORDER = ("rule", "message", "fieldPath", "reason")
_ORDER = (
    "description",
    "type",
    "format",
    "x-kubernetes-int-or-string",
    "x-kubernetes-embedded-resource",
    PRESERVE,
    "anyOf",
    "default",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    RULES,
    "required",
    "properties",
    "additionalProperties",
    "items",
)
"""The keywords that our CRDs use, in the order in which they stand there: what says most about a field comes first."""

_KEPT = frozenset(_ORDER) - {"anyOf"}
_INT32_LIMITS = {"minimum": -(2**31), "maximum": 2**31 - 1}
"""What `format: int32` says already."""


def structural_schema(model: type[BaseModel]) -> Schema:
    """The schema of a model: references inlined, null left out (a CRD's fields are optional or they are not).

    Raises:
        ValueError: the model uses something of JSON Schema that a CRD cannot hold.
    """
    schema = model.model_json_schema(by_alias=True)
    return _ordered(_structural(schema, schema.get("$defs", {})))


def _structural(node: Schema, definitions: Mapping[str, Schema]) -> Schema:
    node = _resolved(node, definitions)
    if PUBLISHED_TYPE in node:
        return _published(node)
    schema: Schema = {}
    for keyword, value in node.items():
        if keyword == "properties":
            schema["properties"] = {field: _structural(item, definitions) for field, item in value.items()}
        elif keyword == "items":
            schema["items"] = _structural(value, definitions)
        elif keyword == "additionalProperties":
            if isinstance(value, dict):
                schema["additionalProperties"] = _structural(value, definitions)
            elif value:
                schema[PRESERVE] = True
        elif keyword in _KEPT:
            schema[keyword] = value
        elif keyword not in ("title", "$defs"):
            raise ValueError(f"{keyword} has no place in a CRD: {node}")
    return {
        keyword: value
        for keyword, value in schema.items()
        if not (keyword == "default" and value is None) and not _said_by_format(schema, keyword)
    }


def _resolved(node: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """The node with what it refers to, and with the one alternative that is not null; its own keywords win."""
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        return _resolved(target | {key: value for key, value in node.items() if key != "$ref"}, definitions)
    if "anyOf" in node and PUBLISHED_TYPE not in node:
        alternatives = [item for item in node["anyOf"] if item != {"type": "null"}]
        if len(alternatives) != 1:
            raise ValueError(f"a CRD has one type for each field: {node}")
        return _resolved(alternatives[0] | {key: value for key, value in node.items() if key != "anyOf"}, definitions)
    return node


def _published(node: Schema) -> Schema:
    schema = embedded(node[PUBLISHED_TYPE], optional=node.get(OPTIONAL_FIELDS, ()))
    further = {field: _published(item) for field, item in node.get(FURTHER_FIELDS, {}).items()}
    if further:
        schema["properties"] = further | schema["properties"]
    kept = {keyword: node[keyword] for keyword in ("description",) if keyword in node}
    return kept | schema


def _said_by_format(schema: Schema, keyword: str) -> bool:
    return schema.get("format") == "int32" and _INT32_LIMITS.get(keyword) == schema[keyword]


def _ordered(schema: Schema) -> Schema:
    """The schema with its keywords in reading order; fields keep their own."""
    if "properties" in schema:
        schema["properties"] = {field: _ordered(item) for field, item in schema["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            schema[keyword] = _ordered(schema[keyword])
    if RULES in schema:
        schema[RULES] = [{part: rule[part] for part in _RULE_ORDER if part in rule} for rule in schema[RULES]]
    return {keyword: schema[keyword] for keyword in sorted(schema, key=_ORDER.index)}
