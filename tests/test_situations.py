"""Situations that real users ran into, from a graph down to what its components become."""

import copy

import orjson
import pytest

from tests.asked import IMAGE, ask, graph, laid_over, main_container, rules
from tests.golden_cases import applied


def become(parent, settings=None):
    """Component name → its answer, each as the cluster has it: owned by the graph and with its label."""
    answers = {}
    for child in ask(parent, settings=settings).children:
        if child["kind"] == "DynamoComponentDeployment":
            owned = applied(copy.deepcopy(child), parent)
            answers[child["metadata"]["name"]] = ask(owned, settings=settings)
    return answers


def selects(selector, labels):
    return all(labels.get(key) == value for key, value in selector.items())


def test_keys_with_capitals_and_dots_name_ingress_and_service_too():
    """Graph `g`, services `Frontend`, `VllmDecodeWorker`, `model.Qwen3-0.6B` (with an ingress)."""
    exposed = {"componentType": "worker", "ingress": {"enabled": True, "host": "h"}}
    services = {"Frontend": {"componentType": "frontend"}, "VllmDecodeWorker": {}, "model.Qwen3-0.6B": exposed}
    answers = become(graph(services))
    assert set(answers) == {"g-frontend", "g-vllmdecodeworker", "g-model-qwen3-0-6b"}
    answer = answers["g-model-qwen3-0-6b"]
    assert answer.names == {(kind, "g-model-qwen3-0-6b") for kind in ("Deployment", "Service", "Ingress")}
    (path,) = answer.child("Ingress")["spec"]["rules"][0]["http"]["paths"]
    assert path["backend"]["service"]["name"] == "g-model-qwen3-0-6b"
    assert answer.template["metadata"]["labels"]["nvidia.com/dynamo-component"] == "model.Qwen3-0.6B"


def test_no_selector_of_one_graph_matches_a_pod_of_another():
    """Graphs `foo` and `foo-bar` in `default`, services with `dynamoNamespace: dynamo`."""
    services = {
        "Frontend": {"componentType": "frontend", "dynamoNamespace": "dynamo"},
        "worker": {"componentType": "worker", "dynamoNamespace": "dynamo"},
        "decode": {"componentType": "decode", "multinode": {}},
    }
    answers = become(graph(services, name="foo")) | become(graph(services, name="foo-bar"))
    assert {answer.env["DYN_NAMESPACE"] for name, answer in answers.items() if "decode" not in name} == {
        "default-foo",
        "default-foo-bar",
    }
    pods = {
        (name, role): template["metadata"]["labels"]
        for name, answer in answers.items()
        for role, template in templates(answer).items()
    }
    for name, answer in answers.items():
        selector = answer.child("Service")["spec"]["selector"]
        matched = {place for place, labels in pods.items() if selects(selector, labels)}
        assert matched == {(name, "leader" if "decode" in name else "")}


def templates(answer):
    workload = answer.child("LeaderWorkerSet")
    if workload is None:
        return {"": answer.template}
    group = workload["spec"]["leaderWorkerTemplate"]
    return {"leader": group["leaderTemplate"], "worker": group["workerTemplate"]}


def test_a_services_annotation_is_on_all_that_is_made_of_it_and_the_graphs_own_goes_nowhere():
    """Service `annotations: {a: b}`, DGD `metadata.annotations: {a: c}`."""
    service = {"componentType": "frontend", "annotations": {"a": "b"}, "ingress": {"enabled": True, "host": "h"}}
    (answer,) = become(graph({"Frontend": service}, metadata={"annotations": {"a": "c", "d": "e"}})).values()
    assert len(answer.children) == 3
    for item in [*answer.children, answer.template]:
        assert item["metadata"]["annotations"].get("a") == "b"
        assert "d" not in item["metadata"]["annotations"]
    assert answer.template["metadata"]["labels"]["nvidia.com/dynamo-graph-deployment-name"] == "g"


@pytest.mark.parametrize(
    ("services", "expected"),
    [
        pytest.param({"envs": [{"name": "A", "value": "s"}]}, "s", id="envs"),
        pytest.param(main_container(env=[{"name": "A", "value": "m"}]), "m", id="else mainContainer.env"),
        pytest.param({}, "g", id="else the graph's"),
    ],
)
def test_a_variable_that_stands_in_several_places_is_one(services, expected):
    """Variable `A` in the graph's `envs`, in `mainContainer.env` and in the service's `envs`."""
    everywhere = [{"name": "A", "value": "g"}]
    (answer,) = become(graph({"W": services}, envs=everywhere)).values()
    assert [entry for entry in answer.main["env"] if entry["name"] == "A"] == [{"name": "A", "value": expected}]


def test_two_services_of_one_model_carry_its_hash_and_neither_makes_its_service():
    """`modelRef.name: Qwen/Qwen3-0.6B` in two services."""
    services = {name: {"componentType": "worker", "modelRef": {"name": "Qwen/Qwen3-0.6B"}} for name in ("a", "b")}
    for name, answer in become(graph(services)).items():
        assert answer.names == {("Deployment", name), ("Service", name)}
        assert answer.template["metadata"]["labels"]["nvidia.com/dynamo-base-model-hash"] == "fb68f5a6"
        assert "nvidia.com/dynamo-base-model-hash" not in answer.child("Deployment")["metadata"]["labels"]


