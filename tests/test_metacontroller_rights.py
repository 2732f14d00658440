"""docs/metacontroller-rights.yaml: what Metacontroller may do where it does not have all rights."""

from collections import defaultdict
from functools import cache
from pathlib import Path

import yaml

from hooks.packaged import packaged
from tests.golden_cases import cases

RIGHTS = yaml.safe_load((Path(__file__).parents[1] / "docs" / "metacontroller-rights.yaml").read_text())
READ = {"get", "list", "watch"}
MAKE = READ | {"create", "update", "patch", "delete"}


def group_of(api_version):
    return api_version.rpartition("/")[0]


def manifests():
    for path in packaged("metacontroller").glob("**/*.yaml"):
        for document in yaml.safe_load_all(path.read_text()):
            if document["kind"].endswith("Controller"):
                yield document
            for patch in document.get("patches", ()):
                for operation in (patch["patch"].startswith("-") and yaml.safe_load(patch["patch"])) or ():
                    if operation["path"] == "/spec/childResources/-":
                        yield {"kind": "CompositeController", "spec": {"childResources": [operation["value"]]}}


@cache
def needed():
    """(group, resource) → verbs: parents are updated, with their status and finalizers; what is related is read."""
    found = defaultdict(set)
    for manifest in manifests():
        spec = manifest["spec"]
        for child in (*spec.get("childResources", ()), *spec.get("attachments", ())):
            found[group_of(child["apiVersion"]), child["resource"]] |= MAKE
        for parent in (*spec.get("resources", ()), *([spec["parentResource"]] if "parentResource" in spec else ())):
            group = group_of(parent["apiVersion"])
            found[group, parent["resource"]] |= READ | {"update", "patch"}
            found[group, f"{parent['resource']}/finalizers"] |= {"update"}  # children block their parent's deletion
            if group == "nvidia.com":
                found[group, f"{parent['resource']}/status"] |= {"update", "patch"}
    for case in cases():
        for rule in case.rules:
            found[group_of(rule.kind.api_version), rule.kind.plural] |= READ
    return found


def granted():
    found = defaultdict(set)
    for rule in RIGHTS["rules"]:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                found[group, resource] |= set(rule["verbs"])
    return found


def test_the_rights_are_those_that_the_controllers_need():
    lacking = {key: verbs - granted()[key] for key, verbs in needed().items()}
    assert {key: verbs for key, verbs in lacking.items() if verbs} == {}


def test_there_are_no_others_but_those_of_metacontroller_itself_and_what_hands_rights_on():
    itself = {("", "events"), ("coordination.k8s.io", "leases"), ("apiextensions.k8s.io", "customresourcedefinitions")}
    spare = {
        key: verbs - needed().get(key, set())
        for key, verbs in granted().items()
        if key[0] != "metacontroller.k8s.io" and key not in itself
    }
    assert {key: verbs for key, verbs in spare.items() if verbs} == {
        ("rbac.authorization.k8s.io", "roles"): {"escalate", "bind"},
        ("rbac.authorization.k8s.io", "clusterroles"): {"bind"},
    }
