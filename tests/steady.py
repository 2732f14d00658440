"""Requests for resources that are rolled out: answers are fed back until they say what was asked, as in a cluster."""

import copy

import yaml

from hooks import labels, names
from hooks.controllers.registry import controllers
from hooks.kinds import (
    BY_NAME,
    COMPONENT_DEPLOYMENT,
    CONFIG_MAP,
    DEPLOYMENT,
    GRAPH_DEPLOYMENT,
    GRAPH_DEPLOYMENT_REQUEST,
    JOB,
    NAMESPACE,
    PERSISTENT_VOLUME_CLAIM,
    POD,
)
from hooks.packaged import packaged
from hooks.profiling.output import CONFIGURATION
from hooks.protocol import name_of, read_customize, read_sync
from hooks.settings import Settings
from tests.golden_cases import NOW, applied, keyed

_ROUNDS = 5
"""Syncs after which a resource whose children are ready must have come to rest."""


def graph(services):
    """A DynamoGraphDeployment of a frontend and as many workers, of the size of real ones, as make `services`."""
    main_container = {
        "image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.9.0",
        "workingDir": "/workspace/components/backends/vllm",
        "command": ["python3", "-m", "dynamo.vllm"],
        "args": ["--model", "Qwen/Qwen3-0.6B", "--gpu-memory-utilization", "0.9"],
    }
    worker = {
        "componentType": "worker",
        "envFromSecret": "hf-token-secret",
        "replicas": 2,
        "resources": {"limits": {"gpu": "1", "memory": "40Gi"}, "requests": {"cpu": "8"}},
        "envs": [{"name": "VLLM_LOGGING_LEVEL", "value": "INFO"}],
        "volumeMounts": [{"name": "models", "mountPoint": "/models"}],
        "extraPodSpec": {"mainContainer": main_container, "tolerations": [{"key": "gpu", "operator": "Exists"}]},
    }
    frontend = {
        "componentType": "frontend",
        "replicas": 1,
        "extraPodSpec": {"mainContainer": {"image": main_container["image"]}},
    }
    workers = {f"Worker{number}": copy.deepcopy(worker) for number in range(1, services)}
    spec = {
        "backendFramework": "vllm",
        "envs": [{"name": "HF_HOME", "value": "/models"}],
        "pvcs": [{"name": "models"}],
        "services": {"Frontend": frontend, **workers},
    }
    return _object(GRAPH_DEPLOYMENT, f"graph-of-{services}", spec)


def steady_request(parent, children=(), beside=()):
    """The sync request for a parent that is rolled out, with all that Metacontroller sends; and the answer to it.

    Args:
        parent: the resource.
        children: those that it has to begin with.
        beside: further objects that its rules select.
    """
    controller = next(each for each in controllers().values() if each.parent.kind == parent["kind"])
    manifest = _manifest(controller.parent)
    answer = None
    for _ in range(_ROUNDS):
        body = {
            "controller": manifest,
            "parent": parent,
            "children": _by_kind(manifest["spec"]["childResources"], children),
            "related": _related(controller, parent, children, beside),
            "finalizing": False,
        }
        before, answer = answer, controller.sync(read_sync(body, controller.parent), Settings(), NOW).body()
        if answer == before:
            return body, answer
        parent = _with_status(parent, answer["status"])
        there = {name_of(child): child for child in children}
        children = [_ready(applied(child, parent, there.get(name_of(child)))) for child in answer["children"]]
    raise AssertionError(f"{parent['metadata']['name']} does not come to rest: {answer['status']}")


