import copy
import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from hooks.cli import main
from hooks.cli.kubectl import selector_argument
from hooks.controllers.registry import controllers
from hooks.kinds import BY_NAME, COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, LEADER_WORKER_SET, VIRTUAL_SERVICE
from hooks.protocol import read_sync
from hooks.settings import Settings
from tests.golden_cases import NOW, keyed
from tests.steady import graph, steady_request

STAND_IN = Path(__file__).with_name("fake_kubectl.py")
METACONTROLLER = "metacontroller.k8s.io/v1alpha1"
NO_CHANGE = (Settings(), NOW)


@pytest.fixture(scope="module")
def steady():
    """The request for a graph that is rolled out."""
    return steady_request(graph(2))[0]


def cluster_of(body, *further, lacking=()):
    """A cluster that holds what a request holds."""
    resources = {METACONTROLLER: [], "v1": [{"name": "namespaces", "kind": "Namespace", "namespaced": False}]}
    for kind in ("CompositeController", "DecoratorController"):
        resources[METACONTROLLER].append({"name": f"{kind.lower()}s", "kind": kind, "namespaced": False})
    for kind in {GRAPH_DEPLOYMENT, *BY_NAME.values()} - set(lacking):
        short = [word for word, whose in (("dgd", GRAPH_DEPLOYMENT), ("dcd", COMPONENT_DEPLOYMENT)) if whose == kind]
        status = {"name": f"{kind.plural}/status", "kind": kind.kind, "namespaced": True}
        entry = {"name": kind.plural, "kind": kind.kind, "namespaced": True, "shortNames": short}
        resources.setdefault(kind.api_version, []).extend([status, entry])
    kinds = [*body["children"].values(), *body["related"].values()]
    objects = {json.dumps(item, sort_keys=True): item for items in kinds for item in items.values()}
    return {
        "namespace": "inference",
        "resources": resources,
        "objects": [body["parent"], *objects.values(), *further],
    }


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs `dynamo-hooks request …` against a cluster."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(f"#!{sys.executable}\n{STAND_IN.read_text()}")
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    def run(cluster, *arguments):
        (tmp_path / "cluster.json").write_text(json.dumps(cluster))
        environment = {"FAKE_CLUSTER": str(tmp_path / "cluster.json")}
        return CliRunner().invoke(main, ["request", *arguments], env=environment, catch_exceptions=False)

    return run


def test_the_request_is_the_one_that_metacontroller_sends(run, steady):
    result = run(cluster_of(steady, steady["controller"]), "dgd", "graph-of-2")
    assert json.loads(result.stdout) == steady
    assert result.stderr == "for POST /dynamographdeployments/sync\n"


def test_its_answer_is_that_of_a_resource_that_is_rolled_out(run, steady):
    body = json.loads(run(cluster_of(steady), "DynamoGraphDeployment", "graph-of-2", "-n", "inference").stdout)
    answer = controllers()[GRAPH_DEPLOYMENT.plural].sync(read_sync(body, GRAPH_DEPLOYMENT), *NO_CHANGE).body()
    assert answer["status"]["state"] == "successful"


def test_only_what_the_parent_controls_is_a_child(run, steady):
    child = next(iter(steady["children"][COMPONENT_DEPLOYMENT.key].values()))
    others = [copy.deepcopy(child) for _ in range(3)]
    for number, other in enumerate(others):
        other["metadata"]["name"] = f"other-{number}"
    others[0]["metadata"]["ownerReferences"][0]["uid"] = "somebody-else"
    others[1]["metadata"]["ownerReferences"][0]["controller"] = False
    del others[2]["metadata"]["ownerReferences"]
    result = run(cluster_of(steady, *others), "dgd", "graph-of-2")
    assert json.loads(result.stdout)["children"] == steady["children"]


def test_a_kind_that_the_cluster_lacks_is_left_out_of_the_controller_too(run, steady):
    component = next(iter(steady["children"][COMPONENT_DEPLOYMENT.key].values()))
    body, _ = steady_request(component)
    controller = copy.deepcopy(body["controller"])
    lacking = [LEADER_WORKER_SET, VIRTUAL_SERVICE]
    for kind in lacking:
        controller["spec"]["childResources"].append({"apiVersion": kind.api_version, "resource": kind.plural})
    result = run(cluster_of(body, controller, lacking=lacking), "dcd", component["metadata"]["name"])
    found = json.loads(result.stdout)
    assert found["controller"] == body["controller"]
    assert found["children"] == body["children"]
    assert "left out: the cluster has no virtualservices of networking.istio.io/v1" in result.stderr


def test_a_deleted_resource_with_a_finalize_hook_is_finalizing(run, steady):
    controller = copy.deepcopy(steady["controller"])
    controller["spec"]["hooks"]["finalize"] = controller["spec"]["hooks"]["sync"]
    cluster = cluster_of(steady, controller)
    cluster["objects"][0] = copy.deepcopy(steady["parent"])
    cluster["objects"][0]["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z"
    result = run(cluster, "dgd", "graph-of-2")
    assert json.loads(result.stdout)["finalizing"] is True
    assert result.stderr == "for POST /dynamographdeployments/finalize\n"


NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "inference", "uid": "uid-of-namespace"}}


