"""DynamoGraphDeployment → DynamoComponentDeployments, claims, and what discovery needs."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from hooks import names
from hooks.builders.component_deployment import Graph
from hooks.builders.finish import finish
from hooks.children import conflict, foreign, leaves_by_itself, only_observed, restate, restate_child
from hooks.controllers.claims import claims
from hooks.controllers.discovery import discovery
from hooks.controllers.graph import Built, built, graph_faults, read_graph
from hooks.errors import InvalidSpec
from hooks.kinds import BY_NAME, COMPONENT_DEPLOYMENT, PERSISTENT_VOLUME_CLAIM, ROLE, ROLE_BINDING, SERVICE_ACCOUNT
from hooks.protocol import CompositeAnswer, CustomizeRequest, Object, RelatedRule, SyncRequest, name_of, part
from hooks.settings import Settings
from hooks.status.conditions import INVALID_SPEC, NAME_CONFLICT, faults_message
from hooks.status.graph_deployment import Outcome, graph_status
from hooks.status.missing import lacking
from hooks.status.order import init_container_note
from hooks.status.readiness import Readiness


@dataclass
class _Plan:
    """The children of a graph, and what its status has to say of them."""

    children: list[Object] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Outcome)


def sync(request: SyncRequest, settings: Settings, now: datetime) -> CompositeAnswer:
    """Answer with the children of a graph and what is known of it. An invalid one keeps what it has."""
    try:
        plan = _plan(request, built(request.parent, settings))
    except InvalidSpec as invalid:
        failure = Readiness(ready=False, reason=INVALID_SPEC, message=faults_message(invalid.faults))
        plan = _Plan(restate(request.children), Outcome(failures=[failure]))
    children = only_observed(plan.children, request.children) if request.deleting else plan.children
    return CompositeAnswer(status=graph_status(request, plan.outcome, children, now), children=children)


def customize(request: CustomizeRequest, settings: Settings) -> Iterable[RelatedRule]:
    """Ask for whatever may be in the way of a child, and for the claims that its services mount."""
    try:
        graph = read_graph(request.parent, settings)
    except InvalidSpec:
        return
    if graph_faults(graph):
        return  # nothing is made for it, so nothing can be in the way
    yield from (rule for rule in _rules(graph) if request.installed(rule.kind))


def _rules(graph: Graph) -> Iterable[RelatedRule]:
    namespace = graph.namespace
    components = tuple(sorted({names.component_name(graph.name, key) for key in graph.services}))
    if components:
        yield RelatedRule(COMPONENT_DEPLOYMENT, names=components, namespace=namespace)
    mentioned = claims(graph).mentioned
    if mentioned:
        yield RelatedRule(PERSISTENT_VOLUME_CLAIM, names=mentioned, namespace=namespace)
    # Discovery can be switched on by an annotation, which this answer may not depend on.
    for kind, name in (
        (SERVICE_ACCOUNT, names.discovery_account(graph.name)),
        (ROLE, names.discovery_role(graph.name)),
        (ROLE_BINDING, names.discovery_binding(graph.name)),
    ):
        yield RelatedRule(kind, names=(name,), namespace=namespace)


def _plan(request: SyncRequest, asked: Built) -> _Plan:
    rights, rights_of_before = discovery(request, asked)
    others = [finish(child) for child in asked.claims.children(request)] + rights
    plan = _Plan(asked.claims.kept(request) + rights_of_before)
    missing = asked.claims.missing(request)
    notes = asked.notes + asked.claims.notes(request)
    outcome = Outcome(waiting=[missing[name] for name in sorted(missing)], notes=notes)
    for key, component in asked.components.items():
        namespace, name = name_of(component)
        item = foreign(request, COMPONENT_DEPLOYMENT, name)
        waits_for = [claim for claim in asked.claims.mounted[key] if claim in missing]
        if item is not None:
            _tell_in_the_way(outcome, item, request.parent, f"rename the service {key} or the graph")
        elif waits_for:
            observed = request.children.find(COMPONENT_DEPLOYMENT, name, namespace)
            plan.children += [restate_child(observed)] if observed else []
            outcome.waiting.append(f"{name}: waits for claim {', '.join(waits_for)}")
        else:
            plan.children.append(component)
            outcome.components[key] = component
            outcome.notes.extend(_notes(request, component))
    for child in others:
        kind = BY_NAME[child["kind"]]
        item = foreign(request, kind, name_of(child)[1])
        if not request.installed(kind):
            outcome.failures.append(lacking(kind))
        elif item is None:
            plan.children.append(child)
            outcome.others.append(child)
        else:
            _tell_in_the_way(outcome, item, request.parent, "choose another name for the graph")
    plan.outcome = outcome
    return plan


def _notes(request: SyncRequest, component: Object) -> list[str]:
    namespace, name = name_of(component)
    observed = request.children.find(COMPONENT_DEPLOYMENT, name, namespace)
    pods = [part(part(item or {}, "spec"), "extraPodSpec") for item in (observed, component)]
    note = init_container_note(name, *pods) if observed else ""
    return [note] if note else []


def _tell_in_the_way(outcome: Outcome, item: Object, parent: Object, cure: str) -> None:
    """Say of a foreign object that it is waited for, or that it is a conflict and how to end it."""
    message = conflict(item, parent, cure)
    if leaves_by_itself(item, parent):
        outcome.waiting.append(message)
    else:
        outcome.failures.append(Readiness(ready=False, reason=NAME_CONFLICT, message=message))
