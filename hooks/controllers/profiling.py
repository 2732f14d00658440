"""What is known of a DynamoGraphDeploymentRequest: what a sync observes, and the facts that its status keeps.

Everything is looked up once, when a row of the table asks for it. An absent entry in `children` or `related` means that
nobody asked: nothing is concluded from it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import orjson

from hooks import labels, names
from hooks.builders.profiling_job import build_profiling_job, with_pull_secrets
from hooks.children import conflict, is_foreign
from hooks.controllers.consent import refusal
from hooks.controllers.found import pull_secrets_in_namespace
from hooks.controllers.judged import graph_faults
from hooks.errors import Fault, InvalidSpec
from hooks.kinds import CONFIG_MAP, GRAPH_DEPLOYMENT, JOB, NAMESPACE, POD
from hooks.profiling.output import CONFIGURATION, ERROR, INVALID, Output, UnusableOutput, read_output
from hooks.profiling.requested import RequestedGraph, requested_graph
from hooks.profiling.specification import Request, parse_spec, read_request, spec_hash
from hooks.protocol import Object, SyncRequest, entries, is_leaving, name_of, part
from hooks.settings import Settings
from hooks.status.conditions import INVALID_SPEC, NAME_CONFLICT, find_condition
from hooks.status.graph_deployment import READY, SUCCESSFUL

NAMESPACE_NOT_FOUND = "NamespaceNotFound"
NAMESPACE_NOT_ALLOWED = "NamespaceNotAllowed"
CONFIG_MAP_NOT_FOUND = "ConfigMapNotFound"

OUTPUT_PATIENCE = 60.0
"""Seconds after a Job's completion until its output counts as missing: the ConfigMap comes by another cache."""
PULL_SECRET_PATIENCE = 10.0
"""Seconds of a request's life in which pull secrets may still turn up: a Job cannot be mended later."""


@dataclass(frozen=True)
class Problem:
    """Why something cannot go on: a reason for programs and a message for people."""

    reason: str
    message: str