def decorator(name):
    hook = {"webhook": {"service": {"name": "dynamo-hooks"}, "path": "/namespaces/sync"}}
    spec = {
        "resources": [{"apiVersion": "v1", "resource": "namespaces"}],
        "attachments": [{"apiVersion": "v1", "resource": "serviceaccounts"}],
        "hooks": {"sync": hook},
    }
    return {"apiVersion": METACONTROLLER, "kind": "DecoratorController", "metadata": {"name": name}, "spec": spec}


def attachment(name, controller):
    owner = {"uid": NAMESPACE["metadata"]["uid"], "controller": True}
    annotations = {"metacontroller.k8s.io/decorator-controller": controller}
    metadata = {"name": name, "namespace": "inference", "ownerReferences": [owner], "annotations": annotations}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def test_a_decorator_gets_its_own_attachments_in_all_namespaces(run, steady):
    own, other = attachment("own", "dynamo-namespaces"), attachment("other", "other")
    own["metadata"]["namespace"] = "elsewhere"
    cluster = cluster_of(steady, NAMESPACE, own, other, decorator("dynamo-namespaces"), decorator("other"))
    result = run(cluster, "namespace", "inference", "--controller", "dynamo-namespaces")
    assert json.loads(result.stdout) == {
        "controller": decorator("dynamo-namespaces"),
        "object": NAMESPACE,
        "attachments": keyed([own]),
        "related": {},
        "finalizing": False,
    }


def claimed_by(name, installation, steady):
    """The controller of graphs of one installation among several."""
    made = copy.deepcopy(steady["controller"])
    made["metadata"]["name"] = name
    selector = {"matchLabels": {"nvidia.com/dynamo-installation": installation}}
    made["spec"]["parentResource"]["labelSelector"] = selector
    return made


def test_of_several_the_one_that_made_its_children_is_taken(run, steady):
    label = decorator("dynamo-claims-a")
    label["spec"]["resources"] = [{"apiVersion": GRAPH_DEPLOYMENT.api_version, "resource": GRAPH_DEPLOYMENT.plural}]
    ours, others = claimed_by("graphs-a", "a", steady), claimed_by("graphs-b", "b", steady)
    cluster = cluster_of(steady, label, others, ours)
    cluster["objects"][0] = parent = copy.deepcopy(steady["parent"])
    parent["metadata"].setdefault("labels", {})["nvidia.com/dynamo-installation"] = "a"
    request = json.loads(run(cluster, "dgd", "graph-of-2").stdout)
    assert request["controller"] == ours
    assert request["children"] == steady["children"]
    named = json.loads(run(cluster, "dgd", "graph-of-2", "--controller", "dynamo-claims-a").stdout)
    assert named["object"] == parent


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["dgd", "nowhere"],
            "kubectl get dgd nowhere --output json: Error from server (NotFound): dgd 'nowhere' n",
        ),
        (["pigs", "x"], "kubectl get pigs x --output json: Error from server (NotFound): the server doesn't have a re"),
        (["dgd", "graph-of-2", "--context", "elsewhere"], "kubectl --context elsewhere get dgd graph-of-2 --output "),
        (["namespace", "inference"], "several controllers look after it: dynamo-namespaces, other; --controller names"),
        (["dgd", "graph-of-2", "--controller", "x"], "no controller x looks after a DynamoGraphDeployment of nvidia."),
        (["sa", "own"], "no controller looks after a ServiceAccount of v1; there are dynamo-component-deployments, "),
    ],
    ids=[
        "no such object",
        "no such kind",
        "no such context",
        "several controllers",
        "no such controller",
        "none at all",
    ],
)
def test_what_is_not_there_is_said_in_a_line(run, steady, arguments, message):
    cluster = cluster_of(steady, NAMESPACE, attachment("own", "x"), decorator("dynamo-namespaces"), decorator("other"))
    for resource in cluster["resources"]["v1"]:
        resource["shortNames"] = ["sa"] if resource["name"] == "serviceaccounts" else []
    result = run(cluster, *arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {message}")
    assert not result.stdout


def test_a_machine_without_kubectl_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(main, ["request", "dgd", "chat"])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: kubectl is not there: install it, or add its folder to PATH")


def test_of_what_kubectl_writes_only_its_message_is_shown(monkeypatch, tmp_path):
    kubectl = tmp_path / "kubectl"
    log = 'E1130 18:40:59.433103   15548 memcache.go:265] "Unhandled Error"'
    kubectl.write_text(f"#!/bin/sh\necho '{log}' >&2\necho 'The connection was refused' >&2\nexit 1\n")
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    result = CliRunner().invoke(main, ["request", "dgd", "chat"])
    assert result.exit_code == 1
    assert result.stderr == "Error: kubectl get dgd chat --output json: The connection was refused\n"


@pytest.mark.parametrize(
    ("selector", "argument"),
    [
        ({}, ""),
        ({"matchLabels": {"a": "b", "c": ""}}, "a=b,c="),
        (
            {
                "matchLabels": {"a": "b"},
                "matchExpressions": [
                    {"key": "k", "operator": "In", "values": ["x", "y"]},
                    {"key": "k", "operator": "NotIn", "values": ["z"]},
                    {"key": "there", "operator": "Exists"},
                    {"key": "away", "operator": "DoesNotExist"},
                ],
            },
            "a=b,k in (x,y),k notin (z),there,!away",
        ),
    ],
)
def test_a_label_selector_is_written_as_kubectl_reads_it(selector, argument):
    assert selector_argument(selector) == argument
