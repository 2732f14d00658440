import pytest

from hooks.simulator.clock import timestamp
from hooks.simulator.workloads import PodFault
from tests.simulator.workloads.below import job, template


def test_a_job_runs_its_pod_and_is_complete(below):
    below.apply(job())
    below.run_for(30)
    assert below.status("Job", "j")["active"] == 1
    below.settle()
    status = below.status("Job", "j")
    assert (status["succeeded"], status.get("active", 0)) == (1, 0)
    assert [entry["type"] for entry in status["conditions"]] == ["SuccessCriteriaMet", "Complete"]
    assert below.reason("Job", "j", "Complete") == "CompletionsReached"
    assert "completionTime" in status


def test_a_job_that_fails_tries_again_ever_later(below):
    below.world.fail("Job/j", PodFault.FAILED)
    below.apply(job(backoffLimit=2))
    below.run_for(20)
    assert len(below.pods()) == 2
    below.settle()
    assert below.status("Job", "j")["failed"] == 3
    assert below.reason("Job", "j", "Failed") == "BackoffLimitExceeded"
    assert len(below.pods()) == 3


def test_a_job_that_heals_succeeds(below):
    below.world.fail("Job/j", PodFault.FAILED)
    below.apply(job(backoffLimit=3))
    below.run_for(12)
    below.world.heal("Job/j")
    below.settle()
    assert below.condition("Job", "j", "Complete") == "True"


def test_a_job_past_its_deadline_ends(below):
    below.world.run_seconds = 1000
    below.apply(job(activeDeadlineSeconds=100))
    below.run_for(200)
    assert below.reason("Job", "j", "Failed") == "DeadlineExceeded"
    assert below.status("Job", "j").get("active", 0) == 0
    assert below.pods() == []


@pytest.mark.parametrize("fault", [PodFault.QUOTA, PodFault.ADMISSION])
def test_a_job_whose_pods_are_refused_starts_and_ends_at_its_deadline(below, fault):
    below.world.fail("Job/j", fault)
    below.apply(job(activeDeadlineSeconds=100))
    below.run_for(10)
    assert below.status("Job", "j")["startTime"] == timestamp(below.started)
    assert below.reason("Job", "j", "Failed") is None
    below.run_for(200)
    assert below.reason("Job", "j", "Failed") == "DeadlineExceeded"


def test_a_job_whose_account_is_missing_says_so_in_an_event(below):
    made = job()
    made["spec"]["template"]["spec"]["serviceAccountName"] = "nobody"
    below.apply(made)
    below.run_for(10)
    (event,) = [event for event in below.events if event.reason == "FailedCreate"]
    assert (event.kind, event.name) == ("Job", "j")
    assert event.message.endswith('error looking up service account default/nobody: serviceaccount "nobody" not found')


def test_a_container_that_crashes_ends_a_pod_that_never_restarts(below):
    below.world.fail("Job/j", PodFault.CRASH)
    below.apply(job(backoffLimit=1))
    below.settle()
    assert [pod["status"]["phase"] for pod in below.pods()] == ["Failed", "Failed"]
    assert below.reason("Job", "j", "Failed") == "BackoffLimitExceeded"


def test_a_container_that_crashes_is_restarted_in_a_pod_that_may_be(below):
    below.world.fail("Job/j", PodFault.CRASH)
    below.apply(job(template=template(restartPolicy="OnFailure")))
    below.settle()
    (pod,) = below.pods()
    assert pod["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] == "CrashLoopBackOff"


def test_a_finished_job_goes_after_its_time(below):
    below.apply(job(ttlSecondsAfterFinished=100))
    below.run_until(lambda: below.condition("Job", "j", "Complete") == "True")
    below.run_for(50)
    assert below.find("Job", "j") is not None
    below.settle()
    assert below.find("Job", "j") is None
    assert below.pods() == []


def test_a_suspended_job_waits_and_its_time_does_not_run(below):
    below.apply(job(suspend=True, activeDeadlineSeconds=100))
    below.run_for(1000)
    assert below.pods() == []
    assert "startTime" not in below.status("Job", "j")
    below.edit("Job", "j", lambda item: item["spec"].update(suspend=False))
    below.settle()
    assert below.condition("Job", "j", "Complete") == "True"


def test_several_completions(below):
    below.apply(job(completions=3, parallelism=2))
    below.run_for(10)
    assert len(below.pods()) == 2
    below.settle()
    assert below.status("Job", "j")["succeeded"] == 3


FAIL = {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [0, 42]}}
IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
POLICY = {"podFailurePolicy": {"rules": [IGNORE, FAIL]}, "backoffLimit": 1}


def running(below):
    return [pod for pod in below.pods() if pod.get("status", {}).get("phase") == "Running"]


def end(below, code, **status):
    """The container of the pod that runs ends with that code."""
    below.run_until(lambda: running(below) != [])
    (pod,) = running(below)
    ended = {"exitCode": code, "finishedAt": timestamp(below.clock.now())}
    (container,) = pod["status"]["containerStatuses"]
    containers = [{**container, "state": {"terminated": ended}, "started": False, "ready": False}]
    with below.store.acting("kubelet"):
        below.store.update_status(
            {**pod, "status": {**pod["status"], "phase": "Failed", "containerStatuses": containers, **status}}
        )
    below.run_for(1)
    return pod["metadata"]["name"]


def test_an_exit_code_that_the_policy_rules_out_ends_the_job_at_once(below):
    below.apply(job(**POLICY))
    name = end(below, 1)
    (failed,) = [entry for entry in below.status("Job", "j")["conditions"] if entry["type"] == "Failed"]
    assert failed["reason"] == "PodFailurePolicy"
    assert failed["message"] == (
        f"Container main for pod default/{name} failed with exit code 1 matching FailJob rule at index 1"
    )
    below.settle()
    assert len(below.pods()) == 1


def test_an_exit_code_that_the_policy_does_not_name_counts(below):
    below.apply(job(**POLICY))
    end(below, 42)
    assert below.reason("Job", "j", "Failed") is None
    end(below, 42)
    assert below.reason("Job", "j", "Failed") == "BackoffLimitExceeded"


def test_a_disruption_that_the_policy_ignores_does_not_count(below):
    below.apply(job(**POLICY))
    disrupted = {"type": "DisruptionTarget", "status": "True"}
    for _ in range(3):
        end(below, 137, conditions=[disrupted])
    below.settle()
    assert below.condition("Job", "j", "Complete") == "True"
