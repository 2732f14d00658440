"""What belongs to a namespace comes and goes with those who need it, in whatever order things happen."""

import base64
import json

from hooks.simulator.cluster import Cluster
from tests.simulator.scenarios.situations import GRAPH, graph, service

KEYS = "mpi-run-ssh-secret"
QWEN = {"modelRef": {"name": "Qwen/Qwen3-0.6B"}}
QWEN_SERVICE = "dynamo-model-fb68f5a6"
TENSORRT = {
    "multinode": {"nodeCount": 2},
    "extraPodSpec": {
        "mainContainer": {"image": "registry.example/runtime:1", "command": ["python3", "-m", "dynamo.trtllm"]}
    },
}
PLANNER = [
    ("ServiceAccount", "planner-serviceaccount"),
    ("RoleBinding", "planner-serviceaccount-binding"),
]


def component(name="alone", **spec):
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoComponentDeployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": service(**spec),
    }


def there(cluster, *objects):
    return [cluster.find(kind, name) is not None for kind, name in objects]


def ready(cluster, name="chat"):
    cluster.run_until(lambda: is_ready(cluster, name))


def is_ready(cluster, name="chat"):
    item = cluster.get(GRAPH, name)
    current = item.get("status", {}).get("observedGeneration") == item["metadata"]["generation"]
    return current and cluster.condition(GRAPH, name, "Ready") == "True"


def edit_service(cluster, key, **changes):
    cluster.edit(GRAPH, "chat", lambda item: item["spec"]["services"][key].update(changes))


def errors(cluster):
    return [event for event in cluster.events if event.reason == "SyncError"]


def test_the_first_graph_brings_the_planners_account_and_the_last_one_takes_it_along(cluster):
    cluster.settle()
    assert there(cluster, *PLANNER) == [False, False]
    cluster.apply(graph("a"), graph("b"), component())
    cluster.settle()
    assert there(cluster, *PLANNER) == [True, True]
    binding = cluster.get(*PLANNER[1])
    assert binding["roleRef"]["name"] == "dynamo-planner"
    cluster.check_fixed_point()
    for kind, name in ((GRAPH, "b"), ("DynamoComponentDeployment", "alone")):
        cluster.delete(kind, name)
        cluster.settle()
        assert there(cluster, *PLANNER) == [True, True]
    cluster.delete(GRAPH, "a")
    cluster.settle()
    assert there(cluster, *PLANNER) == [False, False]
    assert not errors(cluster)
    cluster.check_fixed_point()


def test_an_account_that_a_user_made_stays_as_it_is(cluster):
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": PLANNER[0][1], "namespace": "default", "annotations": {"made": "by hand"}},
        "automountServiceAccountToken": False,
    }
    made = cluster.apply(account)[0]
    cluster.apply(graph())
    cluster.settle()
    cluster.delete(GRAPH, "chat")
    cluster.settle()
    assert cluster.get(*PLANNER[0]) == made
    assert there(cluster, PLANNER[1]) == [False]
    cluster.check_fixed_point()


def test_two_graphs_and_a_component_share_a_models_service_and_each_can_go_first(cluster):
    users = [(GRAPH, "a"), (GRAPH, "b"), ("DynamoComponentDeployment", "alone")]
    for first in range(3):
        cluster.apply(
            graph("a", {"Worker": service(**QWEN)}), graph("b", {"Worker": service(**QWEN)}), component(**QWEN)
        )
        cluster.settle()
        uid = cluster.get("Service", QWEN_SERVICE)["metadata"]["uid"]
        cluster.check_fixed_point()
        for kind, name in users[first:] + users[:first]:
            assert cluster.get("Service", QWEN_SERVICE)["metadata"]["uid"] == uid
            cluster.delete(kind, name)
            cluster.settle()
        assert cluster.find("Service", QWEN_SERVICE) is None
    assert not errors(cluster)


def test_the_endpoints_of_a_model_are_the_pods_of_all_who_serve_it(cluster):
    cluster.apply(graph("a", {"Worker": service(**QWEN)}), graph("b", {"Worker": service(**QWEN, replicas=2)}))
    ready(cluster, "a")
    ready(cluster, "b")
    cluster.settle()
    selector = {"matchLabels": {"kubernetes.io/service-name": QWEN_SERVICE}}
    endpoints = [
        entry for item in cluster.store.list("EndpointSlice", "default", selector) for entry in item["endpoints"]
    ]
    assert len(endpoints) == 3


def test_a_model_is_reachable_while_an_invalid_edit_waits_for_its_correction(cluster):
    cluster.apply(graph(services={"Worker": service(**QWEN)}))
    ready(cluster)
    uid = cluster.get("Service", QWEN_SERVICE)["metadata"]["uid"]
    edit_service(cluster, "Worker", modelRef={"name": "other/model"}, ingress={"enabled": True})
    cluster.settle()
    assert cluster.get(GRAPH, "chat")["status"]["state"] == "failed"
    assert cluster.get("Service", QWEN_SERVICE)["metadata"]["uid"] == uid
    edit_service(cluster, "Worker", ingress={"enabled": False})
    ready(cluster)
    cluster.settle()
    assert cluster.find("Service", QWEN_SERVICE) is None
    cluster.check_fixed_point()


