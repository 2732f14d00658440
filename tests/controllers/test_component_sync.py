import pytest

from hooks.errors import UnprocessableRequest
from tests.asked import (
    EVERY_CLUSTER,
    INGRESS,
    SCALED,
    WORKER,
    ask,
    component,
    controller,
    laid_over,
    main_container,
    rules,
)

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"


@pytest.mark.parametrize(
    ("spec", "kinds"),
    [
        pytest.param({}, {"Deployment"}, id="without a port there is no Service"),
        pytest.param(WORKER, {"Deployment", "Service"}, id="with one there is"),
        pytest.param(WORKER | SCALED, {"Deployment", "Service", "HorizontalPodAutoscaler"}, id="scaled"),
        pytest.param(
            WORKER | {"autoscaling": {"enabled": False, "maxReplicas": 9}}, {"Deployment", "Service"}, id="not scaled"
        ),
        pytest.param(WORKER | INGRESS, {"Deployment", "Service", "Ingress"}, id="an Ingress"),
        pytest.param(
            WORKER | {"ingress": {"enabled": True, "host": "h", "useVirtualService": True}},
            {"Deployment", "Service", "VirtualService"},
            id="a VirtualService",
        ),
        pytest.param(
            WORKER | {"ingress": {"enabled": False, "host": "h", "useVirtualService": True}},
            {"Deployment", "Service"},
            id="neither",
        ),
        pytest.param(WORKER | {"multinode": {}}, {"LeaderWorkerSet", "Service"}, id="over several nodes"),
        pytest.param(WORKER | {"modelRef": {"name": "m"}}, {"Deployment", "Service"}, id="a model adds no child"),
    ],
)
def test_the_children_of_a_component(spec, kinds):
    assert {child["kind"] for child in ask(component(spec)).children} == kinds


def test_a_component_that_switches_between_ingress_and_virtual_service_loses_the_other():
    before = ask(component(WORKER | INGRESS))
    spec = laid_over(WORKER | INGRESS, {"ingress": {"useVirtualService": True}})
    answer = ask(component(spec), observed=before.observed())
    assert {child["kind"] for child in answer.children} == {"Deployment", "Service", "VirtualService"}


# Replicas


@pytest.mark.parametrize(
    ("autoscaling", "given", "observed", "expected"),
    [
        pytest.param(None, None, None, 1, id="off, nothing given, nothing there"),
        pytest.param(None, None, 3, 3, id="off, nothing given: as observed"),
        pytest.param(None, None, 0, 0, id="off, nothing given: as observed, zero too"),
        pytest.param(None, 1, 3, 1, id="off, given: put back"),
        pytest.param(None, 0, 3, 0, id="off, zero given"),
        pytest.param({"enabled": True}, None, None, 1, id="on, nothing there"),
        pytest.param({"enabled": True}, 2, None, 1, id="on, nothing there, given is not asked"),
        pytest.param({"enabled": True}, 1, 7, 7, id="on: as observed"),
        pytest.param({"enabled": True, "minReplicas": 3}, 1, 2, 3, id="on: at least the least"),
        pytest.param({"enabled": True, "minReplicas": 3}, 1, None, 3, id="on: the least at first"),
        pytest.param({"enabled": True}, None, 0, 1, id="on: at least one"),
        pytest.param({"enabled": False}, 2, 7, 2, id="switched off, given"),
        pytest.param({"enabled": False}, None, 7, 7, id="switched off, nothing given"),
    ],
)
@pytest.mark.parametrize("multinode", [None, {"nodeCount": 2}], ids=["one node", "two nodes"])
def test_the_replicas_of_a_workload(multinode, autoscaling, given, observed, expected):
    scaling = autoscaling and {"maxReplicas": 9, **autoscaling}
    spec = WORKER | {"multinode": multinode, "replicas": given, "autoscaling": scaling}
    kind = "LeaderWorkerSet" if multinode else "Deployment"
    there = None
    if observed is not None:
        there = ask(component(WORKER | {"multinode": multinode})).observed(**{kind: {"spec": {"replicas": observed}}})
    assert ask(component(spec), observed=there).child(kind)["spec"]["replicas"] == expected


def test_autoscaling_that_is_switched_on_keeps_what_is_there():
    before = ask(component(WORKER | {"replicas": 2}))
    assert before.child("Deployment")["spec"]["replicas"] == 2
    answer = ask(component(WORKER | {"replicas": 2} | SCALED), observed=before.observed())
    assert answer.child("Deployment")["spec"]["replicas"] == 2


def test_autoscaling_that_is_switched_off_loses_its_autoscaler():
    before = ask(component(WORKER | SCALED)).observed(Deployment={"spec": {"replicas": 7}})
    answer = ask(component(WORKER | {"replicas": 2}), observed=before)
    assert answer.child("HorizontalPodAutoscaler") is None
    assert answer.child("Deployment")["spec"]["replicas"] == 2


# Faults


def test_a_wrong_type_does_not_hide_what_else_is_wrong():
    spec = {
        "replicas": "two",
        "ingress": [],
        "labels": {"a": "b c"},
        "resources": {"limits": {"cpu": "lots"}},
        "sharedMemory": {"size": "plenty"},
        "livenessProbe": {"periodSeconds": 1},
    }
    told = {line.split(": ")[0] for line in ask(component(spec)).message.split(". ")}
    assert told == {
        "spec.ingress",
        "spec.labels[a]",
        "spec.livenessProbe",
        "spec.replicas",
        "spec.resources.limits.cpu",
        "spec.sharedMemory.size",
    }


