"""Laws that every answer keeps: `test_laws.py` checks them on golden cases, `tests/fuzz` on whatever it makes of these.

A law is a function that is given who asks (`golden_cases.Asked`), the body of a sync request and the answer to it, and
raises AssertionError with what is wrong.
"""

import copy
from functools import cache
from pathlib import Path

import orjson
import yaml

from hooks.kinds import BY_NAME, WORKLOADS
from hooks.labels import LAST_APPLIED
from hooks.manifest import SIZE_LIMIT, as_stored
from tests import published
from tests.golden_cases import keyed

MERGE_KEYS = ("containerPort", "port", "mountPath", "name", "uid", "ip", "path")
"""Metacontroller's, in its order: a list whose items all have one of these is merged by it."""

ROOT = Path(__file__).parent.parent


def canonical(answer):
    return orjson.dumps(answer, option=orjson.OPT_SORT_KEYS)


def identity(item):
    return item["apiVersion"], item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"]


def shuffled(value, randomness):
    """The same JSON with object keys in another order."""
    if isinstance(value, dict):
        items = list(value.items())
        randomness.shuffle(items)
        return {key: shuffled(item, randomness) for key, item in items}
    return [shuffled(item, randomness) for item in value] if isinstance(value, list) else value


def fed_back(asked, body, answer):
    """The request that follows once an answer was applied: Metacontroller's work, without a roll-out's."""
    parent_key, children_key = asked.parts
    parent = body[parent_key]
    if "status" in answer:
        generation = parent["metadata"].get("generation", 1)
        parent = {**parent, "status": {**answer["status"], "observedGeneration": generation}}
    there = {identity(item): item for item in observed(asked, body)}
    children = []
    for child in asked.children(answer):
        found = there.get(identity(child))
        keeps = found is not None and is_created_once(asked, child)
        children.append(found if keeps else asked.applied(child, parent, found))
    kinds = {f"{kind.kind}.{kind.api_version}": {} for kind in BY_NAME.values()} if children_key in body else {}
    return {**body, parent_key: parent, children_key: kinds | keyed(children)}


def observed(asked, body):
    """The observed children of a request."""
    return [item for items in (body.get(asked.parts[1]) or {}).values() for item in items.values()]


@cache
def declared():
    """Route → API version and plural of each kind that its controller's manifest lists → how that is updated."""
    documents = [
        document for path in ROOT.glob("metacontroller/**/*.yaml") for document in yaml.safe_load_all(path.read_text())
    ]
    listed = {
        document["metadata"]["name"]: [*spec.get("childResources", ()), *spec.get("attachments", ())]
        for document in documents
        if "hooks" in (spec := document.get("spec", {}))
    }
    for document in documents:
        for patch in document.get("patches", ()):
            operations = yaml.safe_load(patch["patch"])
            if isinstance(operations, list) and operations[0]["path"] == "/spec/childResources/-":
                listed[patch["target"]["name"]] += [operation["value"] for operation in operations]
    routes = {
        document["metadata"]["name"]: document["spec"]["hooks"]["sync"]["webhook"]["url"].split("/")[3]
        for document in documents
        if "hooks" in document.get("spec", {})
    }
    return {
        routes[name]: {
            (entry["apiVersion"], entry["resource"]): entry.get("updateStrategy", {}).get("method", "OnDelete")
            for entry in entries
        }
        for name, entries in listed.items()
    }


def is_created_once(asked, child):
    """Whether the child is only made and deleted, never updated."""
    kind = BY_NAME[child["kind"]]
    return declared()[asked.controller.route][kind.api_version, kind.plural] == "OnDelete"


def nulls(value, path="$"):
    if value is None:
        return [path]
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in nulls(item, f"{path}.{key}")]
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in nulls(item, f"{path}[{index}]")]
    return []


