import pytest

from tests.asked import TO_MAKE, ask, graph, laid_over, mounting, rules

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
