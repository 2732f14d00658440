import orjson
import pytest

from hooks.errors import UnprocessableRequest
from tests.asked import ask, component, graph, laid_over, rules

CONTROLLER_OF = {"kind": "DynamoGraphDeployment", "controller": True}


def claim(name="models", **metadata):
    found = {"name": name, "namespace": "default", "uid": f"uid-of-claim-{name}", **metadata}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": found}


def mounting(*claims):
    return {"volumeMounts": [{"name": name, "mountPoint": f"/{name}"} for name in claims]}


TO_MAKE = {"name": "models", "create": True, "size": "1Ti", "storageClass": "fast", "volumeAccessMode": "ReadWriteMany"}


# Names


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


# Faults


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        pytest.param(
            {"services": {"A": {"replicas": "2", "labels": {"a b": "c"}}}},
            {"spec.services.A.replicas", "spec.services.A.labels[a b]"},
            id="a field of the same service",
        ),
        pytest.param(
            {
                "pvcs": [
                    {"name": "A_B", "create": True, "size": "x", "volumeAccessMode": "RWX"},
                    {"name": "b", "size": 1.5},
                ]
            },
            {"spec.pvcs[0].create", "spec.pvcs[0].name"},
            id="the name of a claim that lacks something",
        ),
        pytest.param(
            {"pvcs": [{"name": "a", "create": "yes"}, {"name": "B"}]},
            {"spec.pvcs[0].create", "spec.pvcs[1].name"},
            id="a claim keeps its number",
        ),
        pytest.param(
            {"services": {"A": {"autoscaling": {"enabled": True, "maxReplicas": "3"}}}},
            {"spec.services.A.autoscaling.maxReplicas"},
            id="what was taken out is not missed on top",
        ),
        pytest.param(
            {"services": {"A": {"volumeMounts": [{"name": "m", "mountPoint": 5}], "labels": {"a b": "c"}}}},
            {"spec.services.A.volumeMounts[0].mountPoint", "spec.services.A.labels[a b]"},
            id="nor is it in a list",
        ),
        pytest.param({"services": {"A": "x", "a": {}}}, {"spec.services.A", "spec.services.a"}, id="a whole service"),
    ],
)
def test_what_is_misshapen_hides_no_fault_beside_it(spec, told):
    services = {
        key: value if isinstance(value, str) else laid_over(RUNNING, value)
        for key, value in spec.get("services", {}).items()
    }
    answer = ask(graph({}) | {"spec": {**spec, "services": services}})
    assert {line.split(": ")[0] for line in answer.message.split(". ")} == told


def test_all_faults_of_a_graph_are_told_at_once_those_beside_a_wrong_type_too():
    services = {
        "A": {"replicas": "two"},
        "B": {"labels": {"x": "a b"}, "annotations": {"/": "y"}},
        "C": {"extraPodSpec": {"mainContainer": {"ports": [{"containerPort": 1}, {"containerPort": 1}]}}},
        "D": {"volumeMounts": [{"name": "x"}]},
        "a": {},
        "w" * 62: {},
    }
    pvcs = [TO_MAKE | {"name": "My_Claim", "size": "big", "volumeAccessMode": "Sometimes", "storageClass": "F"}]
    answer = ask(graph(services, envs=[{"name": "a=b"}], pvcs=pvcs, backendFramework="tokenspeed"))
    told = {line.split(": ")[0] for line in answer.message.split(". ")}
    assert told == {
        "spec.backendFramework",
        "spec.envs[0].name",
        "spec.pvcs[0].name",
        "spec.pvcs[0].size",
        "spec.pvcs[0].storageClass",
        "spec.pvcs[0].volumeAccessMode",
        "spec.services.A.replicas",
        "spec.services.B.annotations[/]",
        "spec.services.B.labels[x]",
        "spec.services.C.extraPodSpec.mainContainer.ports",
        "spec.services.D.volumeMounts[0].mountPoint",
        "spec.services.a",
        f"spec.services.{'w' * 62}",
    }


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (None, "spec: is required; add it"),
        ("x", "spec: has the value 'x'; write an object (key: value)"),
        ({"services": []}, "spec.services: has the value []; write an object (key: value)"),
        ({"services": {"A": None}}, "spec.services.A: has the value null; write an object (key: value)"),
        ({"services": {"A": 1}}, "spec.services.A: has the value 1; write an object (key: value)"),
        ({"pvcs": {}}, "spec.pvcs: has the value {}; write a list"),
        ({"pvcs": [{}]}, "spec.pvcs[0].name: is required; add it"),
        (
            {"pvcs": [{"name": "a", "create": True}]},
            (
                "spec.pvcs[0].create: is true without storageClass and size and volumeAccessMode; "
                "add what is missing, or set create to false"
            ),
        ),
        (
            {"pvcs": [{"name": "a"}, {"name": "a"}]},
            (
                "spec.pvcs[1].name: has the value 'a', as pvcs[0] has; "
                "leave one of the two out; several services can mount the same claim"
            ),
        ),
        (
            {"services": {"A": {"autoscaling": {"enabled": True, "minReplicas": 5, "maxReplicas": 2}}}},
            (
                "spec.services.A.autoscaling.maxReplicas: has the value 2, less than minReplicas (5); "
                "raise it, or lower minReplicas"
            ),
        ),
        (
            {"services": {"A": {"autoscaling": {"enabled": True}}}},
            (
                "spec.services.A.autoscaling.maxReplicas: is required when autoscaling is enabled; "
                "add it, or set enabled to false"
            ),
        ),
        (
            {"services": {"A": {"multinode": {"nodeCount": 1}}}},
            "spec.services.A.multinode.nodeCount: has the value 1; it should be greater than or equal to 2",
        ),
        (
            {"services": {"A": {"volumeMounts": [{"name": "c", "mountPath": "/x"}]}}},
            (
                "spec.services.A.volumeMounts[0].mountPoint: is required; "
                "add the path in the container (a service's volumeMounts have no mountPath)"
            ),
        ),
        (
            {"services": {"A": {"extraPodSpec": {"containers": [{"image": "i"}]}}}},
            "spec.services.A.extraPodSpec.containers[0].name: is required; add it",
        ),
        (
            {"backendFramework": "tokenspeed"},
            "spec.backendFramework: has the value 'tokenspeed'; it should be 'sglang', 'vllm' or 'trtllm'",
        ),
    ],
)
def test_what_is_wrong_in_a_spec_is_an_answer_with_field_value_and_cure(spec, message):
    answer = ask(graph({}) | {"spec": spec})
    assert (answer.status["state"], answer.condition["reason"], answer.message) == ("failed", "InvalidSpec", message)


