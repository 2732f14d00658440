import pytest

from hooks.pods.component import read_component
from hooks.settings import Settings
from tests.asked import ask, component, main_container

LONG = ["python3", "-m", "dynamo.vllm", "--model", "Qwen/Qwen3-0.6B"]


def backend(spec):
    return read_component(component(spec), Settings()).backend


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(LONG, "vllm", id="a direct call"),
        pytest.param(["/usr/bin/python3.11", "-u", "-m", "dynamo.sglang"], "sglang", id="a path, and options before"),
        pytest.param(["python", "-m", "dynamo.trtllm.main"], None, id="a module within an engine's"),
        pytest.param(["/bin/sh", "-c", " ".join(LONG)], "vllm", id="in a shell"),
        pytest.param(["bash", "-lc", "cd /w && exec python3 \\\n  -m dynamo.vllm --x"], "vllm", id="over two lines"),
        pytest.param(["mpirun", "-n", "2", "python3", "-m", "dynamo.trtllm"], "trtllm", id="behind another program"),
        pytest.param(["python3", "my_worker.py"], None, id="a program of the user's own"),
        pytest.param(["python3", "-m", "dynamo.frontend"], None, id="no engine"),
        pytest.param(["python3", "-m", "dynamo.vllm_omni"], None, id="a longer name"),
        pytest.param(["python3", "x.py;", "echo", "-m", "dynamo.vllm"], None, id="another command of the script"),
        pytest.param(["echo", "-m", "dynamo.vllm"], None, id="no Python"),
    ],
)
def test_the_engine_is_what_the_command_calls(words, expected):
    command, args = main_container(command=words[:1], args=words[1:]), main_container(command=words)
    for spec in (command, args):
        assert backend({"componentType": "worker", **spec}) == expected


def test_the_engine_is_found_in_a_long_script_quickly_enough():
    assert backend({"componentType": "worker", **main_container(args=["python -m x " * 100_000])}) is None


@pytest.mark.parametrize("component_type", ["worker", "prefill", "decode"])
def test_what_the_command_does_not_say_the_spec_says(component_type):
    spec = {"componentType": component_type, "backendFramework": "sglang"}
    assert backend(spec | main_container(command=["python3", "my_worker.py"])) == "sglang"


@pytest.mark.parametrize("component_type", ["frontend", "planner", "router", None])
def test_who_is_no_worker_has_no_engine(component_type):
    spec = {"componentType": component_type, "backendFramework": "vllm"}
    assert backend(spec | main_container(command=["python3", "-m", "dynamo.trtllm"])) is None
    assert ask(component(spec | main_container(command=["python3", "-m", "dynamo.trtllm"]))).child("Deployment")


def test_a_worker_without_an_engine_is_fine():
    spec = {"componentType": "worker", **main_container(command=["python3", "my_worker.py"], args=["-x"])}
    main = ask(component(spec)).main
    assert (main["command"], main["args"]) == (["python3", "my_worker.py"], ["-x"])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param(
            {"backendFramework": "trtllm", **main_container(command=LONG)},
            "spec.backendFramework: is trtllm, but extraPodSpec.mainContainer.command calls python3 -m dynamo.vllm; "
            "write vllm, or call python3 -m dynamo.trtllm",
            id="the two disagree",
        ),
        pytest.param(
            main_container(command=["sh", "-c"], args=["python3 -m dynamo.vllm & python3 -m dynamo.sglang"]),
            "spec.extraPodSpec.mainContainer.args[0]: calls python3 -m dynamo.sglang and python3 -m dynamo.vllm; "
            "call one engine in a component",
            id="two are called",
        ),
        pytest.param(
            {"backendFramework": "tokenspeed"},
            "spec.backendFramework: has the value 'tokenspeed'; it should be 'sglang', 'vllm' or 'trtllm'",
            id="one that we do not know",
        ),
    ],
)
def test_an_engine_that_is_not_clear_is_an_invalid_spec(spec, message):
    answer = ask(component({"componentType": "worker", **spec}))
    assert (answer.condition["reason"], answer.message) == ("InvalidSpec", message)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a" * 63, None),
        ("a" * 64, f"'{'a' * 64}' has 64 characters, 63 are allowed"),
        ("1a", "'1a' must begin with a letter, end with a letter or digit and have only a-z, 0-9 and '-'"),
        ("a.b", "'a.b' must begin with a letter, end with a letter or digit and have only a-z, 0-9 and '-'"),
    ],
)
def test_a_components_name_is_one_that_a_service_may_have(name, problem):
    answer = ask(component(name=name))
    if problem is None:
        assert answer.child("Deployment", name)
    else:
        assert answer.message == f"metadata.name: {problem}; choose a name that a Service may have"


