from pathlib import Path

import pytest
import yaml

from hooks.profiling.output import INVALID, TOO_LARGE, UnusableOutput, read_output
from hooks.profiling.requested import requested_graph

REAL = (Path(__file__).parent / "config_with_planner.yaml").read_text()
OWN_LABELS = {
    "dgdr.nvidia.com/name": "chat",
    "dgdr.nvidia.com/namespace": "inference",
    "dgdr.nvidia.com/uid": "4711",
    "nvidia.com/managed-by": "dynamo-operator",
}


def requested(**spec):
    metadata = {"name": "chat", "namespace": "inference", "uid": "4711"}
    return requested_graph({"metadata": metadata, "spec": {"backend": "vllm", **spec}})


def graph_of(text=REAL, **spec):
    return read_output(text, requested(**spec)).graph


def services_of(text=REAL, **spec):
    return graph_of(text, **spec)["spec"]["services"]


def graph_text(services=None, metadata=None, **more):
    document = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "base", **(metadata or {})},
        "spec": {"services": services or {}},
        **more,
    }
    return yaml.safe_dump(document)


def config_map_text(name="planner-profile-data", **fields):
    return yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **fields})


def nulls(value):
    if isinstance(value, dict):
        return any(map(nulls, value.values()))
    return any(map(nulls, value)) if isinstance(value, list) else value is None


def test_the_graph_gets_the_requests_name_and_namespace_and_our_labels():
    graph = graph_of()
    assert graph["metadata"] == {"name": "chat", "namespace": "inference", "labels": OWN_LABELS}
    assert (graph["apiVersion"], graph["kind"]) == ("nvidia.com/v1alpha1", "DynamoGraphDeployment")
    assert sorted(graph["spec"]["services"]) == ["Frontend", "Planner", "VllmDecodeWorker", "VllmPrefillWorker"]


def test_nulls_are_dropped_at_every_depth():
    graph = graph_of()
    assert not nulls(graph)
    assert graph["spec"]["services"]["Frontend"] == {
        "componentType": "frontend",
        "dynamoNamespace": "base",
        "extraPodSpec": {"mainContainer": {"image": "registry.example/vllm-runtime:base"}},
        "replicas": 1,
    }


def test_the_planners_dynamo_namespace_is_dropped_and_nothing_else():
    main = services_of()["Planner"]["extraPodSpec"]["mainContainer"]
    assert main["args"] == [
        "--backend=vllm",
        "--itl=20",
        "--prefill-engine-num-gpu=1",
        "--profile-results-dir=/workspace/profiling_results",
    ]
    assert main["command"] == ["python3", "-m", "planner_sla"]


def test_only_the_planner_loses_the_argument():
    main = {"mainContainer": {"args": ["--namespace=x"]}}
    services = services_of(
        graph_text({"A": {"componentType": "worker", "extraPodSpec": main}, "B": {"extraPodSpec": main}})
    )
    assert [service["extraPodSpec"] for service in services.values()] == [main, main]


def test_the_profile_data_is_named_after_the_graph_and_the_volume_follows():
    output = read_output(REAL, requested(autoApply=True, deploymentOverrides={"name": "fast", "namespace": "prod"}))
    (config_map,) = output.config_maps
    assert config_map["metadata"] == {
        "name": "fast-planner-profile-data",
        "namespace": "prod",
        "labels": OWN_LABELS | {"nvidia.com/dynamo-graph-deployment-name": "fast"},
    }
    assert yaml.safe_load(config_map["data"]["decode_raw_data.json"])["max_kv_tokens"] == 8224
    extra = output.graph["spec"]["services"]["Planner"]["extraPodSpec"]
    assert extra["volumes"] == [
        {"name": "planner-profile-data", "configMap": {"name": "fast-planner-profile-data"}},
    ]
    assert extra["mainContainer"]["volumeMounts"][0]["name"] == "planner-profile-data"


def test_every_way_to_name_a_config_map_follows_its_new_name():
    def extra(name):
        return {
            "volumes": [{"name": "v", "projected": {"sources": [{"configMap": {"name": name}}]}}],
            "mainContainer": {
                "env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": name, "key": "k"}}}],
                "envFrom": [{"configMapRef": {"name": name}}],
            },
        }

    text = f"{config_map_text('mine')}\n---\n{graph_text({'A': {'extraPodSpec': extra('mine')}})}"
    assert services_of(text)["A"]["extraPodSpec"] == extra("chat-mine")


def test_a_config_map_that_is_not_in_the_output_keeps_its_name():
    volumes = [{"name": "mine", "configMap": {"name": "other"}}, {"name": "s", "secret": {"name": "mine"}}]
    text = f"{config_map_text('mine')}\n---\n{graph_text({'A': {'extraPodSpec': {'volumes': volumes}}})}"
    assert services_of(text)["A"]["extraPodSpec"]["volumes"] == volumes


def test_what_a_config_map_holds_unquoted_becomes_the_json_it_stands_for():
    text = f"{config_map_text(data={'a': {'b': [1, None]}, 'c': 5, 'd': None})}\n---\n{graph_text()}"
    (config_map,) = read_output(text, requested()).config_maps
    assert config_map["data"] == {"a": '{"b":[1]}', "c": "5"}


