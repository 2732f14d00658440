"""A model's endpoints come and go with the pods of its components, and its LoRA adapter is loaded on each of them."""

import pytest

from hooks.adapters import Outcome
from tests.simulator.scenarios.situations import GRAPH, graph, service

MODEL = "DynamoModel"
BASE = "Qwen/Qwen3-0.6B"
WORKER = service(componentType="worker", replicas=2, modelRef={"name": BASE})


def model(name="adapter", **spec):
    lora = {"modelType": "lora", "source": {"uri": "s3://bucket/lora"}}
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": MODEL,
        "metadata": {"name": name},
        "spec": {"modelName": "acme/lora", "baseModelName": BASE, **lora, **spec},
    }


@pytest.fixture
def cluster(start_cluster):
    return start_cluster()


def ready(cluster, count, name="adapter"):
    def holds():
        status = cluster.get(MODEL, name).get("status", {})
        return status.get("readyEndpoints") == status.get("totalEndpoints") == count

    cluster.run_until(holds)


def scale(cluster, replicas, name="chat"):
    cluster.edit(GRAPH, name, lambda item: item["spec"]["services"]["Worker"].update(replicas=replicas))


def of(cluster, what):
    return sorted(pod for _, pod, done in cluster.adapter_workers.log if done == what)


def test_an_adapter_is_loaded_once_on_each_pod_that_serves_its_base_model(cluster):
    cluster.apply(model())
    cluster.settle()
    assert cluster.condition(MODEL, "adapter", "EndpointsReady") == "False"
    assert cluster.condition(MODEL, "adapter", "ServicesFound") == "False"
    cluster.apply(graph(services={"Worker": WORKER}))
    ready(cluster, 2)
    assert cluster.condition(MODEL, "adapter", "EndpointsReady") == "True"
    assert cluster.condition(MODEL, "adapter", "ServicesFound") == "True"
    scale(cluster, 3)
    ready(cluster, 3)
    loads = of(cluster, "load")
    assert len(loads) == len(set(loads)) == 3
    scale(cluster, 1)
    ready(cluster, 1)
    cluster.settle()
    cluster.check_fixed_point()


def test_pods_that_are_replaced_get_the_adapter_anew(cluster):
    cluster.apply(graph(services={"Worker": WORKER}), model())
    ready(cluster, 2)
    old = {endpoint["podName"] for endpoint in cluster.get(MODEL, "adapter")["status"]["endpoints"]}
    cluster.edit(
        GRAPH,
        "chat",
        lambda item: item["spec"]["services"]["Worker"]["extraPodSpec"]["mainContainer"].update(image="x:2"),
    )

    def replaced():
        status = cluster.get(MODEL, "adapter")["status"]
        names = {endpoint["podName"] for endpoint in status["endpoints"]}
        return not names & old and status["readyEndpoints"] == 2

    cluster.run_until(replaced)
    cluster.settle()
    assert len(of(cluster, "load")) == len(set(of(cluster, "load"))) >= 4
    cluster.check_fixed_point()


def test_a_worker_that_fails_is_tried_again_until_it_works(cluster):
    cluster.apply(graph(services={"Worker": WORKER}), model())
    ready(cluster, 2)
    scale(cluster, 3)
    failing = Outcome(has_adapter=False, result="failed", message="answers 500", settled=False)
    cluster.adapter_workers.failing = _Everywhere(failing)
    cluster.run_for(120)
    status = cluster.get(MODEL, "adapter")["status"]
    assert (status["readyEndpoints"], status["totalEndpoints"]) == (0, 3)
    assert "answers 500" in str(status["conditions"])
    cluster.adapter_workers.failing = {}
    ready(cluster, 3)
    cluster.settle()
    cluster.check_fixed_point()


def test_a_model_is_unloaded_and_goes_even_where_its_workers_are_gone(cluster):
    cluster.apply(graph(services={"Worker": WORKER}), model())
    ready(cluster, 2)
    cluster.delete(MODEL, "adapter")
    cluster.run_until(lambda: cluster.find(MODEL, "adapter") is None)
    assert len(of(cluster, "unload")) == 2
    cluster.apply(model())
    ready(cluster, 2)
    refusing = Outcome(
        has_adapter=False, result="failed", message="cannot be reached: Connection refused", settled=False
    )
    cluster.adapter_workers.failing = _Everywhere(refusing)
    cluster.delete(MODEL, "adapter")
    cluster.run_until(lambda: cluster.find(MODEL, "adapter") is None, within=60)


def test_a_namespace_with_a_model_can_be_deleted(cluster):
    cluster.apply(graph(services={"Worker": WORKER}), model())
    ready(cluster, 2)
    cluster.delete("Namespace", "default", "")
    cluster.run_until(lambda: cluster.find("Namespace", "default", "") is None)


def test_a_base_model_served_by_two_graphs_has_the_pods_of_both_and_is_not_called(cluster):
    cluster.apply(
        graph("a", services={"Worker": WORKER}),
        graph("b", services={"Worker": WORKER}),
        model("base", modelType="base", modelName=BASE, source=None),
    )
    cluster.run_until(lambda: cluster.get(MODEL, "base").get("status", {}).get("totalEndpoints") == 4)
    assert cluster.condition(MODEL, "base", "EndpointsReady") == "True"
    cluster.settle()
    assert cluster.get(MODEL, "base")["status"]["readyEndpoints"] == 0
    assert cluster.adapter_workers.log == []
    cluster.delete(GRAPH, "a")
    cluster.run_until(lambda: cluster.get(MODEL, "base")["status"]["totalEndpoints"] == 2)
    cluster.settle()
    cluster.check_fixed_point()


class _Everywhere(dict):
    """The same outcome on every worker."""

    def __init__(self, outcome):
        super().__init__()
        self.outcome = outcome

    def __contains__(self, address):
        return True

    def __getitem__(self, address):
        return self.outcome
