"""Components that span nodes, on a cluster with LeaderWorkerSets and on one without."""

from tests.simulator.scenarios.situations import COMPONENT, GRAPH, graph, service

GROUPS = "chat-worker-lws"
SINGLE = {"resources": {"limits": {"gpu": "1"}}, "componentType": "worker"}
COMMAND = {
    "extraPodSpec": {
        "mainContainer": {
            "image": "registry.example/runtime:1",
            "command": ["python3", "-m", "dynamo.vllm"],
            "args": ["--model", "m", "--tensor-parallel-size", "2"],
        }
    }
}
SPREAD = {**SINGLE, **COMMAND, "multinode": {"nodeCount": 2}}


def of(worker, replicas=1):
    services = {"Frontend": service("frontend"), "Worker": service(**worker)}
    if replicas is None:
        del services["Worker"]["replicas"]
    else:
        services["Worker"]["replicas"] = replicas
    return graph(services=services)


def is_ready(cluster):
    item = cluster.get(GRAPH, "chat")
    current = item.get("status", {}).get("observedGeneration") == item["metadata"]["generation"]
    return current and cluster.condition(GRAPH, "chat", "Ready") == "True"


def ready(cluster):
    cluster.run_until(lambda: is_ready(cluster))


def change(cluster, function):
    cluster.edit(GRAPH, "chat", lambda item: function(item["spec"]["services"]["Worker"]))


def replicas(cluster, kind, name):
    return cluster.get(kind, name)["spec"]["replicas"]


def test_a_replica_is_a_group_and_scaling_moves_the_one_set(cluster):
    cluster.apply(of(SPREAD, 3))
    ready(cluster)
    uid = cluster.get("LeaderWorkerSet", GROUPS)["metadata"]["uid"]
    assert cluster.find("Deployment", "chat-worker") is None
    assert cluster.get("Service", "chat-worker")["spec"]["selector"]["role"] == "leader"
    numbers = cluster.get(GRAPH, "chat")["status"]["services"]["Worker"]
    assert (numbers["componentKind"], numbers["componentName"], numbers["readyReplicas"]) == (
        "LeaderWorkerSet",
        GROUPS,
        3,
    )
    change(cluster, lambda worker: worker.update(replicas=1))
    assert not is_ready(cluster)
    ready(cluster)
    assert replicas(cluster, "LeaderWorkerSet", GROUPS) == 1
    assert cluster.get("LeaderWorkerSet", GROUPS)["metadata"]["uid"] == uid
    cluster.settle()
    cluster.check_fixed_point()


def test_from_one_node_to_several_and_back_the_count_stays(cluster):
    cluster.apply(of({**SINGLE, **COMMAND}, 2))
    ready(cluster)
    change(cluster, lambda worker: worker.pop("replicas"))
    cluster.settle()
    change(cluster, lambda worker: worker.update(multinode={"nodeCount": 2}))
    ready(cluster)
    assert replicas(cluster, "LeaderWorkerSet", GROUPS) == 2
    assert cluster.find("Deployment", "chat-worker") is None
    change(cluster, lambda worker: worker.pop("multinode"))
    ready(cluster)
    assert replicas(cluster, "Deployment", "chat-worker") == 2
    assert cluster.find("LeaderWorkerSet", GROUPS) is None
    cluster.settle()
    cluster.check_fixed_point()


def test_an_autoscaler_moves_the_groups_and_an_edit_keeps_what_it_did(cluster):
    scaling = {"enabled": True, "minReplicas": 1, "maxReplicas": 4}
    cluster.apply(of({**SPREAD, "autoscaling": scaling}, None))
    ready(cluster)
    assert cluster.get("HorizontalPodAutoscaler", "chat-worker")["spec"]["scaleTargetRef"] == {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "name": GROUPS,
    }
    cluster.world.want("chat-worker", 3)
    cluster.run_until(lambda: replicas(cluster, "LeaderWorkerSet", GROUPS) == 3)
    ready(cluster)
    change(cluster, lambda worker: worker.update(envs=[{"name": "A", "value": "1"}]))
    ready(cluster)
    assert replicas(cluster, "LeaderWorkerSet", GROUPS) == 3
    cluster.settle()
    cluster.check_fixed_point()


def test_a_cluster_without_leader_worker_sets_says_what_to_install_and_keeps_what_runs(start_cluster):
    cluster = start_cluster()
    cluster.apply(of({**SINGLE, **COMMAND}, 2))
    ready(cluster)
    uid = cluster.get("Deployment", "chat-worker")["metadata"]["uid"]
    change(cluster, lambda worker: worker.update(multinode={"nodeCount": 2}))
    cluster.settle()
    graph_status = cluster.get(GRAPH, "chat")["status"]
    assert graph_status["state"] == "failed"
    condition = cluster.get(COMPONENT, "chat-worker")["status"]["conditions"][0]
    assert (condition["status"], condition["reason"]) == ("False", "LeaderWorkerSetMissing")
    assert "install LeaderWorkerSet, then run `helm upgrade`" in condition["message"]
    assert "install LeaderWorkerSet" in graph_status["conditions"][0]["message"]
    assert cluster.get("Deployment", "chat-worker")["metadata"]["uid"] == uid
    cluster.check_fixed_point()
    change(cluster, lambda worker: worker.pop("multinode"))
    ready(cluster)
    cluster.settle()
    cluster.check_fixed_point()


def test_a_flag_that_cannot_be_placed_is_an_invalid_spec_and_keeps_what_runs(cluster):
    cluster.apply(of(SPREAD, 2))
    ready(cluster)
    before = cluster.get("LeaderWorkerSet", GROUPS)["spec"]
    script = ["eval 'python3 -m dynamo.vllm --tensor-parallel-size 2'"]
    change(
        cluster,
        lambda worker: worker["extraPodSpec"]["mainContainer"].update(command=["sh", "-c"], args=script),
    )
    cluster.settle()
    status = cluster.get(GRAPH, "chat")["status"]
    assert status["state"] == "failed"
    assert "write python3 -m dynamo.vllm" in status["conditions"][0]["message"]
    assert cluster.get("LeaderWorkerSet", GROUPS)["spec"] == before
    cluster.check_fixed_point()
