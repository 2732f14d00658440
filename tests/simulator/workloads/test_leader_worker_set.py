import pytest

from hooks.simulator.workloads import PodFault
from tests.simulator.workloads.below import template


def leader_worker_set(replicas=2, size=3, image="i:1"):
    role = {"leaderTemplate": template(image), "workerTemplate": template(image), "size": size}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "l"},
        "spec": {"replicas": replicas, "leaderWorkerTemplate": role},
    }


def status(below):
    return below.status("LeaderWorkerSet", "l")


def true_conditions(below):
    return [entry["type"] for entry in status(below)["conditions"] if entry["status"] == "True"]


def test_groups_of_pods_are_made_and_become_ready(below):
    below.apply(leader_worker_set())
    below.run_for(1)
    assert true_conditions(below) == ["Progressing"]
    below.settle()
    assert [pod["metadata"]["name"] for pod in below.pods()] == ["l-0", "l-0-1", "l-0-2", "l-1", "l-1-1", "l-1-2"]
    assert status(below) | {"conditions": 0} == {
        "replicas": 2,
        "readyReplicas": 2,
        "updatedReplicas": 2,
        "observedGeneration": 1,
        "hpaPodSelector": "leaderworkerset.sigs.k8s.io/name=l,leaderworkerset.sigs.k8s.io/worker-index=0",
        "conditions": 0,
    }
    assert true_conditions(below) == ["Available"]
    assert below.find("Service", "l") is not None


@pytest.mark.parametrize("replicas", [0, 1, 4])
def test_it_is_scaled_by_groups(below, replicas):
    below.apply(leader_worker_set())
    below.settle()
    below.edit("LeaderWorkerSet", "l", lambda item: item["spec"].update(replicas=replicas))
    below.settle()
    assert len(below.pods()) == 3 * replicas
    assert status(below).get("readyReplicas", 0) == replicas


def test_a_roll_out_takes_one_group_at_a_time_from_the_last(below):
    below.apply(leader_worker_set())
    below.settle()
    below.apply(leader_worker_set(image="i:2"))
    below.run_for(1)
    assert {pod["metadata"]["name"] for pod in below.pods() if image(pod) == "i:2"} == {"l-1", "l-1-1", "l-1-2"}
    assert "UpdateInProgress" in true_conditions(below)
    assert status(below)["readyReplicas"] == 1
    below.settle()
    assert {image(pod) for pod in below.pods()} == {"i:2"}
    assert true_conditions(below) == ["Available"]


def image(pod):
    return pod["spec"]["containers"][0]["image"]


def test_a_restarted_container_takes_its_whole_group_along(below):
    below.apply(leader_worker_set())
    below.settle()
    before = {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in below.pods()}
    below.kubelet.restart("l-1-2")
    below.settle()
    after = {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in below.pods()}
    assert {name for name in after if after[name] == before[name]} == {"l-0", "l-0-1", "l-0-2"}
    assert true_conditions(below) == ["Available"]


def test_one_pod_that_is_not_ready_keeps_its_group_from_being(below):
    below.world.fail("Pod/l-0-1", PodFault.IMAGE_PULL)
    below.apply(leader_worker_set())
    below.settle()
    assert status(below)["readyReplicas"] == 1
    assert true_conditions(below) == ["Progressing"]


@pytest.mark.parametrize("fault", [PodFault.QUOTA, PodFault.ADMISSION])
def test_groups_whose_pods_are_refused_never_become_ready_and_an_event_says_why(below, fault):
    below.world.fail("LeaderWorkerSet/l", fault)
    below.apply(leader_worker_set(replicas=1))
    below.settle()
    assert below.pods() == []
    assert true_conditions(below) == ["Progressing"]
    (event,) = [event for event in below.events if event.reason == "FailedCreate"]
    assert event.message == f'create Pod l-0 in StatefulSet l failed error: pods "l-0" is forbidden: {fault.refusal}'
    below.world.heal("LeaderWorkerSet/l")
    below.settle()
    assert true_conditions(below) == ["Available"]


def test_one_pod_that_is_refused_keeps_its_group_alone_from_being_ready(below):
    below.world.fail("Pod/l-0-1", PodFault.QUOTA)
    below.apply(leader_worker_set())
    below.settle()
    assert status(below)["readyReplicas"] == 1