def test_all_faults_of_a_spec_are_reported_at_once():
    spec = {
        "labels": {"a": "b c"},
        "livenessProbe": {"periodSeconds": 1},
        "resources": {"limits": {"cpu": "x"}},
        "sharedMemory": {"size": "x"},
        "ingress": {"enabled": True},
        **main_container(image="", volumeMounts=[{"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/a"}]),
    }
    message = ask(component(spec)).message
    for field in (
        "spec.labels[a]",
        "spec.livenessProbe",
        "spec.resources.limits.cpu",
        "spec.sharedMemory.size",
        "spec.ingress.host",
        "spec.extraPodSpec.mainContainer.image",
    ):
        assert f"{field}: " in message


@pytest.mark.parametrize("spec", [None, "no object", [], 7])
def test_a_spec_that_is_none_is_an_answer_that_says_so(spec):
    answer = ask(component() | {"spec": spec})
    assert answer.condition["reason"] == "InvalidSpec"
    assert answer.message.startswith("spec: ")


def test_a_user_may_write_a_null_anywhere():
    fields = ("annotations", "labels", "resources", "autoscaling", "envs", "volumeMounts", "ingress", "modelRef")
    nulls = dict.fromkeys((*fields, "sharedMemory", "extraPodMetadata", "livenessProbe", "replicas", "multinode"))
    deep = {"resources": {"limits": None}, "ingress": {"enabled": None, "tls": None}, "autoscaling": {"metrics": None}}
    main = main_container(command=None, args=None, env=None, envFrom=None, ports=None, resources=None)
    assert ask(component(nulls | main)).children == ask(component(deep | main)).children == ask(component()).children


TWICE = [{"name": "x", "image": "i"}] * 2


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (
            {"containers": [{"name": "main", "image": "i"}]},
            "spec.extraPodSpec.containers[0].name: 'main' is taken already; write it under mainContainer",
        ),
        ({"containers": TWICE}, "spec.extraPodSpec.containers[1].name: 'x' is taken already; give it another name"),
        (
            {"volumes": [{"name": "v", "emptyDir": {}}, {"name": "v", "emptyDir": {"medium": "Memory"}}]},
            "spec.extraPodSpec.volumes: name v stands twice, and one of the two would be lost; keep one of them",
        ),
        (
            {"mainContainer": {"ports": [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}]}},
            (
                "spec.extraPodSpec.mainContainer.ports: containerPort 53 stands twice, and one of the two would be "
                "lost; keep one of them"
            ),
        ),
        (
            {"containers": [{"name": "x", "image": "i", "env": [{"name": "A"}, {"name": "A"}]}]},
            (
                "spec.extraPodSpec.containers[0].env: name A stands twice, and one of the two would be lost; "
                "keep one of them"
            ),
        ),
    ],
)
def test_a_list_that_names_something_twice_is_told_once_by_the_users_field(extra, message):
    assert ask(component({"extraPodSpec": extra})).message == message


def test_a_variable_a_pull_secret_or_a_resource_claim_may_stand_twice():
    main = {
        "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}],
        "resources": {"claims": [{"name": "c"}] * 2},
    }
    answer = ask(component({"extraPodSpec": {"mainContainer": main, "imagePullSecrets": [{"name": "s"}] * 2}}))
    assert answer.env["A"] == "2"


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        pytest.param(
            {"extraPodSpec": {"mainContainer": {"args": "x"}}, "sharedMemory": {"size": "x"}},
            {"spec.extraPodSpec.mainContainer.args", "spec.sharedMemory.size"},
            id="a size beside a wrong command",
        ),
        pytest.param(
            {
                "sharedMemory": {"size": "x"},
                "extraPodSpec": {"volumes": [{"name": "shared-memory", "emptyDir": {}}]},
            },
            {"spec.sharedMemory.size", "spec.extraPodSpec.volumes[0].name"},
            id="a clash of names beside a wrong size",
        ),
        pytest.param(
            {"ingress": {"enabled": True, "host": 5, "labels": {"a b": "c"}}},
            {"spec.ingress.host", "spec.ingress.labels[a b]"},
            id="what was taken out is not missed on top",
        ),
    ],
)
def test_what_is_misshapen_hides_no_fault_beside_it(spec, told):
    message = ask(component(spec)).message
    assert {line.split(": ")[0] for line in message.split(". ")} == told
