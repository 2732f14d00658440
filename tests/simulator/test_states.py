import pytest

from hooks.simulator.states import state_of


def item(kind, status=None, **spec):
    return {"kind": kind, "metadata": {"name": "x"}, "spec": spec} | ({"status": status} if status else {})


def condition(kind, status, reason, message=""):
    return {"type": kind, "status": status, "reason": reason, "message": message}


NO_ROLL_OUT = condition("Progressing", "False", "GroupsProgressing", "Replicas are progressing")
STUCK = condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out")
READY = [condition("Ready", "True", "fine")]


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (item("DynamoModel"), "created"),
        (item("DynamoGraphDeploymentRequest", {"state": "Ready"}), "Ready"),
        (
            item(
                "DynamoGraphDeploymentRequest",
                {
                    "state": "Failed",
                    "conditions": [
                        condition("Profiling", "False", "ProfilingFailed", "no GPU"),
                        condition("Validation", "True", "SpecValid"),
                    ],
                },
            ),
            "Failed (ProfilingFailed): no GPU",
        ),
        (item("DynamoGraphDeployment", {"conditions": READY}), "Ready=True (fine)"),
        (
            item("DynamoComponentDeployment", {"conditions": [condition("Available", "False", "NotReady", "0 of 1")]}),
            "Available=False (NotReady): 0 of 1",
        ),
        (
            item("DynamoModel", {"conditions": [condition("EndpointsReady", "False", "NoEndpoints", "no pod")]}),
            "EndpointsReady=False (NoEndpoints): no pod",
        ),
        (item("Deployment", {"readyReplicas": 1, "updatedReplicas": 2}, replicas=3), "1/3 ready, 2 updated"),
        (
            item(
                "Deployment", {"conditions": [condition("ReplicaFailure", "True", "FailedCreate", "quota")]}, replicas=0
            ),
            "0/0 ready, FailedCreate: quota",
        ),
        (
            item("LeaderWorkerSet", {"readyReplicas": 1, "updatedReplicas": 1, "conditions": [NO_ROLL_OUT]}),
            "1/1 ready",
        ),
        (item("Deployment", {"conditions": [STUCK]}, replicas=0), "0/0 ready, ProgressDeadlineExceeded: timed out"),
        (item("Pod"), "Pending"),
        (item("Pod", {"phase": "Running", "conditions": READY}), "Running, ready"),
        (
            item("Pod", {"containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]}),
            "ImagePullBackOff",
        ),
        (
            item("Pod", {"conditions": [condition("PodScheduled", "False", "Unschedulable", "no GPU")]}),
            "Pending, Unschedulable: no GPU",
        ),
        (item("Job", {"active": 1}), "1 active, 0 succeeded, 0 failed"),
        (
            item("Job", {"conditions": [condition("Complete", "True", "CompletionsReached")]}),
            "Complete (CompletionsReached)",
        ),
        (item("PersistentVolumeClaim", {"phase": "Bound"}), "Bound"),
        ({"kind": "Pod", "metadata": {"name": "x", "deletionTimestamp": "now"}}, "Terminating"),
    ],
)
def test_the_state_of_an_object_in_a_few_words(found, state):
    assert state_of(found) == state


@pytest.mark.parametrize(
    ("kind", "status", "state"),
    [
        ("DynamoGraphDeployment", {"conditions": READY}, "Ready=True (fine, before the last change of the spec)"),
        ("DynamoGraphDeploymentRequest", {"state": "Ready"}, "Ready, before the last change of the spec"),
        ("DynamoModel", {}, "created"),
    ],
)
def test_a_status_about_an_older_spec_says_so(kind, status, state):
    found = item(kind, status | {"observedGeneration": 1})
    found["metadata"]["generation"] = 2
    assert state_of(found) == state