@pytest.mark.parametrize(
    ("service", "account"),
    [
        pytest.param({"componentType": "planner"}, "planner-serviceaccount", id="a planner"),
        pytest.param({"componentType": "default"}, "g-k8s-service-discovery", id="no planner by its type"),
        pytest.param(
            {"componentType": "planner", "extraPodSpec": {"serviceAccountName": "mine"}}, "mine", id="the user's own"
        ),
    ],
)
def test_the_account_of_a_planner_where_pods_discover_each_other_through_kubernetes(service, account):
    """`Planner: {componentType: planner}`; with `componentType: default` it is no planner."""
    parent = graph(
        {"Planner": service}, metadata={"annotations": {"nvidia.com/dynamo-discovery-backend": "kubernetes"}}
    )
    (answer,) = become(parent).values()
    assert answer.pod["serviceAccountName"] == account
    assert account in {subject["name"] for subject in ask(parent).child("RoleBinding")["subjects"]}


def test_a_services_tolerations_are_in_its_template_and_nowhere_else():
    """`tolerations` in `extraPodSpec`; Kubernetes adds more to each pod, which are none of ours."""
    toleration = {"key": "gpu", "effect": "NoSchedule"}
    (answer,) = become(graph({"W": {"extraPodSpec": {"tolerations": [toleration]}}})).values()
    assert answer.pod["tolerations"] == [toleration]
    assert answer.names == {("Deployment", "g-w")}


def test_graphs_of_one_name_in_two_namespaces_do_not_see_each_other():
    """Graph `x` in two namespaces."""
    mounting = {"W": {"volumeMounts": [{"name": "m", "mountPoint": "/m"}]}}
    here, there = (graph(mounting, name="x", metadata={"namespace": name}) for name in ("here", "there"))
    assert {rule["namespace"] for rule in rules(here)} == {"here"}
    assert {rule["namespace"] for rule in rules(there)} == {"there"}
    theirs = ask(there).observed()
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "m", "namespace": "there"}}
    answer = ask(here, related=[*theirs, claim])
    assert answer.condition["reason"] == "some_resources_are_not_ready"
    assert answer.children == []


def test_new_defaults_after_an_upgrade_leave_a_claim_as_it_is():
    """New defaults after an upgrade; a claim observed: returned, not updated."""
    pvc = {"name": "m", "create": True, "size": "1Gi", "storageClass": "c", "volumeAccessMode": "ReadWriteOnce"}
    before = ask(graph({}, pvcs=[pvc]))
    claim = before.observed()[0]
    answer = ask(graph({}, pvcs=[pvc]), observed=[claim], settings={"discoveryBackend": "kubernetes"})
    assert answer.children == before.children
    assert "nvidia.com/desired-hash" not in str(answer.children)


def test_our_own_status_fed_back_again_and_again_gives_equal_answers():
    parent = graph({"W": {"replicas": 2}})
    observed = ask(parent).observed(DynamoComponentDeployment={"status": {"observedGeneration": 1}})
    answers = []
    for _ in range(4):
        answers.append(ask(parent, observed=observed))
        parent["status"] = answers[-1].status
    assert len({orjson.dumps([answer.status, answer.children]) for answer in answers[1:]}) == 1


def test_a_worker_with_a_program_of_its_own_and_no_backend_is_left_as_it_is():
    """Worker with `command: [python3, my_worker.py]` and no `backendFramework`."""
    service = {"componentType": "worker", **main_container(command=["python3", "my_worker.py"], args=["-x"])}
    (answer,) = become(graph({"W": service})).values()
    assert (answer.main["command"], answer.main["args"]) == (["python3", "my_worker.py"], ["-x"])


def test_a_component_whose_engine_is_not_that_of_its_graph_makes_the_graph_fail_with_its_own_message():
    parent = graph({"W": {"componentType": "worker", **main_container(command=["python3", "-m", "dynamo.vllm"])}})
    parent["spec"]["backendFramework"] = "trtllm"
    (component,) = ask(parent).observed()
    said = ask(component)
    assert said.condition["reason"] == "InvalidSpec"
    answer = ask(parent, observed=[laid_over(component, {"status": said.status})])
    assert answer.status["state"] == "failed"
    assert answer.message == f"g-w: {said.message}"


def test_an_image_that_the_planner_did_not_set_stays_when_it_scales_its_own_graph():
    """The planner patches `spec.services.<key>.replicas` of its own DGD and waits for Ready False, then True."""
    parent = graph({"decode": {"componentType": "decode", "replicas": 1}})
    (before,) = ask(parent).observed()
    ready = {"type": "Available", "status": "True", "reason": "Ready", "message": "1 of 1"}
    there = laid_over(before, {"status": {"observedGeneration": 1, "conditions": [ready]}})
    assert ask(parent, observed=[there]).status["state"] == "successful"
    parent["spec"]["services"]["decode"]["replicas"] = 2
    answer = ask(parent, observed=[there])
    assert answer.condition["status"] == "False"
    (desired,) = answer.children
    assert desired["spec"]["replicas"] == 2
    assert desired["spec"]["extraPodSpec"]["mainContainer"]["image"] == IMAGE
