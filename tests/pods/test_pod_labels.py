import pytest

from hooks.names import model_hash
from tests.asked import ask, component, laid_over

POD_LABELS = {
    "nvidia.com/selector": "g-decode",
    "nvidia.com/dynamo-component": "g-decode",
    "nvidia.com/dynamo-namespace": "default-g-decode",
    "nvidia.com/dynamo-graph-deployment-name": "g-decode",
    "nvidia.com/metrics-enabled": "true",
}
INGRESS = {"ingress": {"enabled": True, "host": "h"}}
OWNED_BY_A_GRAPH = {"ownerReferences": [{"kind": "DynamoGraphDeployment", "name": "g", "uid": "u", "controller": True}]}


def pod_labels(spec, **metadata):
    return ask(component(spec, **metadata)).template["metadata"]["labels"]


@pytest.mark.parametrize(
    ("spec", "metadata", "changed"),
    [
        pytest.param({}, {}, {}, id="a component that stands alone is its own graph"),
        pytest.param(
            {"componentType": "prefill", "subComponentType": "small"},
            {},
            {"nvidia.com/dynamo-component-type": "prefill", "nvidia.com/dynamo-sub-component-type": "small"},
            id="types",
        ),
        pytest.param(
            {"serviceName": "Decode"}, {}, {"nvidia.com/dynamo-component": "Decode"}, id="the key keeps its capitals"
        ),
        pytest.param(
            {},
            OWNED_BY_A_GRAPH,
            {"nvidia.com/dynamo-graph-deployment-name": "g", "nvidia.com/dynamo-namespace": "default-g"},
            id="the owning graph names it",
        ),
        pytest.param(
            {},
            {"labels": {"nvidia.com/dynamo-graph-deployment-name": "g"}},
            {"nvidia.com/dynamo-graph-deployment-name": "g", "nvidia.com/dynamo-namespace": "default-g"},
            id="else the label does",
        ),
        pytest.param(
            {}, {"labels": {"nvidia.com/dynamo-graph-deployment-name": ""}}, {}, id="an empty label names nothing"
        ),
        pytest.param(
            {},
            {"ownerReferences": [{"kind": "DynamoGraphDeployment", "controller": True}]},
            {},
            id="an owner without a name names nothing",
        ),
        pytest.param({"dynamoNamespace": "mine"}, {}, {"nvidia.com/dynamo-namespace": "mine"}, id="its own namespace"),
        pytest.param(
            {"globalDynamoNamespace": True, "dynamoNamespace": "mine"},
            {},
            {"nvidia.com/dynamo-namespace": "dynamo"},
            id="the namespace that all graphs share",
        ),
        pytest.param(
            {"dynamoNamespace": "n" * 64},
            {},
            {"nvidia.com/dynamo-namespace": "n" * 54 + "-ce068a19"},
            id="64 characters are more than a label value holds",
        ),
        pytest.param(
            {"modelRef": {"name": "Qwen/Qwen3-0.6B"}},
            {},
            {"nvidia.com/dynamo-base-model-hash": "fb68f5a6"},
            id="a model's hash",
        ),
        pytest.param({"labels": {"team": "a", "role": "x"}}, {}, {"team": "a", "role": "x"}, id="the user's own"),
        pytest.param(
            {"labels": {"team": "a"}, "extraPodMetadata": {"labels": {"team": "b", "more": "c"}}},
            {},
            {"team": "b", "more": "c"},
            id="extraPodMetadata wins on pods",
        ),
        pytest.param(
            {},
            {"labels": {"team": "a", "controller-uid": "x"}},
            {},
            id="labels of its metadata restart nothing, and Metacontroller's stays where it is",
        ),
        pytest.param(
            {},
            {"labels": {"nvidia.com/dynamo-component-type": "worker"}},
            {"nvidia.com/dynamo-component-type": "worker"},
            id="our own keys among the labels of its metadata are carried over",
        ),
        pytest.param(
            {"annotations": {"nvidia.com/enable-metrics": "false"}},
            {},
            {"nvidia.com/metrics-enabled": None},
            id="no metrics",
        ),
        pytest.param(
            {},
            {"annotations": {"nvidia.com/enable-metrics": "false"}},
            {"nvidia.com/metrics-enabled": None},
            id="no metrics, said in its metadata",
        ),
        pytest.param(
            {"annotations": {"nvidia.com/enable-metrics": "true"}},
            {"annotations": {"nvidia.com/enable-metrics": "false"}},
            {},
            id="the annotation of the spec counts before that of the metadata",
        ),
    ],
)
def test_a_pod_carries(spec, metadata, changed):
    expected = {key: value for key, value in (POD_LABELS | changed).items() if value is not None}
    assert pod_labels(spec, **metadata) == expected


def test_a_models_hash_is_the_head_of_a_sha256():
    assert model_hash("Qwen/Qwen3-0.6B") == "fb68f5a6"


