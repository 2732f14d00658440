"""Laws that every answer keeps, checked on every golden case."""

import copy
import random
from datetime import timedelta
from functools import cache
from pathlib import Path

import orjson
import pytest
import yaml

from hooks.controllers import component_deployment, graph
from hooks.kinds import BY_NAME, WORKLOADS
from hooks.labels import LAST_APPLIED
from hooks.manifest import SIZE_LIMIT, as_stored
from hooks.status.summary import summary
from tests import published
from tests.golden_cases import NOW, cases, keyed

MERGE_KEYS = ("containerPort", "port", "mountPath", "name", "uid", "ip", "path")
"""Metacontroller's, in its order: a list whose items all have one of these is merged by it."""

every_case = pytest.mark.parametrize("case", cases(), ids=str)
every_composite_case = pytest.mark.parametrize(
    "case", [case for case in cases() if not case.controller.decorates], ids=str
)
ROOT = Path(__file__).parent.parent


def canonical(answer):
    return orjson.dumps(answer, option=orjson.OPT_SORT_KEYS)


def identity(item):
    return item["apiVersion"], item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"]


@every_case
def test_pure_the_request_is_unchanged(case):
    body = case.request()
    before = copy.deepcopy(body)
    case.answer(body)
    assert body == before


def shuffled(value, randomness):
    """The same JSON with object keys in another order."""
    if isinstance(value, dict):
        items = list(value.items())
        randomness.shuffle(items)
        return {key: shuffled(item, randomness) for key, item in items}
    return [shuffled(item, randomness) for item in value] if isinstance(value, list) else value


@every_case
def test_deterministic_key_order_does_not_matter(case):
    answer = canonical(case.answer())
    for seed in range(5):
        assert canonical(case.answer(shuffled(case.request(), random.Random(seed)))) == answer


@every_case
def test_v1_and_v2_keys_are_read_alike(case):
    body = case.request()
    for part in (case.parts[1], "related"):
        if part in body:
            body[part] = {
                kind: {key.rpartition("/")[2]: item for key, item in items.items()}
                for kind, items in body[part].items()
            }
    assert case.answer(body) == case.answer()


def fed_back(case, body, answer):
    """The request that follows once an answer was applied: Metacontroller's work, without a roll-out's."""
    parent_key, children_key = case.parts
    parent = copy.deepcopy(body[parent_key])
    if "status" in answer:
        parent["status"] = {**answer["status"], "observedGeneration": parent["metadata"].get("generation", 1)}
    there = {identity(item): item for items in body.get(children_key, {}).values() for item in items.values()}
    children = []
    for child in case.children(answer):
        observed = there.get(identity(child))
        keeps = observed is not None and is_created_once(case, child)
        children.append(observed if keeps else case.applied(child, parent, observed))
    declared = {f"{kind.kind}.{kind.api_version}": {} for kind in BY_NAME.values()} if children_key in body else {}
    return {**body, parent_key: parent, children_key: declared | keyed(children)}


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


def is_created_once(case, child):
    """Whether the child is only made and deleted, never updated."""
    kind = BY_NAME[child["kind"]]
    return declared()[case.controller.route][kind.api_version, kind.plural] == "OnDelete"


@every_case
def test_fixed_point_an_answer_fed_back_gives_itself(case):
    body = case.request()
    answer = case.answer(body)
    body = fed_back(case, body, answer)
    second = case.answer(body)
    updated = [
        [child for child in case.children(found) if not is_created_once(case, child)] for found in (answer, second)
    ]
    assert canonical(updated[0]) == canonical(updated[1])
    assert {identity(child) for child in case.children(answer)} == {identity(child) for child in case.children(second)}
    third = case.answer(fed_back(case, body, second))
    assert canonical(third) == canonical(second)


@every_case
def test_what_a_process_holds_from_before_changes_no_answer(case):
    for memo in (component_deployment._built, graph._built):
        memo.forget()
    first = canonical(case.answer())
    assert canonical(case.answer()) == first


@every_case
def test_no_churn_a_later_clock_changes_nothing(case):
    body = case.request()
    answer = case.answer(body)
    if "status" in answer:
        body["parent"]["status"] = answer["status"]
    assert canonical(case.answer(body, now=NOW + timedelta(hours=1))) == canonical(answer)


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
    found = [entry for index, item in enumerate(value) for entry in repeated_merge_keys(item, f"{path}[{index}]")]
    if all(isinstance(item, dict) for item in value):
        key = next((key for key in MERGE_KEYS if all(key in item for item in value)), None)
        values = [item[key] for item in value] if key else []
        found += [f"{path}: {key} {item}" for item in values if values.count(item) > 1]
    return found


