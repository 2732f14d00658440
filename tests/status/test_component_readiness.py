from datetime import timedelta

import pytest

from tests.asked import ask, component, laid_over, main_container
from tests.golden_cases import NOW

WORKER = {"componentType": "worker", "replicas": 2}
DONE = {"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2}
NOT_APPLIED = "not yet applied; should this last, see the SyncError event in `kubectl describe`"


def observed(spec=WORKER, status=DONE, **deployment):
    """The children of a component, the Deployment with that status."""
    return ask(component(spec)).observed(Deployment={"status": status, **deployment})


def available(answer):
    """Status, reason and message; both conditions say the same."""
    first, second = answer.status["conditions"]
    assert (first["type"], second["type"]) == ("Available", "DynamoComponentReady")
    assert {**first, "type": ""} == {**second, "type": ""}
    return first["status"], first["reason"], first["message"]


def condition(kind, status, reason="", message=""):
    return {"type": kind, "status": status, "reason": reason, "message": message}


def test_a_deployment_that_is_what_is_asked_for_and_all_ready_is_available():
    assert available(ask(component(WORKER), observed=observed())) == (
        "True",
        "Ready",
        "Deployment g-decode: 2 desired, 2 there, 2 updated, 2 ready, 2 available",
    )


@pytest.mark.parametrize(
    ("status", "numbers"),
    [
        pytest.param(DONE | {"updatedReplicas": 0}, "2 desired, 2 there, 0 updated, 2 ready, 2 available", id="old"),
        pytest.param(
            DONE | {"replicas": 3}, "2 desired, 3 there, 2 updated, 2 ready, 2 available", id="an old one is left"
        ),
        pytest.param(
            DONE | {"readyReplicas": 1, "availableReplicas": 1},
            "2 desired, 2 there, 2 updated, 1 ready, 1 available",
            id="one is not ready",
        ),
        pytest.param(
            DONE | {"availableReplicas": 1},
            "2 desired, 2 there, 2 updated, 2 ready, 1 available",
            id="not yet available",
        ),
        pytest.param(
            {"observedGeneration": 1}, "2 desired, 0 there, 0 updated, 0 ready, 0 available", id="zeros are left out"
        ),
    ],
)
def test_a_deployment_on_its_way_is_not_available_and_the_message_gives_the_numbers(status, numbers):
    answer = ask(component(WORKER), observed=observed(status=status))
    assert available(answer) == ("False", "NotReady", f"Deployment g-decode: {numbers}")


@pytest.mark.parametrize("generation", [0, None])
def test_a_deployment_whose_numbers_are_about_an_older_spec_is_not_available(generation):
    there = observed(status=DONE | {"observedGeneration": generation})
    status, reason, message = available(ask(component(WORKER), observed=there))
    assert (status, reason) == ("False", "NotReady")
    assert message.endswith("; its status is behind its spec")


def test_after_an_edit_an_old_fully_ready_deployment_is_not_available():
    edited = laid_over(WORKER, {"extraPodSpec": {"mainContainer": {"image": "new:2"}}})
    answer = ask(component(edited, generation=2), observed=observed())
    assert available(answer) == ("False", "NotApplied", f"Deployment g-decode: {NOT_APPLIED}")
    assert answer.main["image"] == "new:2"


def test_a_deployment_about_to_be_scaled_back_is_not_available():
    by_hand = {key: 3 if key != "observedGeneration" else 1 for key in DONE}
    answer = ask(component(WORKER), observed=observed(status=by_hand, spec={"replicas": 3}))
    assert answer.child("Deployment")["spec"]["replicas"] == 2
    assert available(answer)[:2] == ("False", "NotApplied")


def test_a_service_that_is_not_what_is_asked_for_keeps_a_component_from_being_available():
    there = [child for child in observed() if child["kind"] != "Service"]
    assert available(ask(component(WORKER), observed=there)) == (
        "False",
        "NotApplied",
        f"Service g-decode: {NOT_APPLIED}",
    )


@pytest.mark.parametrize("children", [None, []])
def test_a_component_whose_deployment_is_not_there_is_not_available(children):
    answer = ask(component(WORKER), observed=children)
    assert available(answer) == ("False", "NotReady", "Deployment g-decode: not created yet")
    assert answer.status["replicas"] == 0
    assert "service" not in answer.status


def test_no_replicas_wanted_and_none_there_is_ready():
    spec = WORKER | {"replicas": 0}
    answer = ask(component(spec), observed=observed(spec, {"observedGeneration": 1}))
    assert available(answer) == (
        "True",
        "Ready",
        "Deployment g-decode: 0 desired, 0 there, 0 updated, 0 ready, 0 available",
    )


@pytest.mark.parametrize(
    ("said", "reason", "cause"),
    [
        pytest.param(
            [condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out progressing")],
            "ProgressDeadlineExceeded",
            "ProgressDeadlineExceeded: timed out progressing",
            id="a deadline",
        ),
        pytest.param(
            [condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota: gpus")],
            "FailedCreate",
            "FailedCreate: exceeded quota: gpus",
            id="a quota",
        ),
        pytest.param(
            [
                condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out"),
                condition("ReplicaFailure", "True", "FailedCreate", 'admission webhook "x" denied the request'),
            ],
            "FailedCreate",
            'FailedCreate: admission webhook "x" denied the request',
            id="a refusal says more than a deadline",
        ),
        pytest.param([condition("Progressing", "True", "NewReplicaSet")], "NotReady", None, id="none"),
    ],
)
def test_the_cause_is_told_where_the_workload_tells_one(said, reason, cause):
    status = {"observedGeneration": 1, "conditions": said}
    answer = ask(component(WORKER), observed=observed(status=status))
    numbers = "Deployment g-decode: 2 desired, 0 there, 0 updated, 0 ready, 0 available"
    assert available(answer) == ("False", reason, f"{numbers}; {cause}" if cause else numbers)


def test_the_numbers_and_what_the_scale_subresource_reads():
    status = ask(component(WORKER, generation=4), observed=observed(status=DONE | {"readyReplicas": 1})).status
    del status["conditions"]
    assert status == {
        "observedGeneration": 4,
        "podSelector": {"nvidia.com/selector": "g-decode"},
        "selector": "nvidia.com/selector=g-decode",
        "replicas": 2,
        "service": {
            "componentKind": "Deployment",
            "componentName": "g-decode",
            "replicas": 2,
            "updatedReplicas": 2,
            "readyReplicas": 1,
            "availableReplicas": 2,
        },
    }


def test_while_a_spec_is_invalid_the_numbers_are_those_of_what_runs():
    answer = ask(component({"replicas": "two"}), observed=observed())
    assert available(answer)[:2] == ("False", "InvalidSpec")
    assert answer.status["replicas"] == 2


# Time


def test_every_condition_is_written_anew():
    old = {"conditions": [condition("DynamoComponentReady", "Unknown"), condition("Foreign", "True")]}
    answer = ask(component(WORKER) | {"status": old}, observed=observed())
    assert available(answer)[0] == "True"


@pytest.mark.parametrize(
    ("before", "moves"),
    [
        pytest.param("True", False, id="the status stays"),
        pytest.param("False", True, id="the status changes"),
        pytest.param("Unknown", True, id="the status becomes known"),
    ],
)
def test_a_conditions_time_moves_only_when_its_status_does(before, moves):
    since = "2026-11-30T09:00:00Z"
    conditions = [{**condition(kind, before, "Old"), "lastTransitionTime": since} for kind in ("Available", "x")]
    answer = ask(component(WORKER) | {"status": {"conditions": conditions}}, observed=observed())
    assert answer.condition["lastTransitionTime"] == ("2026-11-30T12:00:00Z" if moves else since)


def test_an_hour_later_the_answer_is_the_same():
    first = ask(component(WORKER), observed=observed())
    later = ask(component(WORKER) | {"status": first.status}, observed=observed(), now=NOW + timedelta(hours=1))
    assert (later.status, later.children) == (first.status, first.children)


@pytest.mark.parametrize("status", [None, "x", [], {"conditions": "x"}, {"conditions": [1, {"type": 2}, {}]}])
def test_a_status_of_another_shape_is_overwritten(status):
    answer = ask(component(WORKER) | {"status": status}, observed=observed())
    assert available(answer)[0] == "True"


def test_a_message_tells_twenty_faults_and_how_many_more_there_are():
    message = ask(component({"labels": {f"k{number}": "a b" for number in range(30)}})).message
    assert message.count("is no label value") == 20
    assert message.endswith(". And 10 more")


def test_a_message_is_no_longer_than_a_conditions_may_be():
    message = ask(component({"labels": {f"{number:03000}": "" for number in range(20)}})).message
    assert len(message) == 32768
    assert message.endswith("…")


NODES = WORKER | {
    "multinode": {},
    "resources": {"limits": {"gpu": "8"}},
    **main_container(command=["python3", "-m", "dynamo.sglang"]),
}
GROUPS = {"replicas": 2, "updatedReplicas": 2, "readyReplicas": 2}


def test_an_old_leader_worker_set_with_the_right_numbers_that_does_not_call_itself_available_says_what_is_awaited():
    there = ask(component(NODES)).observed(LeaderWorkerSet={"status": GROUPS})
    answer = ask(component(NODES), observed=there)
    assert answer.condition["status"] == "False"
    assert answer.message.endswith("2 ready, 2 available; it does not say yet that it is up to date")


def test_a_workload_that_is_there_beside_the_one_it_replaces_is_not_called_missing():
    old = observed(status=DONE | {"replicas": 3})
    new = ask(component(NODES)).observed(LeaderWorkerSet={"status": GROUPS | {"observedGeneration": 1}})
    answer = ask(component(NODES), observed=[*old, *(child for child in new if child["kind"] == "LeaderWorkerSet")])
    assert answer.message == "LeaderWorkerSet g-decode-lws: waits for Deployment g-decode to go"


@pytest.mark.parametrize("kind", ["Deployment", "Service"])
def test_a_child_that_is_being_deleted_is_not_ready_however_ready_its_pods_are(kind):
    leaving = {kind: {"metadata": {"deletionTimestamp": "2026-11-30T11:59:00Z"}}}
    there = ask(component(WORKER)).observed(**laid_over({"Deployment": {"status": DONE}}, leaving))
    answer = ask(component(WORKER), observed=there)
    assert answer.condition["status"] == "False"
    assert answer.message == f"{kind} g-decode: is being deleted; it is made anew once it is gone"


@pytest.mark.parametrize("said", [{}, {"status": 5}, {"status": "False", "reason": 3, "message": [{}]}])
def test_a_condition_that_does_not_say_what_it_should_breaks_nothing(said):
    progressing = {"type": "Progressing", **said}
    answer = ask(component(WORKER), observed=observed(status={"observedGeneration": 1, "conditions": [progressing]}))
    assert available(answer)[:2] == ("False", "NotReady")
