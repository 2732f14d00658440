"""Graphs of requests: made once, where the request's spec and the namespace say so, whatever else somebody writes."""

import copy

import pytest
import yaml

from hooks.controllers import requested_graphs
from hooks.profiling.output import read_output
from tests.controllers.namespace_requests import GRAPH, UID, answer, graph, named, namespace, object_of, requesting
from tests.golden_cases import applied, laid_over

LABEL = {"dgdr.nvidia.com/target-namespace": "victim"}
SPEC = {"autoApply": True, "deploymentOverrides": {"name": "llm", "namespace": "victim"}}
GENERATED = {
    **GRAPH,
    "metadata": {"name": "llm", "namespace": "victim", "labels": {"team": "a"}, "annotations": {"note": "n"}},
    "spec": {"services": {"Frontend": {"componentType": "frontend"}}},
}
OWN_LABELS = {
    "dgdr.nvidia.com/name": "r",
    "dgdr.nvidia.com/namespace": "evil",
    "dgdr.nvidia.com/uid": UID,
    "nvidia.com/managed-by": "dynamo-operator",
}
DOCUMENTS = [
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "planner-profile-data"}, "data": {"a": "1"}},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more"}, "data": {"b": "2"}},
    GENERATED,
]
PROFILE = ["ConfigMap llm-more", "ConfigMap llm-planner-profile-data"]


def request(generated=GENERATED, spec=SPEC, metadata=None, **status):
    """A request of the namespace `evil` whose graph is for the namespace `victim`."""
    status = {"state": "Deploying", "generatedDeployment": generated, **status}
    return requesting(namespace="evil", status=status, metadata={"labels": LABEL} | (metadata or {}), **spec)


def output(documents=DOCUMENTS, name="dgdr-output-r", namespace="evil", uid=UID, **metadata):
    text = yaml.safe_dump_all(documents)
    item = object_of("ConfigMap", name, namespace, data={"config_with_planner.yaml": text})
    item["metadata"] |= {"labels": LABEL, "annotations": {"dgdr.nvidia.com/uid": uid}} | metadata
    return item


CONSENTING = namespace("victim", consent="evil")
RELATED = [request(), output()]


def test_with_consent_the_graph_and_its_profile_are_made():
    made = answer(CONSENTING, RELATED)
    assert named(made) == ["DynamoGraphDeployment llm", *PROFILE]
    assert made[0] == GENERATED | {"metadata": GENERATED["metadata"] | {"labels": OWN_LABELS | {"team": "a"}}}
    assert {item["metadata"]["namespace"] for item in made} == {"victim"}
    for item in made[1:]:
        assert item["metadata"]["labels"] == OWN_LABELS | {"nvidia.com/dynamo-graph-deployment-name": "llm"}


@pytest.mark.parametrize(
    ("related", "reason"),
    [
        (RELATED, "as a request writes it"),
        ([request(metadata={"namespace": "evil", "labels": LABEL | OWN_LABELS}), output()], "with labels of ours"),
        ([request(deployment={"name": "llm", "namespace": "victim", "created": False}), output()], "with a status"),
        ([request(state="Ready", deployment={"created": True}), output()], "as if it had been made"),
        ([request(state="Ready", spec={}), output()], "for somebody to apply by hand"),
        ([output(), output(name="dgdr-output-other")], "an output alone"),
        ([request(), output(labels=LABEL | OWN_LABELS)], "an output with labels of ours"),
        ([request(), output(name="llm-planner-profile-data")], "a ConfigMap of the right name"),
        ([graph("llm", "evil"), request(), output()], "a graph of the right name"),
    ],
)
@pytest.mark.parametrize(
    "target",
    [
        namespace("victim"),
        namespace("victim", consent="evil-too, vil"),
        namespace("victim", labels={"nvidia.com/allow-deployments-from": "evil"}),
    ],
    ids=["no annotation", "others are allowed", "a label instead"],
)
def test_without_consent_nothing_appears_whatever_somebody_writes_in_his_own_namespace(target, related, reason):
    assert answer(target, related) == [], reason