def namespace_of(parent):
    return parent["metadata"]["name"] if parent["kind"] == "Namespace" else parent["metadata"]["namespace"]


@every_case
def test_complete_children(case):
    answer = case.answer()
    children = case.children(answer)
    assert nulls({key: value for key, value in answer.items() if key != "labels"}) == []  # there, null deletes
    assert len({identity(child) for child in children}) == len(children)
    for child in children:
        if child["kind"] != "ClusterRoleBinding":
            assert child["metadata"]["namespace"] == namespace_of(case.parent)
        assert repeated_merge_keys(child) == []
        kind = BY_NAME[child["kind"]]
        assert kind.api_version == child["apiVersion"]
        assert (kind.api_version, kind.plural) in declared()[case.controller.route]
        annotations = child["metadata"].get("annotations", {})
        assert len(orjson.dumps(child)) + len(orjson.dumps(annotations)) <= SIZE_LIMIT
        if child["apiVersion"] != "nvidia.com/v1alpha1":
            assert as_stored(child) == child


@every_case
def test_valid_children(case):
    for child in case.children(case.answer()):
        if not is_created_once(case, child):
            assert published.faults(child) in (None, [])


@every_composite_case
def test_narrow_selectors(case):
    for child in case.answer()["children"]:
        if child["kind"] == "Deployment":
            assert child["spec"]["selector"] == {
                "matchLabels": {"nvidia.com/selector": case.parent["metadata"]["name"]}
            }
            labels = child["spec"]["template"]["metadata"]["labels"]
            assert labels["nvidia.com/selector"] == case.parent["metadata"]["name"]
        if child["kind"] == "Service":
            assert child["spec"]["selector"]["nvidia.com/selector"] == case.parent["metadata"]["name"]


INVALID = {
    "graph_deployment": {"services": {"A": {"replicas": "two"}}},
    "component_deployment": {"replicas": "two"},
    "graph_deployment_request": {"model": "two"},
    "model": {"modelName": "m", "baseModelName": "b", "modelType": "two"},
}


@every_composite_case
def test_never_lose_an_invalid_spec_restates_every_child(case):
    body = fed_back(case, case.request(), case.answer())
    body["parent"]["spec"] = INVALID[case.folder.parent.name]
    answer = case.answer(body)
    there = {identity(item): item for items in body["children"].values() for item in items.values()}
    assert {identity(child) for child in answer["children"]} == set(there)
    for child in answer["children"]:
        observed = there[identity(child)]
        if is_created_once(case, child):
            continue
        restated = orjson.loads(observed["metadata"]["annotations"][LAST_APPLIED])
        if child["kind"] in WORKLOADS:
            restated["spec"]["replicas"] = observed["spec"]["replicas"]
        assert child == restated
    if case.folder.parent.name == "graph_deployment_request":
        return  # once it has a Job, what that was made from is what counts
    assert {condition["reason"] for condition in answer["status"]["conditions"]} == {"InvalidSpec"}
    assert "has the value 'two'" in answer["status"]["conditions"][0]["message"]


@every_case
def test_deletion_makes_nothing_new(case):
    body = case.request()
    parent_key, children_key = case.parts
    body[parent_key]["metadata"]["deletionTimestamp"] = "2026-11-30T11:59:00Z"
    there = {identity(item) for items in body.get(children_key, {}).values() for item in items.values()}
    for finalizing in (False, True):
        answer = case.answer({**body, "finalizing": finalizing})
        assert {identity(child) for child in case.children(answer)} <= there


@every_composite_case
def test_a_request_with_only_the_parent_loses_nothing_and_waits_for_nothing(case):
    answer = case.answer({"parent": case.parent})
    if "deletionTimestamp" not in case.parent["metadata"] and not is_invalid(answer):
        begun = case.parent["kind"] == "DynamoGraphDeploymentRequest" and "status" in case.parent
        has_none = case.parent["kind"] == "DynamoModel" or not case.parent["spec"].get("services", True)
        assert answer["children"] or begun or has_none


@every_composite_case
def test_summed_up_every_status_has_a_state_or_the_condition_of_its_kind(case):
    status = case.answer()["status"]
    assert status.get("state") or summary({"kind": case.parent["kind"], "status": status})["reason"]


def is_invalid(answer):
    return any(condition["reason"] == "InvalidSpec" for condition in answer["status"]["conditions"])
