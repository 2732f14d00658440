import json

import pytest

from tests.asked import ask, graph, main_container

NAME = "DYN_DEPLOYMENT_CONFIG"


def config(value):
    return [{"name": NAME, "value": value if isinstance(value, str) else json.dumps(value)}]


def spec(services, **more):
    """The spec of the component of the service A."""
    answer = ask(graph(services, **more))
    assert answer.child("DynamoComponentDeployment", "g-a"), answer.message
    return answer.child("DynamoComponentDeployment", "g-a")["spec"]


ARGUMENTS = {"A": {"ServiceArgs": {"workers": 3, "resources": {"cpu": "2", "gpu": 1, "custom": {"rdma/ib": "1"}}}}}
AMOUNTS = {"cpu": "2", "gpu": "1", "custom": {"rdma/ib": "1"}}


@pytest.mark.parametrize(
    "places",
    [
        pytest.param(({}, {"envs": config(ARGUMENTS)}), id="of the graph"),
        pytest.param(({"envs": config(ARGUMENTS)}, {}), id="of the service"),
        pytest.param((main_container(env=config(ARGUMENTS)), {}), id="of its main container"),
        pytest.param(({"envs": config(ARGUMENTS)}, {"envs": config("{")}), id="the service's own wins"),
    ],
)
def test_it_sets_replicas_requests_and_limits_of_a_service(places):
    service, more = places
    found = spec({"A": service}, **more)
    assert found["replicas"] == 3
    assert found["resources"] == {"requests": AMOUNTS, "limits": AMOUNTS}


def test_replicas_of_the_spec_win():
    assert spec({"A": {"replicas": 0}}, envs=config(ARGUMENTS))["replicas"] == 0


def test_resources_are_laid_over_those_of_the_spec():
    given = {"limits": {"memory": "1Gi", "cpu": "1", "gpuType": "amd.com/gpu", "custom": {"a/b": "1"}}}
    found = spec({"A": {"resources": given}}, envs=config(ARGUMENTS))["resources"]
    assert found["limits"] == {
        "memory": "1Gi",
        "cpu": "2",
        "gpu": "1",
        "gpuType": "amd.com/gpu",
        "custom": {"a/b": "1", "rdma/ib": "1"},
    }


def test_a_service_without_an_entry_stays_as_it_is():
    value = {"B": ARGUMENTS["A"], "Common": {"x": 1}, "C": None}
    found = spec({"A": {}}, envs=config(value))
    assert found["envs"] == config(value)
    assert not {"replicas", "resources"} & found.keys()


@pytest.mark.parametrize(
    ("service", "more"),
    [
        pytest.param({}, {"envs": config({"A": {"port": 80, "x": 1}, "B": {"port": 80}})}, id="the graph's"),
        pytest.param({"envs": config({"A": {"port": 80, "x": 1}, "B": {"port": 80}})}, {}, id="its own"),
        pytest.param(main_container(env=config({"A": {"port": 80, "x": 1}, "B": {"port": 80}})), {}, id="its main one"),
    ],
)
def test_in_a_frontends_copy_its_own_port_becomes_8000(service, more):
    found = spec({"A": {"componentType": "frontend", **service}}, **more)
    entries = found.get("envs") or found["extraPodSpec"]["mainContainer"]["env"]
    assert [entry["name"] for entry in entries] == [NAME]
    assert json.loads(entries[0]["value"]) == {"A": {"port": 8000, "x": 1}, "B": {"port": 80}}


def test_in_a_workers_copy_nothing_changes():
    value = {"A": {"port": 80}}
    assert spec({"A": {"componentType": "worker"}}, envs=config(value))["envs"] == config(value)


def test_a_reference_to_a_secret_cannot_be_read_and_sets_nothing():
    entry = {"name": NAME, "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
    assert "replicas" not in spec({"A": {}}, envs=[entry])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "'[]' is not a JSON object; write"),
        ({"A": {"ServiceArgs": 1}}, ".ServiceArgs: has the value 1; write an object"),
        ({"A": {"ServiceArgs": {"workers": "2"}}}, ".workers: has the value '2'; write a whole number"),
        ({"A": {"ServiceArgs": {"workers": -1}}}, ".workers: has the value -1; write a whole number"),
        ({"A": {"ServiceArgs": {"workers": True}}}, ".workers: has the value true; write a whole number"),
        ({"A": {"ServiceArgs": {"workers": 2**31}}}, ".workers: has the value 2147483648; write a whole number"),
        ({"A": {"ServiceArgs": {"resources": []}}}, ".resources: has the value []; write an object"),
        ({"A": {"ServiceArgs": {"resources": {"gpu": "x"}}}}, ".resources.gpu: has the value 'x'; write an amount"),
        ({"A": {"ServiceArgs": {"resources": {"cpu": [1]}}}}, ".resources.cpu: has the value [1]; write an amount"),
        ({"A": {"ServiceArgs": {"resources": {"custom": 1}}}}, ".resources.custom: has the value 1; write an object"),
        (
            {"A": {"ServiceArgs": {"resources": {"custom": {"a/b": "x"}}}}},
            ".resources.custom[a/b]: has the value 'x'; write an amount",
        ),
    ],
)
def test_what_cannot_be_read_makes_the_graph_invalid(value, message):
    answer = ask(graph({"A": {}}, envs=config(value)))
    assert answer.status["state"] == "failed"
    assert answer.message.startswith(f"spec.envs[{NAME}]")
    assert message in answer.message
    assert answer.children == []
