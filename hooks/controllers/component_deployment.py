"""DynamoComponentDeployment → Deployment, Service, HorizontalPodAutoscaler, Ingress or VirtualService."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from hooks import labels, names
from hooks.builders.deployment import build_deployment
from hooks.builders.finish import finish
from hooks.builders.horizontal_pod_autoscaler import build_horizontal_pod_autoscaler
from hooks.builders.ingress import build_ingress
from hooks.builders.leader_worker_set import build_leader_worker_set
from hooks.builders.service import build_service
from hooks.children import conflict, foreign, only_observed, restate
from hooks.controllers.found import pod_templates, with_found_in_namespace
from hooks.errors import InvalidSpec
from hooks.kinds import (
    BY_NAME,
    CONFIG_MAP,
    DEPLOYMENT,
    HORIZONTAL_POD_AUTOSCALER,
    INGRESS,
    LEADER_WORKER_SET,
    SERVICE,
    SERVICE_ACCOUNT,
    VIRTUAL_SERVICE,
    WORKLOADS,
)
from hooks.pods.component import Component, read_component
from hooks.pods.template import build_pod_template
from hooks.protocol import CompositeAnswer, CustomizeRequest, Kind, Object, RelatedRule, SyncRequest, name_of, part
from hooks.settings import Settings
from hooks.status.component_deployment import Outcome, component_status, observed_workload
from hooks.status.conditions import INVALID_SPEC, NAME_CONFLICT, faults_message
from hooks.status.missing import lacking
from hooks.status.order import init_container_note
from hooks.status.readiness import Readiness

LEADS_TO = {
    HORIZONTAL_POD_AUTOSCALER.kind: WORKLOADS,
    INGRESS.kind: frozenset({SERVICE.kind}),
    VIRTUAL_SERVICE.kind: frozenset({SERVICE.kind}),
}
"""Kind → the kinds it names by our name: where that is somebody else's object, it must not be scaled or exposed."""


@dataclass
class _Plan:
    """The children of a component, and what stands against some of them."""

    children: list[Object] = field(default_factory=list)
    workload: Object | None = None
    failure: Readiness | None = None
    note: str = ""


def sync(request: SyncRequest, settings: Settings, now: datetime) -> CompositeAnswer:
    """Answer with the children of a component and what is known of it. An invalid one keeps what it has."""
    try:
        component = read_component(request.parent, settings)
        plan = _plan(request, component)
    except InvalidSpec as invalid:
        failure = Readiness(ready=False, reason=INVALID_SPEC, message=faults_message(invalid.faults))
        plan = _kept(request, failure)
    children = only_observed(plan.children, request.children) if request.deleting else plan.children
    note = ". ".join(filter(None, (plan.note, _order_note(request, plan.workload))))
    outcome = Outcome(plan.workload, [] if plan.failure else plan.children, plan.failure, note)
    return CompositeAnswer(status=component_status(request, outcome, now), children=children)


def customize(request: CustomizeRequest, settings: Settings) -> Iterable[RelatedRule]:  # noqa: ARG001 - see registry
    """Ask for whatever may be in the way of a child, and for what pods find in their namespace."""
    name, namespace = request.parent["metadata"]["name"], request.parent["metadata"].get("namespace", "")
    for kind in (DEPLOYMENT, SERVICE, HORIZONTAL_POD_AUTOSCALER, INGRESS, VIRTUAL_SERVICE):
        if request.installed(kind):
            yield RelatedRule(kind, names=(name,), namespace=namespace)
    if request.installed(LEADER_WORKER_SET):
        yield RelatedRule(LEADER_WORKER_SET, names=(names.leader_worker_set_name(name),), namespace=namespace)
    selector = {"matchLabels": {labels.COMPONENT_POD_ACCOUNT: "true"}}
    yield RelatedRule(SERVICE_ACCOUNT, selector=selector, namespace=namespace)
    yield RelatedRule(CONFIG_MAP, selector={"matchLabels": {labels.REGISTRY_INDEX: "true"}}, namespace=namespace)


def _kept(request: SyncRequest, failure: Readiness) -> _Plan:
    """Every observed child as it is, and why."""
    return _Plan(restate(request.children), failure=failure)


