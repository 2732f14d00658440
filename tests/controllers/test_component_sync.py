import pytest

from hooks.errors import UnprocessableRequest
from tests.asked import ask, component, laid_over, main_container, rules

WORKER = {"componentType": "worker"}
INGRESS = {"ingress": {"enabled": True, "host": "h"}}
SCALED = {"autoscaling": {"enabled": True, "maxReplicas": 9}}
LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"


def controller(*resources):
    """A controller that lists these children alone."""
    listed = {
        "deployments": "apps/v1",
        "services": "v1",
        "horizontalpodautoscalers": "autoscaling/v2",
        "ingresses": "networking.k8s.io/v1",
        "leaderworkersets": "leaderworkerset.x-k8s.io/v1",
        "virtualservices": "networking.istio.io/v1",
    }
    return {"spec": {"childResources": [{"apiVersion": listed[name], "resource": name} for name in resources]}}


EVERY_CLUSTER = ("deployments", "services", "horizontalpodautoscalers", "ingresses")


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


# What the cluster lacks


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


# What is somebody else's


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


# Order


def init(*names):
    return {"extraPodSpec": {"initContainers": [{"name": name, "image": "i"} for name in names]}}


@pytest.mark.parametrize(
    ("there", "wanted", "kept", "renamed"),
    [
        pytest.param("a", "ab", None, None, id="a new one behind"),
        pytest.param("ab", "b", None, None, id="one gone"),
        pytest.param("", "ab", None, None, id="all new"),
        pytest.param("a", "ba", "a, b, not b, a", "a", id="a new one in front"),
        pytest.param("ab", "ba", "a, b, not b, a", "b, a", id="changed places"),
        pytest.param("abc", "axbc", "a, b, c, x, not a, x, b, c", "b, c", id="a new one between"),
    ],
)
def test_init_containers_that_would_run_in_another_order_are_named(there, wanted, kept, renamed):
    observed = ask(component(init(*there))).observed()
    message = ask(component(init(*wanted)), observed=observed).message
    if kept is None:
        assert "init containers" not in message
        return
    assert message.endswith(
        f"Deployment g-decode: its init containers run in the order {kept}, since those that are there keep their "
        f"places: give {renamed} another name"
    )


def test_references_between_variables_do_not_depend_on_the_order_of_the_list():
    envs = [{"name": "NEW", "value": "1"}, {"name": "OLD", "value": "$(NEW)2"}]
    assert ask(component({"envs": envs})).env["OLD"] == "12"
    side = {"name": "s", "image": "i", "env": envs}
    pod = ask(component({"extraPodSpec": {"containers": [side], "initContainers": [side | {"name": "t"}]}})).pod
    assert pod["containers"][1]["env"][1] == pod["initContainers"][0]["env"][1] == {"name": "OLD", "value": "12"}


SECRET = {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}


@pytest.mark.parametrize(
    ("there", "said"),
    [
        pytest.param([{"name": "URL", "value": "old"}], True, id="one that refers to a new secret is there already"),
        pytest.param([{"name": "URL", "value": "old"}, SECRET], True, id="the secret stands behind it already"),
        pytest.param([SECRET], False, id="the secret is there first"),
        pytest.param([], False, id="both are new"),
    ],
)
def test_a_variable_that_would_stand_before_the_secret_it_refers_to_is_named(there, said):
    observed = ask(component({"envs": there})).observed()
    envs = [SECRET, {"name": "URL", "value": "db://$(PASSWORD)"}]
    message = ask(component({"envs": envs}), observed=observed).message
    note = (
        "Deployment g-decode: URL of container main refers to PASSWORD, which stands behind it, since variables that "
        "are there keep their places: kubectl delete -n default deployment g-decode, and it is made anew in the "
        "right order"
    )
    assert message.endswith(note) == said
    assert ("refers to" in message) == said


@pytest.mark.parametrize("owned", [True, False])
def test_in_a_component_of_a_graph_a_merge_may_have_put_a_secret_behind_what_refers_to_it(owned):
    owner = {"kind": "DynamoGraphDeployment", "name": "g", "uid": "u", "controller": True}
    envs = [{"name": "URL", "value": "db://$(PASSWORD)"}, SECRET]
    env = ask(component({"envs": envs}, ownerReferences=[owner] if owned else [])).main["env"][-2:]
    text = {"name": "URL", "value": "db://$$(PASSWORD)"}  # whoever writes it so, means text
    assert env == ([SECRET, envs[0]] if owned else [text, SECRET])


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