def repeated_merge_keys(value, path="$"):
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in repeated_merge_keys(item, f"{path}.{key}")]
    if not isinstance(value, list) or not value:
        return []
    inside = [(index, item) for index, item in enumerate(value) if isinstance(item, dict)]  # lists are replaced
    found = [entry for index, item in inside for entry in repeated_merge_keys(item, f"{path}[{index}]")]
    if all(isinstance(item, dict) for item in value):
        key = next((key for key in MERGE_KEYS if all(key in item for item in value)), None)
        values = [item[key] for item in value] if key else []
        found += [f"{path}: {key} {item}" for item in values if values.count(item) > 1]
    return found


def namespace_of(parent):
    return parent["metadata"]["name"] if parent["kind"] == "Namespace" else parent["metadata"]["namespace"]


def is_invalid(answer):
    return any(condition["reason"] == "InvalidSpec" for condition in answer["status"]["conditions"])


def the_request_is_unchanged(asked, body, answer_to):
    before = copy.deepcopy(body)
    answer_to(body)
    assert body == before


def children_are_complete(asked, body, answer):
    children = asked.children(answer)
    found = nulls({key: value for key, value in answer.items() if key != "labels"})  # there, null deletes
    assert found == [], found
    assert len({identity(child) for child in children}) == len(children)
    for child in children:
        if child["kind"] != "ClusterRoleBinding":
            assert child["metadata"]["namespace"] == namespace_of(body[asked.parts[0]])
        assert repeated_merge_keys(child) == []
        kind = BY_NAME[child["kind"]]
        assert kind.api_version == child["apiVersion"]
        assert (kind.api_version, kind.plural) in declared()[asked.controller.route]
        annotations = child["metadata"].get("annotations", {})
        assert len(orjson.dumps(child)) + len(orjson.dumps(annotations)) <= SIZE_LIMIT
        if child["apiVersion"] != "nvidia.com/v1alpha1":
            assert as_stored(child) == child


def children_are_valid(asked, body, answer):
    for child in asked.children(answer):
        if not is_created_once(asked, child):
            assert published.faults(child) in (None, [])


def selectors_are_narrow(asked, body, answer):
    name = body["parent"]["metadata"]["name"]
    for child in answer["children"]:
        if child["kind"] == "Deployment":
            assert child["spec"]["selector"] == {"matchLabels": {"nvidia.com/selector": name}}
            assert child["spec"]["template"]["metadata"]["labels"]["nvidia.com/selector"] == name
        if child["kind"] == "Service":
            assert child["spec"]["selector"]["nvidia.com/selector"] == name


def an_answer_fed_back_gives_itself(asked, body, answer, answer_to):
    """A fixed point; gives the request that the last answer leads to, and that answer."""
    body = fed_back(asked, body, answer)
    second = answer_to(body)
    updated = [
        [child for child in asked.children(found) if not is_created_once(asked, child)] for found in (answer, second)
    ]
    assert canonical(updated[0]) == canonical(updated[1])
    assert {identity(child) for child in asked.children(answer)} == {
        identity(child) for child in asked.children(second)
    }
    body = fed_back(asked, body, second)
    third = answer_to(body)
    assert canonical(third) == canonical(second)
    return body, third


def every_child_is_restated(asked, body, answer):
    """What an invalid spec must come to."""
    there = {identity(item): item for item in observed(asked, body)}
    assert {identity(child) for child in answer["children"]} == set(there)
    for child in answer["children"]:
        found = there[identity(child)]
        if is_created_once(asked, child):
            continue
        restated = orjson.loads(found["metadata"]["annotations"][LAST_APPLIED])
        if child["kind"] in WORKLOADS:
            restated["spec"]["replicas"] = found["spec"]["replicas"]
        assert child == restated


def nothing_new_is_made(asked, body, answer):
    """What a parent that is being deleted must get."""
    assert {identity(child) for child in asked.children(answer)} <= {identity(item) for item in observed(asked, body)}