def _plan(request: SyncRequest, component: Component) -> _Plan:
    workload_kind = LEADER_WORKER_SET if component.node_count > 1 else DEPLOYMENT
    children, note = _children(request, component, workload_kind)
    if not request.installed(workload_kind):
        return _kept(request, lacking(workload_kind))
    plan = _Plan(note=note)
    reasons: dict[str, list[str]] = {}
    taken: set[str] = set()
    for child in children:
        kind, name = BY_NAME[child["kind"]], name_of(child)[1]
        item = foreign(request, kind, name)
        if not request.installed(kind):
            lacks = lacking(kind)
            reasons.setdefault(lacks.reason, []).append(lacks.message)
        elif item is not None:
            taken.add(kind.kind)
            cure = "choose another name for the component"
            reasons.setdefault(NAME_CONFLICT, []).append(conflict(item, request.parent, cure))
        elif not taken & LEADS_TO.get(kind.kind, frozenset()) or request.children.find(kind, name, component.namespace):
            plan.children.append(child)
        if child["kind"] in WORKLOADS:
            plan.workload = child
    if reasons:
        messages = [message for reason in sorted(reasons) for message in reasons[reason]]
        plan.failure = Readiness(ready=False, reason=min(reasons), message=". ".join(messages))
    return plan


def _order_note(request: SyncRequest, workload: Object | None) -> str:
    """Whether init containers will run in another order than the one they are written in."""
    observed = observed_workload(request)
    if observed is None or workload is None or observed.get("kind") != workload["kind"]:
        return ""
    whose = f"{workload['kind']} {name_of(workload)[1]}"
    pairs = zip(pod_templates(observed), pod_templates(workload), strict=False)
    notes = (init_container_note(whose, part(was, "spec"), part(wanted, "spec")) for was, wanted in pairs)
    return ". ".join(dict.fromkeys(filter(None, notes)))


def _children(request: SyncRequest, component: Component, workload_kind: Kind) -> tuple[list[Object], str]:
    """Every child as its spec asks for it, and what is to be said about them.

    Raises:
        InvalidSpec: with all faults at once.
    """
    faults = list(component.faults)
    notes: list[str] = []

    def attempt(build: Callable[[], Object | None]) -> Object | None:
        try:
            return build()
        except InvalidSpec as invalid:
            faults.extend(invalid.faults)
            return None

    service = build_service(component)
    workload = attempt(lambda: _workload(component, notes))
    target = names.leader_worker_set_name(component.name) if workload_kind is LEADER_WORKER_SET else component.name
    built = [
        workload,
        service,
        build_horizontal_pod_autoscaler(component, workload_kind, target),
        attempt(lambda: build_ingress(component, service)),
    ]
    finished = [attempt(partial(finish, child)) for child in built if child is not None]
    if faults:
        raise InvalidSpec(faults)
    children = [_as_observed(request, component, child) for child in finished if child is not None]
    return children, ". ".join(dict.fromkeys(note for note in notes if note))


def _workload(component: Component, notes: list[str]) -> Object:
    """The Deployment, or the LeaderWorkerSet where replicas span nodes; adds to `notes` what is to be said about it."""
    if component.node_count == 1:
        template, note = build_pod_template(component)
        notes.append(note)
        return build_deployment(component, template)
    leader, note = build_pod_template(component, "leader")
    worker, worker_note = build_pod_template(component, "worker")
    notes += [note, worker_note]
    return build_leader_worker_set(component, leader, worker)


def _as_observed(request: SyncRequest, component: Component, child: Object) -> Object:
    """A workload with what others decide: its replicas, and what its pods find in their namespace."""
    if child["kind"] not in WORKLOADS:
        return child
    observed = observed_workload(request)
    found = with_found_in_namespace(component, request.related, child, observed)
    return {**found, "spec": {**found["spec"], "replicas": replicas(component, observed)}}


def replicas(component: Component, observed: Object | None) -> int:
    """Replicas of the workload: the given number, else the observed one, which an autoscaler may have moved."""
    scaling = component.spec.autoscaling
    there = part(observed or {}, "spec").get("replicas")
    if scaling and scaling.enabled:
        return max(there if isinstance(there, int) else 0, scaling.min_replicas or 1)
    if component.spec.replicas is not None:
        return component.spec.replicas
    return there if isinstance(there, int) else 1
