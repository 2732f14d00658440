"""DynamoModel: what is asked of which workers, and what the status says of it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from hooks.adapters import Outcome, Outcomes
from hooks.app import create_app
from hooks.controllers import model
from hooks.kinds import MODEL
from hooks.protocol import customize_body, read_customize, read_sync
from hooks.settings import Settings
from hooks.tokens import Tokens
from tests.golden_cases import NOW, keyed

HASH = "fb68f5a6"
BASE = "Qwen/Qwen3-0.6B"
LORA = {
    "modelName": "acme/lora",
    "baseModelName": BASE,
    "modelType": "lora",
    "source": {"uri": "hf://acme/lora@main"},
}


def parent(spec=LORA, status=None, **metadata):
    found = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoModel",
        "metadata": {"name": "m", "namespace": "default", "uid": "u", "generation": 1, **metadata},
        "spec": spec,
    }
    return found if status is None else {**found, "status": status}


def endpoint(address, *, ready=True, pod=None, kind="Pod"):
    return {
        "addresses": [address],
        "conditions": {} if ready is None else {"ready": ready},
        "targetRef": {"kind": kind, "name": pod or f"pod-{address}", "namespace": "default"},
    }


def endpoint_slice(*endpoints, name="s", namespace="default", label=HASH):
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": name, "namespace": namespace, "labels": {"nvidia.com/dynamo-base-model-hash": label}},
        "endpoints": list(endpoints),
    }


SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {
        "name": f"dynamo-model-{HASH}",
        "namespace": "default",
        "labels": {"nvidia.com/dynamo-base-model-hash": HASH},
    },
}


def request(*related, body_parent=None, **body):
    found = {"EndpointSlice.discovery.k8s.io/v1": {}, "Service.v1": {}} | keyed(related)
    return read_sync({"parent": body_parent or parent(), "related": found, **body}, MODEL)


def sync(asked, outcomes=None, now=NOW):
    return model.sync(replace(asked, outcomes=outcomes), Settings(), now)


def condition(answer, kind="EndpointsReady"):
    found = next(entry for entry in answer.status["conditions"] if entry["type"] == kind)
    return found["status"], found["reason"], found["message"]


def address(host):
    return f"http://{host}:9090"


LOADED = Outcome(has_adapter=True, result="loaded")
FAILED = Outcome(has_adapter=False, result="failed", message="answers 500", settled=False)


@pytest.mark.parametrize("model_type", ["base", "adapter"])
def test_a_model_that_is_no_lora_is_looked_at_and_not_called(model_type):
    spec = {"modelName": BASE, "baseModelName": BASE, "modelType": model_type}
    asked = request(endpoint_slice(endpoint("10.0.0.1")), SERVICE, body_parent=parent(spec))
    assert model.task(asked) is None
    answer = sync(asked)
    assert condition(answer) == ("True", "EndpointsDiscovered", "1 found")
    assert condition(answer, "ServicesFound")[:2] == ("True", "ServiceFound")
    assert answer.status["endpoints"] == [{"address": address("10.0.0.1"), "podName": "pod-10.0.0.1", "ready": False}]
    assert (answer.status["readyEndpoints"], answer.status["totalEndpoints"]) == (0, 1)


def test_endpoints_are_pods_of_our_slices_each_once_and_sorted():
    asked = request(
        endpoint_slice(endpoint("10.0.0.9"), endpoint("10.0.0.1", ready=None), endpoint("10.0.0.9", ready=False)),
        endpoint_slice(endpoint("fd00::1"), endpoint("10.0.0.1"), endpoint("10.0.0.7", kind="Node"), name="s6"),
        endpoint_slice(endpoint("worker.example.com"), endpoint("127.0.0.1/x"), endpoint(7), name="hosts"),
        endpoint_slice(endpoint("10.9.9.9"), name="foreign", namespace="other"),
        endpoint_slice(endpoint("10.8.8.8"), name="another model", label="00000000"),
    )
    answer = sync(asked)
    assert [entry["address"] for entry in answer.status["endpoints"]] == [
        address("10.0.0.1"),
        address("10.0.0.9"),
        address("[fd00::1]"),
    ]
    assert {worker.address for worker in model.task(asked).workers} == {
        entry["address"] for entry in answer.status["endpoints"]
    }


def test_an_endpoint_that_its_slice_calls_not_ready_is_not_asked_and_not_ready():
    asked = request(endpoint_slice(endpoint("10.0.0.1"), endpoint("10.0.0.2", ready=False)), SERVICE)
    assert [worker.address for worker in model.task(asked).workers] == [address("10.0.0.1")]
    answer = sync(asked, Outcomes({address("10.0.0.1"): LOADED}))
    message = "1 of 2 ready; http://10.0.0.2:9090 (pod-10.0.0.2) is not ready"
    assert condition(answer) == ("False", "NotReady", message)
    assert answer.resync_after_seconds is None  # its slice will tell


def test_all_ready_is_settled():
    asked = request(endpoint_slice(endpoint("10.0.0.1"), endpoint("10.0.0.2")), SERVICE)
    answer = sync(asked, Outcomes({address("10.0.0.1"): LOADED, address("10.0.0.2"): LOADED}))
    assert condition(answer) == ("True", "AllEndpointsReady", "2 of 2 ready")
    assert answer.resync_after_seconds is None


def test_a_worker_that_failed_is_asked_again_after_30_seconds():
    asked = request(endpoint_slice(endpoint("10.0.0.1"), endpoint("10.0.0.2")), SERVICE)
    answer = sync(asked, Outcomes({address("10.0.0.1"): LOADED, address("10.0.0.2"): FAILED}))
    message = "1 of 2 ready; http://10.0.0.2:9090 (pod-10.0.0.2) answers 500"
    assert condition(answer) == ("False", "NotReady", message)
    assert answer.resync_after_seconds == 30


def test_the_same_failure_twice_gives_the_same_bytes():
    asked = request(endpoint_slice(endpoint("10.0.0.1")), SERVICE)
    first = sync(asked, Outcomes({address("10.0.0.1"): FAILED}))
    again = request(endpoint_slice(endpoint("10.0.0.1")), SERVICE, body_parent=parent(status=first.status))
    second = sync(again, Outcomes({address("10.0.0.1"): FAILED}), NOW + timedelta(minutes=5))
    assert first.body() == second.body()


def test_many_failures_are_named_up_to_ten():
    hosts = [f"10.0.0.{number}" for number in range(1, 16)]
    asked = request(endpoint_slice(*map(endpoint, hosts)), SERVICE)
    answer = sync(asked, Outcomes({address(host): FAILED for host in hosts}))
    assert condition(answer)[2].count("answers 500") == 10
    assert condition(answer)[2].endswith("; and 5 more")


def test_no_endpoint_is_no_error():
    answer = sync(request(SERVICE))
    assert condition(answer) == ("False", "NoEndpoints", f"no pod in this namespace serves {BASE}")
    assert answer.resync_after_seconds is None


def test_a_pod_that_took_over_an_address_counts_as_another():
    status = {"endpoints": [{"address": address("10.0.0.1"), "podName": "old", "ready": True}]}
    asked = request(endpoint_slice(endpoint("10.0.0.1", pod="new")), body_parent=parent(status=status))
    assert not model.task(asked).workers[0].loaded
    asked = request(endpoint_slice(endpoint("10.0.0.1", pod="old")), body_parent=parent(status=status))
    assert model.task(asked).workers[0].loaded


def test_an_absent_kind_proves_nothing():
    known = [{"address": address("10.0.0.1"), "podName": "p", "ready": True}]
    answer = sync(read_sync({"parent": parent(status={"endpoints": known})}, MODEL))
    assert answer.status["endpoints"] == known
    assert condition(answer)[:2] == ("Unknown", "NotAsked")


def test_a_service_without_the_label_is_a_conflict_with_the_cure():
    foreign = {**SERVICE, "metadata": {"name": SERVICE["metadata"]["name"], "namespace": "default"}}
    status, reason, message = condition(sync(request(foreign)), "ServicesFound")
    assert (status, reason) == ("False", "NameConflict")
    assert f"kubectl label --overwrite -n default service dynamo-model-{HASH}" in message
    assert f"nvidia.com/dynamo-base-model-hash={HASH}" in message


def test_no_service_yet_says_what_makes_it():
    status, reason, message = condition(sync(request()), "ServicesFound")
    assert (status, reason) == ("False", "ServiceNotFound")
    assert "modelRef.name" in message


def test_customize_asks_in_its_own_namespace_alone():
    rules = model.customize(read_customize({"parent": parent()}, MODEL), Settings())
    assert customize_body(rules) == {
        "relatedResources": [
            {
                "apiVersion": "discovery.k8s.io/v1",
                "resource": "endpointslices",
                "labelSelector": {"matchLabels": {"nvidia.com/dynamo-base-model-hash": HASH}},
                "namespace": "default",
            },
            {"apiVersion": "v1", "resource": "services", "names": [f"dynamo-model-{HASH}"], "namespace": "default"},
        ]
    }


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({**LORA, "source": {"uri": "http://evil/x"}}, "spec.source.uri: has the value 'http://evil/x'; write s3://"),
        ({key: value for key, value in LORA.items() if key != "source"}, "spec.source: is required"),
        ({**LORA, "modelType": "LoRA"}, "spec.modelType: has the value 'LoRA'"),
        ("x", "spec"),
        (None, "spec: is required; add it"),
    ],
)
def test_an_invalid_spec_asks_nobody_and_can_be_deleted(spec, words):
    asked = request(endpoint_slice(endpoint("10.0.0.1")), body_parent=parent(spec))
    assert model.task(asked) is None
    answer = sync(asked)
    assert condition(answer)[1] == "InvalidSpec"
    assert words in condition(answer)[2]
    assert model.finalize(asked, Settings(), NOW).finalized is True


def test_a_deleted_lora_is_unloaded_everywhere_ready_or_not_and_let_go_whatever_comes_of_it():
    deleted = parent(deletionTimestamp="2026-11-30T12:00:00Z")
    related = endpoint_slice(endpoint("10.0.0.1"), endpoint("10.0.0.2", ready=False))
    asked = request(related, body_parent=deleted, finalizing=True)
    task = model.task(asked)
    assert task.unload
    assert [worker.address for worker in task.workers] == [address("10.0.0.1"), address("10.0.0.2")]
    answer = model.finalize(replace(asked, outcomes=Outcomes({address("10.0.0.1"): FAILED})), Settings(), NOW)
    assert (answer.finalized, answer.children, answer.resync_after_seconds) == (True, [], None)


def test_nothing_is_loaded_under_a_deletion_timestamp():
    deleted = parent(deletionTimestamp="2026-11-30T12:00:00Z")
    assert model.task(request(endpoint_slice(endpoint("10.0.0.1")), body_parent=deleted)) is None


def test_over_http_the_workers_are_asked_and_the_answer_says_what_came_of_it():
    asked = []

    def perform(task):
        asked.append(task)
        return Outcomes({worker.address: LOADED for worker in task.workers})

    client = create_app(Settings(), tokens=Tokens(), perform=perform).test_client()
    body = {"parent": parent(), "related": keyed([endpoint_slice(endpoint("10.0.0.1"))])}
    answer = client.post("/dynamomodels/sync", json=body).json
    assert answer["status"]["readyEndpoints"] == 1
    answer = client.post("/dynamomodels/finalize", json={**body, "finalizing": True}).json
    assert (answer["finalized"], answer["children"]) == (True, [])
    assert [task.unload for task in asked] == [False, True]
