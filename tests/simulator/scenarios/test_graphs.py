import pytest

from tests.simulator.scenarios.situations import COMPONENT, GRAPH, IMAGE, graph, service

NEW_IMAGE = "registry.example/runtime:2"


def image(name):
    return {"extraPodSpec": {"mainContainer": {"image": name}}}


@pytest.mark.metacontroller
def test_a_graph_is_created(situation):
    situation.cluster.apply(graph())
    situation.ready()
    assert situation.names("Deployment") == ["chat-frontend", "chat-worker"]
    assert situation.names("Service") == ["chat-frontend", "chat-worker"]
    status = situation.cluster.get(GRAPH, "chat")["status"]
    assert status["state"] == "successful"
    assert status["services"]["Worker"]["readyReplicas"] == 1
    assert not situation.errors()
    situation.at_rest()


@pytest.mark.metacontroller
@pytest.mark.parametrize("replicas", [0, 3])
def test_a_service_is_scaled(situation, replicas):
    situation.cluster.apply(graph())
    situation.ready()
    situation.edit_service("Worker", replicas=replicas)
    assert not situation.is_ready()
    situation.ready()
    assert situation.cluster.get(GRAPH, "chat")["status"]["services"]["Worker"].get("replicas", 0) == replicas
    situation.at_rest()


@pytest.mark.metacontroller
def test_an_image_is_rolled_out(situation):
    situation.cluster.apply(graph())
    situation.ready()
    situation.edit_service("Worker", **image(NEW_IMAGE))
    situation.ready()
    assert situation.images() == {NEW_IMAGE}
    assert situation.images("chat-frontend") == {IMAGE}
    situation.at_rest()


@pytest.mark.metacontroller
def test_an_image_that_never_comes_keeps_the_old_pods_and_is_named_until_it_is_corrected(situation):
    situation.cluster.world.spoil(NEW_IMAGE)
    situation.cluster.apply(graph())
    situation.ready()
    situation.edit_service("Worker", **image(NEW_IMAGE))
    situation.cluster.settle()
    assert IMAGE in situation.images()
    assert not situation.is_ready()
    assert "chat-worker" in situation.message()
    assert "ProgressDeadlineExceeded" in situation.message()
    assert "chat-frontend" not in situation.message()
    situation.at_rest()
    situation.edit_service("Worker", **image(IMAGE))
    situation.ready()
    situation.at_rest()


@pytest.mark.metacontroller
def test_an_invalid_edit_changes_nothing_that_runs_and_is_corrected(situation):
    situation.cluster.apply(graph())
    situation.ready()
    before = situation.cluster.snapshot("Deployment", "Service")
    situation.edit_service("Worker", ingress={"enabled": True})
    situation.cluster.settle()
    assert situation.cluster.get(GRAPH, "chat")["status"]["state"] == "failed"
    assert "ingress" in situation.message()
    assert situation.cluster.snapshot("Deployment", "Service") == before
    situation.at_rest()
    situation.edit_service("Worker", ingress={"enabled": False})
    situation.ready()
    situation.at_rest()


@pytest.mark.metacontroller
def test_a_service_is_removed(situation):
    situation.cluster.apply(graph())
    situation.ready()
    situation.may_go |= {"chat-worker"}
    situation.cluster.edit(GRAPH, "chat", lambda item: item["spec"]["services"].pop("Worker"))
    situation.ready()
    situation.cluster.settle()
    assert situation.names(COMPONENT) == situation.names("Deployment") == ["chat-frontend"]
    assert list(situation.cluster.get(GRAPH, "chat")["status"]["services"]) == ["Frontend"]
    situation.at_rest()


@pytest.mark.metacontroller
def test_a_graph_is_deleted(situation):
    situation.cluster.apply(graph(pvcs=[claim()]))
    situation.ready()
    situation.may_go |= {"chat-frontend", "chat-worker"}
    situation.cluster.delete(GRAPH, "chat")
    situation.cluster.settle()
    for kind in (COMPONENT, "Deployment", "Service", "Pod", "ReplicaSet", "PersistentVolumeClaim"):
        assert situation.names(kind) == []
    situation.at_rest()


def claim(name="models"):
    return {"name": name, "create": True, "size": "1Gi", "storageClass": "fast", "volumeAccessMode": "ReadWriteOnce"}


@pytest.mark.metacontroller
def test_an_autoscaler_scales_up_and_down(situation):
    scaling = {"enabled": True, "minReplicas": 1, "maxReplicas": 4}
    situation.cluster.apply(graph(services={"Worker": service(autoscaling=scaling)}))
    situation.ready()
    for wanted in (4, 2):
        situation.cluster.world.want("chat-worker", wanted)
        situation.cluster.settle()
        assert situation.cluster.get("Deployment", "chat-worker")["spec"]["replicas"] == wanted
        assert situation.is_ready()
    situation.at_rest()
    situation.edit_service("Worker", autoscaling=scaling, **image(NEW_IMAGE))
    situation.ready()
    assert situation.cluster.get("Deployment", "chat-worker")["spec"]["replicas"] == 2
    situation.at_rest()


