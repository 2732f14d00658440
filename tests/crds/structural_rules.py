"""Whether the API server would take a schema as structural, and our own limits for the cost of its rules.

An independent reading of kubernetes.io, "Extend the Kubernetes API with CustomResourceDefinitions", for the tests.
"""

import jsonschema_rs

TYPES = ("object", "array", "string", "integer", "number", "boolean")
ALLOWED = {
    *("description", "type", "format", "default", "enum", "pattern", "anyOf", "required", "properties", "items"),
    *("additionalProperties", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
    *("minProperties", "maxProperties", "x-kubernetes-int-or-string", "x-kubernetes-embedded-resource"),
    *("x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"),
    *("x-kubernetes-map-type", "x-kubernetes-validations"),
}
NUMBER_OR_STRING = [{"type": "integer"}, {"type": "string"}]


def violations(schema, path="", *, bounded=True):
    """What the API server would refuse in a schema, as texts that begin with the path of the field."""
    return [f"{path}: {text}" for text in _faults(schema, bounded=bounded)] + [
        text
        for step, part, limit in _parts(schema)
        for text in violations(part, path + step, bounded=bounded and limit)
    ]


def _parts(schema):
    """Each part of a schema with its step in the path, and whether there is a limit to how many of it there are."""
    for field, part in schema.get("properties", {}).items():
        yield f".{field}", part, True
    if "items" in schema:
        yield "[]", schema["items"], "maxItems" in schema
    if isinstance(schema.get("additionalProperties"), dict):
        yield "{}", schema["additionalProperties"], "maxProperties" in schema


def _faults(schema, *, bounded):
    unknown = schema.keys() - ALLOWED
    if unknown:
        yield f"has keywords that a CRD cannot hold: {sorted(unknown)}"
    yield from _faults_of_type(schema)
    yield from _faults_of_list(schema)
    if "properties" in schema and "additionalProperties" in schema:
        yield "has both properties and additionalProperties"
    if missing := set(schema.get("required", ())) - schema.get("properties", {}).keys():
        yield f"requires fields that it does not have: {sorted(missing)}"
    if "default" in schema and not jsonschema_rs.is_valid(schema, schema["default"]):
        yield "has a default that it would refuse itself"
    for rule in schema.get("x-kubernetes-validations", ()):
        if not bounded:
            yield "has a rule inside a list or map without a limit, which may cost too much"
        if not rule.get("message") or "\n" in rule["message"]:
            yield "has a rule without a message of one line"
        if "fieldPath" in rule and not _leads_somewhere(schema, rule["fieldPath"]):
            yield f"has a rule about a field that it does not have: {rule['fieldPath']}"


def _faults_of_type(schema):
    if schema.get("x-kubernetes-int-or-string"):
        if "type" in schema or schema.get("anyOf") != NUMBER_OR_STRING:
            yield "is a number or a string, but not in the way a CRD says that"
    elif schema.get("type") not in TYPES:
        yield f"has the type {schema.get('type')!r}"
    elif "anyOf" in schema:
        yield "has alternatives"
    if schema.get("additionalProperties") is False:
        yield "forbids unknown fields"
    if schema.get("x-kubernetes-embedded-resource") and schema.get("type") != "object":
        yield "is an embedded resource and no object"


def _faults_of_list(schema):
    if schema.get("type") == "array" and "items" not in schema:
        yield "is a list of anything"
    kind, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys", [])
    if kind is not None and schema.get("type") != "array":
        yield "has a list type and is no list"
    if (kind == "map") != bool(keys):
        yield "is a keyed list without keys, or has keys and is none"
    for key in keys:
        item = schema["items"]
        if key not in item.get("required", ()) and "default" not in item["properties"][key]:
            yield f"has a key that is neither required nor has a default: {key}"
    if kind == "set" and schema["items"].get("type") in ("object", "array"):
        yield "is a set of things that cannot be compared"


def _leads_somewhere(schema, path):
    for field in path.strip(".").split("."):
        schema = schema.get("properties", {}).get(field)
        if schema is None:
            return False
    return True
