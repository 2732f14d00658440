"""What the API server does with an object of a custom resource before it stores it, as far as our CRDs use it.

An independent reading of kubernetes.io, "Extend the Kubernetes API with CustomResourceDefinitions", for the tests.
"""

import re
from functools import cache

import cel
import jsonschema_rs


def refusals(schema, new, old=None):
    """Why the API server would refuse `new` (an update where there is an `old` one): texts that begin with a path."""
    new = with_defaults(schema, new)
    old = None if old is None else with_defaults(schema, old)
    shape = [
        f"{'.'.join(map(str, error.instance_path))}: {error.message}"
        for error in jsonschema_rs.validator_for(schema).iter_errors(new)
    ]
    return shape or [*_repeated_keys(schema, new, ""), *_broken_rules(schema, new, old, "")]


def with_defaults(schema, value):
    """The value with the schema's defaults, and without nulls in place of fields."""
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        further = schema.get("additionalProperties", {})
        value = {key: item for key, item in value.items() if item is not None}
        defaults = {key: field["default"] for key, field in fields.items() if "default" in field and key not in value}
        return {key: with_defaults(fields.get(key, further), item) for key, item in (value | defaults).items()}
    if isinstance(value, list):
        return [with_defaults(schema.get("items", {}), item) for item in value]
    return value


def _children(schema, new, old):
    """Each part of a value with its schema, its old value where the API server can tell which that is, and its path."""
    if isinstance(new, dict):
        for key, item in new.items():
            part = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
            if part:
                yield part, item, old.get(key) if isinstance(old, dict) else None, f".{key}"
    elif isinstance(new, list):
        keys = schema.get("x-kubernetes-list-map-keys")
        for index, item in enumerate(new):
            same = [other for other in old or () if keys and all(other[key] == item[key] for key in keys)]
            yield schema["items"], item, same[0] if same else None, f"[{index}]"


def _broken_rules(schema, new, old, path):
    for rule in schema.get("x-kubernetes-validations", ()):
        about_updates = re.search(r"\boldSelf\b", rule["rule"])
        if not about_updates or old is not None:
            scope = {"self": new} | ({"oldSelf": old} if about_updates else {})
            if not _compiled(rule["rule"]).execute(scope):
                yield f"{path}{rule.get('fieldPath', '')}".lstrip(".") + f": {rule['message']}"
    for part, item, old_item, step in _children(schema, new, old):
        yield from _broken_rules(part, item, old_item, path + step)


def _repeated_keys(schema, value, path):
    keys = schema.get("x-kubernetes-list-map-keys", ())
    if keys:
        seen = [tuple(item.get(key) for key in keys) for item in value]
        for index, entry in enumerate(seen):
            if entry in seen[:index]:
                yield f"{path}[{index}]: Duplicate value".lstrip(".")
    for part, item, _, step in _children(schema, value, None):
        yield from _repeated_keys(part, item, path + step)


@cache
def _compiled(expression):
    return cel.compile(expression)
