"""Each row of the table is reached, and each row wins over the one below it where both fit."""

import pytest

from hooks.controllers.request_states import TABLE
from tests.controllers.request_situations import (
    ASKED,
    AUTO,
    BASE,
    ELSEWHERE,
    INVALID,
    ago,
    ask,
    condition,
    facts,
    graph,
    job,
    output,
    parent,
    said,
    situation,
    status,
)

MADE = {"name": "chat", "namespace": "inference", "created": True}
GENERATED = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": {"name": "chat"}}
WITHOUT_GRAPHS = tuple(kind for kind in ASKED if "Graph" not in kind)
WITHOUT_JOBS = tuple(kind for kind in ASKED if "Job" not in kind)
RUNNING = condition("Profiling", "False", reason="ProfilingRunning")

REACHED = {
    "DGD of ours, ready": (
        situation(parent(AUTO), graph("ready")),
        ("Ready", {"DeploymentReady": ("True", "DeploymentReady")}),
    ),
    "DGD of ours, not ready, state was Ready": (
        situation(parent(AUTO, status(state="Ready")), graph("pending")),
        ("Ready", {"DeploymentReady": ("False", "DeploymentDegraded")}),
    ),
    "DGD of ours, not ready": (
        situation(parent(AUTO, status(state="Deploying")), graph("pending")),
        ("Deploying", {"DeploymentReady": ("False", "DeploymentCreated")}),
    ),
    "not asked for the DGD, and there was one": (
        situation(
            parent(AUTO, status("Profiling", "DeploymentReady", state="Ready", deployment=MADE)), asked=WITHOUT_GRAPHS
        ),
        ("Ready", {"DeploymentReady": ("True", "R")}),
    ),
    "deployment.created, or state was DeploymentDeleted, and no DGD of ours": (
        situation(parent(AUTO, status(state="Ready", deployment=MADE))),
        ("DeploymentDeleted", {"DeploymentReady": ("False", "DeploymentDeleted")}),
    ),
    "usable output (or generatedDeployment in the status), autoApply false": (
        situation(parent(), output(), job=job("complete")),
        ("Ready", {"Profiling": ("True", "ProfilingCompleted"), "SpecGenerated": ("True", "SpecGenerated")}),
    ),
    "the same, autoApply true, the target namespace gone or not consenting, or a foreign DGD of that name": (
        situation(parent(AUTO), output(), graph("ready", uid="other"), job=job("complete", AUTO)),
        ("Failed", {"SpecGenerated": ("True", "SpecGenerated"), "DeploymentReady": ("False", "NameConflict")}),
    ),
    "the same, DGD not there yet": (
        situation(parent(AUTO), output(), job=job("complete", AUTO)),
        ("Deploying", {"SpecGenerated": ("True", "SpecGenerated"), "DeploymentReady": ("False", "DeploymentPending")}),
    ),
    "output that is unusable": (
        situation(parent(), output("a: ["), job=job("complete")),
        ("Failed", {"Profiling": ("True", "ProfilingCompleted"), "SpecGenerated": ("False", "OutputInvalid")}),
    ),
    "output that reports a failure; Job failed": (
        situation(parent(), job=job("failed")),
        ("Failed", {"Profiling": ("False", "ProfilingFailed")}),
    ),
    "Job complete, no output yet": (
        situation(parent(), job=job("complete")),
        ("Profiling", {"Profiling": ("False", "ProfilingRunning")}),
    ),
    "Job there": (
        situation(parent(), job=job("running")),
        ("Profiling", {"Profiling": ("False", "ProfilingRunning")}),
    ),
    "not asked for the Job, and there was one": (
        situation(parent(None, status(RUNNING, state="Profiling")), asked=WITHOUT_JOBS, children=False),
        ("Profiling", {"Profiling": ("False", "ProfilingRunning")}),
    ),
    "no Job, a condition Profiling in the status": (
        situation(parent(None, status(RUNNING, state="Profiling"))),
        ("Failed", {"Profiling": ("False", "ProfilingJobLost")}),
    ),
    "a Job of that name that is not ours": (
        situation(parent(), job=job("running", uid="other")),
        ("Pending", {"Validation": ("False", "NameConflict")}),
    ),
    "spec invalid": (
        situation(parent(INVALID)),
        ("Failed", {"Validation": ("False", "InvalidSpec")}),
    ),
    "configMapRef's ConfigMap or key not there": (
        situation(parent(BASE)),
        ("Pending", {"Validation": ("False", "ConfigMapNotFound")}),
    ),
    "autoApply, and the target namespace missing or not consenting, or a foreign DGD of that name": (
        situation(parent(ELSEWHERE)),
        ("Pending", {"Validation": ("False", "NamespaceNotFound")}),
    ),
    "no pull secret found for the images and the request younger than 10 s": (
        situation(parent(age=3)),
        ("Pending", {"Validation": ("True", "SpecValid")}),
    ),
    "none of these": (
        situation(parent()),
        ("Pending", {"Validation": ("True", "SpecValid")}),
    ),
}
"""Row → what is observed, and what the request has come to: state, and status and reason of conditions."""

