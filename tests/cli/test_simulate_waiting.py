"""`simulate --until`, and actions on what is gone: a name that nothing has is told with the names there are."""

import pytest
import yaml
from click.testing import CliRunner

from hooks.cli import main

SERVICE = {"componentType": "worker", "extraPodSpec": {"mainContainer": {"image": "x"}}}


def resource(kind, name, **spec):
    return {"apiVersion": "nvidia.com/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


GRAPH = resource("DynamoGraphDeployment", "chat", services={"Worker": SERVICE})
MODEL = resource("DynamoModel", "m", modelName="m", baseModelName="acme/base")
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}


def simulate(*arguments, resources=(GRAPH,)):
    return CliRunner().invoke(main, ["simulate", "-f", "-", *arguments], input=yaml.dump_all(resources))


@pytest.mark.parametrize(
    ("resources", "until", "said"),
    [
        (
            [GRAPH],
            "ready",
            "a DynamoGraphDeployment has no condition 'ready'; there is Ready, state=…; did you mean Ready?",
        ),
        ([GRAPH], "Redy", "did you mean Ready?"),
        ([GRAPH, MODEL], "Ready", "a DynamoModel has no condition 'Ready'; there is EndpointsReady, ServicesFound"),
        ([GRAPH], "dcd/chat-worker:Redy", "has no condition 'Redy'; there is Available, DynamoComponentReady"),
        ([GRAPH], "dgd/chat:state=successfull", "there is pending, successful, failed; did you mean successful?"),
        (
            [GRAPH],
            "dgdr/r:state=ready",
            "there is Pending, Profiling, Deploying, Ready, DeploymentDeleted, Failed; did",
        ),
        ([MODEL], "dm/m:state=ready", "a DynamoModel has no state; there is EndpointsReady, ServicesFound"),
        (
            [GRAPH],
            "dgd/chatt:Ready",
            "no dgd/chatt in namespace default (-n names another one); there is dgd/chat; did",
        ),
        ([GRAPH], "dm/m:EndpointsReady", "no dm/m in namespace default (-n names another one); there is no dm of any"),
        ([CONFIG], "Ready", "no object of nvidia.com/v1alpha1 is in the manifest; name another one"),
    ],
)
def test_what_can_never_come_is_told_before_anything_happens(resources, until, said):
    result = simulate("--until", until, resources=resources)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("dcd/chat-wroker:Available", "there is dcd/chat-worker; did you mean dcd/chat-worker?"),
        ("deploy/x:Available", "no deploy/x in namespace default (-n names another one); there is deploy/chat-worker"),
        ("pvc/x:Ready", "there is no pvc of any name"),
    ],
)
def test_what_comes_of_others_by_another_name_is_told_in_the_end(until, said):
    result = simulate("--until", until, "--for", "5m")
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_condition_that_never_came_is_told_with_those_that_are_there():
    result = simulate("--until", "deploy/chat-worker:Avilable", "--for", "5m")
    assert result.exit_code == 1
    assert "error: deploy/chat-worker:Avilable=True did not come; it has Available=True, Progressing" in result.stderr


def test_a_graph_that_came_and_went_is_no_typing_error():
    result = simulate("--until", "dgd/chat:Ready=Unknown", "--delete", "dgd/chat@10m", "--for", "1h")
    assert result.exit_code == 1
    assert "error: dgd/chat:Ready=Unknown did not come; it is gone" in result.stderr


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (["--scale", "dgd/chat/Worker=2@1h"], "--scale dgd/chat/Worker=2@1h: dgd/chat was deleted after 10m0.1s"),
        (["--delete", "dgd/chat@1h"], "--delete dgd/chat@1h: dgd/chat was deleted after 10m0.1s"),
    ],
)
def test_what_is_done_to_something_that_is_gone_says_when_it_was_deleted(action, said):
    result = simulate("--delete", "dgd/chat@10m", *action)
    assert result.exit_code == 2
    assert said in result.stderr
