"""What becomes of running models when the hooks are upgraded, uninstalled, or take over from another operator."""

import json

import pytest

from hooks.settings import Settings
from hooks.simulator.installation import our_installation
from tests.simulator.scenarios.situations import COMPONENT, GRAPH, graph, service

METACONTROLLERS = ("metacontroller.k8s.io/last-applied-configuration", "nvidia.com/desired-hash")
TAKEN = [(COMPONENT, "chat-frontend"), (COMPONENT, "chat-worker")]
BELOW = [("Deployment", "chat-frontend"), ("Deployment", "chat-worker"), ("Service", "chat-frontend")]
BELOW += [("Service", "chat-worker")]


def install(cluster, settings=None):
    """What `helm upgrade` does: other hooks, and controllers that start anew since their webhooks' URLs changed."""
    made = our_installation(settings or Settings(), ["LeaderWorkerSet"], cluster.adapter_workers)
    cluster.hooks = type(cluster.hooks)(made.application(cluster.clock), cluster.clock)
    cluster._controllers = made.controllers
    cluster.restart_metacontroller(away=3)


def uninstall(cluster):
    """What `helm uninstall` does: the controllers are gone."""
    cluster._controllers = ()
    cluster.restart_metacontroller()
    cluster.run_for(1)


def running(cluster):
    """What restarts nobody may see: pods by their uids, and how often each workload was changed."""
    pods = {pod["metadata"]["uid"] for pod in cluster.store.list("Pod")}
    workloads = {(item["metadata"]["uid"], item["metadata"]["generation"]) for item in cluster.store.list("Deployment")}
    return pods, workloads


@pytest.fixture
def serving(situation):
    situation.cluster.apply(graph())
    situation.ready()
    situation.cluster.settle()
    return situation


def test_an_upgrade_touches_no_workload(serving):
    before, writes = running(serving.cluster), len(serving.cluster.writes)
    install(serving.cluster)
    serving.cluster.run_for(30)
    serving.cluster.settle()
    assert serving.is_ready()
    assert running(serving.cluster) == before
    assert serving.cluster.writes[writes:] == []
    serving.at_rest()


def test_a_setting_that_changes_what_pods_get_reaches_all_graphs_without_an_event_of_theirs(serving):
    before, _ = running(serving.cluster)
    install(serving.cluster, Settings.model_validate({"natsAddress": "nats://elsewhere:4222"}))
    serving.cluster.run_for(60)
    serving.ready()
    serving.cluster.settle()
    for name in ("chat-frontend", "chat-worker"):
        template = serving.cluster.get("Deployment", name)["spec"]["template"]
        assert "nats://elsewhere:4222" in json.dumps(template)
    assert not running(serving.cluster)[0] & before
    serving.at_rest()


def test_uninstalling_touches_nothing_and_installing_again_neither(serving):
    before, snapshot = running(serving.cluster), serving.cluster.snapshot()
    uninstall(serving.cluster)
    serving.cluster.run_for(3600)
    assert serving.cluster.snapshot() == snapshot
    install(serving.cluster)
    serving.cluster.run_for(30)
    serving.cluster.settle()
    assert running(serving.cluster) == before
    assert serving.is_ready()
    serving.at_rest()


def test_what_users_delete_while_nothing_is_installed_goes(serving):
    uninstall(serving.cluster)
    serving.may_go |= {"chat-frontend", "chat-worker"}
    serving.cluster.delete(GRAPH, "chat")
    serving.cluster.settle()
    assert [serving.names(kind) for kind in (COMPONENT, "Deployment", "Pod")] == [[], [], []]


MODEL = {
    "apiVersion": "nvidia.com/v1alpha1",
    "kind": "DynamoModel",
    "metadata": {"name": "adapter"},
    "spec": {"modelName": "acme/lora", "baseModelName": "acme/base", "modelType": "base"},
}


def test_models_go_before_the_hooks_do_and_one_left_behind_is_freed_by_hand(serving):
    cluster = serving.cluster
    cluster.apply(MODEL)
    cluster.settle()
    cluster.delete("DynamoModel", "adapter")
    cluster.settle()
    assert serving.names("DynamoModel") == []
    cluster.apply(MODEL)
    cluster.settle()
    uninstall(cluster)
    cluster.delete("DynamoModel", "adapter")
    cluster.run_for(3600)
    assert serving.names("DynamoModel") == ["adapter"]
    cluster.edit("DynamoModel", "adapter", lambda item: item["metadata"].pop("finalizers"))
    cluster.settle()
    assert serving.names("DynamoModel") == []
    assert [serving.names(kind) for kind in (GRAPH, COMPONENT)] == [["chat"], ["chat-frontend", "chat-worker"]]


# Moving over


def made_by_another_operator(situation):
    """The graph's objects as another operator left them: owned by the same custom resources, with labels of its own."""
    uninstall(situation.cluster)

    def change(item):
        metadata = item["metadata"]
        metadata["labels"].pop("controller-uid")
        metadata["labels"]["app.kubernetes.io/managed-by"] = "dynamo-operator"
        for key in METACONTROLLERS:
            metadata.get("annotations", {}).pop(key, None)

    for kind, name in [*TAKEN, *BELOW]:
        situation.cluster.edit(kind, name, change)
    situation.cluster.settle()


def hand_over(cluster, objects):
    """`kubectl label … controller-uid=<uid of its owner>`."""
    for kind, name in objects:
        owner = cluster.get(*owner_of(kind, name))

        def change(item, uid=owner["metadata"]["uid"]):
            item["metadata"]["labels"]["controller-uid"] = uid

        cluster.edit(kind, name, change)


def owner_of(kind, name):
    return (GRAPH, "chat") if kind == COMPONENT else (COMPONENT, name)


def test_objects_of_another_operator_are_reported_and_left_alone(serving):
    made_by_another_operator(serving)
    before = running(serving.cluster)
    install(serving.cluster)
    serving.cluster.run_for(60)
    serving.cluster.settle()
    assert running(serving.cluster) == before
    condition = serving.condition()
    assert (condition["status"], condition["reason"]) == ("False", "NameConflict")
    for name in ("chat-frontend", "chat-worker"):
        assert f"{COMPONENT} {name} exists already" in condition["message"]
    uid = serving.cluster.get(GRAPH, "chat")["metadata"]["uid"]
    assert f"chat-worker controller-uid={uid}" in condition["message"]
    serving.at_rest()


@pytest.mark.parametrize("first", ["labelled before", "labelled after"])
def test_the_label_hands_them_over_and_no_pod_restarts(serving, first):
    made_by_another_operator(serving)
    before, _ = running(serving.cluster)
    if first == "labelled before":
        hand_over(serving.cluster, [*TAKEN, *BELOW])
        install(serving.cluster)
    else:
        install(serving.cluster)
        serving.cluster.run_for(60)
        serving.cluster.settle()
        hand_over(serving.cluster, [*TAKEN, *BELOW])
    serving.cluster.run_for(60)
    serving.ready()
    serving.cluster.settle()
    assert running(serving.cluster)[0] == before
    for kind, name in [*TAKEN, *BELOW]:
        metadata = serving.cluster.get(kind, name)["metadata"]
        assert [owner["name"] for owner in metadata["ownerReferences"]] == [owner_of(kind, name)[1]]
    serving.edit_service("Worker", **service(image="registry.example/runtime:2"))
    serving.ready()
    assert serving.images() == {"registry.example/runtime:2"}
    serving.at_rest()
