"""Laws that every answer keeps, checked on every golden case."""

import random
from datetime import timedelta

import pytest

from hooks.controllers import component_deployment, graph
from hooks.status.summary import summary
from tests import laws
from tests.golden_cases import NOW, cases
from tests.laws import canonical, fed_back, is_invalid, shuffled

every_case = pytest.mark.parametrize("case", cases(), ids=str)
every_composite_case = pytest.mark.parametrize(
    "case", [case for case in cases() if not case.controller.decorates], ids=str
)


@every_case
def test_pure_the_request_is_unchanged(case):
    laws.the_request_is_unchanged(case, case.request(), case.answer)


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


@every_case
def test_fixed_point_an_answer_fed_back_gives_itself(case):
    body = case.request()
    laws.an_answer_fed_back_gives_itself(case, body, case.answer(body), case.answer)


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


@every_case
def test_complete_children(case):
    body = case.request()
    laws.children_are_complete(case, body, case.answer(body))


@every_case
def test_valid_children(case):
    body = case.request()
    laws.children_are_valid(case, body, case.answer(body))


@every_composite_case
def test_narrow_selectors(case):
    body = case.request()
    laws.selectors_are_narrow(case, body, case.answer(body))


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
    laws.every_child_is_restated(case, body, answer)
    if case.folder.parent.name == "graph_deployment_request":
        return  # once it has a Job, what that was made from is what counts
    assert {condition["reason"] for condition in answer["status"]["conditions"]} == {"InvalidSpec"}
    assert "has the value 'two'" in answer["status"]["conditions"][0]["message"]


@every_case
def test_deletion_makes_nothing_new(case):
    body = case.request()
    body[case.parts[0]]["metadata"]["deletionTimestamp"] = "2026-11-30T11:59:00Z"
    for finalizing in (False, True):
        asked = {**body, "finalizing": finalizing}
        laws.nothing_new_is_made(case, asked, case.answer(asked))


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
