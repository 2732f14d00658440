"""The published schemas of Kubernetes' own kinds, to check what the hooks answer with."""

import json
from functools import cache
from importlib.resources import files

import jsonschema_rs

VERSION = "1.36.0"


@cache
def _definitions():
    folder = files("kubernetes_validate") / "kubernetes-json-schema" / f"v{VERSION}-local-strict"
    return json.loads((folder / "_definitions.json").read_text())["$defs"]


@cache
def _validator(api_version, kind):
    group, _, version = api_version.rpartition("/")
    for name, definition in _definitions().items():
        for known in definition.get("x-kubernetes-group-version-kind", ()):
            if (known["group"], known["version"], known["kind"]) == (group, version, kind):
                schema = {"$ref": f"#/$defs/{name}", "$defs": _definitions()}
                return jsonschema_rs.validator_for(schema)
    return None


def faults(item):
    """What the published schema says is wrong with an object; None where there is no schema for its kind."""
    validator = _validator(item["apiVersion"], item["kind"])
    if validator is None:
        return None
    return [f"{'.'.join(map(str, error.instance_path))}: {error.message}" for error in validator.iter_errors(item)]
