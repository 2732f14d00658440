"""Status of a DynamoGraphDeployment.

Source: spec page "Graphs and components", DGD status. The planner and the profiler live on `state` and `Ready`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hooks.kinds import COMPONENT_DEPLOYMENT, PERSISTENT_VOLUME_CLAIM
from hooks.protocol import Object, Observed, SyncRequest, name_of, part
from hooks.status.component_deployment import AVAILABLE, FAILURES
from hooks.status.conditions import Conditions, find_condition
from hooks.status.readiness import Readiness, is_applied, is_behind, unapplied_message

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


def graph_status(request: SyncRequest, outcome: Outcome, now: datetime) -> Object:
    """The whole status: state, the condition Ready, and the numbers of each service."""
    failures = list(outcome.failures)
    waiting = list(outcome.waiting)
    for desired in outcome.components.values():
        readiness = component_readiness(request.children, desired)
        if readiness.reason in FAILURES:
            failures.append(readiness)
        elif not readiness.ready:
            waiting.append(readiness.message)
    waiting += _unapplied(request.children, outcome.others)
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
    services = service_numbers(request.children, outcome.components)
    if services:
        status["services"] = services
    return status


def component_readiness(children: Observed, desired: Object) -> Readiness:
    """Whether a component is what this answer asks for, and available."""
    namespace, name = name_of(desired)
    observed = children.find(COMPONENT_DEPLOYMENT, name, namespace)
    if observed is None:
        return Readiness(ready=False, reason="NotCreated", message=f"{name}: not created yet")
    if not is_applied(observed, desired):
        return Readiness(ready=False, reason="NotApplied", message=unapplied_message(desired))
    if is_behind(observed):
        return Readiness(ready=False, reason="StatusBehind", message=f"{name}: its status is behind its spec")
    available = find_condition(observed, AVAILABLE)
    reason, message = str(available.get("reason", "")), str(available.get("message", ""))
    if available["status"] == "True":
        return Readiness(ready=True, reason=reason, message=f"{name}: {message}")
    return Readiness(ready=False, reason=reason, message=f"{name}: {message or 'no status yet'}")


def service_numbers(children: Observed, components: Mapping[str, Object]) -> Object:
    """Service key → numbers of its workload, for each component that is there and says them."""
    services: dict[str, Any] = {}
    for key in sorted(components):
        namespace, name = name_of(components[key])
        observed = children.find(COMPONENT_DEPLOYMENT, name, namespace)
        numbers = part(part(observed or {}, "status"), "service")
        if numbers:
            services[key] = numbers
    return services


def unapplied(child: Object | None, desired: Object) -> str | None:
    """What is said of a child that is not what this answer asks for; that a claim exists is enough."""
    if child is None:
        return f"{desired['kind']} {name_of(desired)[1]}: not created yet"
    if desired["kind"] == PERSISTENT_VOLUME_CLAIM.kind or is_applied(child, desired):
        return None
    return unapplied_message(desired)


def _unapplied(children: Observed, desired: list[Object]) -> list[str]:
    """Children other than components that are not what this answer asks for; that a claim exists is enough."""
    by_name = {(child.get("kind"), *name_of(child)): child for child in children}
    messages = (unapplied(by_name.get((child["kind"], *name_of(child))), child) for child in desired)
    return [message for message in messages if message]