def test_a_tensorrt_graph_that_spans_nodes_gets_keys_that_never_change(cluster):
    cluster.apply(graph("trt", {"Worker": service(**TENSORRT)}, backendFramework="trtllm"))
    cluster.settle()
    keys = cluster.get("Secret", KEYS)
    assert base64.b64decode(keys["data"]["private.key"]).startswith(b"-----BEGIN OPENSSH PRIVATE KEY-----\n")
    assert base64.b64decode(keys["data"]["private.key.pub"]).startswith(b"ssh-ed25519 ")
    cluster.check_fixed_point()
    cluster.delete(GRAPH, "trt")
    cluster.settle()
    cluster.restart_metacontroller(away=10)
    cluster.apply(graph("again", {"Worker": service(**TENSORRT)}, backendFramework="trtllm"))
    cluster.settle()
    assert cluster.get("Secret", KEYS) == keys
    cluster.check_fixed_point()


def test_keys_that_a_user_made_are_used_as_they_are(cluster):
    data = {"private.key": base64.b64encode(b"mine").decode(), "private.key.pub": base64.b64encode(b"mine").decode()}
    made = cluster.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": KEYS}, "data": data})[0]
    cluster.apply(graph("trt", {"Worker": service(**TENSORRT)}, backendFramework="trtllm"))
    cluster.settle()
    assert cluster.get("Secret", KEYS) == made
    cluster.check_fixed_point()


def test_a_namespace_that_is_deleted_ends_and_nothing_comes_back(cluster):
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    services = {"Worker": service(**QWEN), "Trt": service(**TENSORRT)}
    cluster.apply(
        graph("chat", services, backendFramework="trtllm") | {"metadata": {"name": "chat", "namespace": "team"}}
    )
    cluster.settle()
    assert cluster.find("Service", QWEN_SERVICE, "team") is not None
    cluster.delete("Namespace", "team")
    cluster.settle()
    assert cluster.find("Namespace", "team") is None
    assert not list(cluster.store.keys_in("team"))
    cluster.check_fixed_point()


def test_namespaces_without_resources_of_dynamos_cost_one_cheap_call_each():
    cluster = Cluster()
    for number in range(500):
        cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"n{number}"}})
    cluster.settle()
    before = dict(cluster.hooks.calls)
    assert before["/namespaces/sync"] == before["/namespaces/customize"] == 501
    cluster.apply(graph())
    ready(cluster)
    cluster.settle()
    own = cluster.hooks.calls["/namespaces/sync"] - before["/namespaces/sync"]
    assert own < 50, "a graph concerns its own namespace alone"
    assert cluster.hooks.calls["/namespaces/customize"] == before["/namespaces/customize"]


def pull_secret(name, *hosts):
    config = {"auths": {host: {"auth": base64.b64encode(b"robot:hunter2").decode()} for host in hosts}}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "default"},
        "type": "kubernetes.io/dockerconfigjson",
        "data": {".dockerconfigjson": base64.b64encode(json.dumps(config).encode()).decode()},
    }


def pull_secrets(cluster, deployment="chat-worker"):
    pod = cluster.get("Deployment", deployment)["spec"]["template"]["spec"]
    return [entry["name"] for entry in pod.get("imagePullSecrets", ())]


def test_a_secret_for_the_registry_is_found_whenever_it_comes(cluster):
    cluster.apply(pull_secret("first", "registry.example", "other.example"), pull_secret("hub", "docker.io"))
    cluster.apply(graph())
    ready(cluster)
    cluster.settle()
    assert pull_secrets(cluster) == ["first"]
    for index in cluster.store.list("ConfigMap"):
        assert "hunter2" not in json.dumps(index)
        assert "cm9ib3Q6" not in json.dumps(index), "nor in base64"
    cluster.check_fixed_point()


def test_a_pull_secret_that_comes_or_goes_restarts_nothing_that_serves(cluster):
    cluster.apply(pull_secret("first", "registry.example"), graph())
    cluster.settle()
    ready(cluster)
    before = {
        name: cluster.get("Deployment", name)["metadata"]["generation"] for name in ("chat-frontend", "chat-worker")
    }
    found = pull_secrets(cluster)
    cluster.apply(pull_secret("second", "registry.example"))
    cluster.settle()
    cluster.delete("Secret", "first")
    cluster.settle()
    after = {name: cluster.get("Deployment", name)["metadata"]["generation"] for name in before}
    assert (after, pull_secrets(cluster)) == (before, found)
    edit_service(cluster, "Worker", extraPodSpec={"mainContainer": {"image": "registry.example/runtime:2"}})
    ready(cluster)
    assert pull_secrets(cluster) == ["second"], "with the next change that restarts it anyway"
    cluster.check_fixed_point()


def test_a_pull_secret_heals_what_cannot_pull(cluster):
    cluster.world.spoil("registry.example/runtime:1")
    cluster.apply(graph())
    cluster.settle()
    assert pull_secrets(cluster) == []
    cluster.apply(pull_secret("late", "registry.example"))
    cluster.settle()
    assert pull_secrets(cluster) == ["late"]
    assert not errors(cluster)


def test_a_secret_that_no_longer_parses_breaks_nothing(cluster):
    cluster.apply(pull_secret("first", "registry.example"), graph())
    cluster.settle()
    ready(cluster)

    def breaks(item):
        item["data"][".dockerconfigjson"] = base64.b64encode(b'{"auths": []}').decode()

    cluster.edit("Secret", "first", breaks)
    cluster.settle()
    assert not [item for item in cluster.store.list("ConfigMap") if "registry-index" in json.dumps(item)]
    assert is_ready(cluster)
    assert not errors(cluster)
    cluster.check_fixed_point()