@pytest.mark.parametrize("field", ["componentType", "extraPodSpec", "backendFramework", "multinode"])
def test_what_depends_on_a_field_of_a_wrong_type_is_not_called_wrong(field):
    spec = {field: 7, "livenessProbe": {"periodSeconds": 1}, **INGRESS, "labels": {"a": "b c"}}
    told = {line.split(": ")[0] for line in ask(component(spec)).message.split(". ")}
    assert told == {f"spec.{field}", "spec.labels[a]"}


def test_an_invalid_edit_restates_every_child_save_the_replicas_which_stay_as_observed():
    before = ask(component(WORKER | SCALED | INGRESS))
    spec = laid_over(WORKER | SCALED | INGRESS, {"autoscaling": {"maxReplicas": 0}})
    answer = ask(component(spec), observed=before.observed(Deployment={"spec": {"replicas": 7}}))
    expected = [
        laid_over(child, {"spec": {"replicas": 7}}) if child["kind"] == "Deployment" else child
        for child in before.children
    ]
    assert sorted(answer.children, key=lambda child: child["kind"]) == sorted(expected, key=lambda item: item["kind"])
    assert answer.condition["reason"] == "InvalidSpec"


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (None, "has no annotation"),
        ("{", "is not JSON"),
        ("[]", "is not of this object"),
        ("{}", "is not of this object"),
        ('{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}}', "is not of this object"),
    ],
)
def test_a_child_that_does_not_say_how_it_was_applied_cannot_be_kept_and_nothing_changes(annotation, said):
    observed = ask(component(WORKER)).observed()
    annotations = observed[0]["metadata"]["annotations"]
    annotations[LAST_APPLIED] = annotation
    if annotation is None:
        del annotations[LAST_APPLIED]
    with pytest.raises(UnprocessableRequest, match=said):
        ask(component({"replicas": "two"}), observed=observed)


def test_a_child_that_would_be_too_large_is_an_invalid_spec_with_kind_name_size_and_limit():
    annotations = {f"example.com/{number}": "x" * 20_000 for number in range(12)}
    answer = ask(component(WORKER | {"annotations": annotations}))
    assert answer.condition["reason"] == "InvalidSpec"
    assert "Deployment g-decode: has " in answer.message
    assert "Service g-decode: has " in answer.message
    assert " bytes of JSON, 250000 are allowed; make its spec smaller" in answer.message


# Deletion


@pytest.mark.parametrize("finalizing", [False, True])
@pytest.mark.parametrize("spec", [WORKER | SCALED, WORKER | {"replicas": "two"}])
def test_a_component_that_is_being_deleted_gets_nothing_that_is_not_there(finalizing, spec):
    before = ask(component(WORKER))
    parent = component(spec, deletionTimestamp="2026-11-30T11:00:00Z")
    assert ask(parent, observed=before.observed(), finalizing=finalizing).names == before.names
    assert ask(parent, observed=[], finalizing=finalizing).children == []
    assert ask(parent, finalizing=finalizing).children == []


def test_a_component_that_is_being_deleted_says_what_is_gone_and_what_is_going():
    parent = component(WORKER, deletionTimestamp="2026-11-30T11:00:00Z")
    assert ask(parent, observed=[]).message == "Deployment g-decode: is gone"
    leaving = {"metadata": {"deletionTimestamp": "2026-11-30T11:00:00Z"}}
    observed = ask(component(WORKER)).observed(Deployment=leaving)
    assert ask(parent, observed=observed).message == "Deployment g-decode: is being deleted"


# customize


def by_name(resource, api_version, name="g-decode"):
    return {"apiVersion": api_version, "resource": resource, "names": [name], "namespace": "default"}


def test_a_component_asks_for_what_may_be_in_its_way_and_for_what_its_pods_find():
    found = [
        {
            "apiVersion": "v1",
            "resource": "serviceaccounts",
            "labelSelector": {"matchLabels": {"nvidia.com/dynamo-component-pod": "true"}},
            "namespace": "default",
        },
        {
            "apiVersion": "v1",
            "resource": "configmaps",
            "labelSelector": {"matchLabels": {"nvidia.com/registry-index": "true"}},
            "namespace": "default",
        },
    ]
    always = [
        by_name("deployments", "apps/v1"),
        by_name("services", "v1"),
        by_name("horizontalpodautoscalers", "autoscaling/v2"),
        by_name("ingresses", "networking.k8s.io/v1"),
    ]
    optional = [
        by_name("virtualservices", "networking.istio.io/v1"),
        by_name("leaderworkersets", "leaderworkerset.x-k8s.io/v1", "g-decode-lws"),
    ]
    assert rules(component()) == [*always, *optional, *found]
    assert rules(component(), controller(*EVERY_CLUSTER)) == [*always, *found]


def test_the_rules_depend_on_name_and_namespace_alone():
    other = component(main_container(command=["x"]) | WORKER, generation=9, labels={"a": "b"}, annotations={"c": "d"})
    assert rules(component()) == rules(other | {"status": {"replicas": 3}}) == rules(component() | {"spec": None})