OURS = {
    "nvidia.com/selector": "theirs",
    "nvidia.com/dynamo-component": "theirs",
    "nvidia.com/dynamo-component-type": "theirs",
    "nvidia.com/dynamo-sub-component-type": "theirs",
    "nvidia.com/dynamo-graph-deployment-name": "theirs",
    "nvidia.com/dynamo-namespace": "theirs",
    "nvidia.com/dynamo-base-model-hash": "theirs",
    "controller-uid": "theirs",
}


@pytest.mark.parametrize(
    "place",
    [
        pytest.param({"labels": OURS}, id="labels"),
        pytest.param({"extraPodMetadata": {"labels": OURS}}, id="extraPodMetadata"),
        pytest.param({"ingress": {"enabled": True, "host": "h", "labels": OURS}}, id="ingress"),
    ],
)
@pytest.mark.parametrize("model", [{}, {"modelRef": {"name": "m"}}], ids=["", "with a model"])
def test_our_labels_win_over_a_users_wherever_they_stand(place, model):
    types = {"componentType": "worker", "subComponentType": "small"}
    answer = ask(component(laid_over(INGRESS | types | model, place)))
    for child in [*answer.children, answer.template]:
        assert "theirs" not in child["metadata"]["labels"].values()


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"labels": {"a b": "c"}}, "spec.labels[a b]"),
        ({"labels": {"a": "b c"}}, "spec.labels[a]"),
        ({"labels": {"a": "x" * 64}}, "spec.labels[a]"),
        ({"annotations": {"a b": "c d"}}, "spec.annotations[a b]"),
        ({"extraPodMetadata": {"labels": {"a": "-"}}}, "spec.extraPodMetadata.labels[a]"),
        ({"extraPodMetadata": {"annotations": {"/a": "-"}}}, "spec.extraPodMetadata.annotations[/a]"),
        ({"ingress": {"labels": {"a": "é"}}}, "spec.ingress.labels[a]"),
        ({"ingress": {"annotations": {"é": "a"}}}, "spec.ingress.annotations[é]"),
        ({"serviceName": "a b"}, "spec.serviceName"),
        ({"componentType": "a/b"}, "spec.componentType"),
        ({"subComponentType": "a/b"}, "spec.subComponentType"),
        ({"dynamoNamespace": "a b"}, "spec.dynamoNamespace"),
        ({"dynamoNamespace": "a b" * 30}, "spec.dynamoNamespace"),
    ],
)
def test_what_the_api_server_would_refuse_as_a_label_or_annotation_is_an_invalid_spec(spec, field):
    answer = ask(component(spec))
    assert answer.condition["reason"] == "InvalidSpec"
    assert answer.message.startswith(f"{field}: ")


def test_annotations_may_hold_anything_and_have_capitals_in_their_domain():
    answer = ask(component({"annotations": {"Example.com/x": "é b\n"}}))
    assert answer.template["metadata"]["annotations"] == {"Example.com/x": "é b\n"}


def test_annotations_of_the_component_are_on_every_child_and_pod():
    spec = {"annotations": {"a": "b"}, "autoscaling": {"enabled": True, "maxReplicas": 2}, "componentType": "worker"}
    answer = ask(component(spec | INGRESS))
    assert {child["kind"] for child in answer.children} == {
        "Deployment",
        "HorizontalPodAutoscaler",
        "Ingress",
        "Service",
    }
    for child in [*answer.children, answer.template]:
        assert child["metadata"]["annotations"]["a"] == "b"


def test_extra_pod_metadata_is_on_pods_alone_and_wins_there():
    extra = {"annotations": {"a": "pod", "c": "d"}}
    answer = ask(component({"annotations": {"a": "b"}, "extraPodMetadata": extra}))
    assert answer.template["metadata"]["annotations"] == {"a": "pod", "c": "d"}
    assert answer.child("Deployment")["metadata"]["annotations"]["a"] == "b"
    assert "c" not in answer.child("Deployment")["metadata"]["annotations"]


RESERVED = {"nvidia.com/desired-hash": "x", "metacontroller.k8s.io/last-applied-configuration": "x"}


@pytest.mark.parametrize(
    "place",
    [
        {"annotations": RESERVED},
        {"extraPodMetadata": {"annotations": RESERVED}},
        {"ingress": {"annotations": RESERVED}},
    ],
)
def test_annotations_by_which_a_child_is_told_from_what_is_asked_for_are_not_the_users(place):
    spec = INGRESS | {"componentType": "frontend"}
    answer = ask(component(laid_over(spec, place)))
    assert {child["kind"] for child in answer.children} == {"Deployment", "Ingress", "Service"}
    assert answer.children == ask(component(spec)).children


def test_an_owning_graph_whose_name_is_no_label_value_is_said():
    owner = {"kind": "DynamoGraphDeployment", "name": "g" * 64, "uid": "u", "controller": True}
    answer = ask(component(ownerReferences=[owner]))
    assert answer.condition["reason"] == "InvalidSpec"
    assert f"metadata.ownerReferences: '{'g' * 64}' is no label value" in answer.message