def profiling_request():
    """The sync request for a DynamoGraphDeploymentRequest whose model is being profiled, and the answer to it."""
    config = {
        "sla": {"isl": 3000, "osl": 150, "ttft": 200.5, "itl": 20},
        "sweep": {"useAiConfigurator": False, "prefillInterpolationGranularity": 16},
        "hardware": {"numGpusPerNode": 8, "gpuModel": "h100_sxm", "minNumGpusPerEngine": 1},
    }
    spec = {
        "model": "Qwen/Qwen3-0.6B",
        "backend": "vllm",
        "profilingConfig": {"profilerImage": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.9.0", "config": config},
        "autoApply": True,
    }
    job = names.profiling_job("chat")
    pod = _object(POD, f"{job}-x2x9v", {"restartPolicy": "Never", "nodeName": "node-1"})
    pod["metadata"] |= {
        "labels": {"job-name": job},
        "ownerReferences": [{"kind": JOB.kind, "name": job, "uid": f"uid-of-job-{job}"}],
    }
    return steady_request(
        _object(GRAPH_DEPLOYMENT_REQUEST, "chat", spec), beside=[_with_status(pod, {"phase": "Running"})]
    )


def deployed_request(services):
    """The sync request for one whose graph of so many services was made and is ready, and the answer to it."""
    profiled, _ = profiling_request()
    parent = profiled["parent"]
    complete = {"conditions": [{"type": "Complete", "status": "True"}], "completionTime": "2026-11-30T11:59:30Z"}
    jobs = [_with_status(job, complete) for job in profiled["children"][JOB.key].values()]
    made = graph(services)
    metadata = {
        "name": names.profile_output("chat"),
        "namespace": "inference",
        "annotations": {labels.REQUEST_UID: parent["metadata"]["uid"]},
    }
    data = {CONFIGURATION: yaml.safe_dump(made)}
    output = {"apiVersion": CONFIG_MAP.api_version, "kind": CONFIG_MAP.kind, "metadata": metadata, "data": data}
    made["metadata"] |= {"name": "chat", "labels": {labels.REQUEST_UID: parent["metadata"]["uid"]}}
    namespace = {"apiVersion": "v1", "kind": NAMESPACE.kind, "metadata": {"name": "inference"}}
    pods = profiled["related"][POD.key].values()
    # Before the graph is there, the request's status gets it.
    asked, _ = steady_request(parent, jobs, [*pods, output, namespace])
    return steady_request(asked["parent"], jobs, [*pods, output, namespace, steady_request(made)[0]["parent"]])


def namespace_request(graphs):
    """The sync request for a Namespace with so many graphs of four services, rolled out; and the answer to it."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "inference", "uid": "uid-of-inference"}}
    controller = controllers()["namespaces"]
    rules = controller.customize(read_customize({"parent": namespace}, controller.parent), Settings())
    related = {rule.kind.key: {} for rule in rules} | keyed([_numbered(graph(4), number) for number in range(graphs)])
    attachments = []
    for _ in range(2):
        body = {
            "controller": {"spec": {}},
            "object": namespace,
            "attachments": keyed(attachments),
            "related": related,
            "finalizing": False,
        }
        answer = controller.sync(read_sync(body, controller.parent), Settings(), NOW).body()
        attachments = [applied(item, namespace) for item in answer["attachments"]]
    return body, answer


def _numbered(item, number):
    """One of many graphs, a few of which share a model."""
    for service in item["spec"]["services"].values():
        if service["componentType"] == "worker":
            service["modelRef"] = {"name": f"organization/model-{number % 7}"}
    item["metadata"] |= {"name": f"graph-{number}", "uid": f"uid-of-graph-{number}"}
    numbers = {"componentKind": "Deployment", "componentName": "graph-worker", "replicas": 2, "updatedReplicas": 2}
    ready = {"type": "Ready", "status": "True", "reason": "all_resources_are_ready", "message": "ready: " + "x" * 200}
    return _with_status(
        item, {"state": "successful", "conditions": [ready], "services": dict.fromkeys("abcd", numbers)}
    )


def _ready(child):
    """A child as it is when all that it asked for is there."""
    if child["kind"] == COMPONENT_DEPLOYMENT.kind:
        return _with_status(child, steady_request(child)[1]["status"])
    if child["kind"] == DEPLOYMENT.kind:
        counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
        return _with_status(child, dict.fromkeys(counts, child["spec"]["replicas"]))
    return child


def _with_status(item, status):
    return item | {"status": status | {"observedGeneration": item["metadata"]["generation"]}}


def _by_kind(resources, items):
    """Objects as Metacontroller sends them, with an entry for each kind that it was told of."""
    plurals = {kind.plural: kind for kind in BY_NAME.values()}
    return {plurals[entry["resource"]].key: {} for entry in resources} | keyed(items)


def _related(controller, parent, children, beside):
    """What the rules of `customize` select: the children themselves, and what there is beside them."""
    rules = list(controller.customize(read_customize({"parent": parent}, controller.parent), Settings()))
    claims = [_claim(name) for rule in rules if rule.kind == PERSISTENT_VOLUME_CLAIM for name in rule.names]
    named = {(rule.kind.kind, name) for rule in rules for name in rule.names or ()}
    found = [child for child in children if (child["kind"], child["metadata"]["name"]) in named]
    return {rule.kind.key: {} for rule in rules} | keyed([*found, *claims, *beside])


def _claim(name):
    return _object(PERSISTENT_VOLUME_CLAIM, name, {"accessModes": ["ReadWriteMany"]}) | {"status": {"phase": "Bound"}}


def _object(kind, name, spec):
    metadata = {"name": name, "namespace": "inference", "uid": f"uid-of-{name}", "generation": 1}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": spec}


def _manifest(kind):
    for file in packaged("metacontroller").glob("*.yaml"):
        manifest = yaml.safe_load(file.read_text())
        if manifest.get("spec", {}).get("parentResource", {}).get("resource") == kind.plural:
            return manifest
    raise AssertionError(f"no controller for {kind.plural} in metacontroller/")
