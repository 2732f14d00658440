import copy
import json

import pytest

from hooks.controllers import namespaces
from hooks.protocol import CustomizeRequest
from hooks.settings import Settings
from tests.controllers.namespace_requests import (
    answer,
    component,
    graph,
    named,
    namespace,
    object_of,
    requesting,
)
from tests.golden_cases import applied

PLANNER = ["ServiceAccount planner-serviceaccount", "RoleBinding planner-serviceaccount-binding"]
PROFILING = ["ServiceAccount dgdr-profiling-job", "RoleBinding dgdr-profiling-job-binding"]
QWEN = "Service dynamo-model-fb68f5a6"
SERVES_QWEN = {"componentType": "worker", "modelRef": {"name": "Qwen/Qwen3-0.6B"}}
KEYS = "Secret mpi-run-ssh-secret"
TENSORRT = {
    "componentType": "worker",
    "multinode": {"nodeCount": 2},
    "extraPodSpec": {"mainContainer": {"image": "x", "command": ["python3", "-m", "dynamo.trtllm"]}},
}
BY_VARIABLE = TENSORRT | {"extraPodSpec": {"mainContainer": {"image": "x", "command": ["python3", "-m", "$(ENGINE)"]}}}
ENGINE = [{"name": "ENGINE", "value": "dynamo.trtllm"}]


def observed(*related, **options):
    """What is there once the answer for `related` was applied."""
    return [applied(item, namespace()) for item in answer(namespace(), related, **options)]


def rules(name="team", settings=None):
    found = namespaces.customize(CustomizeRequest(namespace(name)), Settings.model_validate(settings or {}))
    return [rule.body() for rule in found]


def test_it_asks_for_little_and_by_the_name_of_the_namespace_alone():
    asked = rules()
    everywhere = [rule["resource"] for rule in asked if rule.get("namespace") != "team"]
    assert everywhere == ["dynamographdeploymentrequests", "configmaps"]
    for rule in asked:
        if "namespace" not in rule:
            assert rule["labelSelector"] == {"matchLabels": {"dgdr.nvidia.com/target-namespace": "team"}}
    by_name = {rule["resource"]: rule["names"] for rule in asked if "names" in rule}
    assert by_name == {
        "serviceaccounts": ["planner-serviceaccount", "dgdr-profiling-job"],
        "rolebindings": ["planner-serviceaccount-binding", "dgdr-profiling-job-binding"],
        "secrets": ["mpi-run-ssh-secret"],
    }


def test_components_of_a_graph_are_not_asked_for_since_each_change_of_one_would_send_them_all():
    found = [rule["labelSelector"] for rule in rules() if rule["resource"] == "dynamocomponentdeployments"]
    expression = {"key": "controller-uid", "operator": "DoesNotExist"}
    assert found == [{"matchExpressions": [expression]}]


@pytest.mark.parametrize(
    ("related", "attachments", "reason"),
    [
        ([], [], "nothing of Dynamo's"),
        ([graph()], PLANNER, "a graph"),
        ([component()], PLANNER, "a component that stands alone"),
        ([requesting()], PROFILING, "a request"),
        ([graph(), requesting()], PLANNER + PROFILING, "both"),
        ([requesting(namespace="other")], [], "a request of another namespace, wherever its graph goes"),
        ([graph(namespace="other")], [], "a graph of another namespace"),
        ([graph(services="x")], PLANNER, "a graph with nonsense in its spec"),
        ([graph() | {"spec": None}], PLANNER, "a graph without a spec"),
        ([requesting(enableGpuDiscovery="yes")], PROFILING, "no right by a value that is not true"),
    ],
)
def test_accounts_are_there_for_those_who_need_them(related, attachments, reason):
    assert named(answer(namespace(), related)) == attachments, reason


def test_rights_on_nodes_are_for_requests_that_ask_for_them():
    made = answer(namespace(), [requesting(enableGpuDiscovery=True)])
    assert named(made) == [*PROFILING, "ClusterRoleBinding dgdr-profiling-job-team"]
    assert "namespace" not in made[-1]["metadata"]
    assert made[-1]["subjects"] == [{"kind": "ServiceAccount", "name": "dgdr-profiling-job", "namespace": "team"}]


def test_names_of_accounts_and_roles_are_settings():
    settings = {
        "rbac": {"plannerClusterRole": "p", "profilingClusterRole": "q", "nodeReaderClusterRole": "n"},
        "defaults": {"planner": {"serviceAccountName": "plans"}},
    }
    made = answer(namespace(), [graph(), requesting(enableGpuDiscovery=True)], settings=settings)
    roles = {item["metadata"]["name"]: item["roleRef"]["name"] for item in made if "roleRef" in item}
    assert roles == {"plans-binding": "p", "dgdr-profiling-job-binding": "q", "dgdr-profiling-job-team": "n"}
    assert ["plans", "dgdr-profiling-job"] in [rule.get("names") for rule in rules(settings=settings)]


