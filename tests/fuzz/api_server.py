"""What an API server would say of an object: the embedded cluster's, which is compared with a real one."""

from functools import cache

import orjson

from hooks.crds.definition import all_definitions
from hooks.simulator.builtin.kinds import built_in
from hooks.simulator.custom.definitions import custom_resources
from hooks.simulator.errors import ApiError
from hooks.simulator.metadata import metadata_faults, read_metadata
from hooks.simulator.optional_apis import OPTIONAL_APIS


@cache
def _resources():
    definitions = [*all_definitions().values(), *(api.definition for api in OPTIONAL_APIS.values())]
    return {
        (resource.kind.kind, resource.kind.api_version): resource
        for resource in (*built_in(), *custom_resources(definitions))
    }


class _Everything:
    """A cluster in which every other object is that somebody refers to."""

    def find(self, kind, name, namespace="", api_version=None):
        return {"metadata": {"name": name, "namespace": namespace}}


def refusals(item):
    """Why an API server would not make an object of this kind; nothing where it would."""
    resource = _resources()[item["kind"], item["apiVersion"]]
    try:
        made = orjson.loads(orjson.dumps({key: value for key, value in item.items() if key != "status"}))
        read_metadata(resource.kind, made, resource.ways.metadata_prefix)
        if resource.namespaced and not made["metadata"].get("namespace"):
            return ["metadata.namespace: Required value"]
        read = resource.ways.read(made)
        read.item["metadata"].setdefault("uid", "00000000-0000-4000-8000-000000000000")
        resource.ways.prepare(read.item, None, _Everything())
        known = [*metadata_faults(read.item, None, resource.ways.name_faults), *read.faults]
        return [str(fault) for fault in resource.ways.faults(read.item, None, known)]
    except ApiError as refused:
        return [refused.message]


def status_refusals(item, status):
    """Why an API server would not take a status of a custom resource, or would not keep it as it is."""
    ways = _resources()[item["kind"], item["apiVersion"]].ways
    given = {"apiVersion": item["apiVersion"], "kind": item["kind"], "metadata": item["metadata"], "status": status}
    read = ways.read(orjson.loads(orjson.dumps(given)))
    found = [str(fault) for fault in ways.status_faults(read.item, {})]
    if read.item["status"] != status:
        found.append(f"status: is not kept as it is: {', '.join(read.warnings) or 'it has nulls or gets defaults'}")
    return found
