import pytest

from tests.asked import IMAGE, ask, component, laid_over, main_container

SIDE = {"name": "side", "image": "side:1"}


def test_a_frontend_that_gives_an_image_alone_still_runs_the_frontend():
    main = ask(component({"componentType": "frontend", **main_container(image="X")})).main
    assert (main["image"], main["command"], main["args"]) == ("X", ["python3"], ["-m", "dynamo.frontend"])


@pytest.mark.parametrize(
    ("component_type", "given", "command", "args"),
    [
        pytest.param("frontend", {}, ["python3"], ["-m", "dynamo.frontend"], id="a frontend's default"),
        pytest.param("worker", {}, ["/bin/sh", "-c"], None, id="the general default"),
        pytest.param("worker", {"args": ["x"]}, ["/bin/sh", "-c"], ["x"], id="args alone replace the args"),
        pytest.param("frontend", {"args": ["x"]}, ["python3"], ["x"], id="of a frontend too"),
        pytest.param("frontend", {"command": ["x"]}, ["x"], None, id="a command replaces command and args"),
        pytest.param("frontend", {"command": ["x"], "args": ["y"]}, ["x"], ["y"], id="both"),
        pytest.param(
            "frontend",
            {"command": None, "args": []},
            ["python3"],
            ["-m", "dynamo.frontend"],
            id="null and empty count as unset",
        ),
        pytest.param(
            "frontend", {"command": [], "args": None}, ["python3"], ["-m", "dynamo.frontend"], id="either way"
        ),
    ],
)
def test_the_command_and_its_arguments(component_type, given, command, args):
    main = ask(component({"componentType": component_type, **main_container(**given)})).main
    assert (main["command"], main.get("args")) == (command, args)