BOTH = {
    "DGD of ours, ready": situation(parent(AUTO, status(state="Ready")), graph("ready")),
    "DGD of ours, not ready, state was Ready": situation(parent(AUTO, status(state="Ready")), graph("pending")),
    "DGD of ours, not ready": situation(
        parent(None, status(state="Deploying", deployment=MADE)), graph("pending"), job=job("running", AUTO)
    ),
    "not asked for the DGD, and there was one": situation(
        parent(AUTO, status("DeploymentReady", state="Ready", deployment=MADE)), asked=WITHOUT_GRAPHS
    ),
    "deployment.created, or state was DeploymentDeleted, and no DGD of ours": None,  # autoApply true; false
    "usable output (or generatedDeployment in the status), autoApply false": None,  # autoApply false; true
    "the same, autoApply true, the target namespace gone or not consenting, or a foreign DGD of that name": situation(
        parent(ELSEWHERE, status(generatedDeployment=GENERATED))
    ),
    "the same, DGD not there yet": situation(parent(AUTO, status(generatedDeployment=GENERATED)), output("a: [")),
    "output that is unusable": situation(parent(), output("a: ["), job=job("failed")),
    "output that reports a failure; Job failed": situation(parent(), output(error="no GPU"), job=job("complete")),
    "Job complete, no output yet": situation(parent(), job=job("complete")),
    "Job there": None,  # a Job that is seen was asked for
    "not asked for the Job, and there was one": situation(
        parent(None, status(RUNNING, state="Profiling")), asked=WITHOUT_JOBS, children=False
    ),
    "no Job, a condition Profiling in the status": situation(
        parent(None, status(RUNNING)), job=job("running", uid="other")
    ),
    "a Job of that name that is not ours": situation(parent(INVALID), job=job("running", uid="other")),
    "spec invalid": None,  # where the base graph is looked for stands in the spec
    "configMapRef's ConfigMap or key not there": situation(parent({**BASE, **ELSEWHERE})),
    "autoApply, and the target namespace missing or not consenting, or a foreign DGD of that name": situation(
        parent(ELSEWHERE, age=3)
    ),
    "no pull secret found for the images and the request younger than 10 s": situation(parent(age=3)),
}
"""Row → what fits it and the next row as well; None where the two exclude each other."""


def fitting(body):
    found = facts(body)
    return [row.observed for row in TABLE if row.fits(found)]


def test_every_row_is_shown_to_be_reached_and_to_win():
    rows = [row.observed for row in TABLE]
    assert list(REACHED) == rows
    assert list(BOTH) == rows[:-1]


@pytest.mark.parametrize("observed", REACHED)
def test_each_row_is_reached(observed):
    body, (state, conditions) = REACHED[observed]
    answer = ask(body)
    assert fitting(body)[0] == observed
    assert answer["status"]["state"] == state
    found = {step: said(answer, step) for step in conditions}
    assert {step: (verdict["status"], verdict["reason"]) for step, verdict in found.items()} == conditions


@pytest.mark.parametrize("observed", BOTH)
def test_a_row_wins_over_the_one_below(observed):
    body = BOTH[observed]
    rows = [row.observed for row in TABLE]
    below = rows[rows.index(observed) + 1]
    if body is None:
        assert all(not {observed, below} <= set(fitting(found)) for found, _ in REACHED.values())
        return
    assert fitting(body)[:2] == [observed, below]
    assert ask(body)["status"]["state"] == REACHED[observed][1][0]


@pytest.mark.parametrize("observed", REACHED)
def test_only_the_last_row_makes_a_job_and_every_row_keeps_one(observed):
    body = REACHED[observed][0]
    owned = list(body.get("children", {}).get("Job.batch/v1", {}).values())
    made = [
        {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "profile-chat", "namespace": "inference"}}
        for _ in owned
    ]
    answer = ask(body)
    if observed == "none of these":
        assert [child["metadata"]["name"] for child in answer["children"]] == ["profile-chat"]
        assert answer["children"][0]["spec"]
    else:
        assert answer["children"] == made


@pytest.mark.parametrize("observed", REACHED)
def test_no_step_is_called_profiling_before_a_job_of_ours_was_seen(observed):
    rows = list(REACHED)
    before = rows.index(observed) >= rows.index("a Job of that name that is not ours")
    assert (said(ask(REACHED[observed][0]), "Profiling") is None) == before


@pytest.mark.parametrize("observed", REACHED)
def test_deletion_makes_nothing_and_asks_for_no_further_call(observed):
    body = REACHED[observed][0]
    body = {
        **body,
        "parent": {**body["parent"], "metadata": body["parent"]["metadata"] | {"deletionTimestamp": ago(1)}},
    }
    answer = ask(body)
    assert len(answer["children"]) == len(body.get("children", {}).get("Job.batch/v1", {}))
    assert not any("spec" in child for child in answer["children"])
    assert "resyncAfterSeconds" not in answer
