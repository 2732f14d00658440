"""Whatever stands in the objects of a namespace, its other users get what is theirs."""

import base64

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from hooks.builders.registry_index import PULL_SECRET_TYPE, build_registry_index, read_registry_index
from tests.controllers.namespace_requests import answer, component, graph, named, namespace, object_of, requesting
from tests.laws import nulls

KEYS = st.sampled_from([
    *("name", "namespace", "labels", "annotations", "metadata", "spec", "status", "kind", "apiVersion", "data", "type"),
    *("services", "Decode", "modelRef", "multinode", "nodeCount", "extraPodSpec", "mainContainer", "command", "args"),
    *("backendFramework", "componentType", "autoApply", "deploymentOverrides", "enableGpuDiscovery", "conditions"),
    *("state", "generatedDeployment", "deployment", "created", "observedGeneration", "auths", "nvcr.io"),
])  # fmt: skip
WORDS = st.sampled_from([
    *("", "team", "victim", "r", "Deploying", "Ready", "True", "trtllm", "worker", "dynamo.trtllm"),
    *("nvidia.com/v1alpha1", "DynamoGraphDeployment", "ConfigMap", "kind: ConfigMap"),
])  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | WORDS | st.text(max_size=5)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=6)


@given(OBJECTS, OBJECTS, OBJECTS, JSON)
@settings(max_examples=60)
def test_nonsense_in_some_objects_costs_the_others_nothing(spec, status, more, data):
    odd = [
        graph("odd") | {"spec": spec, "status": status},
        component("odd") | {"spec": more, "status": status},
        requesting("odd") | {"spec": spec, "status": status},
        requesting("away", "other", metadata={"labels": {"dgdr.nvidia.com/target-namespace": "team"}})
        | {"spec": more, "status": status},
        object_of("ConfigMap", "dgdr-output-odd", data=data),
    ]
    sane = graph("sane", services={"D": {"modelRef": {"name": "Qwen/Qwen3-0.6B"}}})
    made = answer(namespace(), [*odd, sane])
    assert {
        "ServiceAccount planner-serviceaccount",
        "ServiceAccount dgdr-profiling-job",
        "Service dynamo-model-fb68f5a6",
    } <= set(named(made))
    assert nulls(made) == []
    assert {item["metadata"].get("namespace", "team") for item in made} == {"team"}
    assert len(set(named(made))) == len(made)
    assert answer(namespace(), [*odd, sane]) == made


@given(st.binary() | JSON.map(orjson.dumps) | OBJECTS.map(lambda auths: orjson.dumps({"auths": auths})))
def test_any_bytes_in_a_pull_secret_give_an_index_or_none(content):
    secret = object_of("Secret", "pull", type=PULL_SECRET_TYPE)
    secret["data"] = {".dockerconfigjson": base64.b64encode(content).decode()}
    index = build_registry_index(secret)
    assert index is None or read_registry_index(index)[0] == "pull"


@given(JSON, JSON)
def test_any_secret_gives_an_index_or_none(kind, data):
    assert build_registry_index(object_of("Secret", "pull", type=kind, data=data)) is None
