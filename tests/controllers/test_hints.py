"""What probably does not mean what its author thinks: it is carried out, and the conditions say what it comes to."""

import pytest

from tests.asked import ask, component, graph, main_container


def notes(answer):
    """What a condition's message says behind the state of things."""
    message = answer.status["conditions"][0]["message"]
    assert len({condition["message"] for condition in answer.status["conditions"]}) == 1
    return [sentence for sentence in message.split(". ") if sentence.startswith("spec.")]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("worke", "worker"),
        ("Worker", "worker"),
        ("workers", "worker"),
        ("Frontend", "frontend"),
        ("front-end", "frontend"),
        ("planer", "planner"),
        ("prefil", "prefill"),
        ("decoder", "decode"),
    ],
)
def test_a_type_that_is_nearly_a_known_one_is_asked_about(written, meant):
    said = f"Type: {written!r} gets the general defaults; did you mean {meant}?"
    asked = ask(component({"componentType": written}))
    assert notes(asked) == [f"spec.component{said}"]
    assert [child["kind"] for child in asked.children] == ["Deployment"]
    assert notes(ask(graph({"A": {"componentType": written}}))) == [f"spec.services.A.component{said}"]


@pytest.mark.parametrize("component_type", ["worker", "main", "router", "encode", "processor", "backend", "epp", ""])
def test_other_types_are_the_users_own(component_type):
    assert notes(ask(component({"componentType": component_type}))) == []


def spanning(*words, component_type="worker", **spec):
    """A component of three nodes that runs these words."""
    return {
        **main_container(command=list(words)),
        "componentType": component_type,
        "multinode": {"nodeCount": 3},
        **spec,
    }


ALONE = "each of the 3 nodes runs the same command, and nothing joins them; "


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (spanning("serve.sh"), "no engine is recognised in spec.extraPodSpec.mainContainer.command, so " + ALONE),
        (
            spanning("sh", "-c", "serve.sh"),
            "no engine is recognised in spec.extraPodSpec.mainContainer.command[2], so " + ALONE,
        ),
        (
            spanning("python3", "-m", "dynamo.vllm", component_type="main"),
            "engines are spread over nodes in components of type worker, prefill or decode alone, so " + ALONE,
        ),
    ],
)
def test_nodes_that_know_nothing_of_each_other_are_warned_about(spec, said):
    (note,) = notes(ask(component(spec)))
    assert note.startswith(f"spec.multinode: {said}")
    assert note.endswith("or have the command find the group in LWS_LEADER_ADDRESS, LWS_WORKER_INDEX, LWS_GROUP_SIZE")
    (of_graph,) = notes(ask(graph({"A": spec})))
    assert of_graph == note.replace("spec.", "spec.services.A.")


@pytest.mark.parametrize(
    "spec",
    [
        spanning("python3", "-m", "dynamo.sglang", resources={"limits": {"gpu": "8"}}),
        spanning("python3", "-m", "dynamo.sglang", "--nnodes", "3", "--node-rank", "$(LWS_WORKER_INDEX)"),
        spanning("serve.sh", "$(LWS_LEADER_ADDRESS)"),
        spanning("sh", "-c", "serve.sh --rank $LWS_WORKER_INDEX"),
        spanning("serve.sh", envs=[{"name": "HEAD", "value": "$(LWS_LEADER_ADDRESS):29500"}]),
    ],
)
def test_nodes_that_find_each_other_are_not(spec):
    assert notes(ask(component(spec))) == []


@pytest.mark.parametrize("engine", ["vllm", "sglang", "trtllm"])
def test_an_engine_without_gpus_is_not_spread_and_says_so(engine):
    (note,) = notes(ask(component(spanning("python3", "-m", f"dynamo.{engine}", "--tp", "16"))))
    assert note == f"spec.resources.limits.gpu: is absent, so nothing is spread: {ALONE}write the GPUs of one node"


def test_options_without_a_command_are_no_script():
    (note,) = notes(ask(component(main_container(args=["--model", "Qwen/Qwen3-0.6B"]))))
    assert note == (
        "spec.extraPodSpec.mainContainer.command: is absent, so that /bin/sh -c is given '--model', which is no "
        "script; write the command, such as [python3, -m, dynamo.vllm]"
    )
    assert notes(ask(component(main_container(args=["python3 -m dynamo.vllm --model x"])))) == []
    assert notes(ask(component({**main_container(args=["-m", "dynamo.frontend"]), "componentType": "frontend"}))) == []


def test_neither_is_a_component_of_one_node():
    assert notes(ask(component({**main_container(command=["serve.sh"]), "componentType": "worker"}))) == []


@pytest.mark.parametrize("more", [{}, {"backendFramework": "vllm"}])
def test_a_graph_of_nothing_is_at_rest_and_says_that_nothing_runs(more):
    asked = ask(graph({}, **more), observed=[])
    assert asked.status["state"] == "successful"
    assert notes(asked) == ["spec.services: none is described, so nothing runs; add one"]
