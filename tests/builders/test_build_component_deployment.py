import pytest

from tests.asked import IMAGE, ask, graph, main_container

GRAPH_LABELS = {
    "nvidia.com/dynamo-component": "Frontend",
    "nvidia.com/dynamo-namespace": "default-g",
    "nvidia.com/dynamo-graph-deployment-name": "g",
}


def component(service=None, settings=None, metadata=None, **spec):
    """The component of a graph of one service."""
    answer = ask(graph({"Frontend": service or {}}, metadata=metadata, **spec), settings=settings)
    assert len(answer.children) == 1, answer.message
    return answer.children[0]


def test_a_component_is_its_service_with_names_and_labels():
    service = {"componentType": "frontend", "replicas": 0, "envFromSecret": "s"}
    made = component(service)
    made["metadata"].pop("annotations")
    assert made == {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoComponentDeployment",
        "metadata": {"name": "g-frontend", "namespace": "default", "labels": GRAPH_LABELS},
        "spec": {
            **service,
            "extraPodSpec": {"mainContainer": {"image": IMAGE}},
            "serviceName": "Frontend",
            "dynamoNamespace": "default-g",
            "labels": GRAPH_LABELS,
        },
    }


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("Frontend", "g-frontend"),
        ("VllmDecodeWorker", "g-vllmdecodeworker"),
        ("model.Qwen3-0.6B", "g-model-qwen3-0-6b"),
        ("a_b", "g-a-b"),
    ],
)
def test_a_components_name_is_made_of_the_graphs_and_the_key_which_stays_as_it_is(key, name):
    answer = ask(graph({key: {}}))
    made = answer.child("DynamoComponentDeployment", name)
    assert made["spec"]["serviceName"] == key
    assert made["metadata"]["labels"]["nvidia.com/dynamo-component"] == key


@pytest.mark.parametrize(
    ("service", "dynamo_namespace"),
    [
        pytest.param({}, "default-g", id="of namespace and graph"),
        pytest.param({"dynamoNamespace": "dynamo"}, "default-g", id="a service's own is ignored"),
        pytest.param({"globalDynamoNamespace": True}, "dynamo", id="the one that all graphs share"),
    ],
)
def test_the_dynamo_namespace_of_a_component(service, dynamo_namespace):
    made = component(service)
    assert made["spec"]["dynamoNamespace"] == dynamo_namespace
    assert made["metadata"]["labels"]["nvidia.com/dynamo-namespace"] == dynamo_namespace


def test_a_dynamo_namespace_longer_than_a_label_is_whole_in_the_spec_and_cut_in_the_label():
    made = component(metadata={"namespace": "n" * 63})
    assert made["spec"]["dynamoNamespace"] == "n" * 63 + "-g"
    assert made["metadata"]["labels"]["nvidia.com/dynamo-namespace"] == "n" * 54 + "-43b9c5e0"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        pytest.param({"team": "a"}, {"team": "a"}, id="the user's own survive"),
        pytest.param({"nvidia.com/dynamo-component": "x"}, {}, id="ours win"),
        pytest.param({"controller-uid": "x"}, {}, id="Metacontroller's is nobody's"),
        pytest.param({"nvidia.com/dynamo-installation": "b"}, {}, id="nor is that of who looks after it"),
        pytest.param(None, {}, id="none"),
    ],
)
def test_labels_of_a_component_and_of_its_spec(given, found):
    made = component({"labels": given})
    assert made["metadata"]["labels"] == made["spec"]["labels"] == GRAPH_LABELS | found


def test_labels_and_annotations_of_the_graph_go_nowhere():
    made = component(metadata={"labels": {"a": "b", "controller-uid": "x"}, "annotations": {"c": "d"}})
    assert made == component()


METRICS, DISCOVERY = "nvidia.com/enable-metrics", "nvidia.com/dynamo-discovery-backend"


@pytest.mark.parametrize(
    ("metadata", "service", "expected"),
    [
        pytest.param({"annotations": {METRICS: "false"}}, {}, {METRICS: "false"}, id="metrics"),
        pytest.param({"annotations": {DISCOVERY: "kubernetes"}}, {}, {DISCOVERY: "kubernetes"}, id="discovery"),
        pytest.param({"labels": {DISCOVERY: "kubernetes"}}, {}, {DISCOVERY: "kubernetes"}, id="written as a label"),
        pytest.param(
            {"labels": {DISCOVERY: "a"}, "annotations": {DISCOVERY: "b"}}, {}, {DISCOVERY: "b"}, id="annotation first"
        ),
        pytest.param(
            {"annotations": {METRICS: "false"}},
            {"annotations": {METRICS: "true"}},
            {METRICS: "true"},
            id="the service's own wins",
        ),
        pytest.param({"annotations": {"a": "c"}}, {"annotations": {"a": "b"}}, {"a": "b"}, id="no other one"),
        pytest.param(
            {"annotations": {DISCOVERY: "kubernetes"}},
            {"labels": {DISCOVERY: "etcd"}},
            None,
            id="a service's own label",
        ),
    ],
)
def test_annotations_that_a_graph_hands_down(metadata, service, expected):
    answer = ask(graph({"Frontend": service}, metadata=metadata))
    made = answer.child("DynamoComponentDeployment")
    assert made["spec"].get("annotations") == expected


