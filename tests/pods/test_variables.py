import pytest

from tests.asked import ask, component, graph, main_container

SECRET = {"secretKeyRef": {"name": "s", "key": "k"}}


def env(spec=None, settings=None, **metadata):
    return ask(component(spec or {}, **metadata), settings=settings).env


@pytest.mark.parametrize(
    ("component_type", "expected"),
    [
        (None, {}),
        ("router", {"DYN_COMPONENT": "router"}),
        ("frontend", {"DYN_COMPONENT": "frontend", "DYNAMO_PORT": "8000", "DYN_HTTP_PORT": "8000"}),
        ("planner", {"DYN_COMPONENT": "planner", "PLANNER_PROMETHEUS_PORT": "9085"}),
        *(
            (
                worker,
                {
                    "DYN_COMPONENT": worker,
                    "DYN_SYSTEM_PORT": "9090",
                    "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS": '["generate"]',
                    "DYN_SYSTEM_ENABLED": "true",
                },
            )
            for worker in ("worker", "prefill", "decode")
        ),
    ],
)
def test_the_environment_of_a_component_type(component_type, expected):
    assert env({"componentType": component_type}) == {
        "DYN_NAMESPACE": "default-g-decode",
        "DYN_PARENT_DGD_K8S_NAME": "g-decode",
        "DYN_PARENT_DGD_K8S_NAMESPACE": "default",
        "POD_NAME": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}},
        "POD_NAMESPACE": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}},
        "POD_UID": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.uid"}},
        **expected,
    }


@pytest.mark.parametrize(
    ("setting", "variable"),
    [
        ("natsAddress", "NATS_SERVER"),
        ("etcdAddress", "ETCD_ENDPOINTS"),
        ("modelExpressURL", "MODEL_EXPRESS_URL"),
        ("prometheusEndpoint", "PROMETHEUS_ENDPOINT"),
    ],
)
def test_an_address_of_the_platform(setting, variable):
    assert variable not in env()
    assert env(settings={setting: "x://y"})[variable] == "x://y"


def test_a_long_dynamo_namespace_stands_in_the_environment_as_a_whole():
    assert env({"dynamoNamespace": "n" * 64})["DYN_NAMESPACE"] == "n" * 64


@pytest.mark.parametrize(
    ("settings", "metadata", "expected"),
    [
        pytest.param({}, {}, None, id="nothing"),
        pytest.param({"discoveryBackend": "kubernetes"}, {}, "kubernetes", id="the platform's default"),
        pytest.param(
            {}, {"annotations": {"nvidia.com/dynamo-discovery-backend": "kubernetes"}}, "kubernetes", id="an annotation"
        ),
        pytest.param({}, {"labels": {"nvidia.com/dynamo-discovery-backend": "kubernetes"}}, "kubernetes", id="a label"),
        pytest.param(
            {"discoveryBackend": "kubernetes"},
            {"annotations": {"nvidia.com/dynamo-discovery-backend": "etcd"}},
            None,
            id="an annotation against the platform",
        ),
    ],
)
def test_discovery_through_kubernetes_is_told_to_the_pods(settings, metadata, expected):
    assert env(settings=settings, **metadata).get("DYN_DISCOVERY_BACKEND") == expected


@pytest.mark.parametrize(
    ("main", "envs", "expected"),
    [
        pytest.param([], [], "9085", id="the default"),
        pytest.param([{"value": "1"}], [], "1", id="the main container's over the default"),
        pytest.param([{"value": "1"}], [{"value": "2"}], "2", id="the component's over both"),
        pytest.param([{"value": "1"}, {"value": "3"}], [], "3", id="the last of two"),
        pytest.param([{"valueFrom": SECRET}], [{"value": "2"}], "2", id="a value over a reference, alone"),
        pytest.param([{"value": "1"}], [{"valueFrom": SECRET}], SECRET, id="a reference over a value, alone"),
        pytest.param([{"value": "1"}], [{}], "", id="an empty one over a value"),
    ],
)
def test_each_variable_stands_once_and_the_last_wins(main, envs, expected):
    name = "PLANNER_PROMETHEUS_PORT"
    named = [[{"name": name, **entry} for entry in entries] for entries in (main, envs)]
    spec = {"componentType": "planner", **main_container(env=named[0]), "envs": named[1]}
    answer = ask(component(spec))
    entries = [entry for entry in answer.main["env"] if entry["name"] == name]
    assert len(entries) == 1
    assert entries[0].keys() <= {"name", "valueFrom" if isinstance(expected, dict) else "value"}
    assert answer.env[name] == expected


