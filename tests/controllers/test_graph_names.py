"""What components are called, and what keeps a graph from having them."""

import pytest

from tests.asked import TO_MAKE, ask, claim, component, graph, laid_over, mounting

CONTROLLER_OF = {"kind": "DynamoGraphDeployment", "controller": True}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        pytest.param(
            ["Worker", "worker"],
            "spec.services.worker: the name 'g-worker' is that of service Worker too; rename one of the two",
            id="they differ in capitals alone",
        ),
        pytest.param(
            ["a.b", "a_b"],
            "spec.services.a_b: the name 'g-a-b' is that of service a.b too; rename one of the two",
            id="a dot and an underscore",
        ),
    ],
)
def test_two_keys_that_meet_make_the_whole_graph_invalid(keys, message):
    answer = ask(graph({key: {} for key in keys}))
    assert (answer.status["state"], answer.condition["reason"]) == ("failed", "InvalidSpec")
    assert answer.message == message
    assert answer.children == []


def test_a_multinode_components_second_name_counts_too():
    answer = ask(graph({"decode": {"multinode": {}}, "decode-lws": {}}))
    assert answer.message == (
        "spec.services.decode-lws: the name 'g-decode-lws' is that of service decode too; rename one of the two"
    )


@pytest.mark.parametrize(
    ("name", "key", "problem"),
    [
        pytest.param("g", "w" * 61, None, id="63 characters"),
        pytest.param(
            "g", "w" * 62, f"'g-{'w' * 62}', which has 64 characters, 63 are allowed", id="64 characters, one too many"
        ),
        pytest.param("trtllm-disagg", "TRTLLMDecodeWorker", None, id="a real one"),
        pytest.param("1g", "w", "'1g-w', which must begin with a letter, end with a letter or digit", id="a digit"),
        pytest.param("g", "w-", "'g-w-', which must begin with a letter, end with a letter or digit", id="a dash"),
        pytest.param("g", "é", "'g-é', which must begin with a letter, end with a letter or digit", id="no ASCII"),
    ],
)
def test_a_components_name_is_one_that_a_service_may_have(name, key, problem):
    answer = ask(graph({key: {}, "other": {}}, name=name))
    if problem is None:
        assert ("DynamoComponentDeployment", f"{name}-{key}".lower()) in answer.names
        return
    assert answer.status["state"] == "failed"
    assert f"spec.services.{key}: the component would be called {problem}" in answer.message
    assert answer.children == []


def test_a_name_that_is_too_long_for_a_leader_worker_set_makes_the_whole_graph_invalid():
    services = {"TheDecodeWorker": {"multinode": {}}, "Frontend": {}}
    answer = ask(graph(services, name="a-rather-long-graph-name-of-mine"))
    assert (answer.status["state"], answer.condition["reason"], answer.children) == ("failed", "InvalidSpec", [])
    assert answer.message == (
        "spec.services.TheDecodeWorker: the LeaderWorkerSet would be called "
        "'a-rather-long-graph-name-of-mine-thedecodeworker-lws', which has 52 characters, 45 are allowed; shorten or "
        "change the service's or the graph's name"
    )
    longest = "a" * (45 - len("g--lws"))
    assert ask(graph({longest: {"multinode": {}}})).names == {("DynamoComponentDeployment", f"g-{longest}")}


def test_a_graph_and_a_service_that_make_one_name_in_two_ways_are_told_apart_by_their_owner():
    first = ask(graph({"Frontend": {}}, name="a-b"))
    made = first.child("DynamoComponentDeployment", "a-b-frontend")
    theirs = laid_over(made, {"metadata": {"ownerReferences": [CONTROLLER_OF | {"name": "a-b", "uid": "uid-of-a-b"}]}})
    answer = ask(graph({"b-Frontend": {}, "Worker": {}}, name="a"), related=[theirs])
    assert answer.names == {("DynamoComponentDeployment", "a-worker")}
    assert (answer.status["state"], answer.condition["reason"]) == ("failed", "NameConflict")
    assert answer.message == (
        "DynamoComponentDeployment a-b-frontend exists already and belongs to DynamoGraphDeployment a-b; rename the "
        "service b-Frontend or the graph, or hand it over once it has no owner: kubectl label --overwrite -n default "
        "dynamocomponentdeployment a-b-frontend controller-uid=uid-of-a. a-worker: not created yet"
    )


EARLIER = CONTROLLER_OF | {"name": "g", "uid": "uid-of-the-earlier-g"}


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        pytest.param(
            {"ownerReferences": [EARLIER]},
            "waits for the DynamoComponentDeployment g-a of the earlier DynamoGraphDeployment g to go",
            id="the garbage collector comes to it soon",
        ),
        pytest.param(
            {"ownerReferences": [EARLIER], "deletionTimestamp": "2026-11-30T11:59:00Z"},
            "waits for the DynamoComponentDeployment g-a of the earlier DynamoGraphDeployment g to go",
            id="it is on its way out",
        ),
        pytest.param(
            {"deletionTimestamp": "2026-11-30T11:59:00Z"},
            "waits for the DynamoComponentDeployment g-a that is being deleted to go",
            id="somebody deletes what was his",
        ),
    ],
)
def test_what_is_left_of_an_earlier_graph_of_that_name_is_waited_for(metadata, message):
    left = component(name="g-a", **metadata)
    answer = ask(graph({"A": {}, "B": {}}), related=[left])
    assert answer.names == {("DynamoComponentDeployment", "g-b")}
    assert (answer.status["state"], answer.condition["reason"]) == ("pending", "some_resources_are_not_ready")
    assert message in answer.message
    assert "kubectl" not in answer.message


def test_an_account_of_an_earlier_graph_is_waited_for():
    left = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "g-k8s-service-discovery"}}
    left["metadata"] |= {"namespace": "default", "ownerReferences": [EARLIER]}
    answer = ask(graph({"A": {}}), related=[left], settings={"discoveryBackend": "kubernetes"})
    assert answer.child("ServiceAccount") is None
    assert answer.status["state"] == "pending"


def test_a_claim_of_an_earlier_graph_is_mounted_by_nobody_so_that_it_can_go():
    services = {"A": mounting("models"), "B": {}}
    left = claim(ownerReferences=[EARLIER])
    waiting = ask(graph(services, pvcs=[TO_MAKE]), related=[left])
    assert waiting.names == {("DynamoComponentDeployment", "g-b")}
    assert waiting.status["state"] == "pending"
    assert "waits for the PersistentVolumeClaim models of the earlier DynamoGraphDeployment g to go" in waiting.message
    assert ask(graph(services, pvcs=[TO_MAKE]), related=[]).child("PersistentVolumeClaim")


def test_an_object_that_is_to_be_adopted_is_not_in_the_way():
    unowned = component(name="g-worker", labels={"controller-uid": "uid-of-g"})
    assert ask(graph({"Worker": {}}), related=[unowned]).names == {("DynamoComponentDeployment", "g-worker")}


def test_an_object_of_that_name_in_another_namespace_is_not_in_the_way():
    theirs = component(name="g-worker", namespace="other")
    assert ask(graph({"Worker": {}}), related=[theirs]).names == {("DynamoComponentDeployment", "g-worker")}