def test_the_graphs_backend_is_each_components():
    assert component(backendFramework="vllm")["spec"]["backendFramework"] == "vllm"


@pytest.mark.parametrize(
    ("service", "settings", "expected"),
    [
        pytest.param({"componentType": "frontend"}, {}, None, id="the platform defines none"),
        pytest.param(
            {"componentType": "frontend"},
            {"className": "nginx"},
            {"enabled": True, "host": "g"},
            id="the platform's class",
        ),
        pytest.param(
            {"componentType": "frontend"},
            {"hostSuffix": "example.com"},
            {"enabled": True, "host": "g"},
            id="the platform's domain",
        ),
        pytest.param(
            {"componentType": "frontend"},
            {"virtualServiceGateway": "istio-system/gateway"},
            {
                "enabled": True,
                "host": "g",
                "useVirtualService": True,
                "virtualServiceGateway": "istio-system/gateway",
            },
            id="the platform's gateway",
        ),
        pytest.param(
            {"componentType": "frontend", "ingress": {"enabled": False}},
            {"className": "nginx"},
            {"enabled": False},
            id="a frontend that wants none",
        ),
        pytest.param({"componentType": "worker"}, {"className": "nginx"}, None, id="no frontend"),
    ],
)
def test_a_frontend_without_an_ingress_gets_the_platforms(service, settings, expected):
    assert component(service, settings={"ingress": settings})["spec"].get("ingress") == expected


def test_what_a_user_left_empty_is_nothing_or_stays_what_it_means():
    empty = {"multinode": {}, "sharedMemory": {}, "resources": None, "envs": [], "annotations": None}
    spec = component(empty)["spec"]
    assert spec["multinode"] == {}
    assert not {"resources", "annotations"} & spec.keys()


def test_a_field_that_components_do_not_have_is_left_out_so_that_nothing_is_pruned():
    assert component({"futureField": {"x": 1}}) == component()


def test_a_null_of_the_users_is_in_no_component():
    service = main_container(command=None, livenessProbe={"exec": None, "httpGet": {"port": 1}})
    made = component(service | {"extraPodMetadata": {"labels": {"a": None}}})
    assert made["spec"]["extraPodSpec"]["mainContainer"] == {
        "image": IMAGE,
        "livenessProbe": {"httpGet": {"port": 1}},
    }
    assert made["spec"]["extraPodMetadata"] == {"labels": {}}


MOUNTED = {"name": "m", "mountPoint": "/a"}


@pytest.mark.parametrize(
    ("mounts", "kept", "moved"),
    [
        pytest.param([MOUNTED], [MOUNTED], [], id="once"),
        pytest.param([MOUNTED, {"name": "m", "mountPoint": "/b"}], [MOUNTED], ["/b"], id="twice"),
        pytest.param(
            [MOUNTED, {"name": "m", "mountPoint": "/b", "useAsCompilationCache": True}],
            [{"name": "m", "mountPoint": "/b", "useAsCompilationCache": True}],
            ["/a"],
            id="a compilation cache stays where it is one",
        ),
        pytest.param(
            [{"name": "m", "useAsCompilationCache": True}, {"name": "m", "useAsCompilationCache": True}],
            [{"name": "m", "useAsCompilationCache": True}],
            [],
            id="a compilation cache twice is one",
        ),
    ],
)
def test_each_claim_stands_once_in_the_mounts_and_further_ones_in_the_pod_spec(mounts, kept, moved):
    spec = component({"volumeMounts": mounts})["spec"]
    assert spec["volumeMounts"] == kept
    main = spec["extraPodSpec"]["mainContainer"]
    assert [mount["mountPath"] for mount in main.get("volumeMounts", ())] == moved
    if moved:
        assert spec["extraPodSpec"]["volumes"] == [{"name": "m", "persistentVolumeClaim": {"claimName": "m"}}]


def test_a_claim_mounted_twice_is_mounted_twice_in_the_pod():
    spec = component({"volumeMounts": [MOUNTED, {"name": "m", "mountPoint": "/b"}]})
    pod = ask(spec | {"metadata": spec["metadata"] | {"uid": "u"}}).pod
    assert [mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]] == ["/a", "/dev/shm", "/b"]
    assert [volume["name"] for volume in pod["volumes"]] == ["m", "shared-memory"]


def test_a_list_of_the_users_that_would_lose_an_entry_is_an_invalid_spec():
    ports = [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}]
    answer = ask(graph({"Frontend": main_container(ports=ports)}))
    assert answer.status["state"] == "failed"
    assert answer.message == (
        "spec.services.Frontend.extraPodSpec.mainContainer.ports: containerPort 53 stands twice, and one of the two "
        "would be lost; keep one of them"
    )


def test_a_component_that_would_be_too_large_is_an_invalid_spec():
    answer = ask(graph({"Frontend": main_container(args=["x" * 250_000])}))
    assert answer.message.startswith("DynamoComponentDeployment g-frontend: has 250")
    assert answer.message.endswith(" bytes of JSON, 250000 are allowed; make its spec smaller")