def test_more_than_25_services_are_too_many():
    answer = ask(graph({f"s{number}": {} for number in range(26)}))
    assert answer.message.startswith("spec.services: ")
    assert "25" in answer.message


def test_an_invalid_edit_restates_every_child_as_it_was_last_applied():
    parent = graph({"Frontend": {}, "Worker": mounting("models")}, pvcs=[TO_MAKE])
    before = ask(parent, settings={"discoveryBackend": "kubernetes"})
    assert len(before.children) == 6
    parent["spec"]["services"]["Worker"]["replicas"] = "two"
    answer = ask(parent, observed=before.observed())
    identity = {key: before.child("PersistentVolumeClaim")[key] for key in ("apiVersion", "kind")}
    kept = identity | {"metadata": {"name": "models", "namespace": "default"}}
    expected = [kept if child["kind"] == "PersistentVolumeClaim" else child for child in before.children]
    assert sorted(answer.children, key=orjson.dumps) == sorted(expected, key=orjson.dumps)


def test_the_next_valid_spec_goes_on_from_there():
    parent = graph({"Frontend": {}})
    before = ask(parent)
    broken = ask(parent | {"spec": {"services": []}}, observed=before.observed())
    assert ask(parent, observed=broken.observed()).children == before.children


def test_a_child_that_does_not_say_how_it_was_applied_cannot_be_kept_and_nothing_changes():
    parent = graph({"Frontend": {}})
    observed = ask(parent).observed()
    del observed[0]["metadata"]["annotations"]["metacontroller.k8s.io/last-applied-configuration"]
    with pytest.raises(UnprocessableRequest, match="last-applied-configuration"):
        ask(parent | {"spec": 1}, observed=observed)


# Claims


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


# Discovery


def test_discovery_through_kubernetes_needs_an_account_a_role_and_a_binding():
    services = {
        "Frontend": {},
        "Planner": {"componentType": "planner"},
        "Mine": {"extraPodSpec": {"serviceAccountName": "mine"}},
        "Old": {"componentType": "planner", "extraPodSpec": {"serviceAccount": "old"}},
    }
    annotation = {"nvidia.com/dynamo-discovery-backend": "kubernetes"}
    answer = ask(graph(services, metadata={"annotations": annotation}))
    account = answer.child("ServiceAccount", "g-k8s-service-discovery")
    assert account["metadata"]["namespace"] == "default"
    assert answer.child("Role", "g-k8s-service-discovery-role")["rules"] == [
        {"apiGroups": [""], "resources": ["endpoints"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["get", "list", "watch"]},
    ]
    binding = answer.child("RoleBinding", "g-k8s-service-discovery-binding")
    assert binding["roleRef"] == {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "Role",
        "name": "g-k8s-service-discovery-role",
    }
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": name, "namespace": "default"}
        for name in ("g-k8s-service-discovery", "mine", "old", "planner-serviceaccount")
    ]


