"""What becomes of running models when the hooks are upgraded or uninstalled."""

import json

import pytest

from hooks.settings import Settings
from hooks.simulator.installation import our_installation
from tests.simulator.scenarios.situations import COMPONENT, GRAPH, graph


def install(cluster, settings=None):
    """Other hooks, and controllers that start anew, as they do where their webhooks' URLs change."""
    cluster.uninstall()
    cluster.install(our_installation(settings or Settings(), ["LeaderWorkerSet"], cluster.adapter_workers))


def uninstall(cluster):
    cluster.uninstall()
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