@pytest.mark.metacontroller
def test_an_object_of_the_users_is_left_alone_and_named_until_it_goes(situation):
    ours = {"spec": {"ports": [{"port": 80}], "selector": {"app": "mine"}}}
    theirs = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "chat-worker", "namespace": "default"},
        **ours,
    }
    situation.cluster.apply(theirs)
    situation.cluster.apply(graph())
    situation.cluster.settle()
    assert situation.cluster.get("Service", "chat-worker")["spec"]["selector"] == {"app": "mine"}
    condition = situation.condition("chat-worker", COMPONENT, "Available")
    assert (condition["status"], condition["reason"]) == ("False", "NameConflict")
    assert "chat-worker" in situation.message()
    assert situation.names("Deployment") == ["chat-frontend", "chat-worker"]
    situation.at_rest()
    situation.cluster.delete("Service", "chat-worker")
    situation.ready()
    situation.at_rest()


@pytest.mark.metacontroller
def test_a_claim_that_appears_late_is_waited_for(situation):
    mounts = [{"name": "models", "mountPoint": "/models"}]
    services = {"Frontend": service("frontend"), "Worker": service(volumeMounts=mounts)}
    situation.cluster.apply(graph(services=services, pvcs=[{"name": "models", "create": False}]))
    situation.cluster.settle()
    assert situation.cluster.get(GRAPH, "chat")["status"]["state"] == "pending"
    assert "models" in situation.message()
    assert situation.names("Deployment") == ["chat-frontend"]
    situation.at_rest()
    made = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": "models", "namespace": "default"}
    situation.cluster.apply({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": made})
    situation.ready()
    situation.at_rest()


@pytest.mark.parametrize("status", [None, 500], ids=["away", "answer 500"])
def test_hooks_that_fail_for_a_while_lose_nothing(situation, status):
    situation.cluster.apply(graph())
    situation.ready()
    before = situation.cluster.snapshot("Deployment", "Service", "Pod")
    situation.cluster.hooks.fail(600, status)
    situation.edit_service("Worker", replicas=2)
    situation.cluster.run_for(300)
    assert situation.cluster.snapshot("Deployment", "Service", "Pod") == before
    assert situation.errors()
    situation.ready()
    situation.at_rest()


@pytest.mark.parametrize("away", [0, 700])
def test_a_metacontroller_that_restarts_goes_on_where_it_was(situation, away):
    situation.cluster.apply(graph())
    situation.cluster.run_for(2)
    situation.cluster.restart_metacontroller(away)
    situation.ready()
    situation.at_rest()
    situation.cluster.restart_metacontroller(away)
    before = len(situation.cluster.writes)
    situation.cluster.run_for(away + 100)
    assert len(situation.cluster.writes) == before


@pytest.mark.metacontroller
def test_what_changed_while_metacontroller_was_away_is_made_good(situation):
    situation.cluster.apply(graph())
    situation.ready()
    situation.cluster.restart_metacontroller(away=60)
    situation.edit_service("Worker", **image(NEW_IMAGE))
    situation.may_go |= {"chat-frontend"}
    situation.cluster.delete("Deployment", "chat-frontend")
    situation.cluster.run_for(30)
    situation.ready()
    assert situation.images() == {NEW_IMAGE}
    situation.at_rest()


@pytest.mark.metacontroller
def test_two_graphs_at_once_do_not_get_into_each_others_way(situation):
    situation.cluster.apply(graph("a"), graph("b"))
    situation.ready("a")
    situation.ready("b")
    situation.edit_service("Worker", "a", **image(NEW_IMAGE))
    situation.may_go |= {"b-frontend", "b-worker"}
    situation.cluster.delete(GRAPH, "b")
    situation.ready("a")
    situation.cluster.settle()
    assert situation.names("Deployment") == ["a-frontend", "a-worker"]
    assert situation.images("a-worker") == {NEW_IMAGE}
    situation.at_rest()


@pytest.mark.metacontroller
def test_two_graphs_whose_components_meet_in_one_name_are_told_apart(situation):
    """`a` with service `b-c`, and `a-b` with service `c`, both make `a-b-c`."""
    situation.cluster.apply(graph("a", {"b-c": service()}))
    situation.ready("a")
    situation.cluster.apply(graph("a-b", {"c": service(image=NEW_IMAGE)}))
    situation.cluster.settle()
    assert situation.is_ready("a")
    assert situation.images("a-b-c") == {IMAGE}
    assert "a-b-c" in situation.message("a-b")
    situation.at_rest()
