"""What can be observed of a request, in few words: a test says only what it is about.

`situation(job="running", output="error")` is a sync request with everything asked for and nothing else there.
"""

import copy
import functools
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

from hooks.builders.profiling_job import build_profiling_job
from hooks.controllers import graph_deployment_request
from hooks.controllers.profiling import Facts
from hooks.kinds import GRAPH_DEPLOYMENT_REQUEST
from hooks.profiling.specification import read_request
from hooks.protocol import read_sync
from hooks.settings import Settings
from tests.golden_cases import applied, keyed, laid_over

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
UID = "4711"
OUTPUT = (Path(__file__).parent.parent / "profiling" / "config_with_planner.yaml").read_text()
SPEC = {
    "model": "Qwen/Qwen3-0.6B",
    "backend": "vllm",
    "profilingConfig": {"profilerImage": "registry.example/vllm-runtime:1"},
}
AUTO = {"autoApply": True}
ELSEWHERE = {"autoApply": True, "deploymentOverrides": {"name": "fast", "namespace": "prod"}}
INVALID = {"deploymentOverrides": {"name": "No Name"}}
BASE = {"profilingConfig": {**SPEC["profilingConfig"], "configMapRef": {"name": "base"}}}
TERMINATED = {"name": "profiler", "state": {"terminated": {"exitCode": 1, "reason": "Error", "message": "no\nGPU"}}}
ASKED = ("Job.batch/v1", "Pod.v1", "ConfigMap.v1", "Namespace.v1", "DynamoGraphDeployment.nvidia.com/v1alpha1")


def ago(seconds):
    """The time so many seconds before NOW, as Kubernetes writes it."""
    return (NOW - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(kind, status="True", **more):
    return {"type": kind, "status": status, "reason": "R", "message": "M", "lastTransitionTime": ago(60), **more}


def parent(spec=None, status=None, age=3600, **metadata):
    """The request `chat` of namespace `inference`."""
    item = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeploymentRequest",
        "metadata": {
            "name": "chat",
            "namespace": "inference",
            "uid": UID,
            "generation": 1,
            "creationTimestamp": ago(age),
            **metadata,
        },
        "spec": {**SPEC, **(spec or {})},
    }
    return item if status is None else item | {"status": status}


def job(state="running", spec=None, uid=UID, **status):
    """The Job of a request with that spec, as Metacontroller made it."""
    conditions = {
        "running": [],
        "complete": [condition("Complete", lastTransitionTime=ago(5))],
        "failed": [
            condition("Failed", reason="PodFailurePolicy", message="Container profiler failed with exit code 1")
        ],
    }[state]
    asking = parent(spec)
    asking["metadata"]["uid"] = uid
    made = applied(_built(yaml.safe_dump(asking)), asking)
    made["metadata"]["creationTimestamp"] = ago(1800)
    return made | {
        "status": {"conditions": conditions} | ({"completionTime": ago(5)} if state == "complete" else {}) | status
    }


@functools.cache
def _built(text):
    return build_profiling_job(read_request(yaml.safe_load(text), Settings()))


def output(text=OUTPUT, error=None, uid=UID, age=4):
    """The ConfigMap with the profiler's output."""
    annotations = {} if uid is None else {"annotations": {"dgdr.nvidia.com/uid": uid}}
    data = {} if text is None else {"config_with_planner.yaml": text}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "dgdr-output-chat",
            "namespace": "inference",
            "creationTimestamp": ago(age),
            **annotations,
        },
        "data": {"error": error} if error else data,
    }


def graph(state="ready", name="chat", namespace="inference", uid=UID, **metadata):
    """The graph that came out."""
    ready = condition(
        "Ready", "True" if state == "ready" else "False", message="2 of 3 components", observedGeneration=2
    )
    labels = {} if uid is None else {"labels": {"dgdr.nvidia.com/uid": uid, "dgdr.nvidia.com/name": "chat"}}
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": name, "namespace": namespace, "generation": 2, **labels, **metadata},
        "spec": {},
        "status": {"state": "successful" if state == "ready" else "pending", "conditions": [ready]},
    }


def namespace(name="prod", consents=None, **metadata):
    annotations = {"annotations": {"nvidia.com/allow-deployments-from": consents}} if consents else {}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, **annotations, **metadata}}


def base(key="disagg.yaml"):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "base", "namespace": "inference"},
        "data": {key: "x"},
    }


def pod(status, job_uid=None, name="profile-chat-x", **metadata):
    """A pod of the Job `job()`."""
    owner = {"kind": "Job", "name": "profile-chat", "uid": job_uid or job()["metadata"]["uid"], "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "inference", "ownerReferences": [owner], **metadata},
        "status": status,
    }


def status(*steps, **fields):
    """A status with conditions: `status("Profiling", state="Profiling")`."""
    conditions = [step if isinstance(step, dict) else condition(step) for step in steps]
    return {"conditions": conditions, **fields}


def situation(request=None, *related, job=None, asked=ASKED, children=True):
    """The body of a sync request; `job` is a child and, as a related object, seen as well."""
    seen = [*related, *([job] if job else [])]
    found = {kind: items for kind, items in keyed(seen).items() if kind in asked}
    body = {"parent": request or parent(), "related": {kind: {} for kind in asked} | found}
    if children:
        owned = [job] if job and job["metadata"]["ownerReferences"][0]["uid"] == UID else []
        body["children"] = {"Job.batch/v1": {}} | keyed(owned)
    return copy.deepcopy(body)


def ask(body, settings=None, now=NOW):
    """The answer of the hook, as JSON."""
    request = read_sync(body, GRAPH_DEPLOYMENT_REQUEST)
    return graph_deployment_request.sync(request, Settings.model_validate(settings or {}), now).body()


def facts(body, now=NOW):
    return Facts(read_sync(body, GRAPH_DEPLOYMENT_REQUEST), Settings(), now)


def said(answer, step):
    """The condition of a step; None where the step was not reached."""
    return next((found for found in answer["status"]["conditions"] if found["type"] == step), None)


def with_status(item, **fields):
    """An object with other fields in its status."""
    return laid_over(item, {"status": fields})


def state_of(answer):
    return answer["status"]["state"]


def message_of(answer, step):
    return said(answer, step)["message"]