@pytest.mark.parametrize("auto_apply", [True, False])
def test_workers_get_the_requested_image_with_auto_apply_and_without(auto_apply):
    services = services_of(autoApply=auto_apply, deploymentOverrides={"workersImage": "registry.example/mine:1"})
    images = {key: service["extraPodSpec"]["mainContainer"]["image"] for key, service in services.items()}
    assert images == {
        "Frontend": "registry.example/vllm-runtime:base",
        "Planner": "registry.example/vllm-runtime:base",
        "VllmDecodeWorker": "registry.example/mine:1",
        "VllmPrefillWorker": "registry.example/mine:1",
    }


@pytest.mark.parametrize("component_type", ["worker", "prefill", "decode"])
def test_a_worker_without_a_container_gets_one_for_its_image(component_type):
    services = services_of(
        graph_text({"A": {"componentType": component_type}}), deploymentOverrides={"workersImage": "x:1"}
    )
    assert services["A"]["extraPodSpec"] == {"mainContainer": {"image": "x:1"}}


def test_the_users_labels_win_over_the_profilers_and_ours_over_all():
    metadata = {"labels": {"team": "b", "tier": "gold"}, "annotations": {"a": "1", "b": "1"}}
    overrides = {
        "labels": {"team": "a", "dgdr.nvidia.com/uid": "forged"},
        "annotations": {"b": "2"},
    }
    graph = graph_of(graph_text(metadata=metadata), autoApply=True, deploymentOverrides=overrides)
    assert graph["metadata"]["labels"] == {"team": "a", "tier": "gold"} | OWN_LABELS
    assert graph["metadata"]["annotations"] == {"a": "1", "b": "2"}


def test_without_auto_apply_only_the_workers_image_is_overridden():
    overrides = {"name": "fast", "namespace": "prod", "labels": {"team": "a"}, "annotations": {"b": "2"}}
    assert graph_of(deploymentOverrides=overrides)["metadata"] == {
        "name": "chat",
        "namespace": "inference",
        "labels": OWN_LABELS,
    }


def test_nothing_but_names_labels_and_annotations_is_taken_from_the_profilers_metadata():
    metadata = {"uid": "x", "finalizers": ["a"], "ownerReferences": [{"uid": "y"}], "namespace": "elsewhere"}
    graph = graph_of(graph_text(metadata=metadata, status={"state": "successful"}))
    assert graph.keys() == {"apiVersion", "kind", "metadata", "spec"}
    assert graph["metadata"].keys() == {"name", "namespace", "labels"}


def test_other_documents_are_left_out_by_name():
    text = f"{graph_text()}\n---\n{{kind: Secret, metadata: {{name: s}}}}\n---\njust text"
    assert read_output(text, requested()).left_out == ("Secret s", "something that is no object")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no DynamoGraphDeployment, there must be one; it holds nothing"),
        (config_map_text(), "no DynamoGraphDeployment, there must be one; it holds ConfigMap planner-profile-data"),
        (f"{graph_text()}\n---\n{graph_text()}", "holds 2 DynamoGraphDeployments, there must be one"),
        ("a: [1, 2", "not YAML that can be used: while parsing a flow sequence"),
        (graph_text(apiVersion="nvidia.com/v2"), "is of apiVersion nvidia.com/v2, not of nvidia.com/v1alpha1"),
        (graph_text(metadata={"labels": {"a": "b c"}}), "metadata.labels[a]: 'b c' is no label value"),
        (graph_text(metadata={"labels": {"a": 5}}), "metadata.labels[a] is 5; it must be a string"),
        (graph_text(metadata={"annotations": {"a b": "c"}}), "metadata.annotations[a b]: is no annotation key"),
        (f"{graph_text()}\n---\n{config_map_text('A_b')}", "ConfigMap chat-A_b of the profiler's output has no name"),
        (f"{graph_text()}\n---\n{config_map_text(data={'a b': ''})}", "has the key 'a b'"),
        (f"{graph_text()}\n---\n{config_map_text(binaryData={'a': '!'})}", "binaryData[a] is not base64"),
    ],
)
def test_output_that_cannot_be_used_says_why(text, message):
    with pytest.raises(UnusableOutput) as unusable:
        read_output(text, requested())
    assert message in str(unusable.value)
    assert unusable.value.reason == INVALID


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            graph_text({"A": {"extraPodSpec": {"x": "y" * 250_000}}}),
            r"DynamoGraphDeployment chat .* has 250\d{3} bytes",
        ),
        (
            f"{graph_text()}\n---\n{config_map_text(data={'x': 'y' * 250_000})}",
            r"ConfigMap chat-planner-profile-data .* has 250\d{3} bytes of JSON, 250000 are allowed",
        ),
    ],
)
def test_an_object_that_metacontroller_could_not_apply_is_named_with_its_size(text, message):
    with pytest.raises(UnusableOutput, match=message) as unusable:
        read_output(text, requested())
    assert unusable.value.reason == TOO_LARGE


@pytest.mark.parametrize("services", [None, [], {"A": None}, {"A": {"extraPodSpec": [], "componentType": "worker"}}])
def test_a_graph_of_any_shape_is_read_for_our_own_code_to_judge(services):
    text = yaml.safe_dump(yaml.safe_load(graph_text()) | {"spec": {"services": services}})
    assert graph_of(text, deploymentOverrides={"workersImage": "x:1"})["metadata"]["name"] == "chat"


def test_the_same_output_gives_the_same_graph_whatever_the_order_of_its_documents():
    documents = list(yaml.safe_load_all(REAL))
    turned = yaml.safe_dump_all(reversed(documents))
    assert read_output(turned, requested()) == read_output(REAL, requested())