def test_an_account_of_the_settings_is_bound_too():
    settings = {"discoveryBackend": "kubernetes", "defaults": {"worker": {"serviceAccountName": "workers"}}}
    answer = ask(graph({"W": {"componentType": "worker"}}), settings=settings)
    assert [subject["name"] for subject in answer.child("RoleBinding")["subjects"]] == [
        "g-k8s-service-discovery",
        "workers",
    ]


@pytest.mark.parametrize(
    ("settings", "service"),
    [
        ({}, {}),
        ({"discoveryBackend": "kubernetes"}, {"annotations": {"nvidia.com/dynamo-discovery-backend": "etcd"}}),
    ],
)
def test_without_discovery_through_kubernetes_nothing_is_needed(settings, service):
    assert ask(graph({"A": service}), settings=settings).names == {("DynamoComponentDeployment", "g-a")}


def test_an_account_of_that_name_which_is_not_ours_is_reported_and_left_alone():
    theirs = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "g-k8s-service-discovery", "namespace": "default", "uid": "x"},
    }
    answer = ask(graph({"A": {}}), related=[theirs], settings={"discoveryBackend": "kubernetes"})
    assert answer.child("ServiceAccount") is None
    assert answer.child("RoleBinding")
    assert (answer.status["state"], answer.condition["reason"]) == ("failed", "NameConflict")


def under(account=None, image="registry.example.com/runtime:1"):
    return {"extraPodSpec": {"serviceAccountName": account, "mainContainer": {"image": image}}}


DISCOVERY = {"annotations": {"nvidia.com/dynamo-discovery-backend": "kubernetes"}}
RUNNING = {"extraPodSpec": {"mainContainer": {"image": "x"}}}
READY = {"status": {"conditions": [{"type": "Available", "status": "True"}], "observedGeneration": 1}}
ROLLING_OUT = {"status": {"conditions": [{"type": "Available", "status": "False"}], "observedGeneration": 1}}


def subjects(answer):
    binding = answer.child("RoleBinding")
    return binding and [subject["name"] for subject in binding["subjects"]]


def rights(answer):
    return {kind for kind, _ in answer.names} - {"DynamoComponentDeployment"}


def test_another_account_is_bound_as_well_until_no_pod_of_the_former_is_left():
    before = ask(graph({"A": under("mine")}, metadata=DISCOVERY))
    edited = graph({"A": under("other")}, metadata=DISCOVERY)
    first = ask(edited, observed=before.observed(DynamoComponentDeployment=READY))
    assert subjects(first) == ["g-k8s-service-discovery", "mine", "other"]
    second = ask(edited, observed=first.observed(DynamoComponentDeployment=ROLLING_OUT))
    assert subjects(second) == ["g-k8s-service-discovery", "mine", "other"]
    last = ask(edited, observed=second.observed(DynamoComponentDeployment=READY))
    assert subjects(last) == ["g-k8s-service-discovery", "other"]
    assert last.status["state"] == "successful"


def test_account_and_rights_stay_until_no_pod_discovers_through_kubernetes_any_more():
    before = ask(graph({"A": {}}, metadata=DISCOVERY))
    edited = graph({"A": {}})
    first = ask(edited, observed=before.observed(DynamoComponentDeployment=READY))
    assert rights(first) == {"ServiceAccount", "Role", "RoleBinding"}
    second = ask(edited, observed=first.observed(DynamoComponentDeployment=ROLLING_OUT))
    assert rights(second) == {"ServiceAccount", "Role", "RoleBinding"}
    assert rights(ask(edited, observed=second.observed(DynamoComponentDeployment=READY))) == set()


def test_the_account_of_a_service_that_is_removed_is_bound_until_its_component_is_gone():
    before = ask(graph({"A": {}, "B": under("mine")}, metadata=DISCOVERY))
    edited = graph({"A": {}}, metadata=DISCOVERY)
    observed = before.observed(DynamoComponentDeployment=READY)
    first = ask(edited, observed=observed)
    assert subjects(first) == ["g-k8s-service-discovery", "mine"]
    left = [child for child in observed if child["metadata"]["name"] != "g-b"]
    assert subjects(ask(edited, observed=left)) == ["g-k8s-service-discovery"]


def test_whom_somebody_else_bound_is_left_to_him():
    before = ask(graph({"A": under("mine")}, metadata=DISCOVERY))
    observed = before.observed(DynamoComponentDeployment=READY)
    binding = next(child for child in observed if child["kind"] == "RoleBinding")
    binding["subjects"] = [*binding["subjects"], {"kind": "User", "name": "somebody"}]
    answer = ask(graph({"A": under("other")}, metadata=DISCOVERY), observed=observed)
    assert subjects(answer) == ["g-k8s-service-discovery", "mine", "other"]


