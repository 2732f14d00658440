"""The table of states of a DynamoGraphDeploymentRequest: the first row that fits what is known of it wins.

Source: spec page "DynamoGraphDeploymentRequest", whose table this is, row for row. A row marked `not asked` stands for
requests that do not say what the rows around it would need: then nothing ends.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hooks import names
from hooks.controllers.profiling import Facts, Problem, job_conflict
from hooks.profiling.specification import little_room
from hooks.protocol import name_of, part
from hooks.status.conditions import INVALID_SPEC, NAME_CONFLICT, faults_message, find_condition
from hooks.status.graph_deployment import READY as GRAPH_READY
from hooks.status.graph_deployment_request import (
    DEPLOYING,
    DEPLOYMENT_DELETED,
    DEPLOYMENT_READY,
    FAILED,
    PENDING,
    PROFILING,
    PROFILING_STATE,
    READY,
    SPEC_GENERATED,
    VALIDATION,
    Outcome,
    Verdict,
)
from hooks.status.profiling_pods import container_ends, copier_end, cut, obstacles

PROFILING_FAILED = "ProfilingFailed"
OUTPUT_MISSING = "OutputMissing"
JOB_LOST = "ProfilingJobLost"
_FAILURES = frozenset({PROFILING_FAILED, OUTPUT_MISSING, JOB_LOST})
"""Reasons of a condition Profiling that says that it has failed."""


@dataclass(frozen=True)
class Row:
    """One row: what it is about, whether it fits, and what comes of it."""

    observed: str
    fits: Callable[[Facts], bool]
    outcome: Callable[[Facts], Outcome]


# What the steps say once they are behind.


def _validated(facts: Facts, message: str = "the spec is valid") -> Verdict:
    if facts.spec_changed:
        text = (
            "the spec was changed after profiling had begun; what it was then is what counts, and to profile anew, "
            "delete the request and create it again"
        )
        return Verdict(VALIDATION, holds=False, reason="SpecChangeRejected", message=text)
    if facts.generated is None:
        message += little_room(facts.graph)
    return Verdict(VALIDATION, holds=True, reason="SpecValid", message=message)


def _profiled(facts: Facts) -> tuple[Verdict, ...]:
    message = "profiling has found a configuration"
    return _validated(facts), Verdict(PROFILING, holds=True, reason="ProfilingCompleted", message=message)


def _generated(facts: Facts) -> tuple[Verdict, ...]:
    previous = find_condition(facts.parent, SPEC_GENERATED)
    if previous["status"] == "True" and facts.status.get("generatedDeployment"):
        message = previous["message"]
    else:
        message = "status.generatedDeployment is the DynamoGraphDeployment that came out"
        if facts.left_out:
            message += f"; the profiler's output holds what is not made as well: {', '.join(facts.left_out)}"
    return (*_profiled(facts), Verdict(SPEC_GENERATED, holds=True, reason="SpecGenerated", message=message))


def _deployment(facts: Facts, state: str, reason: str, message: str, *, ready: bool = False) -> Outcome:
    return Outcome(state, (*_generated(facts), Verdict(DEPLOYMENT_READY, ready, reason, message)))


# The rows that are about the graph.


def _title(facts: Facts) -> str:
    return f"DynamoGraphDeployment {facts.graph.name} in namespace {facts.graph.namespace}"


def _graph_says(facts: Facts) -> str:
    message = find_condition(facts.deployed or {}, GRAPH_READY).get("message")
    return f": {cut(str(message))}" if message else ""


def _deployed(facts: Facts) -> bool:
    return facts.graph.auto_apply and facts.deployed is not None


def _graph_ready(facts: Facts) -> Outcome:
    return _deployment(facts, READY, "DeploymentReady", f"{_title(facts)} is ready", ready=True)


def _graph_degraded(facts: Facts) -> Outcome:
    message = f"{_title(facts)} was ready and is not now{_graph_says(facts)}"
    return _deployment(facts, READY, "DeploymentDegraded", message)


def _graph_starting(facts: Facts) -> Outcome:
    message = f"{_title(facts)} was made and is not ready yet{_graph_says(facts)}"
    return _deployment(facts, DEPLOYING, "DeploymentCreated", message)


def _was_deployed(facts: Facts) -> bool:
    return facts.graph.auto_apply and (facts.created or facts.state == DEPLOYMENT_DELETED)


def _graph_deleted(facts: Facts) -> Outcome:
    message = (
        f"{_title(facts)} was deleted and is not made again; apply status.generatedDeployment to have it back, or "
        "delete the request"
    )
    return _deployment(facts, DEPLOYMENT_DELETED, "DeploymentDeleted", message)


def _deployable(facts: Facts) -> bool:
    return facts.graph.auto_apply and facts.generated is not None


def _spec_available(facts: Facts) -> Outcome:
    return Outcome(READY, _generated(facts))


def _target_failed(facts: Facts) -> Outcome:
    problem = facts.target_problem or Problem("", "")
    message = f"{problem.message}; the request goes on by itself then, or delete it and create it anew with another"
    return _deployment(facts, FAILED, problem.reason, f"{message} spec.deploymentOverrides")


def _graph_awaited(facts: Facts) -> Outcome:
    return _deployment(facts, DEPLOYING, "DeploymentPending", f"{_title(facts)} is being made")


# The rows that are about profiling.


def _recreate(facts: Facts) -> str:
    return (
        f"delete the request and create it anew to profile again (kubectl delete dynamographdeploymentrequest "
        f"-n {facts.namespace} {facts.name})"
    )


def _job_title(facts: Facts) -> str:
    return f"Job {names.profiling_job(facts.name)}"


def _unusable(facts: Facts) -> Outcome:
    problem = facts.unusable or Problem("", "")
    shorter = (
        "choose a shorter spec.deploymentOverrides.name" if facts.graph.auto_apply else "shorten the request's name"
    )
    cure = f"mend what the profiler starts from (where a name is too long, {shorter})"
    message = f"{problem.message}; {cure}, then {_recreate(facts)}"
    verdict = Verdict(SPEC_GENERATED, holds=False, reason=problem.reason, message=message)
    return Outcome(FAILED, (*_profiled(facts), verdict))


def _profiling(facts: Facts, state: str, reason: str, message: str, resync: float | None = None) -> Outcome:
    verdict = Verdict(PROFILING, holds=False, reason=reason, message=message)
    return Outcome(state, (_validated(facts), verdict), resync_after_seconds=resync)


def _profiling_failed(facts: Facts) -> Outcome:
    said = []
    if facts.reported_error is not None:
        said.append(cut(facts.reported_error))
    if facts.job_failed:
        condition = find_condition(facts.job or {}, "Failed")
        why = ": ".join(str(condition[key]) for key in ("reason", "message") if condition.get(key))
        said.append(f"{_job_title(facts)} failed{f' ({cut(why)})' if why else ''}")
    ends = container_ends(facts.pods)
    said += [f"the {container} {end}" for container, end in ends.items() if not any(end in words for words in said)]
    container = names.PROFILER if names.PROFILER in ends else next(iter(ends), names.PROFILER)
    log = f"kubectl logs -n {facts.namespace} job/{names.profiling_job(facts.name)} -c {container}"
    message = f"profiling has failed: {'; '.join(said)}; see its log ({log}), mend the cause, then {_recreate(facts)}"
    return _profiling(facts, FAILED, PROFILING_FAILED, message)


def _output_awaited(facts: Facts) -> Outcome:
    if facts.output_awaited_for > 0:
        message = f"{_job_title(facts)} is complete, its output is awaited"
        return _profiling(facts, PROFILING_STATE, "ProfilingRunning", message, max(1.0, facts.output_awaited_for))
    log = f"kubectl logs -n {facts.namespace} job/{names.profiling_job(facts.name)} --all-containers"
    message = (
        f"{_job_title(facts)} is complete, but there is no ConfigMap {names.profile_output(facts.name)} with its "
        f"output; see why in its log ({log}), then {_recreate(facts)}"
    )
    return _profiling(facts, FAILED, OUTPUT_MISSING, message)


def _profiling_runs(facts: Facts) -> Outcome:
    said = [f"{_job_title(facts)} profiles the model", *obstacles(facts.pods)]
    if facts.has_no_pod:
        why = f"kubectl describe job -n {facts.namespace} {names.profiling_job(facts.name)}"
        said = [f"{_job_title(facts)} has no pod yet; what keeps it from having one is among its events ({why})"]
    end = copier_end(facts.pods)
    if end:
        said.append(
            f"what it finds out will be lost, since the container that copies it {end}; mend that, then "
            f"{_recreate(facts)}"
        )
    return _profiling(facts, PROFILING_STATE, "ProfilingRunning", "; ".join(said))


def _job_lost(facts: Facts) -> Outcome:
    previous = find_condition(facts.parent, PROFILING)
    if previous["status"] == "False" and previous.get("reason") in _FAILURES:
        return _profiling(facts, FAILED, previous["reason"], str(previous.get("message", "")))
    message = (
        f"{_job_title(facts)} is gone and has left no output; it is not made again by itself, since profiling may take "
        f"hours of GPU time: {_recreate(facts)}"
    )
    return _profiling(facts, FAILED, JOB_LOST, message)


# The rows before there is a Job.


def _not_valid(state: str, reason: str, message: str) -> Outcome:
    return Outcome(state, (Verdict(VALIDATION, holds=False, reason=reason, message=message),))


def _job_in_the_way(facts: Facts) -> Outcome:
    return _not_valid(PENDING, NAME_CONFLICT, job_conflict(facts))


def _invalid(facts: Facts) -> Outcome:
    return _not_valid(FAILED, INVALID_SPEC, f"{faults_message(facts.faults)}. Mend the spec, and profiling starts")


def _problem(found: Problem | None) -> Outcome:
    problem = found or Problem("", "")
    return _not_valid(PENDING, problem.reason, problem.message)


def _secrets_awaited(facts: Facts) -> Outcome:
    message = "the spec is valid; profiling starts in a few seconds, as image pull secrets may still turn up"
    return Outcome(
        PENDING, (_validated(facts, message),), resync_after_seconds=max(1.0, facts.pull_secrets_awaited_for)
    )


def _job_made(facts: Facts) -> Outcome:
    message = f"the spec is valid, {_job_title(facts)} is being made"
    return Outcome(PENDING, (_validated(facts, message),), makes_job=True)


def _as_before(facts: Facts) -> Outcome:
    """What the status says already."""
    known = (VALIDATION, PROFILING, SPEC_GENERATED, DEPLOYMENT_READY)
    previous = [find_condition(facts.parent, step) for step in known]
    verdicts = tuple(
        Verdict(found["type"], found["status"] == "True", str(found.get("reason", "")), str(found.get("message", "")))
        for found in previous
        if found["status"] != "Unknown"
    )
    return Outcome(facts.state if isinstance(facts.state, str) else PENDING, verdicts)


TABLE = (
    Row(
        "DGD of ours, ready",
        lambda facts: _deployed(facts) and facts.deployed_is_ready,
        _graph_ready,
    ),
    Row(
        "DGD of ours, not ready, state was Ready",
        lambda facts: _deployed(facts) and facts.state == READY,
        _graph_degraded,
    ),
    Row(
        "DGD of ours, not ready",
        _deployed,
        _graph_starting,
    ),
    Row(
        "not asked for the DGD, and there was one",
        lambda facts: _was_deployed(facts) and not facts.graph_known,
        _as_before,
    ),
    Row(
        "deployment.created, or state was DeploymentDeleted, and no DGD of ours",
        _was_deployed,
        _graph_deleted,
    ),
    Row(
        "usable output (or generatedDeployment in the status), autoApply false",
        lambda facts: not facts.graph.auto_apply and facts.generated is not None,
        _spec_available,
    ),
    Row(
        "the same, autoApply true, the target namespace gone or not consenting, or a foreign DGD of that name",
        lambda facts: _deployable(facts) and facts.target_problem is not None,
        _target_failed,
    ),
    Row(
        "the same, DGD not there yet",
        _deployable,
        _graph_awaited,
    ),
    Row(
        "output that is unusable",
        lambda facts: facts.unusable is not None,
        _unusable,
    ),
    Row(
        "output that reports a failure; Job failed",
        lambda facts: facts.reported_error is not None or facts.job_failed,
        _profiling_failed,
    ),
    Row(
        "Job complete, no output yet",
        lambda facts: facts.job_complete and facts.output_known,
        _output_awaited,
    ),
    Row(
        "Job there",
        lambda facts: facts.job is not None,
        _profiling_runs,
    ),
    Row(
        "not asked for the Job, and there was one",
        lambda facts: facts.profiled and not facts.jobs_known,
        _as_before,
    ),
    Row(
        "no Job, a condition Profiling in the status",
        lambda facts: facts.profiled,
        _job_lost,
    ),
    Row(
        "a Job of that name that is not ours",
        lambda facts: facts.foreign_job is not None,
        _job_in_the_way,
    ),
    Row(
        "spec invalid",
        lambda facts: bool(facts.faults),
        _invalid,
    ),
    Row(
        "configMapRef's ConfigMap or key not there",
        lambda facts: facts.base_problem is not None,
        lambda facts: _problem(facts.base_problem),
    ),
    Row(
        "autoApply, and the target namespace missing or not consenting, or a foreign DGD of that name",
        lambda facts: facts.graph.auto_apply and facts.target_problem is not None,
        lambda facts: _problem(facts.target_problem),
    ),
    Row(
        "no pull secret found for the images and the request younger than 10 s",
        lambda facts: facts.pull_secrets_awaited_for > 0,
        _secrets_awaited,
    ),
    Row(
        "none of these",
        lambda facts: True,  # noqa: ARG005 - as the others
        _job_made,
    ),
)
"""What is observed → what the request has come to."""


def deployment(facts: Facts) -> dict[str, object] | None:
    """`status.deployment`: the graph, once it was seen."""
    if not facts.graph.auto_apply:
        return None
    if facts.deployed is not None:
        namespace, name = name_of(facts.deployed)
        state = part(facts.deployed, "status").get("state")
        found: dict[str, object] = {"name": name, "namespace": namespace, "created": True}
        return found | ({"state": state} if isinstance(state, str) else {})
    if _was_deployed(facts):
        found = {"name": facts.graph.name, "namespace": facts.graph.namespace, "created": True}
        state = part(facts.status, "deployment").get("state")
        return found | ({"state": state} if isinstance(state, str) and not facts.graph_known else {})
    return None
