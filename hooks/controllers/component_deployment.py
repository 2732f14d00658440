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
from hooks.children import (
    conflict,
    controller_of,
    foreign,
    leaves_by_itself,
    only_observed,
    restate,
    restate_child,
)
from hooks.controllers.found import pod_templates, with_found_in_namespace
from hooks.errors import Fault, InvalidSpec
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
from hooks.memo import Memo
from hooks.pods.component import READ_ANNOTATIONS, Component, read_component
from hooks.pods.hints import hints
from hooks.pods.template import build_pod_template
from hooks.protocol import CompositeAnswer, CustomizeRequest, Kind, Object, RelatedRule, SyncRequest, name_of, part
from hooks.settings import Settings
from hooks.status.component_deployment import NOT_READY, Outcome, component_status, is_failure, observed_workload
from hooks.status.conditions import INVALID_SPEC, NAME_CONFLICT, faults_message
from hooks.status.missing import lacking
from hooks.status.order import init_container_note, variable_note
from hooks.status.readiness import Readiness

LEADS_TO = {
    HORIZONTAL_POD_AUTOSCALER.kind: WORKLOADS,
    INGRESS.kind: frozenset({SERVICE.kind}),
    VIRTUAL_SERVICE.kind: frozenset({SERVICE.kind}),
}
"""Kind → the kinds it names by our name: where that is somebody else's object, it must not be scaled or exposed."""

INSTEAD = {
    DEPLOYMENT: LEADER_WORKER_SET,
    LEADER_WORKER_SET: DEPLOYMENT,
    INGRESS: VIRTUAL_SERVICE,
    VIRTUAL_SERVICE: INGRESS,
}
"""Kind → the one that a component has in its place: an old one stays as long as the new one cannot be made."""


_CONTAINERS = ("containers", "initContainers")

_built = Memo(limit=16 << 20)
"""Components at rest: about 3,000."""


@dataclass(frozen=True)
class Built:
    """The children of a component as its spec asks for them, and what of it is looked at afterwards."""

    children: list[Object]
    """The workload first."""
    notes: list[str]
    """What is to be said about them, in sentences."""
    node_count: int
    replicas: int | None
    """The given number; None where others decide it."""
    least_replicas: int
    pull_secret_discovery: bool


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
        plan = _plan(request, built(request.parent, settings))
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


def built(parent: Object, settings: Settings) -> Built:
    """The children of a component, as far as they follow from its parent and the settings alone.

    Raises:
        InvalidSpec: with all faults at once.
    """
    metadata = parent["metadata"]
    annotations = {key: value for key, value in part(metadata, "annotations").items() if key in READ_ANNOTATIONS}
    inputs = [
        parent.get("spec"),
        metadata["name"],
        metadata.get("namespace"),
        metadata.get("labels"),
        annotations,
        controller_of(parent),
        settings.fingerprint,
    ]
    return Built(**_built(inputs, lambda: vars(_build(read_component(parent, settings)))))


def _plan(request: SyncRequest, asked: Built) -> _Plan:
    workload_kind = LEADER_WORKER_SET if asked.node_count > 1 else DEPLOYMENT
    if not request.installed(workload_kind):
        return _kept(request, lacking(workload_kind))
    in_the_way = foreign(request, workload_kind, name_of(asked.children[0])[1])
    if in_the_way is not None and request.children.all(INSTEAD[workload_kind]):
        return _kept(request, _in_the_way(request, in_the_way))
    plan = _Plan(note=". ".join(asked.notes))
    namespace = request.parent["metadata"].get("namespace", "")
    children = [_as_observed(request, asked, child) for child in asked.children]
    reasons: dict[str, list[str]] = {}
    taken: set[str] = set()
    for child in children:
        kind, name = BY_NAME[child["kind"]], name_of(child)[1]
        item = foreign(request, kind, name)
        if not request.installed(kind):
            lacks = lacking(kind)
            reasons.setdefault(lacks.reason, []).append(lacks.message)
            plan.children += _instead(request, kind)
        elif item is not None:
            taken.add(kind.kind)
            obstacle = _in_the_way(request, item)
            reasons.setdefault(obstacle.reason, []).append(obstacle.message)
            plan.children += _instead(request, kind)
        elif not taken & LEADS_TO.get(kind.kind, frozenset()) or request.children.find(kind, name, namespace):
            plan.children.append(child)
        if child["kind"] in WORKLOADS:
            plan.workload = child
    if reasons:
        failures_first = sorted(reasons, key=lambda reason: (not is_failure(reason), reason))
        messages = [message for reason in failures_first for message in reasons[reason]]
        plan.failure = Readiness(ready=False, reason=failures_first[0], message=". ".join(messages))
    return plan


