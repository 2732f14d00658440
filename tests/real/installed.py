"""Our CustomResourceDefinitions on a real API server."""

import time

from hooks.packaged import packaged
from hooks.simulator.errors import ApiError
from hooks.simulator.kustomize import read_manifests
from hooks.simulator.optional_apis import OPTIONAL_APIS

_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def definitions():
    """Ours, and those of the optional APIs as a server takes them."""
    return read_manifests(packaged("crds")) + [_taken(api.definition) for api in OPTIONAL_APIS.values()]


def _taken(schema):
    """A definition with each default complete, or left out where it would not be valid by itself.

    The embedded store's definition of LeaderWorkerSets says by its defaults what a webhook does.
    """
    if isinstance(schema, list):
        return [_taken(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _taken(value) for key, value in schema.items()}
    if made.get("default") == {} and "properties" in made:
        fields = made["properties"]
        made["default"] = {key: field["default"] for key, field in fields.items() if "default" in field}
        if not set(made.get("required", ())) <= made["default"].keys():
            del made["default"]
    return made


def install(client, wanted):
    """Make definitions, and wait until their kinds are served; returns them as the server has them then."""
    for definition in wanted:
        client.send("POST", _PATH, definition)
    return [served(client, definition) for definition in wanted]


def served(client, definition):
    """The definition as the server has it once it serves its kind."""
    name, spec = definition["metadata"]["name"], definition["spec"]
    for _ in range(600):
        item, _ = client.send("GET", f"{_PATH}/{name}")
        if _is_established(item) and _answers(client, spec):
            return item
        time.sleep(0.1)
    raise AssertionError(f"{name} is not served: {item['status']}")


def _is_established(item):
    conditions = item.get("status", {}).get("conditions") or ()  # null at first
    return any(entry["type"] == "Established" and entry["status"] == "True" for entry in conditions)


def _answers(client, spec):
    try:
        client.send("GET", f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}")
    except ApiError:
        return False
    return True