@pytest.mark.parametrize(("setting", "made"), [("allow", True), ("deny", False), ("consent", False)])
def test_the_platform_may_decide_for_all(setting, made):
    settings = {"profiling": {"crossNamespace": setting}}
    assert bool(answer(namespace("victim"), RELATED, settings=settings)) == made
    assert bool(answer(namespace("victim", consent="*"), RELATED, settings=settings)) == (setting != "deny")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({}, "no autoApply: it is for its own namespace"),
        ({"autoApply": True}, "no override: likewise"),
        ({"autoApply": True, "deploymentOverrides": {"name": "llm"}}, "a name alone"),
        ({"autoApply": True, "deploymentOverrides": {"name": "llm", "namespace": "other"}}, "another namespace"),
        ({"autoApply": "true", "deploymentOverrides": SPEC["deploymentOverrides"]}, "a string is not true"),
        ({"autoApply": True, "deploymentOverrides": "victim"}, "nonsense"),
    ],
)
def test_the_label_alone_never_suffices(spec, reason):
    assert answer(CONSENTING, [request(spec=spec), output()]) == [], reason


def generated(**changes):
    return laid_over(GENERATED, changes)


@pytest.mark.parametrize(
    ("forged", "reason"),
    [
        (generated(kind="Deployment", apiVersion="apps/v1"), "another kind"),
        (generated(kind="ClusterRoleBinding", apiVersion="rbac.authorization.k8s.io/v1"), "a right"),
        (generated(kind="DynamoComponentDeployment"), "another kind of ours"),
        (generated(apiVersion="nvidia.com/v2"), "another version"),
        (generated(metadata={"name": "other"}), "another name than the spec's"),
        (generated(metadata={"namespace": "kube-system"}), "another namespace"),
        (generated(metadata={"namespace": None}), "no namespace"),
        (generated(metadata="x"), "no metadata"),
        (generated(spec=[]), "no spec"),
        (generated(spec={"services": {"x" * 250_000: {}}}), "one too large to be made"),
        ({}, "nothing"),
        (None, "null"),
        ("DynamoGraphDeployment", "a string"),
    ],
)
def test_what_is_not_the_graph_that_the_spec_asks_for_is_not_made_nor_anything_beside_it(forged, reason):
    assert answer(CONSENTING, [request(forged), output()]) == [], reason


def test_a_forged_graph_comes_out_clean():
    forged = generated(
        metadata={
            "ownerReferences": [{"apiVersion": "v1", "kind": "Namespace", "name": "other", "uid": "u"}],
            "finalizers": ["example.com/never"],
            "uid": "u",
            "resourceVersion": "7",
            "generateName": "x",
            "deletionTimestamp": "2026-11-30T00:00:00Z",
            "managedFields": [{}],
            "labels": {
                "controller-uid": "u",
                "nvidia.com/dynamo-installation": "other",
                "dgdr.nvidia.com/uid": "another",
                "dgdr.nvidia.com/namespace": "kube-system",
                "dgdr.nvidia.com/target-namespace": "kube-system",
                "not a key": "x",
                "bad-value": "not a value",
                "number": 1,
                "null": None,
            },
            "annotations": {
                "metacontroller.k8s.io/last-applied-configuration": "{}",
                "metacontroller.k8s.io/decorator-controller": "other",
                "not a key": "x",
                "number": 1,
            },
        },
        status={"state": "successful"},
        data={"x": "y"},
    )
    made = answer(CONSENTING, [request(forged)])
    assert made == answer(CONSENTING, [request()])
    assert made[0].keys() == {"apiVersion", "kind", "metadata", "spec"}
    assert made[0]["metadata"].keys() == {"name", "namespace", "labels", "annotations"}


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ({"state": "Pending"}, "not yet profiled"),
        ({"state": "Profiling"}, "not yet profiled"),
        ({"state": "Failed"}, "nothing came of it"),
        ({"state": "Ready"}, "a graph that is ready was there"),
        ({"state": "DeploymentDeleted"}, "somebody deleted it"),
        ({"state": None}, "not yet looked at"),
        ({"deployment": {"created": True}}, "it was made once"),
    ],
)
def test_it_is_made_in_one_state_only(status, reason):
    assert answer(CONSENTING, [request(**status), output()]) == [], reason


