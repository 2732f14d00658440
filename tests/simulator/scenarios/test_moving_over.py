"""What becomes of running models when the hooks take over from another operator, as docs/moving-over.md has it."""

import copy
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hooks.rendering import Asked, render
from hooks.settings import Settings
from tests.simulator.scenarios.situations import COMPONENT, GRAPH, graph, service
from tests.simulator.scenarios.test_installation import install, running, uninstall
from tests.simulator.scenarios.test_multinode import SPREAD

PAGE = Path(__file__).parents[3] / "docs" / "moving-over.md"
GROUPS = "LeaderWorkerSet"
OURS, THEIRS = "chat-wide-lws", "chat-wide-0"
METACONTROLLERS = ("metacontroller.k8s.io/last-applied-configuration", "nvidia.com/desired-hash")
COMPONENTS = ("chat-frontend", "chat-wide", "chat-worker")
TAKEN = [
    *((COMPONENT, name) for name in COMPONENTS),
    *(("Service", name) for name in COMPONENTS),
    ("Deployment", "chat-frontend"),
    ("Deployment", "chat-worker"),
]


@pytest.fixture
def serving(situation):
    """A graph that another operator runs: its objects are owned by the same custom resources, with other labels."""
    cluster = situation.cluster
    services = {"Frontend": service("frontend"), "Worker": service(), "Wide": service(**SPREAD)}
    cluster.apply(graph(services=services))
    situation._problems = lambda _: ()  # it knows of Deployments only
    situation.ready()
    cluster.settle()
    uninstall(cluster)
    for kind, name in [*TAKEN, (GROUPS, OURS)]:
        cluster.edit(kind, name, as_another_made_it)
    cluster.settle()
    return situation


def as_another_made_it(item):
    metadata = item["metadata"]
    metadata["labels"].pop("controller-uid")
    metadata["labels"]["app.kubernetes.io/managed-by"] = "dynamo-operator"
    for key in METACONTROLLERS:
        metadata.get("annotations", {}).pop(key, None)


def under_another_name(cluster):
    """The other operator calls its LeaderWorkerSet otherwise."""
    item = copy.deepcopy(cluster.get(GROUPS, OURS))
    cluster.delete(GROUPS, OURS)
    cluster.settle()
    kept = {key: item["metadata"][key] for key in ("labels", "ownerReferences", "namespace")}
    cluster.apply({**item, "metadata": {"name": THEIRS, **kept}, "status": {}})
    cluster.settle()


def hand_over(cluster, objects):
    """`kubectl label … controller-uid=<uid of its owner>`."""
    for kind, name in objects:
        label(cluster, kind, name, cluster.get(*owner_of(kind, name))["metadata"]["uid"])


def label(cluster, kind, name, uid):
    cluster.edit(kind, name, lambda item: item["metadata"]["labels"].update({"controller-uid": uid}))


def owner_of(kind, name):
    return (GRAPH, "chat") if kind == COMPONENT else (COMPONENT, name.removesuffix("-lws"))


def pods(cluster, workload):
    """The uids of a workload's pods."""
    found = cluster.store.list("Pod")
    return {pod["metadata"]["uid"] for pod in found if pod["metadata"]["name"].startswith(f"{workload}-")}


def installed(serving):
    install(serving.cluster)
    serving.cluster.run_for(60)
    serving.cluster.settle()


def test_objects_of_another_operator_are_reported_and_left_alone(serving):
    before = running(serving.cluster)
    installed(serving)
    assert running(serving.cluster) == before
    condition = serving.condition()
    assert (condition["status"], condition["reason"]) == ("False", "NameConflict")
    uid = serving.cluster.get(GRAPH, "chat")["metadata"]["uid"]
    for name in COMPONENTS:
        assert f"{COMPONENT} {name} exists already" in condition["message"]
        assert f"{name} controller-uid={uid}" in condition["message"]
    serving.at_rest()


