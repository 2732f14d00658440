import pytest

from hooks.simulator.workloads import PodFault
from tests.simulator.workloads.below import deployment

READY = {"replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3}


def numbers(status):
    return {key: value for key, value in status.items() if key.endswith("eplicas")}


def test_a_deployment_makes_pods_that_become_ready(below):
    below.apply(deployment())
    below.run_for(1)
    assert numbers(below.status("Deployment", "d")) == {"replicas": 3, "updatedReplicas": 3, "unavailableReplicas": 3}
    assert below.condition("Deployment", "d", "Available") == "False"
    below.settle()
    assert numbers(below.status("Deployment", "d")) == READY
    assert below.reason("Deployment", "d", "Progressing") == "NewReplicaSetAvailable"
    assert below.status("Deployment", "d")["observedGeneration"] == 1


@pytest.mark.parametrize("replicas", [0, 1, 5])
def test_it_is_scaled_up_and_down(below, replicas):
    below.apply(deployment())
    below.settle()
    below.edit("Deployment", "d", lambda item: item["spec"].update(replicas=replicas))
    below.settle()
    assert len(below.pods()) == replicas
    assert below.status("Deployment", "d").get("readyReplicas", 0) == replicas
    assert below.condition("Deployment", "d", "Available") == "True"


def rolled_out(below, **strategy):
    """The most pods that were wanted and the fewest available ones while a template was replaced."""
    below.apply(deployment(replicas=4, strategy=strategy) if strategy else deployment(replicas=4))
    below.settle()
    most, fewest = [], []

    def count(*_):
        status = below.find("Deployment", "d").get("status", {})
        most.append(sum(one["spec"]["replicas"] for one in below.store.list("ReplicaSet")))
        fewest.append(status.get("availableReplicas", 0))

    below.store.watch(count)
    below.edit("Deployment", "d", lambda item: item["spec"]["template"]["spec"]["containers"][0].update(image="i:2"))
    below.settle()
    assert {pod["spec"]["containers"][0]["image"] for pod in below.pods()} == {"i:2"}
    assert below.status("Deployment", "d")["updatedReplicas"] == 4
    return max(most), min(fewest)


@pytest.mark.parametrize(
    ("strategy", "most", "fewest"),
    [
        ({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}, 5, 3),
        ({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}, 5, 4),
        ({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "20%"}}, 4, 3),
        ({"type": "Recreate"}, 4, 0),
    ],
)
def test_a_roll_out_keeps_within_its_bounds(below, strategy, most, fewest):
    found = rolled_out(below, **strategy)
    assert found[0] <= most
    assert found[1] >= fewest


def test_an_image_that_cannot_be_pulled_keeps_the_old_pods_until_the_deadline_and_after(below):
    below.apply(deployment(progressDeadlineSeconds=60))
    below.settle()
    below.world.spoil("i:2")
    below.edit("Deployment", "d", lambda item: item["spec"]["template"]["spec"]["containers"][0].update(image="i:2"))
    below.run_for(30)
    assert below.reason("Deployment", "d", "Progressing") == "ReplicaSetUpdated"
    below.settle()
    assert below.reason("Deployment", "d", "Progressing") == "ProgressDeadlineExceeded"
    assert below.status("Deployment", "d")["availableReplicas"] >= 3
    waiting = [pod["status"]["containerStatuses"][0]["state"].get("waiting", {}) for pod in below.pods()]
    assert "ImagePullBackOff" in [state.get("reason") for state in waiting]
    below.edit("Deployment", "d", lambda item: item["spec"]["template"]["spec"]["containers"][0].update(image="i:3"))
    below.settle()
    assert below.reason("Deployment", "d", "Progressing") == "NewReplicaSetAvailable"
    assert {pod["spec"]["containers"][0]["image"] for pod in below.pods()} == {"i:3"}


@pytest.mark.parametrize(
    ("fault", "said"), [(PodFault.QUOTA, "exceeded quota"), (PodFault.ADMISSION, "admission webhook")]
)
def test_pods_that_are_refused_show_up_as_replica_failure(below, fault, said):
    below.world.fail("Deployment/d", fault)
    below.apply(deployment())
    below.run_for(30)
    assert below.pods() == []
    failure = below.get("Deployment", "d")["status"]["conditions"][-1]
    assert (failure["type"], failure["reason"]) == ("ReplicaFailure", "FailedCreate")
    assert said in failure["message"]
    below.world.heal("Deployment/d")
    below.settle()
    assert below.condition("Deployment", "d", "ReplicaFailure") == "Unknown"
    assert len(below.pods()) == 3


@pytest.mark.parametrize(
    ("fault", "phase"),
    [
        (PodFault.CRASH, "Running"),
        (PodFault.CONFIG, "Pending"),
        (PodFault.UNSCHEDULABLE, "Pending"),
        (PodFault.NOT_READY, "Running"),
    ],
)
def test_pods_that_never_become_ready(below, fault, phase):
    below.world.fail("Deployment/d", fault)
    below.apply(deployment(replicas=1))
    below.settle()
    assert below.pods()[0]["status"]["phase"] == phase
    assert "readyReplicas" not in below.status("Deployment", "d")
    below.world.heal("Deployment/d")
    below.settle()
    assert below.status("Deployment", "d")["readyReplicas"] == 1


def test_a_pod_waits_for_its_claim(below):
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
    below.apply(deployment(replicas=1, pod={"volumes": volumes}))
    below.settle()
    assert below.pods()[0]["status"]["conditions"][0]["reason"] == "Unschedulable"
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    below.apply({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": claim})
    below.settle()
    assert below.status("Deployment", "d")["readyReplicas"] == 1
    assert below.status("PersistentVolumeClaim", "c")["phase"] == "Bound"


def test_a_service_account_has_to_be_there(below):
    below.apply(deployment(replicas=1, pod={"serviceAccountName": "robot"}))
    below.run_for(30)
    assert below.pods() == []
    assert 'serviceaccount "robot" not found' in below.get("Deployment", "d")["status"]["conditions"][-1]["message"]
    below.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}})
    below.settle()
    assert len(below.pods()) == 1


def test_pods_go_with_their_deployment(below):
    below.apply(deployment())
    below.settle()
    below.delete("Deployment", "d")
    below.settle()
    assert below.pods() == []
    assert below.store.list("ReplicaSet") == []


def test_a_deleted_pod_is_replaced(below):
    below.apply(deployment(replicas=1))
    below.settle()
    name = below.pods()[0]["metadata"]["name"]
    below.delete("Pod", name)
    below.settle()
    assert len(below.pods()) == 1
    assert below.pods()[0]["metadata"]["name"] != name


def test_a_restarted_container_is_not_ready_for_a_while(below):
    below.apply(deployment(replicas=1))
    below.settle()
    below.kubelet.restart(below.pods()[0]["metadata"]["name"])
    below.run_for(1)
    assert "readyReplicas" not in below.status("Deployment", "d")
    below.settle()
    assert below.status("Deployment", "d")["readyReplicas"] == 1
    assert below.pods()[0]["status"]["containerStatuses"][0]["restartCount"] == 1


def test_a_deployment_at_rest_is_written_by_nobody(below):
    below.apply(deployment())
    below.settle()
    before = len(below.writes)
    below.run_for(3600)
    assert len(below.writes) == before