def test_it_is_not_made_for_a_request_that_is_on_its_way_out():
    assert answer(CONSENTING, [request(metadata={"deletionTimestamp": "2026-11-30T00:00:00Z"}), output()]) == []


def test_a_graph_of_somebody_else_is_left_alone_and_gets_no_profile():
    assert named(answer(CONSENTING, [*RELATED, graph("llm", "victim")])) == [
        "ServiceAccount planner-serviceaccount",
        "RoleBinding planner-serviceaccount-binding",
    ]


def test_graphs_that_were_not_asked_for_may_be_there():
    kinds = ["DynamoGraphDeploymentRequest.nvidia.com/v1alpha1", "ConfigMap.v1"]
    assert answer(CONSENTING, RELATED, asked=kinds) == []


def test_two_requests_for_one_name_make_one_graph():
    later = request(metadata={"name": "s", "uid": "u-2"})
    made = answer(CONSENTING, [later, *RELATED])
    assert named(made) == ["DynamoGraphDeployment llm", *PROFILE]
    assert made[0]["metadata"]["labels"]["dgdr.nvidia.com/name"] == "r"


def there(*names, related=RELATED):
    made = [applied(item, CONSENTING) for item in answer(CONSENTING, related)]
    return [item for item in made if not names or f"{item['kind']} {item['metadata']['name']}" in names]


def identities(*names):
    found = []
    for each in names:
        kind, _, name = each.partition(" ")
        api_version = GRAPH["apiVersion"] if kind == GRAPH["kind"] else "v1"
        metadata = {"name": name, "namespace": "victim"}
        found.append({"apiVersion": api_version, "kind": kind, "metadata": metadata})
    return found


MADE = request(state="Ready", deployment={"created": True})


@pytest.mark.parametrize(
    ("related", "reason"),
    [
        (RELATED, "the status was not yet written"),
        ([MADE, output()], "all is well"),
        ([MADE], "the output was deleted"),
        ([request(spec={})], "the request was changed"),
        ([request(state="Failed")], "the request failed after all"),
        ([request(generated(metadata={"name": "x"}))], "the status was forged"),
        ([request(metadata={"uid": "u-2"})], "the request was made again"),
        ([], "the request is gone"),
    ],
)
@pytest.mark.parametrize("target", [CONSENTING, namespace("victim")], ids=["consenting", "consent withdrawn"])
def test_what_was_made_is_named_for_ever_so_that_edits_stay(related, target, reason):
    found = there()
    for item in found:
        item["edited"] = "by a user"
    assert answer(target, related, found) == identities("DynamoGraphDeployment llm", *PROFILE), reason


def test_a_profile_stays_as_long_as_its_graph_or_its_request():
    assert answer(CONSENTING, [MADE], there(*PROFILE)) == identities(*PROFILE), "its request is there"
    assert answer(CONSENTING, [], there(*PROFILE)) == [], "neither graph nor request: its profile goes"
    edited = graph("llm", "victim")
    kept = answer(CONSENTING, [edited], there(*PROFILE))
    assert [item for item in kept if item["kind"] == "ConfigMap"] == identities(*PROFILE), (
        "a graph of that name reads it"
    )


@pytest.mark.parametrize("asked", [[], ["DynamoGraphDeployment.nvidia.com/v1alpha1"], ["ConfigMap.v1"]])
def test_a_profile_is_kept_where_nobody_asked_for_its_graph_or_request(asked):
    assert answer(CONSENTING, [], there(*PROFILE), asked=asked) == identities(*PROFILE)


