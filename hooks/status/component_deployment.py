"""Status of a DynamoComponentDeployment.

Source: spec page "Graphs and components", DCD status; Kubernetes, Deployment status and its conditions.
"""

from dataclasses import dataclass, field
from datetime import datetime

from hooks import labels
from hooks.kinds import DEPLOYMENT, LEADER_WORKER_SET
from hooks.protocol import Object, SyncRequest, name_of, part
from hooks.status.conditions import INVALID_SPEC, NAME_CONFLICT, Conditions, find_condition
from hooks.status.readiness import (
    Numbers,
    Readiness,
    absent,
    deployment_numbers,
    is_applied,
    is_behind,
    leader_worker_set_numbers,
    unapplied_message,
)

AVAILABLE = "Available"
COMPONENT_READY = "DynamoComponentReady"
READY = "Ready"
NOT_READY = "NotReady"

MISSING = "Missing"
"""How the reasons end that say that the cluster lacks a kind, such as IstioMissing."""


@dataclass(frozen=True)
class Outcome:
    """What a sync found out about a component, for its status."""

    workload: Object | None = None
    """The workload as it is asked for."""
    desired: list[Object] = field(default_factory=list)
    """Every child that is asked for and updated in place."""
    failure: Readiness | None = None
    """Why the component cannot be what its spec asks for."""
    note: str = ""
    """What is to be known all the same."""


def is_failure(reason: str) -> bool:
    """Whether `Available` is False for a reason that no waiting mends, so that the graph fails."""
    return reason in {INVALID_SPEC, NAME_CONFLICT} or reason.endswith(MISSING)


def component_status(request: SyncRequest, outcome: Outcome, now: datetime) -> Object:
    """The whole status: conditions, the numbers of the workload that is there, and what `scale` reads."""
    workload = observed_workload(request)
    readiness = outcome.failure or _readiness(request, outcome, workload)
    message = f"{readiness.message}. {outcome.note}" if outcome.note else readiness.message
    conditions = Conditions(request.parent, now)
    for kind in (AVAILABLE, COMPONENT_READY):
        conditions.write(kind, holds=readiness.ready, reason=readiness.reason, message=message)
    selector = {labels.SELECTOR: request.parent["metadata"]["name"]}
    status: Object = {
        "conditions": conditions.written(),
        "podSelector": selector,
        "selector": ",".join(f"{key}={value}" for key, value in sorted(selector.items())),
        "replicas": 0,
    }
    if isinstance(request.parent["metadata"].get("generation"), int):
        status["observedGeneration"] = request.parent["metadata"]["generation"]
    if workload is not None:
        numbers = workload_numbers(workload)
        status["replicas"] = numbers.total
        status["service"] = {
            "componentKind": workload["kind"],
            "componentName": name_of(workload)[1],
            "replicas": numbers.total,
            "updatedReplicas": numbers.updated,
            "readyReplicas": numbers.ready,
            "availableReplicas": numbers.available,
        }
    return status


def observed_workload(request: SyncRequest) -> Object | None:
    """The workload that is there: the one kind, or while a component changes between the two, the one with replicas."""
    found = [item for kind in (DEPLOYMENT, LEADER_WORKER_SET) for item in request.children.all(kind)]
    if len(found) == 1:
        return found[0]
    return max(found, key=lambda item: workload_numbers(item).total, default=None)


def workload_numbers(workload: Object) -> Numbers:
    """Replicas of a Deployment, or groups of a LeaderWorkerSet."""
    if workload.get("kind") == LEADER_WORKER_SET.kind:
        return leader_worker_set_numbers(workload)
    return deployment_numbers(workload)


def _readiness(request: SyncRequest, outcome: Outcome, workload: Object | None) -> Readiness:
    wanted = outcome.workload
    if wanted is None:
        return Readiness(ready=False, reason=NOT_READY, message="nothing is asked for while the component is deleted")
    kind, name = wanted["kind"], name_of(wanted)[1]
    if workload is None or (workload.get("kind"), name_of(workload)[1]) != (kind, name):
        what = absent(deleting=request.deleting)
        if workload is not None and (kind, name) in {(item.get("kind"), name_of(item)[1]) for item in request.children}:
            what = f"waits for {workload.get('kind')} {name_of(workload)[1]} to go"
        return Readiness(ready=False, reason=NOT_READY, message=f"{kind} {name}: {what}")
    # What the hash leaves out: replicas, where they are not the observed ones anyway.
    if not is_applied(workload, wanted) or _replicas(workload) != _replicas(wanted):
        return Readiness(
            ready=False, reason="NotApplied", message=unapplied_message(workload, wanted, deleting=request.deleting)
        )
    by_name = {(child.get("kind"), *name_of(child)): child for child in request.children}
    for child in outcome.desired:
        observed = by_name.get((child["kind"], *name_of(child)))
        if not is_applied(observed, child):
            message = unapplied_message(observed, child, deleting=request.deleting)
            return Readiness(ready=False, reason="NotApplied", message=message)
    numbers = workload_numbers(workload)
    text = f"{kind} {name}: {numbers}"
    if _status_is_behind(workload):
        return Readiness(ready=False, reason=NOT_READY, message=f"{text}; its status is behind its spec")
    if numbers.settled and not _updating(workload):
        return Readiness(ready=True, reason=READY, message=text)
    if numbers.settled:
        return Readiness(ready=False, reason=NOT_READY, message=f"{text}; it does not say yet that it is up to date")
    cause = _cause(workload)
    return Readiness(
        ready=False, reason=cause.reason if cause else NOT_READY, message=f"{text}; {cause.message}" if cause else text
    )


def _replicas(workload: Object) -> object:
    return part(workload, "spec").get("replicas", 1)


def _status_is_behind(workload: Object) -> bool:
    """Whether the numbers are about an older spec. A LeaderWorkerSet before 0.9 does not say."""
    is_silent = "observedGeneration" not in part(workload, "status")
    if workload.get("kind") == LEADER_WORKER_SET.kind and is_silent:
        return False
    return is_behind(workload)


def _updating(workload: Object) -> bool:
    """Whether a LeaderWorkerSet that does not say which generation its numbers are about is on its way."""
    if workload.get("kind") != LEADER_WORKER_SET.kind or "observedGeneration" in part(workload, "status"):
        return False
    available = find_condition(workload, "Available")["status"] == "True"
    wanted = part(workload, "spec").get("replicas", 1)
    return wanted != 0 and (not available or find_condition(workload, "UpdateInProgress")["status"] == "True")


def _cause(workload: Object) -> Readiness | None:
    """What the workload itself says keeps it: a deadline, a quota, an admission webhook's refusal."""
    failure = find_condition(workload, "ReplicaFailure")
    progressing = find_condition(workload, "Progressing")
    for condition, stuck in ((failure, "True"), (progressing, "False")):
        if condition["status"] == stuck:
            reason = condition.get("reason") or NOT_READY
            return Readiness(ready=False, reason=reason, message=f"{reason}: {condition.get('message', '')}")
    return None