def test_a_pod_without_anything_of_the_users():
    assert ask(component()).template == {
        "metadata": {
            "labels": {
                "nvidia.com/selector": "g-decode",
                "nvidia.com/dynamo-component": "g-decode",
                "nvidia.com/dynamo-namespace": "default-g-decode",
                "nvidia.com/dynamo-graph-deployment-name": "g-decode",
                "nvidia.com/metrics-enabled": "true",
            }
        },
        "spec": {
            "terminationGracePeriodSeconds": 60,
            "restartPolicy": "Always",
            "securityContext": {"fsGroup": 1000},
            "containers": [
                {
                    "name": "main",
                    "image": IMAGE,
                    "command": ["/bin/sh", "-c"],
                    "env": [
                        {"name": "DYN_NAMESPACE", "value": "default-g-decode"},
                        {"name": "DYN_PARENT_DGD_K8S_NAME", "value": "g-decode"},
                        {"name": "DYN_PARENT_DGD_K8S_NAMESPACE", "value": "default"},
                        *(
                            {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
                            for name, path in (
                                ("POD_NAME", "metadata.name"),
                                ("POD_NAMESPACE", "metadata.namespace"),
                                ("POD_UID", "metadata.uid"),
                            )
                        ),
                    ],
                    "volumeMounts": [{"name": "shared-memory", "mountPath": "/dev/shm"}],
                }
            ],
            "volumes": [{"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}],
        },
    }


ACCOUNT = {"serviceAccountName": "mine", "serviceAccount": "mine"}


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        pytest.param({"terminationGracePeriodSeconds": 0}, {"terminationGracePeriodSeconds": 0}, id="zero is a value"),
        pytest.param({"terminationGracePeriodSeconds": None}, {}, id="null is none"),
        pytest.param({"restartPolicy": ""}, {}, id="an empty word is none"),
        pytest.param({"securityContext": {"runAsUser": 5}}, {"securityContext": {"runAsUser": 5}}, id="the user's"),
        pytest.param({"securityContext": {}}, {"securityContext": {}}, id="none wanted"),
        pytest.param({"securityContext": None}, {}, id="null is no wish"),
        pytest.param({"nodeSelector": {"a": "b"}}, {"nodeSelector": {"a": "b"}}, id="a field that we do not set"),
        pytest.param({"tolerations": [{"key": "k"}]}, {"tolerations": [{"key": "k"}]}, id="tolerations"),
        pytest.param({"hostNetwork": False}, {}, id="what the API server drops"),
        pytest.param({"enableServiceLinks": False}, {"enableServiceLinks": False}, id="what it keeps"),
        pytest.param({"aNewerField": {"x": 1}}, {"aNewerField": {"x": 1}}, id="what we do not know"),
        pytest.param(
            {"imagePullSecrets": [{"name": "b"}, {"name": "a"}, {"name": "b"}, {"name": ""}]},
            {"imagePullSecrets": [{"name": "a"}, {"name": "b"}]},
            id="pull secrets, sorted, each once",
        ),
        pytest.param({"serviceAccountName": "mine"}, ACCOUNT, id="an account, which has two names"),
        pytest.param({"serviceAccount": "mine"}, ACCOUNT, id="by the field's old name"),
    ],
)
def test_a_users_pod_spec_is_merged_field_by_field(given, changed):
    plain = ask(component()).pod
    assert ask(component({"extraPodSpec": given})).pod == plain | changed


def test_side_and_init_containers_and_the_main_containers_further_fields():
    spec = {"extraPodSpec": {"containers": [SIDE], "initContainers": [{"name": "init", "image": "i"}]}}
    main = main_container(workingDir="/w", securityContext={"privileged": True}, imagePullPolicy="", tty=False)
    pod = ask(component(laid_over(spec, main))).pod
    assert [container["name"] for container in pod["containers"]] == ["main", "side"]
    assert pod["containers"][1] == SIDE
    assert pod["initContainers"] == [{"name": "init", "image": "i"}]
    assert pod["containers"][0]["workingDir"] == "/w"
    assert pod["containers"][0]["securityContext"] == {"privileged": True}
    assert not {"imagePullPolicy", "tty"} & pod["containers"][0].keys()


def test_the_main_containers_name_is_main_whatever_the_user_calls_it():
    assert ask(component(main_container(name="worker"))).main["name"] == "main"


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        pytest.param(
            {"containers": [{"name": "main", "image": "i"}]},
            "spec.extraPodSpec.containers[0].name: 'main' is taken already; write it under mainContainer",
            id="main is the main container",
        ),
        pytest.param(
            {"initContainers": [{"name": "main", "image": "i"}]},
            "spec.extraPodSpec.initContainers[0].name: 'main' is taken already; give it another name",
            id="an init container called main",
        ),
        pytest.param(
            {"containers": [SIDE, SIDE]},
            "spec.extraPodSpec.containers[1].name: 'side' is taken already; give it another name",
            id="two of a name",
        ),
        pytest.param(
            {"initContainers": [SIDE, SIDE]},
            "spec.extraPodSpec.initContainers[1].name: 'side' is taken already; give it another name",
            id="two init containers of a name",
        ),
        pytest.param(
            {"containers": [{"image": "i"}]},
            "spec.extraPodSpec.containers[0].name: is required; add it",
            id="a sidecar without a name",
        ),
        pytest.param(
            {"mainContainer": {"image": ""}},
            "spec.extraPodSpec.mainContainer.image: is required; add the image to run",
            id="no image",
        ),
        pytest.param(
            {"mainContainer": {"image": "i\n"}},
            "spec.extraPodSpec.mainContainer.image: 'i\\n' begins or ends with white space; write it without",
            id="an image that no pod may have",
        ),
        pytest.param(
            {"mainContainer": {"image": "i", "ports": [{"containerPort": 99999}]}},
            "spec.extraPodSpec.mainContainer.ports[0].containerPort: 99999 is no port; write a number from 1 to 65535",
            id="a port that is none",
        ),
        pytest.param(
            {"mainContainer": {"image": "i", "ports": [{"containerPort": 80, "name": "a--b"}]}},
            "spec.extraPodSpec.mainContainer.ports[0].name: 'a--b' must have only a-z, 0-9 and single '-' between "
            "them, and at least one letter; write one such as http",
            id="a port's name that is none",
        ),
        pytest.param(
            {"mainContainer": {"image": "i", "ports": [{"containerPort": 80, "protocol": "http"}]}},
            "spec.extraPodSpec.mainContainer.ports[0].protocol: has the value 'http'; write one of TCP, UDP, SCTP",
            id="a port's protocol that is none",
        ),
        pytest.param(
            {"containers": [{"name": "side", "image": " i"}]},
            "spec.extraPodSpec.containers[0].image: ' i' begins or ends with white space; write it without",
            id="a sidecar's image that no pod may have",
        ),
    ],
)
def test_a_pod_spec_that_cannot_be_is_an_invalid_spec(extra, message):
    answer = ask(component({"extraPodSpec": extra}))
    assert answer.condition["reason"] == "InvalidSpec"
    assert answer.message == message


