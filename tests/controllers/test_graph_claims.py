"""The claims of a graph: those that it makes, keeps and waits for."""

import pytest

from tests.asked import TO_MAKE, ask, claim, graph, mounting

CONTROLLER_OF = {"kind": "DynamoGraphDeployment", "controller": True}


def test_a_claim_to_make_is_a_child():
    made = ask(graph({}, pvcs=[TO_MAKE | {"size": "1024Gi"}])).child("PersistentVolumeClaim")
    assert made == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "models",
            "namespace": "default",
            "labels": {"nvidia.com/dynamo-graph-deployment-name": "g"},
        },
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "1Ti"}},
            "storageClassName": "fast",
        },
    }


@pytest.mark.parametrize(
    "metadata",
    [
        pytest.param({}, id="the user's"),
        pytest.param({"ownerReferences": [CONTROLLER_OF | {"name": "x", "uid": "other"}]}, id="another graph's"),
    ],
)
def test_a_claim_that_exists_and_is_not_ours_is_used_as_it_is(metadata):
    answer = ask(graph({"A": mounting("models")}, pvcs=[TO_MAKE]), related=[claim(**metadata)])
    assert answer.names == {("DynamoComponentDeployment", "g-a")}
    assert answer.condition["reason"] != "NameConflict"


@pytest.mark.parametrize(
    "pvcs",
    [
        pytest.param([TO_MAKE | {"create": False}], id="create turned to false"),
        pytest.param([], id="the entry is gone"),
    ],
)
def test_a_claim_of_ours_stays_whatever_becomes_of_its_entry(pvcs):
    observed = ask(graph({}, pvcs=[TO_MAKE])).observed()
    answer = ask(graph({}, pvcs=pvcs), observed=observed, related=observed)
    assert answer.children == [claim() | {"metadata": {"name": "models", "namespace": "default"}}]


def test_what_a_spec_asks_otherwise_of_a_claim_that_is_there_is_said():
    observed = ask(graph({}, pvcs=[TO_MAKE])).observed()
    answer = ask(graph({}, pvcs=[TO_MAKE | {"size": "2Ti", "storageClass": "slow"}]), observed=observed)
    assert answer.status["state"] == "successful"
    assert answer.message.endswith(
        ". claim models keeps its size of 1Ti, spec.pvcs asks for 2Ti: a claim that exists is "
        "not changed by us, see kubectl edit pvc models. claim models keeps its storage class of fast, spec.pvcs asks "
        "for slow: a claim that exists is not changed by us, see kubectl edit pvc models"
    )


@pytest.mark.parametrize(
    "pvcs",
    [
        pytest.param([{"name": "models"}], id="create is absent"),
        pytest.param([{"name": "models", "create": False}], id="create is false"),
        pytest.param([], id="no entry"),
    ],
)
def test_a_claim_that_must_exist_is_waited_for_and_the_others_go_on(pvcs):
    answer = ask(graph({"A": mounting("models"), "B": {}}, pvcs=pvcs), related=[])
    assert answer.names == {("DynamoComponentDeployment", "g-b")}
    assert (answer.status["state"], answer.condition["reason"]) == ("pending", "some_resources_are_not_ready")
    assert answer.message == (
        "claim models does not exist: create it, or add it to spec.pvcs with create: true. "
        "g-a: waits for claim models. g-b: not created yet"
    )
    there = ask(graph({"A": mounting("models"), "B": {}}, pvcs=pvcs), related=[claim()])
    assert ("DynamoComponentDeployment", "g-a") in there.names


def test_a_claim_that_is_being_deleted_can_be_mounted_by_no_new_pod():
    leaving = claim(deletionTimestamp="2026-11-30T11:59:00Z")
    answer = ask(graph({"A": mounting("models")}), related=[leaving])
    assert (answer.status["state"], answer.children) == ("pending", [])
    assert answer.message == (
        "claim models is being deleted, so no new pod can mount it: create it anew once it is gone. "
        "g-a: waits for claim models"
    )


def test_a_claim_of_ours_that_is_being_deleted_is_awaited():
    observed = ask(graph({}, pvcs=[TO_MAKE])).observed(
        PersistentVolumeClaim={"metadata": {"deletionTimestamp": "2026-11-30T11:59:00Z"}}
    )
    answer = ask(graph({}, pvcs=[TO_MAKE]), observed=observed)
    assert answer.status["state"] == "pending"
    said = "PersistentVolumeClaim models: is being deleted; it is made anew once it is gone"
    assert answer.message.startswith(said)


def test_a_component_that_is_there_is_restated_while_its_claim_is_missing():
    observed = ask(graph({"A": {}})).observed()
    answer = ask(graph({"A": mounting("models")}), observed=observed, related=[])
    assert answer.children == ask(graph({"A": {}})).children


def test_nothing_is_concluded_from_claims_that_were_not_asked_for():
    assert ask(graph({"A": mounting("models")})).names == {("DynamoComponentDeployment", "g-a")}


def test_a_claim_of_that_name_in_another_namespace_is_not_the_one():
    answer = ask(graph({"A": mounting("models")}), related=[claim(namespace="other")])
    assert answer.status["state"] == "pending"
    assert answer.children == []
