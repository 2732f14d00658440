"""Graphs of requests in another namespace: with its consent alone, made once, and then nobody's but their users'."""

import pytest
import yaml

from tests.simulator.scenarios.situations import GRAPH, service

REQUEST = "DynamoGraphDeploymentRequest"
ANNOTATION = "nvidia.com/allow-deployments-from"
GENERATED = {
    "apiVersion": "nvidia.com/v1alpha1",
    "kind": GRAPH,
    "metadata": {"name": "llm", "namespace": "victim"},
    "spec": {"services": {"Frontend": service("frontend")}},
}


@pytest.fixture
def cluster(start_cluster):
    return start_cluster(namespaces=["evil", "victim"])


def requested(**metadata):
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": REQUEST,
        "metadata": {"name": "r", "namespace": "evil", **metadata},
        "spec": {
            "model": "m",
            "backend": "vllm",
            "autoApply": True,
            "deploymentOverrides": {"name": "llm", "namespace": "victim"},
            "profilingConfig": {"profilerImage": "registry.example/profiler:1", "config": {}},
        },
    }


def output(cluster):
    """What the profiler of the request puts out; anybody may write it by hand, too."""
    profile = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "planner-profile-data"},
        "data": {"a": "1"},
    }
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "dgdr-output-r",
            "namespace": "evil",
            "labels": {"dgdr.nvidia.com/name": "r", "dgdr.nvidia.com/target-namespace": "victim"},
            "annotations": {"dgdr.nvidia.com/uid": cluster.get(REQUEST, "r", "evil")["metadata"]["uid"]},
        },
        "data": {"config_with_planner.yaml": yaml.safe_dump_all([profile, GENERATED])},
    }


def consent(cluster, value):
    def annotate(item):
        item["metadata"]["annotations"] = {ANNOTATION: value} if value else {}

    cluster.edit("Namespace", "victim", annotate, "")


def in_victim(cluster):
    kinds = (GRAPH, "ConfigMap", "DynamoComponentDeployment", "Deployment", "Job", "Secret", "Service")
    return [(kind, item["metadata"]["name"]) for kind in kinds for item in cluster.store.list(kind, "victim")]


def forge(cluster, **status):
    item = cluster.get(REQUEST, "r", "evil")
    item["status"] = {"state": "Deploying", "generatedDeployment": GENERATED, **status}
    with cluster.store.acting("evil"):
        cluster.store.update_status(item)


@pytest.mark.parametrize("allowed", ["", "others", "evil-too,vil"])
def test_without_consent_nothing_appears_whatever_somebody_writes_by_hand(cluster, allowed):
    consent(cluster, allowed)
    cluster.settle()
    cluster.apply(requested(labels={"dgdr.nvidia.com/target-namespace": "victim"}))
    forge(cluster)
    cluster.apply(output(cluster))
    cluster.settle()
    forge(cluster, deployment={"name": "llm", "namespace": "victim", "created": False})
    cluster.settle()
    assert in_victim(cluster) == []
    said = cluster.get(REQUEST, "r", "evil")["status"]["conditions"]
    assert "NamespaceNotAllowed" in {condition["reason"] for condition in said}
    assert any(f"kubectl annotate --overwrite namespace victim {ANNOTATION}=" in entry["message"] for entry in said)


def made(cluster):
    """A graph that was made with consent."""
    consent(cluster, "evil")
    cluster.apply(requested())
    cluster.run_until(lambda: cluster.store.list("Job", "evil"))
    cluster.apply(output(cluster))
    cluster.run_until(lambda: cluster.condition(GRAPH, "llm", "Ready", "victim") == "True")
    cluster.settle()


def test_with_consent_it_is_made_and_survives_request_and_edits(cluster):
    made(cluster)
    assert cluster.get(REQUEST, "r", "evil")["status"]["state"] == "Ready"
    assert ("ConfigMap", "llm-planner-profile-data") in in_victim(cluster)
    cluster.check_fixed_point()
    cluster.edit(GRAPH, "llm", lambda item: item["spec"]["services"]["Frontend"].update(replicas=3), "victim")
    cluster.settle()
    consent(cluster, "")
    cluster.delete(REQUEST, "r", "evil")
    cluster.settle()
    assert cluster.get(GRAPH, "llm", "victim")["spec"]["services"]["Frontend"]["replicas"] == 3
    assert cluster.get("Deployment", "llm-frontend", "victim")["status"]["readyReplicas"] == 3
    assert ("ConfigMap", "llm-planner-profile-data") in in_victim(cluster)
    cluster.check_fixed_point()
    cluster.delete(GRAPH, "llm", "victim")
    cluster.settle()
    assert in_victim(cluster) == []
    cluster.check_fixed_point()


def test_one_that_a_user_deleted_does_not_come_back(cluster):
    made(cluster)
    cluster.delete(GRAPH, "llm", "victim")
    cluster.settle()
    assert cluster.find(GRAPH, "llm", "victim") is None
    assert cluster.get(REQUEST, "r", "evil")["status"]["state"] == "DeploymentDeleted"
    cluster.restart_metacontroller(away=30)
    cluster.settle()
    forge(cluster, deployment={"created": True}, state="Ready")
    cluster.settle()
    assert cluster.find(GRAPH, "llm", "victim") is None
    cluster.check_fixed_point()


def test_a_profile_that_a_user_deleted_comes_back_while_the_request_is_there(cluster):
    made(cluster)
    cluster.delete("ConfigMap", "llm-planner-profile-data", "victim")
    cluster.settle()
    assert ("ConfigMap", "llm-planner-profile-data") in in_victim(cluster)
    cluster.check_fixed_point()