@dataclass(frozen=True)
class _Reading:
    """What a spec comes to: a request and its Job, or faults."""

    request: Request | None = None
    job: Object | None = None
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class Facts:
    """What is known of a request."""

    request: SyncRequest
    settings: Settings
    now: datetime

    @property
    def parent(self) -> Object:
        """The request itself."""
        return self.request.parent

    @cached_property
    def name(self) -> str:
        """Its name."""
        return name_of(self.parent)[1]

    @cached_property
    def namespace(self) -> str:
        """Its namespace."""
        return name_of(self.parent)[0]

    # Facts that the status keeps.

    @cached_property
    def status(self) -> Object:
        """Its status before this answer."""
        return part(self.parent, "status")

    @property
    def state(self) -> Any:
        """Its state before this answer."""
        return self.status.get("state")

    @property
    def created(self) -> bool:
        """Whether its graph was seen at some time."""
        return part(self.status, "deployment").get("created") is True

    @property
    def profiled(self) -> bool:
        """Whether a Job of ours was seen at some time: only then a condition Profiling is written."""
        return bool(find_condition(self.parent, "Profiling")["status"] != "Unknown")

    # The Job.

    @property
    def jobs_known(self) -> bool:
        """Whether this request says which Jobs there are."""
        return self.request.children.asked(JOB) or self.request.related.asked(JOB)

    @cached_property
    def job(self) -> Object | None:
        """The Job, if it is there and ours."""
        name = names.profiling_job(self.name)
        child = self.request.children.find(JOB, name, self.namespace)
        return child or (self._named_job if self._named_job and not self._job_is_foreign else None)

    @cached_property
    def foreign_job(self) -> Object | None:
        """A Job of that name that is not ours."""
        return self._named_job if self._named_job and self._job_is_foreign else None

    @cached_property
    def _named_job(self) -> Object | None:
        return self.request.related.find(JOB, names.profiling_job(self.name), self.namespace)

    @property
    def _job_is_foreign(self) -> bool:
        return self._named_job is not None and is_foreign(self._named_job, self.parent)

    @property
    def job_failed(self) -> bool:
        """Whether the Job has come to its end without success."""
        return self.job is not None and find_condition(self.job, "Failed")["status"] == "True"

    @property
    def job_complete(self) -> bool:
        """Whether the Job has come to its end with success."""
        return self.job is not None and find_condition(self.job, "Complete")["status"] == "True"

    @cached_property
    def output_awaited_for(self) -> float:
        """Seconds for which the output of a Job that is complete is still awaited; not positive where no more."""
        job = self.job or {}
        complete = find_condition(job, "Complete").get("lastTransitionTime")
        at = _time(part(job, "status").get("completionTime")) or _time(complete)
        return _left(OUTPUT_PATIENCE, at, self.now) if at else 0.0

    @cached_property
    def pods(self) -> list[Object]:
        """The pods of the Job, the oldest first."""
        uid = (self.job or {}).get("metadata", {}).get("uid")
        mine = [pod for pod in self.request.related.all(POD, self.namespace) if uid and _belongs_to(pod, uid)]
        return sorted(mine, key=lambda pod: (str(pod["metadata"].get("creationTimestamp", "")), name_of(pod)))

    @property
    def has_no_pod(self) -> bool:
        """Whether nothing runs for the Job, as far as both its status and the observed pods say."""
        counts = part(self.job or {}, "status")
        return self.request.related.asked(POD) and not self.pods and not counts.get("active")

    # What is asked for.

    @cached_property
    def graph(self) -> RequestedGraph:
        """What is asked of the graph; as the Job remembers it, while there is one."""
        return requested_graph(self.parent, self._remembered)

    @cached_property
    def _remembered(self) -> Object | None:
        annotation = part((self.job or {}).get("metadata", {}), "annotations").get(labels.SPEC)
        try:
            remembered: Any = orjson.loads(annotation or "null")
        except orjson.JSONDecodeError:
            return None
        return remembered if isinstance(remembered, dict) else None

    @cached_property
    def spec_changed(self) -> bool:
        """Whether the spec is another one than the Job was made from."""
        made_from = part((self.job or {}).get("metadata", {}), "annotations").get(labels.SPEC_HASH)
        if made_from is None:
            return False
        try:
            return bool(spec_hash(parse_spec(self.parent.get("spec", {}))) != made_from)
        except InvalidSpec:
            return True

    @cached_property
    def _reading(self) -> _Reading:
        try:
            request = read_request(self.parent, self.settings)
            return _Reading(request, build_profiling_job(request))
        except InvalidSpec as invalid:
            return _Reading(faults=invalid.faults)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong with the spec."""
        return self._reading.faults

    @cached_property
    def pull_secrets(self) -> tuple[str, ...]:
        """The secrets that the images of the Job are pulled with."""
        job = self._reading.job
        if job is None or not self._looks_for_pull_secrets:
            return ()
        return pull_secrets_in_namespace([job["spec"]["template"]["spec"]], self.request.related, self.namespace)

    @cached_property
    def pull_secrets_awaited_for(self) -> float:
        """Seconds for which pull secrets may still turn up; not positive where none are awaited."""
        born = _time(self.parent["metadata"].get("creationTimestamp"))
        if born is None or self.pull_secrets or not self._looks_for_pull_secrets:
            return 0.0
        return _left(PULL_SECRET_PATIENCE, born, self.now)

    @property
    def _looks_for_pull_secrets(self) -> bool:
        annotations = part(self.parent["metadata"], "annotations")
        opted_out = annotations.get(labels.DISABLE_PULL_SECRET_DISCOVERY) == "true"
        return self.request.related.asked(CONFIG_MAP) and not opted_out

    @cached_property
    def desired_job(self) -> Object:
        """The Job as it is made; only for a spec without faults."""
        job = self._reading.job
        if job is None:
            raise InvalidSpec(self.faults)
        return with_pull_secrets(job, self.pull_secrets)

    @cached_property
    def base_problem(self) -> Problem | None:
        """Why the graph to start from cannot be mounted."""
        request = self._reading.request
        reference = request.spec.profiling_config.config_map_ref if request else None
        if reference is None or not self.request.related.asked(CONFIG_MAP):
            return None
        config_map = self.request.related.find(CONFIG_MAP, reference.name, self.namespace)
        whose = f"spec.profilingConfig.configMapRef: ConfigMap {reference.name}"
        if config_map is None:
            message = f"{whose} does not exist in namespace {self.namespace}; create it, and profiling starts"
        elif reference.key not in {**part(config_map, "data"), **part(config_map, "binaryData")}:
            message = f"{whose} has no key {reference.key}; add it or name another key, and profiling starts"
        else:
            return None
        return Problem(CONFIG_MAP_NOT_FOUND, message)

    # The graph.

    @cached_property
    def graph_known(self) -> bool:
        """Whether this request says if the graph is there: it was asked for as today's spec names it."""
        asked = requested_graph(self.parent)
        same = (asked.namespace, asked.name) == (self.graph.namespace, self.graph.name)
        return asked.auto_apply and same and self.request.related.asked(GRAPH_DEPLOYMENT)

    @cached_property
    def deployed(self) -> Object | None:
        """The graph of ours, if it is there."""
        found = self._named_graph
        return found if found is not None and self.graph.is_made(found) else None

    @cached_property
    def _named_graph(self) -> Object | None:
        found = self.request.related.find(GRAPH_DEPLOYMENT, self.graph.name, self.graph.namespace)
        return None if found is None or is_leaving(found) else found

    @property
    def deployed_is_ready(self) -> bool:
        """Whether the graph of ours is there and ready."""
        return self.deployed is not None and is_ready(self.deployed)

    @cached_property
    def target_problem(self) -> Problem | None:
        """Why the graph cannot be made where it is to go."""
        namespace = self.graph.namespace
        target = self.request.related.find(NAMESPACE, namespace)
        gone = target is None or is_leaving(target)
        if namespace != self.namespace and gone and self._namespaces_known:
            state = "does not exist" if target is None else "is being deleted"
            message = f"namespace {namespace}, where the graph is to go, {state}; create it, and the request goes on"
            return Problem(NAMESPACE_NOT_FOUND, message)
        refused = refusal(self.namespace, target, self.settings) if target is not None else None
        if refused:
            return Problem(NAMESPACE_NOT_ALLOWED, refused)
        if self._named_graph is not None and self.deployed is None:
            return Problem(NAME_CONFLICT, self._graph_conflict(self._named_graph))
        return None

    @property
    def _namespaces_known(self) -> bool:
        same = requested_graph(self.parent).namespace == self.graph.namespace
        return same and self.request.related.asked(NAMESPACE)

    def _graph_conflict(self, graph: Object) -> str:
        namespace, name = name_of(graph)
        made_for = part(graph["metadata"], "labels").get(labels.REQUEST_NAME)
        whose = f"was made for an earlier request called {made_for}" if made_for else "was not made for this request"
        return (
            f"DynamoGraphDeployment {name} exists already in namespace {namespace} and {whose}; delete it (kubectl "
            f"delete dynamographdeployment -n {namespace} {name}), or choose another spec.deploymentOverrides.name"
        )

    # The output.

    @property
    def output_known(self) -> bool:
        """Whether this request says if the profiler's output is there."""
        return self.request.related.asked(CONFIG_MAP)

    @cached_property
    def output(self) -> Object | None:
        """The ConfigMap with the profiler's output, if it is there and ours."""
        found = self.request.related.find(CONFIG_MAP, names.profile_output(self.name), self.namespace)
        if found is None:
            return None
        carried = part(found["metadata"], "annotations").get(labels.REQUEST_UID)
        if carried is not None:
            return found if carried == self.graph.request_uid else None
        made, since = _time(found["metadata"].get("creationTimestamp")), (self.job or self.parent)["metadata"]
        earliest = _time(since.get("creationTimestamp"))
        return found if made is None or earliest is None or made >= earliest else None

    @cached_property
    def reported_error(self) -> str | None:
        """The failure that the output reports."""
        error = part(self.output or {}, "data").get(ERROR)
        return error if isinstance(error, str) and error else None

    @cached_property
    def _generation(self) -> Output | UnusableOutput | None:
        if self.output is None or self.reported_error is not None:
            return None
        text = part(self.output, "data").get(CONFIGURATION)
        if not isinstance(text, str):
            whose = f"ConfigMap {name_of(self.output)[1]}"
            return UnusableOutput(INVALID, f"{whose} has neither a key {CONFIGURATION} nor a key {ERROR}")
        try:
            output = read_output(text, self.graph)
        except UnusableOutput as unusable:
            return unusable
        faults = graph_faults(output.graph, self.settings, self.now)
        if faults:
            whose = "the DynamoGraphDeployment in the profiler's output"
            return UnusableOutput(INVALID_SPEC, f"{whose} is invalid: {'. '.join(faults)}")
        return output

    @cached_property
    def generated(self) -> Object | None:
        """The graph that came out: as the status keeps it, or as the output says it if it can be used."""
        kept = part(self.status, "generatedDeployment")
        if kept:
            return kept
        return self._generation.graph if isinstance(self._generation, Output) else None

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Documents of the output that are neither a graph nor a ConfigMap."""
        return self._generation.left_out if isinstance(self._generation, Output) else ()

    @cached_property
    def unusable(self) -> Problem | None:
        """Why no graph can be made of the output."""
        found = self._generation
        return Problem(found.reason, str(found)) if isinstance(found, UnusableOutput) else None


def is_ready(graph: Object) -> bool:
    """Whether a DynamoGraphDeployment is ready as its spec asks for now. Older controllers wrote `Ready` as state."""
    condition = find_condition(graph, READY)
    status = part(graph, "status")
    about = condition.get("observedGeneration", status.get("observedGeneration"))
    current = about is None or about == graph["metadata"].get("generation")
    return condition["status"] == "True" and current and status.get("state") in (SUCCESSFUL, "Ready", None)


def job_conflict(facts: Facts) -> str:
    """Why a Job that is not ours keeps the request waiting, and what to do."""
    job = facts.foreign_job or {}
    namespace, name = name_of(job)
    return conflict(job, facts.parent, f"delete it (kubectl delete job -n {namespace} {name})")


def _belongs_to(pod: Object, uid: str) -> bool:
    return any(reference.get("uid") == uid for reference in entries(pod["metadata"], "ownerReferences"))


def _left(patience: float, since: datetime, now: datetime) -> float:
    """Seconds that are left of a patience; not more than all of it, should another clock be ahead of ours."""
    return min(patience, patience - (now - since).total_seconds())


def _time(text: Any) -> datetime | None:
    """A time as Kubernetes writes it (RFC 3339)."""
    try:
        time = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