@pytest.mark.parametrize("left", [[graph("other")], [component()]])
def test_what_is_shared_stays_until_the_last_one_is_gone(left):
    there = observed(graph(), *left)
    assert named(answer(namespace(), left, there)) == PLANNER
    assert answer(namespace(), [], there) == []


@pytest.mark.parametrize("asked", [[], ["DynamoGraphDeployment.nvidia.com/v1alpha1"], ["ServiceAccount.v1"]])
def test_what_was_not_asked_for_proves_nothing(asked):
    there = observed(graph(services={"D": SERVES_QWEN}))
    assert answer(namespace(), [], there, asked=asked) == [
        json.loads(item["metadata"]["annotations"]["metacontroller.k8s.io/last-applied-configuration"])
        for item in there
    ]


@pytest.mark.parametrize(
    ("foreign", "attachments"),
    [
        (object_of("ServiceAccount", "planner-serviceaccount"), [PLANNER[1], QWEN]),
        (
            object_of("RoleBinding", "planner-serviceaccount-binding", api_version="rbac.authorization.k8s.io/v1"),
            [PLANNER[0], QWEN],
        ),
        (object_of("Service", "dynamo-model-fb68f5a6"), PLANNER),
        (object_of("Service", "dynamo-model-fb68f5a6", namespace="other"), [*PLANNER, QWEN]),
    ],
)
def test_what_a_user_made_is_used_as_it_is(foreign, attachments):
    related = [graph(services={"D": SERVES_QWEN}), foreign]
    assert named(answer(namespace(), related)) == attachments


def test_our_own_object_among_the_related_is_no_foreign_one():
    related = [graph(services={"D": SERVES_QWEN})]
    there = observed(*related)
    assert named(answer(namespace(), related + there, there)) == [*PLANNER, QWEN]


def test_components_of_one_model_share_a_service_and_each_can_go_first():
    users = [
        graph("a", services={"D": SERVES_QWEN, "F": {"componentType": "frontend"}}),
        graph("b", services={"D": SERVES_QWEN}),
        component(**SERVES_QWEN),
    ]
    there = observed(*users)
    assert [name for name in named(there) if name.startswith("Service ")] == [QWEN]
    for gone in users:
        left = [user for user in users if user is not gone]
        assert QWEN in named(answer(namespace(), left, there))
    assert QWEN not in named(answer(namespace(), [graph("c")], there))


@pytest.mark.parametrize("reference", [None, {}, {"name": ""}, {"name": 1}, "Qwen/Qwen3-0.6B", [{"name": "x"}]])
def test_what_is_no_model_gets_no_service(reference):
    assert named(answer(namespace(), [graph(services={"D": {"modelRef": reference}})])) == PLANNER


def test_a_component_of_a_graph_says_nothing_that_its_graph_does_not_say():
    of_graph = component(**SERVES_QWEN)
    of_graph["metadata"]["ownerReferences"] = [
        {"kind": "DynamoGraphDeployment", "name": "g", "uid": "u", "controller": True}
    ]
    assert answer(namespace(), [of_graph]) == []


def test_a_component_that_names_a_graph_and_was_applied_by_hand_needs_what_any_other_needs():
    by_hand = component(labels={"nvidia.com/dynamo-graph-deployment-name": "gone"}, **SERVES_QWEN)
    assert named(answer(namespace(), [by_hand])) == [*PLANNER, QWEN]


def ready(status):
    return {"observedGeneration": 3, "conditions": [{"type": "Ready", "status": status, "reason": "", "message": ""}]}


@pytest.mark.parametrize(
    ("status", "generation", "kept", "reason"),
    [
        (ready("True"), 3, False, "it runs as it is written"),
        (ready("False"), 3, True, "it is rolled out, or its edit is invalid: what runs may be what ran before"),
        (ready("True"), 4, True, "its edit was not looked at yet"),
        ({"observedGeneration": 3, "conditions": "x"}, 3, True, "nobody knows"),
        (None, 3, False, "nothing runs yet"),
        ("x", 3, False, "nonsense"),
    ],
)
def test_a_service_stays_while_a_graph_may_still_run_with_its_model(status, generation, kept, reason):
    there = observed(graph(services={"D": SERVES_QWEN}))
    edited = graph(services={"D": {}}, status=status, generation=generation)
    made = answer(namespace(), [edited], there)
    assert (QWEN in named(made)) == kept, reason
    if kept:
        assert made[-1] == answer(namespace(), [graph(services={"D": SERVES_QWEN})])[-1]


