"""Status of a DynamoGraphDeployment.

Source: spec page "Graphs and components", DGD status. The planner and the profiler live on `state` and `Ready`.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hooks.kinds import COMPONENT_DEPLOYMENT, PERSISTENT_VOLUME_CLAIM
from hooks.protocol import Object, Observed, SyncRequest, is_leaving, name_of, part
from hooks.status.component_deployment import AVAILABLE, is_failure
from hooks.status.conditions import Conditions, find_condition
from hooks.status.readiness import Readiness, absent, is_applied, is_behind, unapplied_message

READY = "Ready"
ALL_READY = "all_resources_are_ready"
SOME_NOT_READY = "some_resources_are_not_ready"

PENDING = "pending"
SUCCESSFUL = "successful"
FAILED = "failed"


@dataclass(frozen=True)
class Outcome:
    """What a sync found out about a graph, for its status."""

    components: dict[str, Object] = field(default_factory=dict)
    """Service key → the DynamoComponentDeployment as it is asked for."""
    others: list[Object] = field(default_factory=list)
    """Every other child that is asked for."""
    waiting: list[str] = field(default_factory=list)
    """What the graph waits for, in sentences."""
    failures: list[Readiness] = field(default_factory=list)
    """Why the graph cannot be what its spec asks for."""
    notes: list[str] = field(default_factory=list)
    """What is to be known all the same."""


def graph_status(request: SyncRequest, outcome: Outcome, children: list[Object], now: datetime) -> Object:
    """The whole status: state, the condition Ready, and the numbers of each service that `children` keeps."""
    failures = list(outcome.failures)
    waiting = list(outcome.waiting)
    for desired in outcome.components.values():
        readiness = component_readiness(request.children, desired, deleting=request.deleting)
        if is_failure(readiness.reason):
            failures.append(readiness)
        elif not readiness.ready:
            waiting.append(readiness.message)
    waiting += _unapplied(request, outcome.others)
    notes = "".join(f". {note}" for note in outcome.notes)
    conditions = Conditions(request.parent, now)
    if failures:
        state, reason = FAILED, failures[0].reason
        message = ". ".join(sorted({failure.message for failure in failures}) + sorted(waiting))
    elif waiting:
        state, reason, message = PENDING, SOME_NOT_READY, ". ".join(sorted(waiting))
    else:
        state, reason, message = SUCCESSFUL, ALL_READY, "all resources are ready"
    conditions.write(READY, holds=state == SUCCESSFUL, reason=reason, message=message + notes)
    status: Object = {"state": state, "conditions": conditions.written()}
    if isinstance(request.parent["metadata"].get("generation"), int):
        status["observedGeneration"] = request.parent["metadata"]["generation"]
    services = service_numbers(request.children, children)
    if services:
        status["services"] = services
    return status


def component_readiness(children: Observed, desired: Object, *, deleting: bool) -> Readiness:
    """Whether a component is what this answer asks for, and available."""
    namespace, name = name_of(desired)
    observed = children.find(COMPONENT_DEPLOYMENT, name, namespace)
    if observed is None:
        return Readiness(ready=False, reason="NotCreated", message=f"{name}: {absent(deleting=deleting)}")
    if not is_applied(observed, desired):
        message = unapplied_message(observed, desired, deleting=deleting) + _known_numbers(observed)
        return Readiness(ready=False, reason="NotApplied", message=message)
    if is_behind(observed):
        message = f"{name}: its status is behind its spec{_known_numbers(observed)}"
        return Readiness(ready=False, reason="StatusBehind", message=message)
    available = find_condition(observed, AVAILABLE)
    reason, message = str(available.get("reason", "")), str(available.get("message", ""))
    ready = available["status"] == "True"
    return Readiness(ready=ready, reason=reason, message=f"{name}: {message or 'no status yet'}")


def service_numbers(observed: Observed, components: list[Object]) -> Object:
    """Service key → numbers of its workload, for each component among the children that is there and says them."""
    services: dict[str, Any] = {}
    for component in components:
        namespace, name = name_of(component)
        key = part(component, "spec").get("serviceName")
        numbers = _numbers(observed.find(COMPONENT_DEPLOYMENT, name, namespace) or {})
        if component["kind"] == COMPONENT_DEPLOYMENT.kind and isinstance(key, str) and numbers:
            services[key] = numbers
    return dict(sorted(services.items()))


_COUNTS = {
    "replicas": "there",
    "updatedReplicas": "updated",
    "readyReplicas": "ready",
    "availableReplicas": "available",
}
"""Fields of a component's numbers, and how a message calls them."""


def _numbers(component: Object) -> Object:
    """What a component says of its workload, in the fields that a graph's status has; empty where it does not."""
    said = part(part(component, "status"), "service")
    kind, name = said.get("componentKind"), said.get("componentName")
    if not (isinstance(kind, str) and isinstance(name, str)):
        return {}
    counts = {field: said.get(field) for field in _COUNTS}
    return {"componentKind": kind, "componentName": name} | {
        field: count if isinstance(count, int) and count >= 0 else 0 for field, count in counts.items()
    }


def _known_numbers(component: Object) -> str:
    numbers = _numbers(component)
    counts = ", ".join(f"{numbers[field]} {word}" for field, word in _COUNTS.items()) if numbers else ""
    return f" (last known: {counts})" if counts else ""


def unapplied(child: Object | None, desired: Object, *, deleting: bool) -> str | None:
    """What is said of a child that is not what this answer asks for; that a claim is there to stay is enough."""
    if child is None:
        return f"{desired['kind']} {name_of(desired)[1]}: {absent(deleting=deleting)}"
    is_claim = desired["kind"] == PERSISTENT_VOLUME_CLAIM.kind
    is_there = not is_leaving(child) if is_claim else is_applied(child, desired)
    return None if is_there else unapplied_message(child, desired, deleting=deleting)


def _unapplied(request: SyncRequest, desired: list[Object]) -> list[str]:
    """Children other than components that are not what this answer asks for."""
    by_name = {(child.get("kind"), *name_of(child)): child for child in request.children}
    messages = (
        unapplied(by_name.get((child["kind"], *name_of(child))), child, deleting=request.deleting) for child in desired
    )
    return [message for message in messages if message]
