"""Two installations in one cluster: each looks after its own namespaces, and never touches what is the other's."""

import pytest

from tests.simulator.scenarios.shared_cluster import shared_cluster
from tests.simulator.scenarios.situations import GRAPH, graph, service

LABEL = "nvidia.com/dynamo-installation"
QWEN_SERVICE = "dynamo-model-fb68f5a6"


@pytest.fixture
def cluster(start_cluster):
    made = shared_cluster(a=["alpha", "common"], b=["beta"])
    return start_cluster(namespaces=["alpha", "beta", "common", "nobodys"], installation=made)


def chat(namespace, **metadata):
    services = {"Worker": service(modelRef={"name": "Qwen/Qwen3-0.6B"})}
    return graph("chat", services) | {"metadata": {"name": "chat", "namespace": namespace, **metadata}}


def writers(cluster, namespace):
    """The installations that wrote anything in a namespace."""
    found = {write.by for write in cluster.writes if namespace in (write.namespace, write.name) and write.by}
    return {name.rpartition("-")[2] for name in found if name.startswith("metacontroller/")}


def test_each_looks_after_its_own_namespaces(cluster):
    cluster.apply(*map(chat, ("alpha", "beta", "common", "nobodys")))
    cluster.settle()
    for namespace, name in (("alpha", "a"), ("beta", "b"), ("common", "a")):
        assert cluster.get(GRAPH, "chat", namespace)["metadata"]["labels"][LABEL] == name
        assert cluster.condition(GRAPH, "chat", "Ready", namespace) == "True"
        assert cluster.find("Service", QWEN_SERVICE, namespace) is not None
        assert cluster.find("ServiceAccount", "planner-serviceaccount", namespace) is not None
        assert writers(cluster, namespace) == {name}
    cluster.check_fixed_point()


def test_a_namespace_of_neither_is_left_alone(cluster):
    cluster.settle()
    before = cluster.snapshot()
    made = cluster.apply(chat("nobodys"))[0]
    cluster.settle()
    assert cluster.get(GRAPH, "chat", "nobodys") == made
    assert writers(cluster, "nobodys") == set()
    cluster.delete(GRAPH, "chat", "nobodys")
    cluster.settle()
    assert cluster.snapshot() == before


def test_components_that_stand_alone_requests_and_models_are_told_apart_as_graphs_are(cluster):
    alone = {"kind": "DynamoComponentDeployment", "spec": service()}
    request = {
        "kind": "DynamoGraphDeploymentRequest",
        "spec": {"model": "m", "backend": "vllm", "profilingConfig": {"profilerImage": "registry.example/profiler:1"}},
    }
    model = {"kind": "DynamoModel", "spec": {"modelName": "m", "baseModelName": "m"}}
    for namespace in ("alpha", "beta", "nobodys"):
        metadata = {"metadata": {"name": "one", "namespace": namespace}}
        cluster.apply(*({"apiVersion": "nvidia.com/v1alpha1"} | item | metadata for item in (alone, request, model)))
    cluster.run_for(600)
    for kind in (alone["kind"], request["kind"], model["kind"]):
        claimed = [
            (cluster.get(kind, "one", namespace)["metadata"].get("labels") or {}).get(LABEL)
            for namespace in ("alpha", "beta", "nobodys")
        ]
        assert claimed == ["a", "b", None]
    for namespace, name in (("alpha", "a"), ("beta", "b")):
        assert writers(cluster, namespace) == {name}
        assert cluster.find("ServiceAccount", "dgdr-profiling-job", namespace) is not None


def test_a_label_that_somebody_took_off_or_wrote_himself_comes_right(cluster):
    cluster.apply(chat("alpha"), chat("beta", labels={LABEL: "a"}))
    cluster.settle()
    assert cluster.get(GRAPH, "chat", "beta")["metadata"]["labels"][LABEL] == "a", "what is claimed is not fought over"
    cluster.edit(GRAPH, "chat", lambda item: item["metadata"]["labels"].pop(LABEL), "alpha")
    cluster.settle()
    assert cluster.get(GRAPH, "chat", "alpha")["metadata"]["labels"][LABEL] == "a"
    assert cluster.condition(GRAPH, "chat", "Ready", "alpha") == "True"
    cluster.check_fixed_point()


def test_rights_on_nodes_are_given_to_nobody(cluster):
    request = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeploymentRequest",
        "metadata": {"name": "one", "namespace": "alpha"},
        "spec": {
            "model": "m",
            "backend": "vllm",
            "enableGpuDiscovery": True,
            "profilingConfig": {"profilerImage": "registry.example/profiler:1"},
        },
    }
    cluster.apply(request)
    cluster.run_for(600)
    assert cluster.store.list("ClusterRoleBinding") == []
    status = cluster.get("DynamoGraphDeploymentRequest", "one", "alpha")["status"]
    assert status["state"] == "Failed"
    assert "enableGpuDiscovery" in status["conditions"][0]["message"]
    assert cluster.store.list("Job") == []