@pytest.mark.parametrize(
    ("related", "reason"),
    [
        (graph(services={"D": TENSORRT}), "by its command"),
        (graph(backendFramework="trtllm", services={"D": TENSORRT}), "by its command and the graph"),
        (
            graph(backendFramework="trtllm", services={"D": {"componentType": "decode", "multinode": {}}}),
            "by the graph; two nodes where it says no number",
        ),
        (component(**TENSORRT), "a component that stands alone"),
        (graph(services={"D": BY_VARIABLE | {"envs": ENGINE}}), "by a variable of the service"),
        (graph(services={"D": BY_VARIABLE}, envs=ENGINE), "by a variable of the graph"),
        (component(**BY_VARIABLE, envs=ENGINE), "by a variable of a component"),
        (graph(services={"D": BY_VARIABLE | {"multinode": {}}}, envs=ENGINE), "two nodes where it says no number"),
    ],
)
def test_a_component_that_spans_nodes_with_tensorrt_llm_gets_keys(related, reason):
    assert KEYS in named(answer(namespace(), [related])), reason


@pytest.mark.parametrize(
    ("related", "reason"),
    [
        (graph(services={"D": TENSORRT | {"multinode": None}}), "one node"),
        (graph(backendFramework="vllm", services={"D": {"componentType": "worker", "multinode": {}}}), "vLLM"),
        (graph(backendFramework="vllm", services={"D": TENSORRT}), "invalid: another engine than the command's"),
        (graph(backendFramework="trtllm", services={"F": {"componentType": "frontend", "multinode": {}}}), "no worker"),
        (graph(services={"D": TENSORRT | {"multinode": {"nodeCount": "two"}}}), "invalid"),
    ],
)
def test_other_components_need_no_keys(related, reason):
    assert named(answer(namespace(), [related])) == PLANNER, reason


def test_keys_never_change_and_stay_as_long_as_the_namespace():
    related = [graph(services={"D": TENSORRT})]
    there = observed(*related)
    for left in (related, [graph()], []):
        kept = answer(namespace(), left, there, randomness=b"r" * 36)
        assert [item for item in kept if item["kind"] == "Secret"] == [
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "mpi-run-ssh-secret", "namespace": "team"}}
        ]


def test_keys_under_another_name_are_made_beside_those_that_pods_of_before_use():
    related = [graph(services={"D": TENSORRT})]
    settings = {"mpiRun": {"secretName": "ssh"}}
    there = observed(*related)
    made = answer(namespace(), related, there, settings=settings)
    assert [name for name in named(made) if name.startswith("Secret")] == [KEYS, "Secret ssh"]
    assert made[-1]["data"].keys() == {"private.key", "private.key.pub"}
    there.append(applied(made[-1], namespace()))
    kept = answer(namespace(), related, there, settings=settings, randomness=b"r" * 36)
    assert [item["metadata"]["name"] for item in kept if item["kind"] == "Secret"] == ["mpi-run-ssh-secret", "ssh"]
    assert not any("data" in item for item in kept)


@pytest.mark.parametrize("observed", [[], [object_of("ServiceAccount", "planner-serviceaccount")]])
def test_no_keys_are_made_over_those_of_somebody_else_or_unseen(observed):
    related = [graph(services={"D": TENSORRT})]
    theirs = object_of("Secret", "mpi-run-ssh-secret", data={"private.key": "bXkga2V5"})
    assert KEYS not in named(answer(namespace(), [*related, theirs], observed))
    asked = ["DynamoGraphDeployment.nvidia.com/v1alpha1", "DynamoComponentDeployment.nvidia.com/v1alpha1"]
    assert KEYS not in named(answer(namespace(), related, observed, asked=asked))


def test_the_name_of_the_keys_is_a_setting():
    settings = {"mpiRun": {"secretName": "ssh"}}
    assert "Secret ssh" in named(answer(namespace(), [graph(services={"D": TENSORRT})], settings=settings))


def test_a_namespace_on_its_way_out_gets_nothing_new():
    parent = namespace(deletionTimestamp="2026-11-30T00:00:00Z")
    related = [graph(services={"D": SERVES_QWEN | TENSORRT}), requesting(enableGpuDiscovery=True)]
    assert answer(parent, related) == []
    there = [item for item in observed(*related) if item["kind"] == "ServiceAccount"]
    assert named(answer(parent, related, there)) == [PLANNER[0], PROFILING[0]]


RESTRICTION = {"namespaceRestriction": {"enabled": True, "installation": "a", "namespaces": ["team"]}}


def test_an_installation_for_some_namespaces_gives_no_rights_on_nodes():
    related = [requesting(enableGpuDiscovery=True)]
    there = observed(*related)
    assert named(answer(namespace(), related, there, settings=RESTRICTION)) == PROFILING


def test_an_installation_leaves_other_namespaces_as_they_are():
    assert rules("other", RESTRICTION) == []
    related = [graph(namespace="other", services={"D": TENSORRT})]
    assert answer(namespace("other"), related, settings=RESTRICTION) == []
    there = observed(graph(services={"D": SERVES_QWEN | TENSORRT}))
    before = copy.deepcopy(there)
    kept = answer(namespace("other"), [], there, settings=RESTRICTION)
    assert sorted(named(kept)) == sorted(named(there))
    assert there == before