# What goes


def test_a_service_that_is_removed_is_returned_no_more_and_counts_no_more():
    services = {"Frontend": {}, "prefill": {}, "decode": {}}
    before = ask(graph(services))
    del services["prefill"]
    answer = ask(graph(services), observed=before.observed())
    assert answer.names == {("DynamoComponentDeployment", "g-frontend"), ("DynamoComponentDeployment", "g-decode")}
    assert "prefill" not in str(answer.status)


@pytest.mark.parametrize("finalizing", [False, True])
def test_a_graph_that_is_being_deleted_gets_nothing_that_is_not_there(finalizing):
    parent = graph({"A": {}, "B": {}}, pvcs=[TO_MAKE], metadata={"deletionTimestamp": "2026-11-30T11:00:00Z"})
    before = ask(graph({"A": {}}, pvcs=[TO_MAKE]))
    answer = ask(parent, observed=before.observed(), finalizing=finalizing)
    assert answer.names == before.names
    assert ask(parent, observed=[], finalizing=finalizing).children == []
    assert ask(parent, finalizing=finalizing).children == []


def test_a_deletion_timestamp_of_null_is_none():
    before = ask(graph({"A": {}}, metadata={"deletionTimestamp": None}))
    assert before.names == {("DynamoComponentDeployment", "g-a")}
    observed = before.observed(DynamoComponentDeployment=READY)
    observed[0]["metadata"]["deletionTimestamp"] = None
    assert ask(graph({"A": {}}), observed=observed).status["state"] == "successful"


def test_a_graph_that_is_being_deleted_says_what_is_gone_and_what_is_going():
    deleted = {"metadata": {"deletionTimestamp": "2026-11-30T11:00:00Z"}}
    parent = graph({"A": {}, "B": {}}, pvcs=[TO_MAKE], **deleted)
    observed = ask(graph({"A": {}})).observed(DynamoComponentDeployment=deleted)
    assert ask(parent, observed=observed).message == (
        "DynamoComponentDeployment g-a: is being deleted. PersistentVolumeClaim models: is gone. g-b: is gone"
    )


def test_a_graph_without_services_is_at_rest():
    answer = ask(graph({}))
    assert (answer.status["state"], answer.children) == ("successful", [])


def test_a_model_makes_no_child_of_a_graph():
    answer = ask(graph({"A": {"modelRef": {"name": "Qwen/Qwen3-0.6B"}}}))
    assert answer.names == {("DynamoComponentDeployment", "g-a")}


# customize


def names(resource, *found, api_version="v1"):
    return {"apiVersion": api_version, "resource": resource, "names": list(found), "namespace": "default"}


def test_a_graph_asks_for_what_may_be_in_its_way_and_for_its_claims():
    rbac = "rbac.authorization.k8s.io/v1"
    parent = graph({"B": mounting("c", "a"), "A": {}}, pvcs=[TO_MAKE, {"name": "b"}])
    assert rules(parent) == [
        names("dynamocomponentdeployments", "g-a", "g-b", api_version="nvidia.com/v1alpha1"),
        names("persistentvolumeclaims", "a", "b", "c", "models"),
        names("serviceaccounts", "g-k8s-service-discovery"),
        names("roles", "g-k8s-service-discovery-role", api_version=rbac),
        names("rolebindings", "g-k8s-service-discovery-binding", api_version=rbac),
    ]


def test_a_graph_without_services_and_claims_asks_for_none():
    assert [rule["resource"] for rule in rules(graph({}))] == ["serviceaccounts", "roles", "rolebindings"]


@pytest.mark.parametrize("spec", [None, {"services": []}, {"services": {"w" * 62: {}}}])
def test_an_invalid_graph_asks_for_nothing_since_nothing_is_made_of_it(spec):
    assert rules(graph({}) | {"spec": spec}) == []


def test_the_rules_depend_on_spec_name_and_namespace_alone():
    parent = graph({"A": mounting("c")}, pvcs=[TO_MAKE])
    other = laid_over(
        parent,
        {
            "metadata": {
                "labels": {"a": "b", "nvidia.com/dynamo-discovery-backend": "kubernetes"},
                "annotations": {"nvidia.com/dynamo-discovery-backend": "kubernetes"},
                "generation": 7,
                "uid": "x",
                "deletionTimestamp": "2026-11-30T11:00:00Z",
            },
            "status": {"state": "failed"},
        },
    )
    assert rules(parent) == rules(other)
