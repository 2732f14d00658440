"""Specs and observed objects as odd as users, other programs and older versions may leave them.

A spec that has every field is changed at random places; whatever comes of it, the hooks answer, and lose nothing.
"""

import copy

import orjson
from hypothesis import given, note
from hypothesis import strategies as st

from hooks.controllers.registry import controllers
from hooks.errors import MalformedRequest
from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT
from hooks.manifest import as_stored
from hooks.protocol import read_customize, read_sync
from hooks.settings import Settings
from tests.asked import IMAGE, ask, parent_of
from tests.golden_cases import NOW, keyed
from tests.laws import identity, nulls, repeated_merge_keys, shuffled

SETTINGS = {"ingress": {"className": "nginx"}, "natsAddress": "nats://n:4222"}
PROBE = {"httpGet": {"path": "/x", "port": 9090, "httpHeaders": [{"name": "A", "value": "b"}]}, "periodSeconds": 3}
CONTAINER = {
    "name": "side",
    "image": "i",
    "command": ["sh"],
    "args": ["-c", "x"],
    "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)"}],
    "envFrom": [{"secretRef": {"name": "s"}}],
    "ports": [{"name": "p", "containerPort": 1}],
    "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": 1}, "claims": [{"name": "c"}]},
    "volumeMounts": [{"name": "mine", "mountPath": "/mine"}],
    "livenessProbe": PROBE,
    "readinessProbe": {"initialDelaySeconds": 5},
    "startupProbe": PROBE,
    "securityContext": {"capabilities": {"drop": ["ALL"]}},
    "lifecycle": {"preStop": {"exec": {"command": ["x"]}}},
}
SERVICE = {
    "annotations": {"nvidia.com/enable-metrics": "false", "nvidia.com/deployment-strategy": "Recreate"},
    "labels": {"team": "a"},
    "componentType": "worker",
    "subComponentType": "prefill",
    "dynamoNamespace": "x",
    "globalDynamoNamespace": False,
    "resources": {
        "requests": {"cpu": "1", "memory": "1Gi", "custom": {"a/b": "1"}},
        "limits": {"cpu": "1", "gpu": "1", "gpuType": "nvidia.com/gpu"},
        "claims": [{"name": "c"}],
    },
    "autoscaling": {
        "enabled": True,
        "minReplicas": 1,
        "maxReplicas": 3,
        "behavior": {"scaleDown": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 1}]}},
        "metrics": [
            {"type": "Pods", "pods": {"metric": {"name": "q"}, "target": {"type": "AverageValue", "averageValue": "1"}}}
        ],
    },
    "envs": [{"name": "C", "value": "$(A)"}, {"name": "D", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
    "envFromSecret": "hf",
    "volumeMounts": [{"name": "cache", "useAsCompilationCache": True}, {"name": "models", "mountPoint": "/m"}],
    "ingress": {
        "enabled": True,
        "host": "h",
        "hostPrefix": "p-",
        "hostSuffix": "example.com",
        "useVirtualService": False,
        "virtualServiceGateway": "g",
        "annotations": {"a": "b"},
        "labels": {"a": "b"},
        "tls": {"secretName": "s"},
        "ingressControllerClassName": "c",
    },
    "modelRef": {"name": "Qwen/Qwen3-0.6B", "revision": "r"},
    "sharedMemory": {"disabled": False, "size": "1Gi"},
    "extraPodMetadata": {"annotations": {"a": "b"}, "labels": {"a": "b"}},
    "extraPodSpec": {
        "mainContainer": {**CONTAINER, "name": "main", "image": IMAGE, "command": ["python3", "-m", "dynamo.vllm"]},
        "containers": [CONTAINER],
        "initContainers": [{**CONTAINER, "name": "init", "restartPolicy": "Always"}],
        "volumes": [
            {"name": "mine", "emptyDir": {"sizeLimit": "1Gi"}},
            {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}, {"downwardAPI": {}}]}},
            {
                "name": "info",
                "downwardAPI": {
                    "items": [{"path": "p", "resourceFieldRef": {"resource": "limits.cpu", "divisor": "1"}}]
                },
            },
            {
                "name": "own",
                "ephemeral": {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": 1}}}}},
            },
        ],
        "imagePullSecrets": [{"name": "s"}],
        "securityContext": {"runAsUser": 0},
        "serviceAccountName": "mine",
        "nodeSelector": {"a": "b"},
        "tolerations": [{"key": "k", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"a": "b"}},
            }
        ],
        "overhead": {"cpu": "1"},
        "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}],
        "terminationGracePeriodSeconds": 0,
        "hostNetwork": False,
    },
    "livenessProbe": PROBE,
    "readinessProbe": {"periodSeconds": 7},
    "replicas": 2,
}
CONFIG = '{"Worker": {"ServiceArgs": {"workers": 2, "resources": {"cpu": "1"}}}, "Frontend": {"port": 1}}'
GRAPH = {
    "services": {
        "Frontend": {"componentType": "frontend", "extraPodSpec": {"mainContainer": {"image": IMAGE}}},
        "Worker": SERVICE,
        "Several.Nodes_2": {
            "componentType": "decode",
            "multinode": {"nodeCount": 2},
            "resources": {"limits": {"gpu": "1"}},
            "extraPodSpec": {
                "mainContainer": {
                    "image": IMAGE,
                    "command": ["/bin/sh", "-c"],
                    "args": ["cd /w && python3 -m dynamo.vllm --tensor-parallel-size 2"],
                }
            },
        },
    },
    "pvcs": [
        {"name": "cache", "create": True, "size": "1Gi", "storageClass": "c", "volumeAccessMode": "ReadWriteMany"},
        {"name": "models"},
    ],
    "envs": [{"name": "A", "value": "1"}, {"name": "DYN_DEPLOYMENT_CONFIG", "value": CONFIG}],
    "backendFramework": "vllm",
}
COMPONENT = {**SERVICE, "serviceName": "Worker", "backendFramework": "vllm", "dynamoNamespace": "default-g"}
SEVERAL_NODES = {**GRAPH["services"]["Several.Nodes_2"], "backendFramework": "vllm"}