@pytest.mark.parametrize("left", [[], PROFILE[:1], PROFILE[1:]])
def test_a_configmap_that_was_deleted_is_made_again_while_the_request_is_there(left):
    found = there("DynamoGraphDeployment llm", *left)
    made = {item["metadata"]["name"]: item for item in answer(CONSENTING, [MADE, output()], found)}
    assert sorted(made) == ["llm", "llm-more", "llm-planner-profile-data"]
    new = {item["metadata"]["name"] for item in made.values() if "data" in item}
    assert new == {name.partition(" ")[2] for name in PROFILE if name not in left}


@pytest.mark.parametrize(
    ("forged", "reason"),
    [
        (output(uid="another"), "of an earlier request of that name"),
        (output(annotations={}), "without a uid"),
        (output(namespace="elsewhere"), "of another namespace than its request's"),
        (output(namespace="victim"), "of the namespace that the graph goes to"),
        (output(name="dgdr-output-s"), "of another name"),
        (output([GENERATED]), "no ConfigMap in it"),
        (output([*DOCUMENTS, GENERATED]), "two graphs in it"),
        (output([*DOCUMENTS, DOCUMENTS[0] | {"metadata": {"name": "../x"}}]), "an impossible name"),
        (output() | {"data": {"config_with_planner.yaml": "kind: ConfigMap: ["}}, "no YAML"),
        (output() | {"data": {"config_with_planner.yaml": ["ConfigMap"]}}, "no text"),
        (output() | {"data": {"error": "ConfigMap"}}, "a failure"),
        (output() | {"data": None}, "empty"),
    ],
)
def test_an_output_that_is_not_the_requests_gives_no_configmap(forged, reason):
    assert named(answer(CONSENTING, [request(), forged])) == ["DynamoGraphDeployment llm"], reason


def test_other_kinds_in_an_output_are_not_made():
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x", "ownerReferences": [{}]}, "data": {}}
    odd = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "odd", "namespace": "kube-system", "finalizers": ["x"], "ownerReferences": [{}]},
        "data": {"a": "1"},
        "immutable": True,
    }
    made = answer(CONSENTING, [request(), output([secret, odd, GENERATED])])
    assert named(made) == ["DynamoGraphDeployment llm", "ConfigMap llm-odd"]
    assert made[1]["metadata"].keys() == {"name", "namespace", "labels", "annotations"}
    assert made[1]["metadata"]["namespace"] == "victim"


def test_an_output_is_read_only_where_something_of_it_is_missing(monkeypatch):
    read = []
    monkeypatch.setattr(requested_graphs, "read_output", lambda *given: read.append(given) or read_output(*given))
    found = there()
    read.clear()
    answer(CONSENTING, [MADE, output()], found)
    assert read == []
    answer(CONSENTING, [MADE, output()], found[:-1])
    assert len(read) == 1


@pytest.mark.parametrize(("state", "made"), [("Ready", PROFILE), ("Profiling", []), ("Failed", [])])
def test_without_autoapply_the_profile_is_there_once_the_request_is_ready(state, made):
    by_hand = requesting("llm", "victim", status={"state": state})
    profile = output(name="dgdr-output-llm", namespace="victim")
    attachments = answer(namespace("victim"), [by_hand, profile])
    assert [name for name in named(attachments) if name.startswith("ConfigMap")] == made


def test_an_installation_makes_nothing_for_a_request_that_it_does_not_look_after():
    restriction = {"enabled": True, "installation": "a", "namespaces": ["victim"]}
    assert answer(CONSENTING, RELATED, settings={"namespaceRestriction": restriction}) == []
    both = restriction | {"namespaces": ["victim", "evil"]}
    assert answer(CONSENTING, RELATED, settings={"namespaceRestriction": both}) == answer(CONSENTING, RELATED)


def test_a_request_without_a_uid_makes_nothing():
    anonymous = request()
    del anonymous["metadata"]["uid"]
    assert answer(CONSENTING, [anonymous, output(uid="")]) == []


def test_what_comes_in_is_left_as_it_is():
    related, found = copy.deepcopy(RELATED), there()
    before = copy.deepcopy((related, found))
    answer(CONSENTING, related, found)
    assert (related, found) == before