def test_what_the_api_server_would_fill_into_a_list_without_names_is_written():
    sources = [{"serviceAccountToken": {"path": "token"}}]
    spec = {"extraPodSpec": {"volumes": [{"name": "t", "projected": {"sources": sources}}]}}
    assert ask(component(spec)).pod["volumes"][1]["projected"]["sources"] == [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}}
    ]


ACCOUNT = {
    "apiVersion": "v1",
    "kind": "ServiceAccount",
    "metadata": {"name": "b", "namespace": "default", "labels": {"nvidia.com/dynamo-component-pod": "true"}},
}
IN_GRAPH = {"labels": {"nvidia.com/dynamo-graph-deployment-name": "g"}}
THROUGH_KUBERNETES = {"discoveryBackend": "kubernetes"}


@pytest.mark.parametrize(
    ("spec", "metadata", "settings", "expected"),
    [
        pytest.param({}, {}, {}, "b", id="the labelled account of the namespace"),
        pytest.param({"componentType": "planner"}, {}, {}, "planner-serviceaccount", id="a planner"),
        pytest.param(
            {"componentType": "planner", "extraPodSpec": {"serviceAccountName": ""}},
            {},
            {},
            "planner-serviceaccount",
            id="an empty name is none",
        ),
        pytest.param(
            {"componentType": "planner"}, IN_GRAPH, THROUGH_KUBERNETES, "planner-serviceaccount", id="a planner first"
        ),
        pytest.param({}, IN_GRAPH, THROUGH_KUBERNETES, "g-k8s-service-discovery", id="discovery in a graph"),
        pytest.param({}, {}, THROUGH_KUBERNETES, "b", id="discovery without a graph"),
        pytest.param(
            {"componentType": "planner", "extraPodSpec": {"serviceAccountName": "mine"}},
            IN_GRAPH,
            THROUGH_KUBERNETES,
            "mine",
            id="the user's wins over all",
        ),
        pytest.param(
            {"componentType": "default"},
            IN_GRAPH,
            THROUGH_KUBERNETES,
            "g-k8s-service-discovery",
            id="a planner by another type is none",
        ),
    ],
)
def test_the_account_that_pods_run_under(spec, metadata, settings, expected):
    others = [
        laid_over(ACCOUNT, {"metadata": {"name": "c"}}),
        laid_over(ACCOUNT, {"metadata": {"name": "a", "labels": {"nvidia.com/dynamo-component-pod": "false"}}}),
        laid_over(ACCOUNT, {"metadata": {"name": "a", "namespace": "other"}}),
    ]
    answer = ask(component(spec, **metadata), related=[*others, ACCOUNT], settings=settings)
    assert answer.pod["serviceAccountName"] == expected


def test_no_account_is_set_where_none_is_labelled():
    assert "serviceAccountName" not in ask(component(), related=[]).pod
