"""Children that a component cannot have: kinds that the cluster lacks, names that are taken."""

import pytest

from tests.asked import EVERY_CLUSTER, INGRESS, SCALED, WORKER, ask, component, controller, laid_over


@pytest.mark.parametrize(
    ("spec", "lacks", "reason", "kind", "product"),
    [
        pytest.param(
            {"multinode": {"nodeCount": 2}},
            "leaderworkersets",
            "LeaderWorkerSetMissing",
            "LeaderWorkerSet",
            "LeaderWorkerSet",
            id="LeaderWorkerSet",
        ),
        pytest.param(
            {"ingress": {"enabled": True, "host": "h", "useVirtualService": True}},
            "virtualservices",
            "IstioMissing",
            "VirtualService",
            "Istio",
            id="Istio",
        ),
    ],
)
def test_an_optional_kind_that_the_cluster_lacks_is_not_returned(spec, lacks, reason, kind, product):
    answer = ask(component(WORKER | spec), controller=controller(*EVERY_CLUSTER))
    assert answer.child(kind) is None
    assert (answer.condition["status"], answer.condition["reason"]) == ("False", reason)
    assert answer.message == (
        f"the cluster has no {kind}: install {product}, then run `helm upgrade` for the hooks, which look for it when "
        "their chart is rendered"
    )
    assert ask(component(WORKER | spec), controller=controller(*EVERY_CLUSTER, lacks)).child(kind)


def test_a_workload_that_is_there_is_restated_while_leader_worker_sets_are_missing():
    before = ask(component(WORKER))
    answer = ask(
        component(WORKER | {"multinode": {"nodeCount": 2}}),
        observed=before.observed(Deployment={"spec": {"replicas": 5}}),
        controller=controller(*EVERY_CLUSTER),
    )
    assert answer.child("Deployment") == laid_over(before.child("Deployment"), {"spec": {"replicas": 5}})
    assert answer.condition["reason"] == "LeaderWorkerSetMissing"


def of_earlier(kind, api_version, name="g-decode"):
    owner = {"kind": "DynamoComponentDeployment", "name": "g-decode", "uid": "uid-of-earlier", "controller": True}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "default", "ownerReferences": [owner]},
    }


def test_what_is_left_of_an_earlier_component_of_that_name_is_waited_for():
    left = of_earlier("Deployment", "apps/v1")
    answer = ask(component(WORKER), related=[left])
    assert answer.names == {("Service", "g-decode")}
    message = "waits for the Deployment g-decode of the earlier DynamoComponentDeployment g-decode to go"
    assert (answer.condition["reason"], answer.message) == ("NotReady", message)


def test_a_conflict_stands_before_what_goes_by_itself():
    left, theirs = of_earlier("Deployment", "apps/v1"), owned("Service", "v1")
    answer = ask(component(WORKER), related=[left, theirs])
    assert answer.condition["reason"] == "NameConflict"
    assert answer.message.startswith("Service g-decode exists already")
    assert answer.message.endswith("g-decode to go")


def test_a_workload_stays_while_the_earlier_one_of_another_kind_is_waited_for():
    there = ask(component(WORKER))
    left = of_earlier("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", "g-decode-lws")
    answer = ask(component(WORKER | {"multinode": {}}), observed=there.observed(), related=[left])
    assert answer.names == there.names
    assert answer.condition["reason"] == "NotReady"


def test_an_ingress_stays_while_there_can_be_no_virtual_service_in_its_place():
    before = ask(component(WORKER | INGRESS))
    spec = laid_over(WORKER | INGRESS, {"ingress": {"useVirtualService": True}})
    answer = ask(component(spec), observed=before.observed(), controller=controller(*EVERY_CLUSTER))
    assert answer.child("Ingress") == before.child("Ingress")
    assert answer.condition["reason"] == "IstioMissing"


@pytest.mark.parametrize("listed", range(len(EVERY_CLUSTER)))
def test_any_kind_that_the_controller_does_not_list_is_not_returned(listed):
    resources = EVERY_CLUSTER[:listed]
    answer = ask(component(WORKER | SCALED | INGRESS), controller=controller(*resources))
    kinds = {"Deployment": 0, "Service": 1, "HorizontalPodAutoscaler": 2, "Ingress": 3}
    assert {child["kind"] for child in answer.children} == {kind for kind, place in kinds.items() if place < listed}
    assert answer.condition["reason"].endswith("Missing")
    assert "the controller does not list" in answer.message


def test_where_nobody_says_what_the_cluster_has_every_kind_counts_as_there():
    spec = WORKER | {"multinode": {}, "ingress": {"enabled": True, "host": "h", "useVirtualService": True}}
    answer = ask(component(spec))
    assert answer.child("LeaderWorkerSet")
    assert answer.child("VirtualService")


def owned(kind, api_version, owner=None, namespace="default"):
    references = [{"kind": "Release", "name": owner, "uid": "x", "controller": True}] if owner else []
    metadata = {"name": "g-decode", "namespace": namespace, "ownerReferences": references}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


@pytest.mark.parametrize(
    ("owner", "message"),
    [
        pytest.param(
            "chat",
            "Service g-decode exists already and belongs to Release chat; choose another name for the component, or "
            "hand it over once it has no owner: kubectl label --overwrite -n default service g-decode "
            "controller-uid=uid-of-g-decode",
            id="somebody's",
        ),
        pytest.param(
            None,
            "Service g-decode exists already and belongs to nobody; choose another name for the component, or hand it "
            "over: kubectl label --overwrite -n default service g-decode controller-uid=uid-of-g-decode",
            id="nobody's",
        ),
    ],
)
def test_a_child_whose_name_is_taken_is_left_alone_and_named_and_the_rest_goes_on(owner, message):
    answer = ask(component(WORKER), related=[owned("Service", "v1", owner)])
    assert answer.names == {("Deployment", "g-decode")}
    assert (answer.condition["reason"], answer.message) == ("NameConflict", message)


@pytest.mark.parametrize(("before", "after"), [({}, {"multinode": {}}), ({"multinode": {}}, {})])
def test_a_workload_stays_as_it_is_while_the_name_of_the_one_in_its_place_is_taken(before, after):
    there = ask(component(WORKER | before))
    wanted = ask(component(WORKER | after)).children[0]
    taken = laid_over(owned(wanted["kind"], wanted["apiVersion"]), {"metadata": {"name": wanted["metadata"]["name"]}})
    answer = ask(component(WORKER | after), observed=there.observed(), related=[taken])
    assert answer.names == there.names
    assert all(child in there.children for child in answer.children)
    assert answer.condition["reason"] == "NameConflict"


def test_an_ingress_stays_while_the_name_of_its_virtual_service_is_taken():
    before = ask(component(WORKER | INGRESS))
    spec = laid_over(WORKER | INGRESS, {"ingress": {"useVirtualService": True}})
    taken = owned("VirtualService", "networking.istio.io/v1")
    answer = ask(component(spec), observed=before.observed(), related=[taken])
    assert answer.names == before.names
    assert answer.child("Ingress") == before.child("Ingress")


def test_an_object_of_that_name_in_another_namespace_is_nobodys_business():
    answer = ask(component(WORKER), related=[owned("Service", "v1", namespace="other")])
    assert answer.child("Service")
