"""What is awaited of a profiling Job, and what is said of it."""

from datetime import timedelta

import pytest

from tests.controllers.request_situations import (
    ASKED,
    NOW,
    TERMINATED,
    ago,
    ask,
    condition,
    job,
    message_of,
    output,
    parent,
    pod,
    said,
    situation,
    state_of,
    status,
)


@pytest.mark.parametrize(("seconds", "resync"), [(0, 60.0), (30, 30.0), (59.5, 1.0)])
def test_the_output_of_a_complete_job_is_awaited_for_a_minute(seconds, resync):
    body = situation(parent(), job=job("complete", completionTime=ago(0)))
    answer = ask(body, now=NOW + timedelta(seconds=seconds))
    assert (state_of(answer), answer["resyncAfterSeconds"]) == ("Profiling", resync)


def test_output_that_stays_away_is_missing_and_counts_when_it_comes_late():
    body = situation(parent(), job=job("complete", completionTime=ago(0)))
    answer = ask(body, now=NOW + timedelta(seconds=61))
    assert (state_of(answer), said(answer, "Profiling")["reason"]) == ("Failed", "OutputMissing")
    assert "resyncAfterSeconds" not in answer
    late = situation(parent(None, answer["status"]), output(), job=job("complete"))
    assert state_of(ask(late, now=NOW + timedelta(seconds=90))) == "Ready"


def test_nothing_is_concluded_where_nobody_asked_for_the_output():
    asked = tuple(kind for kind in ASKED if "ConfigMap" not in kind)
    body = situation(parent(), job=job("complete", completionTime=ago(600)), asked=asked)
    assert state_of(ask(body)) == "Profiling"


def test_a_pod_that_failed_is_not_yet_a_job_that_failed():
    assert state_of(ask(situation(parent(), job=job("running", failed=1)))) == "Profiling"


@pytest.mark.parametrize("state", ["running", "complete", "failed"])
def test_a_failure_in_the_output_is_one_whatever_the_job_says(state):
    answer = ask(situation(parent(), output(error="no GPU found"), job=job(state)))
    assert (state_of(answer), said(answer, "Profiling")["reason"]) == ("Failed", "ProfilingFailed")
    assert "no GPU found" in message_of(answer, "Profiling")


def test_a_failure_says_all_that_is_known_of_it():
    pods = [pod({"phase": "Failed", "containerStatuses": [TERMINATED]}), pod({}, job_uid="another", name="z")]
    answer = ask(situation(parent(), output(error="sweep\nfailed"), *pods, job=job("failed")))
    assert message_of(answer, "Profiling") == (
        "profiling has failed: sweep failed; Job profile-chat failed (PodFailurePolicy: Container profiler failed with "
        "exit code 1); the profiler ended with exit code 1 (Error: no GPU); see its log (kubectl logs -n inference "
        "job/profile-chat -c profiler), mend the cause, then delete the request and create it anew to profile again "
        "(kubectl delete dynamographdeploymentrequest -n inference chat)"
    )


def test_a_failure_longer_than_a_message_keeps_its_cure():
    message = message_of(ask(situation(parent(), output(error="x" * 100_000), job=job("failed"))), "Profiling")
    assert message.endswith("(kubectl delete dynamographdeploymentrequest -n inference chat)")


@pytest.mark.parametrize(
    ("pods", "message"),
    [
        (
            [
                pod(
                    {
                        "phase": "Pending",
                        "conditions": [condition("PodScheduled", "False", reason="Unschedulable", message="0/3")],
                    }
                )
            ],
            "Job profile-chat profiles the model; pod profile-chat-x waits for a node: Unschedulable: 0/3",
        ),
        (
            [
                pod(
                    {
                        "phase": "Pending",
                        "containerStatuses": [
                            {
                                "name": "profiler",
                                "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no x"}},
                            },
                            {"name": "output-copier", "state": {"waiting": {"reason": "ContainerCreating"}}},
                        ],
                    }
                )
            ],
            (
                "Job profile-chat profiles the model; container profiler of pod profile-chat-x does not start: "
                "ImagePullBackOff: no x"
            ),
        ),
        ([pod({"phase": "Running"}), pod({"phase": "Pending"}, name="y")], "Job profile-chat profiles the model"),
        (
            [pod({"phase": "Pending", "conditions": "x", "containerStatuses": [5, {}]})],
            "Job profile-chat profiles the model",
        ),
    ],
)
def test_what_keeps_the_profiler_from_starting_is_said(pods, message):
    answer = ask(situation(parent(), *pods, job=job("running")))
    assert (state_of(answer), message_of(answer, "Profiling")) == ("Profiling", message)


def test_a_copier_that_ended_early_is_said_while_there_is_time():
    containers = [
        {"name": "profiler", "state": {"running": {}}},
        {"name": "output-copier", "state": {"terminated": {"exitCode": 1, "message": "403: may not read pods"}}},
    ]
    answer = ask(situation(parent(), pod({"phase": "Running", "containerStatuses": containers}), job=job("running")))
    assert state_of(answer) == "Profiling"
    assert (
        "what it finds out will be lost, since the container that copies it ended with exit code 1 (403: may not read "
        "pods)" in message_of(answer, "Profiling")
    )


def test_a_lost_job_is_said_once_and_stays_lost():
    failed = ask(situation(parent(None, status(condition("Profiling", "False", reason="ProfilingRunning")))))
    assert "is gone and has left no output" in message_of(failed, "Profiling")
    again = ask(situation(parent(None, failed["status"])))
    assert again["status"] == failed["status"]
    assert again["children"] == []


@pytest.mark.parametrize("reason", ["ProfilingFailed", "OutputMissing"])
def test_a_job_that_failed_and_is_gone_keeps_its_reason(reason):
    failed = condition("Profiling", "False", reason=reason, message="why")
    answer = ask(situation(parent(None, status(failed, state="Failed"))))
    assert (state_of(answer), said(answer, "Profiling")["reason"]) == ("Failed", reason)
    assert message_of(answer, "Profiling") == "why"


def test_a_job_that_is_gone_with_its_output_there_goes_on():
    running = status(condition("Profiling", "False", reason="ProfilingRunning"), state="Profiling")
    assert state_of(ask(situation(parent(None, running), output()))) == "Ready"
