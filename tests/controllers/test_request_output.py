"""The graph that comes out of profiling."""

import pytest
import yaml

from tests.controllers.request_situations import (
    OUTPUT,
    ask,
    job,
    message_of,
    output,
    parent,
    said,
    situation,
    state_of,
)


@pytest.mark.parametrize(
    ("found", "is_ours"),
    [
        (output(uid="4711"), True),
        (output(uid="earlier"), False),
        (output(uid=None, age=10), True),
        (output(uid=None, age=2000), False),
    ],
)
def test_an_output_is_ours_by_its_uid_else_by_its_age(found, is_ours):
    assert (state_of(ask(situation(parent(), found, job=job("running")))) == "Ready") == is_ours


def test_the_generated_graph_is_ready_to_be_applied():
    answer = ask(situation(parent(), output(), job=job("complete")))
    generated = answer["status"]["generatedDeployment"]
    assert generated["metadata"]["name"] == "chat"
    assert sorted(generated["spec"]["services"]) == ["Frontend", "Planner", "VllmDecodeWorker", "VllmPrefillWorker"]
    assert answer["status"]["profilingResults"] == "configmap/dgdr-output-chat"
    assert answer["status"]["backend"] == "vllm"


def test_the_generated_graph_stays_when_job_and_output_are_gone():
    first = ask(situation(parent(), output(), job=job("complete")))
    answer = ask(situation(parent(None, first["status"])))
    assert answer["status"] == first["status"]
    assert answer["children"] == []


def test_the_generated_graph_stays_as_it_was_found_first():
    first = ask(situation(parent(), output(), job=job("complete")))
    changed = OUTPUT.replace("replicas: 2", "replicas: 5")
    assert changed != OUTPUT
    answer = ask(situation(parent(None, first["status"]), output(changed), job=job("complete")))
    assert answer["status"] == first["status"]


def test_what_is_not_made_of_the_output_is_said():
    text = f"{OUTPUT}\n---\n{{apiVersion: v1, kind: Secret, metadata: {{name: token}}}}"
    first = ask(situation(parent(), output(text), job=job("complete")))
    assert message_of(first, "SpecGenerated").endswith(
        "the profiler's output holds what is not made as well: Secret token"
    )
    assert ask(situation(parent(None, first["status"]), output(text), job=job("complete")))["status"] == first["status"]


def graph_text(services):
    return yaml.safe_dump(
        {
            "apiVersion": "nvidia.com/v1alpha1",
            "kind": "DynamoGraphDeployment",
            "metadata": {"name": "base"},
            "spec": {"services": services},
        }
    )


@pytest.mark.parametrize(
    ("text", "reason", "message"),
    [
        (
            None,
            "OutputInvalid",
            "ConfigMap dgdr-output-chat has neither a key config_with_planner.yaml nor a key error",
        ),
        ("", "OutputInvalid", "holds no DynamoGraphDeployment"),
        (graph_text({"A": {"replicas": "two"}}), "InvalidSpec", "spec.services.A.replicas: has the value 'two'"),
        (graph_text({"A" * 60: {}}), "InvalidSpec", "which has 65 characters, 63 are allowed"),
        (graph_text({"A": {}, "a": {}}), "InvalidSpec", "is that of service A too"),
        (graph_text([]), "InvalidSpec", "spec.services: has the value []"),
        (
            graph_text({"A": {"extraPodSpec": {"mainContainer": {}}}}),
            "InvalidSpec",
            "chat-a: spec.extraPodSpec.mainContainer.image: is required",
        ),
        (graph_text({"A": {"extraPodSpec": {"nodeName": "x" * 250_000}}}), "OutputTooLarge", "250000 are allowed"),
    ],
)
def test_output_that_cannot_be_used_says_why(text, reason, message):
    answer = ask(situation(parent(), output(text), job=job("complete")))
    assert (state_of(answer), said(answer, "SpecGenerated")["reason"]) == ("Failed", reason)
    assert message in message_of(answer, "SpecGenerated")
    assert "generatedDeployment" not in answer["status"]
