import random
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from hooks.controllers.graph_deployment_request import customize
from hooks.errors import MalformedRequest
from hooks.kinds import GRAPH_DEPLOYMENT_REQUEST
from hooks.protocol import customize_body, read_customize
from hooks.settings import Settings
from tests.controllers.request_situations import (
    AUTO,
    BASE,
    ELSEWHERE,
    INVALID,
    NOW,
    TERMINATED,
    ask,
    condition,
    graph,
    job,
    output,
    parent,
    pod,
    said,
    situation,
    state_of,
)
from tests.controllers.test_request_states import BOTH, REACHED
from tests.crds.crd_admission import refusals

CRD = Path(__file__).parent.parent.parent / "crds" / "nvidia.com_dynamographdeploymentrequests.yaml"
SCHEMA = yaml.safe_load(CRD.read_text())["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
STATUS = SCHEMA["properties"]["status"]


@pytest.mark.parametrize("body", [*(body for body, _ in REACHED.values()), *filter(None, BOTH.values())])
def test_the_api_server_takes_every_status(body):
    answer = ask(body)
    assert refusals(SCHEMA, {**body["parent"], "status": answer["status"]}) == []


@pytest.mark.parametrize("body", [body for body, _ in REACHED.values()])
def test_an_answer_that_is_fed_back_gives_itself(body):
    first = ask(body)
    body = {**body, "parent": {**body["parent"], "status": {**first["status"], "observedGeneration": 1}}}
    assert ask(body)["status"] == first["status"]
    assert ask(body, now=NOW + timedelta(seconds=1))["status"] == first["status"]


@pytest.mark.parametrize("body", [body for body, (state, _) in REACHED.values() if state == "Failed"])
def test_every_failure_says_what_to_do(body):
    answer = ask(body)
    (failed,) = [found for found in answer["status"]["conditions"] if found["status"] == "False"]
    assert any(
        cure in failed["message"] for cure in ("delete the request and create it anew", "Mend the spec", "delete it")
    )


# A spec that changed all the same.


def test_the_job_remembers_what_it_was_made_from():
    body = situation(parent({"backend": "sglang", "autoApply": False}), output(), job=job("complete", AUTO))
    answer = ask(body)
    assert said(answer, "Validation")["status"] == "False"
    assert said(answer, "Validation")["reason"] == "SpecChangeRejected"
    assert (state_of(answer), answer["status"]["backend"]) == ("Deploying", "vllm")


@pytest.mark.parametrize("spec", [{"model": "other"}, {"backend": "sglang"}, INVALID, {"profilingConfig": None}])
def test_any_change_is_rejected_while_there_is_a_job(spec):
    answer = ask(situation(parent(spec), job=job("running")))
    assert (state_of(answer), said(answer, "Validation")["reason"]) == ("Profiling", "SpecChangeRejected")


def test_a_graph_that_was_not_asked_for_by_its_name_is_not_taken_for_deleted():
    ready = ask(situation(parent(AUTO), output(), graph("ready"), job=job("complete", AUTO)))
    renamed = AUTO | {"deploymentOverrides": {"name": "other"}}
    answer = ask(situation(parent(renamed, ready["status"]), output(), job=job("complete", AUTO)))
    assert (state_of(answer), answer["status"]["deployment"]) == ("Ready", ready["status"]["deployment"])


@pytest.mark.parametrize("annotations", [{}, {"dgdr.nvidia.com/spec": "{"}, {"dgdr.nvidia.com/spec": "[]"}])
def test_a_job_that_remembers_nothing_leaves_it_to_the_spec(annotations):
    found = job("complete")
    found["metadata"]["annotations"] = annotations
    answer = ask(situation(parent(AUTO), output(), job=found))
    assert (state_of(answer), said(answer, "Validation")["status"]) == ("Deploying", "True")


# An earlier request of the same name.


def test_a_request_made_again_waits_for_its_predecessors_job_and_graph():
    predecessor = [output(uid="earlier"), graph("ready", uid="earlier")]
    waiting = ask(situation(parent(AUTO), *predecessor, job=job("running", AUTO, uid="earlier")))
    assert (state_of(waiting), waiting["children"]) == ("Pending", [])
    conflict = ask(situation(parent(AUTO, waiting["status"]), *predecessor))
    assert (state_of(conflict), said(conflict, "Validation")["reason"]) == ("Pending", "NameConflict")
    free = ask(situation(parent(AUTO, conflict["status"]), predecessor[0]))
    assert [child["kind"] for child in free["children"]] == ["Job"]


# What is asked for.


def rules(spec=None, settings=None):
    request = read_customize({"parent": parent(spec)}, GRAPH_DEPLOYMENT_REQUEST)
    return customize_body(customize(request, Settings.model_validate(settings or {})))["relatedResources"]


def test_few_objects_are_asked_for_each_in_its_namespace():
    assert rules({**ELSEWHERE, **BASE}) == [
        {"apiVersion": "batch/v1", "resource": "jobs", "names": ["profile-chat"], "namespace": "inference"},
        {
            "apiVersion": "v1",
            "resource": "pods",
            "labelSelector": {"matchLabels": {"job-name": "profile-chat"}},
            "namespace": "inference",
        },
        {
            "apiVersion": "v1",
            "resource": "configmaps",
            "names": ["dgdr-output-chat", "base"],
            "namespace": "inference",
        },
        {
            "apiVersion": "v1",
            "resource": "configmaps",
            "labelSelector": {"matchLabels": {"nvidia.com/registry-index": "true"}},
            "namespace": "inference",
        },
        {"apiVersion": "v1", "resource": "namespaces", "names": ["prod"]},
        {
            "apiVersion": "nvidia.com/v1alpha1",
            "resource": "dynamographdeployments",
            "names": ["fast"],
            "namespace": "prod",
        },
    ]


def test_the_pods_of_the_cluster_need_not_be_watched():
    assert "pods" not in [rule["resource"] for rule in rules(None, {"profiling": {"podDetails": False}})]


@pytest.mark.parametrize("spec", [{"profilingConfig": 5}, {"profilingConfig": {"configMapRef": {"name": 5}}}, {}])
def test_without_auto_apply_and_for_a_spec_of_any_shape_no_graph_is_asked_for(spec):
    assert {rule["resource"] for rule in rules(spec)} == {"jobs", "pods", "configmaps"}


# What nobody should send.

JUNK = [None, 5, -1.5, True, "", "x", [], [None], ["x"], {}, {"x": None}, {"name": 5}, [{}], [[]], "2026-13-45", "\x00"]


def damaged(value, randomness):
    """JSON with junk in one place, chosen at random."""
    places = list(value.items() if isinstance(value, dict) else enumerate(value)) if value else []
    places = [place for place in places if place[0] != "generation"]  # the API server's own
    if not isinstance(value, dict | list) or not places:
        return randomness.choice(JUNK)
    key, item = randomness.choice(places)
    copied = value.copy()
    nested = isinstance(item, dict | list) and item
    copied[key] = damaged(item, randomness) if nested and randomness.random() < 0.9 else randomness.choice(JUNK)
    return copied


@pytest.mark.parametrize("body", [*(body for body, _ in REACHED.values()), *filter(None, BOTH.values())])
def test_junk_anywhere_is_refused_or_answered_with_a_status_that_the_api_server_takes(body):
    full = situation(
        body["parent"],
        *(item for items in body["related"].values() for item in items.values()),
        pod({"phase": "Failed", "containerStatuses": [TERMINATED], "conditions": [condition("PodScheduled", "False")]}),
    ) | {key: body[key] for key in ("children",) if key in body}
    randomness = random.Random(1)
    for _ in range(100):
        part = randomness.choice([key for key in ("parent", "related", "children") if full.get(key)])
        asked = {**full, part: damaged(full[part], randomness)}
        try:
            answer = ask(asked)
        except MalformedRequest:
            continue
        assert refusals(STATUS, answer["status"]) == [], asked[part]
