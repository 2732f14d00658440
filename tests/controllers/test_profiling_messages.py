"""What a request says while its model is profiled, and before: what a person would otherwise find out hours later."""

import pytest

from hooks.profiling.specification import LONGEST_SERVICE
from tests.controllers.request_situations import AUTO, NOW, ask, base, job, output, parent, pod, said, situation

RUNNING = "Job profile-chat profiles the model"
ENDED = {"exitCode": 1, "reason": "Error"}


def message_of(answer, step):
    return said(answer, step)["message"]


def faults(**spec):
    answer = ask(situation(parent(spec)))
    assert answer["status"]["state"] == "Failed"
    return message_of(answer, "Validation")


def profiling_config(**fields):
    return {"profilingConfig": {"profilerImage": "registry.example/vllm-runtime:1", **fields}}


def terminated(name, **state):
    return {"name": name, "state": {"terminated": {**ENDED, **state}}}


@pytest.mark.parametrize("length", [62, 63, 64])
def test_a_name_that_leaves_no_room_for_a_service_is_a_fault(length):
    """A component is called `<graph>-<service>`, 63 characters at most."""
    assert "write at most 61" in faults(**AUTO, deploymentOverrides={"name": "a" * length})


@pytest.mark.parametrize(
    ("spec", "name", "cure"),
    [
        ({**AUTO, "deploymentOverrides": {"name": "a" * 50}}, "chat", "a shorter spec.deploymentOverrides.name"),
        ({}, "a" * 50, "a request with a shorter name"),
    ],
)
def test_a_name_that_leaves_little_room_is_said_before_any_gpu_is_used(spec, name, cure):
    answer = ask(situation(parent(spec, name=name)))
    assert [child["kind"] for child in answer["children"]] == ["Job"]
    assert f"called {'a' * 50}, which leaves 12 characters" in message_of(answer, "Validation")
    assert message_of(answer, "Validation").endswith(f"{cure} is safer")


def test_a_name_that_leaves_enough_room_is_not_mentioned():
    spec = {**AUTO, "deploymentOverrides": {"name": "a" * (62 - LONGEST_SERVICE)}}
    assert "characters" not in message_of(ask(situation(parent(spec))), "Validation")


def test_output_whose_names_do_not_fit_says_that_the_name_can_be_overridden():
    spec = {**AUTO, "deploymentOverrides": {"name": "a" * 60}}
    message = message_of(ask(situation(parent(spec), output(), job=job("complete", spec))), "SpecGenerated")
    assert "choose a shorter spec.deploymentOverrides.name" in message


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        (profiling_config(profilerImage="x:1\n"), "profilerImage: 'x:1\\n' begins or ends with white space"),
        ({"deploymentOverrides": {"workersImage": " x"}}, "workersImage: ' x' begins or ends with white space"),
        (profiling_config(configMapRef={"name": "Bad Name"}), "configMapRef.name: 'Bad Name' must begin and end"),
        (profiling_config(configMapRef={"name": "b", "key": "a/b"}), "configMapRef.key: 'a/b' must have only letters"),
        (profiling_config(configMapRef={"name": "b", "key": ".."}), "configMapRef.key: '..' must have only letters"),
    ],
)
def test_what_no_cluster_can_have_is_a_fault_rather_than_awaited(spec, fault):
    assert fault in faults(**spec)


def test_an_empty_key_counts_as_absent():
    answer = ask(situation(parent(profiling_config(configMapRef={"name": "base", "key": ""})), base("disagg.yaml")))
    assert [child["kind"] for child in answer["children"]] == ["Job"]


def test_a_job_without_any_pod_says_where_to_find_out_why():
    message = message_of(ask(situation(parent(), job=job("running"))), "Profiling")
    assert message == (
        "Job profile-chat has no pod yet; what keeps it from having one is among its events (kubectl describe job -n "
        "inference profile-chat)"
    )


@pytest.mark.parametrize(
    "seen", [{"job": job("running", active=1)}, {"job": job("running"), "asked": ("Job.batch/v1", "ConfigMap.v1")}]
)
def test_nothing_is_concluded_where_a_pod_may_be_there(seen):
    assert message_of(ask(situation(parent(), **seen)), "Profiling") == RUNNING


def test_an_init_container_that_does_not_start_is_said():
    waiting = {"name": "istio-init", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    stuck = pod({"phase": "Pending", "initContainerStatuses": [waiting]})
    message = message_of(ask(situation(parent(), stuck, job=job("running"))), "Profiling")
    assert message == f"{RUNNING}; container istio-init of pod profile-chat-x does not start: ImagePullBackOff"


@pytest.mark.parametrize(
    ("ends", "words", "log"),
    [
        (
            [terminated("output-copier", message="ConfigMap: HTTP 403")],
            "the output-copier ended with exit code 1 (Error: ConfigMap: HTTP 403)",
            "-c output-copier",
        ),
        (
            [terminated("output-copier", message="HTTP 403"), terminated("profiler", exitCode=137)],
            "the output-copier ended with exit code 1 (Error: HTTP 403); the profiler ended with exit code 137 (Error)",
            "-c profiler",
        ),
    ],
)
def test_every_container_that_failed_says_how_and_the_log_is_that_of_one(ends, words, log):
    failed = pod({"phase": "Failed", "containerStatuses": ends})
    message = message_of(ask(situation(parent(), failed, job=job("failed"))), "Profiling")
    assert words in message
    assert f"job/profile-chat {log})" in message


def test_a_clock_ahead_of_ours_is_waited_for_no_longer_than_another():
    ahead = situation(parent(), job=job("complete", completionTime="2027-01-01T00:00:00Z"))
    assert ask(ahead, now=NOW)["resyncAfterSeconds"] == 60
    young = situation(parent(age=-3600))
    assert ask(young, now=NOW)["resyncAfterSeconds"] == 10