def _instead(request: SyncRequest, kind: Kind) -> list[Object]:
    """What is there in the place of a child that cannot be made, as it is."""
    return [restate_child(item) for item in request.children.all(INSTEAD[kind])] if kind in INSTEAD else []


def _in_the_way(request: SyncRequest, item: Object) -> Readiness:
    message = conflict(item, request.parent, "choose another name for the component")
    reason = NOT_READY if leaves_by_itself(item, request.parent) else NAME_CONFLICT
    return Readiness(ready=False, reason=reason, message=message)


def _order_note(request: SyncRequest, workload: Object | None) -> str:
    """Whether init containers or variables will stand in another order than the one they are written in."""
    observed = observed_workload(request)
    if observed is None or workload is None or observed.get("kind") != workload["kind"]:
        return ""
    whose = f"{workload['kind']} {name_of(workload)[1]}"
    notes = []
    for was, wanted in zip(pod_templates(observed), pod_templates(workload), strict=False):
        pods = part(was, "spec"), part(wanted, "spec")
        notes += [init_container_note(whose, *pods), variable_note(workload, *pods)]
    return ". ".join(dict.fromkeys(filter(None, notes)))


def _build(component: Component) -> Built:
    faults = list(component.faults)
    told = {fault.field for fault in faults}  # what was taken out of a spec is not missed on top
    notes = hints(component)

    def attempt(build: Callable[[], Object | None]) -> Object | None:
        try:
            return build()
        except InvalidSpec as invalid:
            faults.extend(fault for fault in invalid.faults if fault.field not in told)
            return None

    service = build_service(component)
    spans_nodes = component.node_count > 1
    workload_kind = LEADER_WORKER_SET if spans_nodes else DEPLOYMENT
    target = names.leader_worker_set_name(component.name) if spans_nodes else component.name
    children = [
        attempt(lambda: _workload(component, notes)),
        service,
        build_horizontal_pod_autoscaler(component, workload_kind, target),
        attempt(lambda: build_ingress(component, service)),
    ]
    is_sound = not faults
    finished = [attempt(partial(finish, child, is_sound=is_sound)) for child in children if child is not None]
    if faults:
        raise InvalidSpec(fault for fault in faults if not _is_told_already(fault, component.faults))
    scaling = component.spec.autoscaling
    scales = scaling is not None and bool(scaling.enabled)
    return Built(
        children=[child for child in finished if child is not None],
        notes=[note for note in dict.fromkeys(notes) if note],
        node_count=component.node_count,
        replicas=None if scales else component.spec.replicas,
        least_replicas=(scaling.min_replicas or 1) if scaling is not None and scales else 0,
        pull_secret_discovery=component.pull_secret_discovery,
    )


def _is_told_already(fault: Fault, told: Iterable[Fault]) -> bool:
    """Whether a fault of a child comes from containers of the same name, which the spec's own faults name already."""
    of_list = fault.field.rpartition(".spec.")[2]
    return of_list in _CONTAINERS and any(
        other.field.startswith(f"spec.extraPodSpec.{of_list}[") and other.field.endswith("].name") for other in told
    )


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


def _as_observed(request: SyncRequest, asked: Built, child: Object) -> Object:
    """A workload with what others decide: its replicas, and what its pods find in their namespace."""
    if child["kind"] not in WORKLOADS:
        return child
    observed = observed_workload(request)
    found = with_found_in_namespace(request.related, child, observed, pull_secrets=asked.pull_secret_discovery)
    return {**found, "spec": {**found["spec"], "replicas": replicas(asked, observed)}}


def replicas(asked: Built, observed: Object | None) -> int:
    """Replicas of the workload: the given number, else the observed one, which an autoscaler may have moved."""
    there = part(observed or {}, "spec").get("replicas")
    if asked.replicas is not None:
        return asked.replicas
    return max(there, asked.least_replicas) if isinstance(there, int) else max(asked.least_replicas, 1)
