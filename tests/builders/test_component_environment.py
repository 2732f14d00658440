import pytest

from tests.asked import ask, graph, main_container

SECRET = {"secretKeyRef": {"name": "s", "key": "k"}}


def literals(**values):
    return [{"name": name, "value": value} for name, value in values.items()]


def environment(of_graph=(), of_main=(), of_service=(), settings=None, **service):
    """`mainContainer.env` and `envs` of the component."""
    given = {**service, "envs": list(of_service), **main_container(env=list(of_main))}
    spec = ask(graph({"A": given}, envs=list(of_graph)), settings=settings).children[0]["spec"]
    return spec["extraPodSpec"]["mainContainer"].get("env"), spec.get("envs")


@pytest.mark.parametrize(
    ("of_graph", "of_main", "of_service", "main", "envs"),
    [
        pytest.param(literals(A="g"), [], [], [], literals(A="g"), id="the graph's"),
        pytest.param(literals(A="g"), [], literals(A="s"), [], literals(A="s"), id="the service sets it in envs"),
        pytest.param(literals(A="g"), literals(A="m"), [], literals(A="m"), [], id="or in its main container"),
        pytest.param(
            literals(A="g"), literals(A="m"), literals(A="s"), literals(A="m"), literals(A="s"), id="or in both"
        ),
        pytest.param(
            literals(A="g", B="g"), [], literals(C="s"), [], literals(A="g", B="g", C="s"), id="the rest stand before"
        ),
        pytest.param(literals(A="1") + literals(A="2"), [], [], [], literals(A="2"), id="the last of two"),
        pytest.param(
            literals(A="g"),
            [],
            [{"name": "A", "valueFrom": SECRET}],
            [],
            [{"name": "A", "valueFrom": SECRET}],
            id="whole",
        ),
        pytest.param(
            [{"name": "A", "valueFrom": SECRET}], [], literals(A="s"), [], literals(A="s"), id="the other way round"
        ),
    ],
)
def test_a_graphs_variable_applies_unless_the_service_sets_it_itself(of_graph, of_main, of_service, main, envs):
    assert environment(of_graph, of_main, of_service) == (main, envs)


@pytest.mark.parametrize(
    ("of_graph", "of_main", "of_service", "main", "envs"),
    [
        pytest.param(
            literals(A="x"), [], literals(B="$(A)y"), [], literals(A="x", B="xy"), id="a graph's in a service's"
        ),
        pytest.param(literals(B="$(A)y"), literals(A="x"), [], literals(A="x"), literals(B="xy"), id="a main one's"),
        pytest.param(
            [],
            literals(A="m", B="$(A)"),
            literals(A="s"),
            literals(A="m", B="s"),
            literals(A="s"),
            id="as it becomes in the end",
        ),
        pytest.param(
            literals(B="$(A)", A="x"), [], [], [], literals(B="$$(A)", A="x"), id="a later one is text for the kubelet"
        ),
        pytest.param(
            literals(B="$(POD_NAME)/$(OTHER)"), [], [], [], literals(B="$(POD_NAME)/$(OTHER)"), id="not ours to know"
        ),
        pytest.param(
            literals(B="$(DYN_NAMESPACE)", DYN_NAMESPACE="mine"),
            [],
            [],
            [],
            literals(B="mine", DYN_NAMESPACE="mine"),
            id="what a component gets stands in front of all, whoever sets it",
        ),
    ],
)
def test_references_are_resolved_as_the_pod_would_have_them(of_graph, of_main, of_service, main, envs):
    assert environment(of_graph, of_main, of_service) == (main, envs)


def test_an_address_of_the_platform_stands_in_front_where_it_is_set():
    of_graph = literals(B="$(NATS_SERVER)", NATS_SERVER="mine")
    assert environment(of_graph)[1] == literals(B="$$(NATS_SERVER)", NATS_SERVER="mine")
    assert environment(of_graph, settings={"natsAddress": "n"})[1] == literals(B="mine", NATS_SERVER="mine")


def test_references_of_side_and_init_containers_are_resolved_too():
    container = {"name": "c", "image": "i", "env": literals(A="x", B="$(A)")}
    extra = {"containers": [container], "initContainers": [container | {"name": "d"}]}
    spec = ask(graph({"A": {"extraPodSpec": extra}})).children[0]["spec"]["extraPodSpec"]
    assert spec["containers"][0]["env"] == spec["initContainers"][0]["env"] == literals(A="x", B="x")