def test_its_leader_worker_set_of_our_name_is_reported_by_its_component_and_left_alone(serving):
    before = serving.cluster.get(GROUPS, OURS)
    installed(serving)
    condition = serving.condition("chat-wide", COMPONENT, "Available")
    assert (condition["status"], condition["reason"]) == ("False", "NameConflict")
    uid = serving.cluster.get(COMPONENT, "chat-wide")["metadata"]["uid"]
    assert f"{GROUPS} {OURS} exists already" in condition["message"]
    assert f"{OURS} controller-uid={uid}" in condition["message"]
    found = serving.cluster.get(GROUPS, OURS)
    assert (found["spec"], found["metadata"]["labels"]) == (before["spec"], before["metadata"]["labels"])


@pytest.mark.parametrize("first", ["labelled before", "labelled after"])
def test_the_label_hands_them_over_and_no_pod_restarts(serving, first):
    cluster, objects = serving.cluster, [*TAKEN, (GROUPS, OURS)]
    before, _ = running(cluster)
    if first == "labelled before":
        hand_over(cluster, objects)
        installed(serving)
    else:
        installed(serving)
        hand_over(cluster, objects)
        cluster.run_for(60)
    serving.ready()
    cluster.settle()
    assert running(cluster)[0] == before
    for kind, name in objects:
        metadata = cluster.get(kind, name)["metadata"]
        assert [owner["name"] for owner in metadata["ownerReferences"]] == [owner_of(kind, name)[1]]
    serving.edit_service("Worker", **service(image="registry.example/runtime:2"))
    serving.ready()
    assert serving.images() == {"registry.example/runtime:2"}
    serving.at_rest()


def test_a_leader_worker_set_of_another_name_serves_until_ours_does_and_is_then_deleted_by_hand(serving):
    cluster = serving.cluster
    under_another_name(cluster)
    theirs, others = pods(cluster, THEIRS), pods(cluster, "chat-worker") | pods(cluster, "chat-frontend")
    assert theirs
    hand_over(cluster, TAKEN)
    installed(serving)
    serving.ready()
    assert pods(cluster, OURS)
    assert pods(cluster, THEIRS) == theirs
    assert "ownerReferences" not in cluster.get(GROUPS, THEIRS)["metadata"]
    cluster.delete(GROUPS, THEIRS)
    cluster.settle()
    assert pods(cluster, THEIRS) == set()
    assert serving.is_ready()
    assert pods(cluster, "chat-worker") | pods(cluster, "chat-frontend") == others
    serving.at_rest()


SHORT_NAMES = {
    "dcd": COMPONENT,
    "deploy": "Deployment",
    "lws": GROUPS,
    "svc": "Service",
    "hpa": "HorizontalPodAutoscaler",
    "ingress": "Ingress",
    "pvc": "PersistentVolumeClaim",
    "sa": "ServiceAccount",
    "role": "Role",
    "rolebinding": "RoleBinding",
}


def test_the_script_of_the_documentation_labels_what_is_handed_over_and_names_the_rest(serving, tmp_path):
    if shutil.which("jq") is None:
        pytest.skip("needs jq")
    cluster = serving.cluster
    under_another_name(cluster)
    (kinds,) = re.findall(r"kubectl get (\S+) -A -o json > there\.json", PAGE.read_text())
    (program,) = re.findall(r"jq -r --slurpfile ours ours\.json '(.*?)' there\.json", PAGE.read_text(), re.DOTALL)
    there = [item for name in kinds.split(",") for item in cluster.store.list(SHORT_NAMES[name])]
    asked = Asked(Settings(), cluster.clock.now())
    ours = render(cluster.store.list(GRAPH) + cluster.store.list(COMPONENT), asked).objects
    for name, items in (("there", there), ("ours", ours)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"items": items}))
    command = ["jq", "-r", "--slurpfile", "ours", "ours.json", program, "there.json"]
    lines = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.splitlines()
    assert [line for line in lines if line.startswith("#")] == [f"# stays: {GROUPS} default/{THEIRS}"]
    kinds = {kind.lower(): kind for kind in SHORT_NAMES.values()}
    labelled = []
    for line in lines:
        if not line.startswith("#"):
            kind, name, uid = re.fullmatch(
                r"kubectl label --overwrite -n default (\w+) (\S+) controller-uid=(\S+)", line
            ).groups()
            labelled.append((kinds[kind], name))
            label(cluster, kinds[kind], name, uid)
    assert sorted(labelled) == sorted(TAKEN)
    before, _ = running(cluster)
    installed(serving)
    serving.ready()
    assert running(cluster)[0] >= before
