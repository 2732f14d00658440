"""An object's state in a few words, for a line or a cell."""

from collections.abc import Callable, Mapping

from hooks.kinds import DEPLOYMENT
from hooks.protocol import Object
from hooks.status.summary import summary

UNSHOWN = frozenset({"ReplicaSet", "EndpointSlice", "Event", "Namespace"})
"""Kinds that tell a user nothing that others do not tell."""


def state_of(item: Object) -> str:
    """What state an object is in."""
    if "deletionTimestamp" in item["metadata"]:
        return "Terminating"
    return _STATES.get(item["kind"], _by_condition)(item)


def _by_condition(item: Object) -> str:
    found = summary(item)
    if found is None or not found["reason"]:
        return "created"
    text = f"{found['type']}={found['status']} ({found['reason']}{_of_before(item)})"
    return text if found["status"] == "True" else f"{text}: {found['message']}"


def is_behind(item: Object) -> bool:
    """Whether an object's status is about an older spec than the one it has."""
    observed = (item.get("status") or {}).get("observedGeneration", 0)
    return bool(observed < item["metadata"].get("generation", 0))


def _of_before(item: Object) -> str:
    return ", before the last change of the spec" if is_behind(item) else ""


def _request(item: Object) -> str:
    """The state of a request, and what stands in its way."""
    status = item.get("status") or {}
    conditions = {entry["type"]: entry for entry in status.get("conditions") or ()}
    for step in ("Validation", "Profiling", "SpecGenerated", "DeploymentReady"):
        if conditions.get(step, {}).get("status") == "False":
            why = conditions[step]["reason"] + _of_before(item)
            return f"{status.get('state')} ({why}): {conditions[step].get('message', '')}"
    return f"{status['state']}{_of_before(item)}" if status.get("state") else "created"


def _workload(item: Object) -> str:
    status = item.get("status") or {}
    wanted = item["spec"].get("replicas", 1)
    parts = [f"{status.get('readyReplicas', 0)}/{wanted} ready"]
    if status.get("updatedReplicas", 0) < wanted:
        parts.append(f"{status.get('updatedReplicas', 0)} updated")
    for entry in status.get("conditions") or ():
        # A LeaderWorkerSet's says whether a roll-out is under way, and no more.
        stuck = item["kind"] == DEPLOYMENT.kind and entry["type"] == "Progressing" and entry["status"] == "False"
        if stuck or (entry["type"] == "ReplicaFailure" and entry["status"] == "True"):
            parts.append(f"{entry['reason']}: {entry['message']}")
    return ", ".join(parts)


def pod_state(item: Object) -> str:
    """What `kubectl get pods` shows as the status of a pod."""
    status = item.get("status") or {}
    for container in status.get("containerStatuses") or ():
        for state in ("waiting", "terminated"):
            reason = (container.get("state") or {}).get(state, {}).get("reason")
            if reason:
                return str(reason)
    return str(status.get("phase") or "Pending")


def _pod(item: Object) -> str:
    state, ready = pod_state(item), False
    for entry in (item.get("status") or {}).get("conditions") or ():
        ready |= entry["type"] == "Ready" and entry["status"] == "True"
        if entry["type"] == "PodScheduled" and entry["status"] == "False":
            state = f"{state}, {entry['reason']}: {entry.get('message', '')}"
    return f"{state}, ready" if ready else state


def _autoscaler(item: Object) -> str:
    status = item.get("status") or {}
    return f"{status.get('currentReplicas', 0)} of {status.get('desiredReplicas', 0)} replicas"


def _job(item: Object) -> str:
    status = item.get("status") or {}
    for entry in status.get("conditions") or ():
        if entry["type"] in {"Complete", "Failed"} and entry["status"] == "True":
            return f"{entry['type']} ({entry['reason']})"
    return f"{status.get('active', 0)} active, {status.get('succeeded', 0)} succeeded, {status.get('failed', 0)} failed"


_STATES: Mapping[str, Callable[[Object], str]] = {
    "DynamoGraphDeploymentRequest": _request,
    "Deployment": _workload,
    "LeaderWorkerSet": _workload,
    "Pod": _pod,
    "Job": _job,
    "HorizontalPodAutoscaler": _autoscaler,
    "PersistentVolumeClaim": lambda item: str((item.get("status") or {}).get("phase") or "Pending"),
}
