"""What is wrong with a graph: told in its condition, and nothing that runs is lost."""

import orjson
import pytest

from hooks.errors import UnprocessableRequest
from tests.asked import TO_MAKE, ask, graph, laid_over, mounting


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


RUNNING = {"extraPodSpec": {"mainContainer": {"image": "x"}}}
