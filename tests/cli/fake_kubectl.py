"""Stands in for kubectl: reads what `dynamo-hooks request` asks for from the JSON file that FAKE_CLUSTER names.

The file: {"resources": {api version: [{name, kind, namespaced, shortNames}]}, "objects": [...], "namespace": …}.
"""

import argparse
import json
import os
import sys
from pathlib import Path

cluster = json.loads(Path(os.environ["FAKE_CLUSTER"]).read_text())
parser = argparse.ArgumentParser()
parser.add_argument("--context", choices=["there"])
parser.add_argument("verb", choices=["get"])
parser.add_argument("words", nargs="*")
parser.add_argument("--raw")
parser.add_argument("--namespace", default=cluster["namespace"])
parser.add_argument("--all-namespaces", action="store_true")
parser.add_argument("--selector", default="")
parser.add_argument("--output", choices=["json"])
asked = parser.parse_args()


def fail(message):
    sys.exit(f"Error from server (NotFound): {message}")


def described(word):
    """API version and description of a resource: `deployments.v1.apps`, `pods`, `dgd`, `DynamoGraphDeployment`."""
    plural, _, rest = word.partition(".")
    version, _, group = rest.partition(".") if rest.startswith("v") else ("", "", rest)
    for api_version, resources in cluster["resources"].items():
        for resource in resources:
            names = {resource["name"], resource["kind"].lower(), *resource.get("shortNames", ())}
            if plural.lower() in names and api_version.startswith(group) and api_version.endswith(version):
                return api_version, resource
    return fail(f"the server doesn't have a resource type {word!r}")


def selected(item):
    labels = item["metadata"].get("labels", {})
    return all(
        labels.get(key) == value
        for key, _, value in (part.partition("=") for part in asked.selector.split(",") if part)
    )


if asked.raw:
    api_version = asked.raw.removeprefix("/apis/").removeprefix("/api/")
    if api_version not in cluster["resources"]:
        fail("the server could not find the requested resource")
    sys.stdout.write(json.dumps({"kind": "APIResourceList", "resources": cluster["resources"][api_version]}))
    sys.exit()
kinds = [described(word) for word in asked.words[0].split(",")]
found = [
    item
    for api_version, resource in kinds
    for item in cluster["objects"]
    if (item["apiVersion"], item["kind"]) == (api_version, resource["kind"])
    and (asked.all_namespaces or not resource["namespaced"] or item["metadata"]["namespace"] == asked.namespace)
    and selected(item)
]
if len(asked.words) == 1:
    sys.stdout.write(json.dumps({"apiVersion": "v1", "kind": "List", "items": found}))
else:
    named = [item for item in found if item["metadata"]["name"] == asked.words[1]]
    sys.stdout.write(json.dumps(named[0]) if named else fail(f"{asked.words[0]} {asked.words[1]!r} not found"))