def test_the_order_is_that_of_first_appearance():
    spec = main_container(env=[{"name": "B", "value": "1"}, {"name": "POD_NAME", "value": "mine"}])
    envs = [{"name": "A", "value": "2"}, {"name": "B", "value": "3"}]
    names = [entry["name"] for entry in ask(component(spec | {"envs": envs})).main["env"]]
    assert names == [
        "DYN_NAMESPACE",
        "DYN_PARENT_DGD_K8S_NAME",
        "DYN_PARENT_DGD_K8S_NAMESPACE",
        "POD_NAME",
        "POD_NAMESPACE",
        "POD_UID",
        "B",
        "A",
    ]


def test_an_empty_value_is_left_out_as_the_api_server_does():
    assert {"name": "A"} in ask(component({"envs": [{"name": "A", "value": ""}]})).main["env"]


def test_a_secrets_entries_come_before_the_users_own_sources():
    own = [{"configMapRef": {"name": "c"}}]
    answer = ask(component({"envFromSecret": "hf-token-secret", **main_container(envFrom=own)}))
    assert answer.main["envFrom"] == [{"secretRef": {"name": "hf-token-secret"}}, *own]


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"envs": [{"name": "A=B", "value": "1"}]}, "spec.envs[0].name"),
        ({"envs": [{"name": ""}]}, "spec.envs[0].name"),
        (main_container(env=[{"name": "A"}, {"name": "é"}]), "spec.extraPodSpec.mainContainer.env[1].name"),
        ({"envFromSecret": "Hf_Token"}, "spec.envFromSecret"),
    ],
)
def test_a_name_that_the_api_server_would_refuse_is_an_invalid_spec(spec, field):
    answer = ask(component(spec))
    assert answer.condition["reason"] == "InvalidSpec"
    assert answer.message.startswith(f"{field}: ")


CACHE = {
    "componentType": "worker",
    "volumeMounts": [{"name": "c", "mountPoint": "/cache", "useAsCompilationCache": True}],
    **main_container(command=["python3", "-m", "dynamo.vllm"]),
}
BY_ANNOTATION = {"nvidia.com/dynamo-discovery-backend": "kubernetes"}


@pytest.mark.parametrize(
    ("spec", "reference", "value"),
    [
        pytest.param(CACHE, "VLLM_CACHE_ROOT", "/c", id="a compilation cache is supplied"),
        pytest.param({"componentType": "worker"}, "VLLM_CACHE_ROOT", "$$(VLLM_CACHE_ROOT)", id="none is"),
        pytest.param({"annotations": BY_ANNOTATION}, "DYN_DISCOVERY_BACKEND", "/c", id="discovery is supplied"),
        pytest.param({}, "DYN_DISCOVERY_BACKEND", "$$(DYN_DISCOVERY_BACKEND)", id="discovery is not"),
    ],
)
@pytest.mark.parametrize("place", ["envs", "mainContainer.env"])
def test_a_variable_means_the_same_in_a_graph_and_in_a_component_that_stands_alone(spec, reference, value, place):
    env = [{"name": "A", "value": f"$({reference})/x"}, {"name": reference, "value": "/c"}]
    given = {**spec, "envs": env}
    if place != "envs":
        main = {**spec.get("extraPodSpec", {}).get("mainContainer", {}), "env": env}
        given = {**spec, "extraPodSpec": {"mainContainer": main}}
    alone = ask(component(given))
    of_graph = ask(graph({"A": given})).children[0]
    of_graph["metadata"]["uid"] = "x"
    for answer in (alone, ask(of_graph)):
        assert answer.env["A"] == f"{value}/x"
        assert answer.env[reference] == "/c"