ODD = (
    *(None, "", {}, [], 0, 1, -1, 2**31, 2**63, 0.5, 1e300, True, False),
    *("é", "a b", "A_b.c", "-", ".", "/", "x" * 64, "y" * 300, "$(A)", "$$", "$(", "'", '"', "\n", "\0", "1Gi", "1e9"),
    *("python3 -m dynamo.sglang", "'unclosed", "kubernetes", "main", "mine", "cache", "shared-memory", "/dev/shm"),
    *([None], [[]], [{}], ["x"], [0], {"": None}, {"a": {}}, {"name": "x"}, {"name": None}, [{"name": "x"}] * 2),
    *({"a": "b"}, {"exec": {}}, {"value": "1", "name": "A"}, {"limits": "x"}, {"items": "x"}, {"sources": [{}, 1]}),
)
"""What may stand where something else should."""

odd = st.sampled_from(ODD).map(copy.deepcopy)


def places(value, path=()):
    """Every path into a JSON value, its own first."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


@st.composite
def changed(draw, value, most=4):
    """A JSON value with some places changed, left out or repeated."""
    value = {"it": copy.deepcopy(value)}
    for _ in range(draw(st.integers(0, most))):
        path = draw(st.sampled_from([path for path in places(value) if path]))
        container = value
        for step in path[:-1]:
            container = container[step]
        step = path[-1]
        what = draw(st.sampled_from(["replace", "leave out", "repeat", "add"]))
        if what == "leave out" and len(path) > 1:
            del container[step]
        elif what == "repeat" and isinstance(container, list):
            container.append(copy.deepcopy(container[step]))
        elif what == "add" and isinstance(container[step], dict):
            container[step][draw(st.sampled_from(sorted(KEYS)))] = draw(odd)
        else:
            container[step] = draw(odd)
        note(f"{what} {path[1:]}: {container[step] if what == 'replace' else ''}")
    return value["it"]


KEYS = {step for path in places([GRAPH, COMPONENT]) for step in path if isinstance(step, str)} | {"", "é", "w" * 62}


def lawful(answer):
    """What every answer must be."""
    orjson.dumps([answer.status, answer.children])
    assert nulls(answer.status) == nulls(answer.children) == []
    assert len({identity(child) for child in answer.children}) == len(answer.children)
    for child in answer.children:
        assert child["metadata"]["namespace"] == "default"
        assert repeated_merge_keys(child) == []
        if child["kind"] != COMPONENT_DEPLOYMENT.kind:
            assert as_stored(child) == child
    return answer


def keeps_what_runs(answer, observed):
    """What is observed goes only where a valid spec does not ask for it."""
    if answer.condition["reason"] == "InvalidSpec":
        assert {identity(child) for child in answer.children} == {identity(child) for child in observed}


@given(changed(GRAPH), st.booleans())
def test_any_graph_is_answered_and_so_is_each_of_its_components(spec, related):
    parent = parent_of(GRAPH_DEPLOYMENT, "g", spec)
    answer = lawful(ask(parent, settings=SETTINGS, related=[] if related else None))
    for child in answer.children:
        if child["kind"] == COMPONENT_DEPLOYMENT.kind:
            lawful(ask({**child, "metadata": {**child["metadata"], "uid": "u"}}, settings=SETTINGS))
    customized(parent)


@given(changed(GRAPH))
def test_an_edit_of_a_graph_loses_no_component_that_runs_unless_the_spec_says_so(spec):
    observed = ask(parent_of(GRAPH_DEPLOYMENT, "g", GRAPH), settings=SETTINGS).observed()
    answer = lawful(ask(parent_of(GRAPH_DEPLOYMENT, "g", spec), observed=observed, settings=SETTINGS))
    keeps_what_runs(answer, observed)
    assert ("PersistentVolumeClaim", "cache") in answer.names
    if isinstance(spec, dict) and spec.get("services"):
        assert any(child["kind"] == COMPONENT_DEPLOYMENT.kind for child in answer.children)


@given(st.sampled_from([COMPONENT, SEVERAL_NODES]).flatmap(changed))
def test_any_component_is_answered_and_what_runs_is_kept(spec):
    for before in (COMPONENT, SEVERAL_NODES):
        observed = ask(parent_of(COMPONENT_DEPLOYMENT, "g-w", before)).observed()
        answer = lawful(ask(parent_of(COMPONENT_DEPLOYMENT, "g-w", spec), observed=observed))
        keeps_what_runs(answer, observed)
        assert {child["kind"] for child in answer.children} & {"Deployment", "LeaderWorkerSet"}


@given(st.data(), st.sampled_from([(GRAPH_DEPLOYMENT, GRAPH), (COMPONENT_DEPLOYMENT, COMPONENT)]))
def test_odd_metadata_status_children_and_related_are_answered_or_refused_as_no_request(data, parent):
    kind, spec = parent
    metadata = {
        "ownerReferences": [{"kind": "DynamoGraphDeployment", "name": "g", "uid": "u", "controller": True}],
        "labels": {"nvidia.com/dynamo-graph-deployment-name": "g", "a": "b"},
        "annotations": {"nvidia.com/deployment-strategy": "Recreate", "nvidia.com/dynamo-discovery-backend": "x"},
    }
    whole = parent_of(kind, "g", spec, **metadata)
    answer = ask(whole)
    whole["status"] = answer.status
    children = keyed(answer.observed(Deployment={"status": {"replicas": 1, "conditions": [{"type": "Progressing"}]}}))
    related = keyed(
        [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a", "namespace": "default"}},
            *(copy.deepcopy(child) for child in answer.children),
        ]
    )
    body = {"parent": whole, "children": children, "related": related, "controller": {"spec": {"childResources": []}}}
    controller = controllers()[kind.plural]
    body = data.draw(changed(body, most=3))
    try:
        request = read_sync(body, kind)
        found = controller.sync(request, Settings(), NOW).body()
    except MalformedRequest:
        return
    orjson.dumps(found)
    assert nulls(found) == []


@given(st.sampled_from([COMPONENT, SEVERAL_NODES]).flatmap(changed), st.randoms())
def test_any_components_answer_is_a_fixed_point_and_the_order_of_keys_does_not_matter(spec, randomness):
    parent = parent_of(COMPONENT_DEPLOYMENT, "g-w", spec)
    answer = ask(parent, observed=[], related=[])
    same = ask(shuffled(parent, randomness), observed=[], related=[])
    assert (same.children, same.message) == (answer.children, answer.message)
    again = ask(parent, observed=answer.observed(), related=[])
    assert again.children == answer.children
    parent["status"] = again.status
    last = ask(parent, observed=again.observed(), related=[])
    assert (last.children, last.status) == (again.children, again.status)


@given(changed(GRAPH), st.randoms())
def test_any_graphs_answer_is_a_fixed_point_and_the_order_of_keys_does_not_matter(spec, randomness):
    parent = parent_of(GRAPH_DEPLOYMENT, "g", spec)
    answer = ask(parent, observed=[])
    same = ask(shuffled(parent, randomness), observed=[])
    assert (same.children, same.message) == (answer.children, answer.message)
    again = ask(parent, observed=answer.observed())
    assert without_specs_of_claims(again) == without_specs_of_claims(answer)
    parent["status"] = again.status
    last = ask(parent, observed=again.observed())
    assert (last.children, last.status) == (again.children, again.status)


def without_specs_of_claims(answer):
    """An invalid spec restates a claim by its name alone."""
    return [
        {key: part for key, part in child.items() if key != "spec"} if "Claim" in child["kind"] else child
        for child in answer.children
    ]


def customized(parent):
    kind = COMPONENT_DEPLOYMENT if parent["kind"] == COMPONENT_DEPLOYMENT.kind else GRAPH_DEPLOYMENT
    rules = controllers()[kind.plural].customize(read_customize({"parent": parent}, kind), Settings())
    for rule in rules:
        body = rule.body()
        assert body["namespace"] == "default"
        assert body.get("names") != []
        orjson.dumps(body)


def test_what_is_changed_is_valid_to_begin_with():
    assert len(ask(parent_of(GRAPH_DEPLOYMENT, "g", GRAPH), settings=SETTINGS).children) == 4
    for spec in (COMPONENT, SEVERAL_NODES):
        assert ask(parent_of(COMPONENT_DEPLOYMENT, "g-w", spec)).child("Service")
