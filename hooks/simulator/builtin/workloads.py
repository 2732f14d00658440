"""Deployments, ReplicaSets and StatefulSets."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.pod_specs import share_names, template_faults
from hooks.simulator.builtin.ways import BuiltIn, immutable
from hooks.simulator.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from hooks.simulator.selectors import matches

_STATEFUL_SET_MUTABLE = [
    "replicas",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
    "ordinals",
]
_STATEFUL_SET_RULE = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)


class _Workload(BuiltIn):
    """What all three have in common: a selector, replicas, and a template whose pods run for ever."""

    @override
    def complete(self, item: Object) -> None:
        share_names(item["spec"]["template"]["spec"])

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        spec = item["spec"]
        return [
            *self._selector_faults(spec),
            *checks.at_least("spec.replicas", spec.get("replicas"), 0),
            *checks.at_least("spec.minReadySeconds", spec.get("minReadySeconds"), 0),
            *checks.at_least("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit"), 0),
            *template_faults(spec["template"], "spec.template", known),
            *_long_running(spec["template"]["spec"], "spec.template.spec"),
        ]

    @override
    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        selector = item["spec"].get("selector")
        return [] if selector == old["spec"].get("selector") else [immutable("spec.selector", selector)]

    def _selector_faults(self, spec: Object) -> Faults:
        selector: dict[str, Any] | None = spec.get("selector")
        labels = spec["template"]["metadata"].get("labels")
        if selector is None:
            yield required("spec.selector")
        elif not selector:
            kind = "statefulset" if self._kind.kind == "StatefulSet" else "deployment"  # a ReplicaSet's too
            yield invalid_value("spec.selector", selector, f"empty selector is invalid for {kind}")
            return
        else:
            faults = list(checks.label_selector("spec.selector", selector))
            yield from faults
            if faults:
                yield invalid_value("spec.selector", selector, "invalid label selector")
                return
        if selector is None or not matches(selector, {"metadata": {"labels": labels or {}}}):
            detail = "`selector` does not match template `labels`"
            yield FieldError("spec.template.metadata.labels", "Invalid value", labels, detail)


def _long_running(pod: Object, where: str) -> Faults:
    if pod.get("restartPolicy") not in (None, "Always"):
        yield unsupported(f"{where}.restartPolicy", pod["restartPolicy"], ["Always"])
    if "activeDeadlineSeconds" in pod:
        yield forbidden_field(f"{where}.activeDeadlineSeconds", "activeDeadlineSeconds in ReplicaSet is not Supported")


class DeploymentWays(_Workload):
    """Deployments; their generation counts changes of annotations too."""

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        return [
            *super().judge(item, known),
            *_deadline_faults(item["spec"]),
            *_strategy_faults(item["spec"]["strategy"]),
        ]

    @override
    def with_status(self, old: Object, given: Object) -> Object:
        made = super().with_status(old, given)
        labels = {"labels": old["metadata"]["labels"]} if "labels" in old["metadata"] else {}
        kept = {key: value for key, value in made["metadata"].items() if key != "labels"}
        return {**made, "metadata": {**kept, **labels}}

    @override
    def counts(self, item: Object, old: Object) -> bool:
        return bool(item["metadata"].get("annotations") != old["metadata"].get("annotations"))


def _deadline_faults(spec: Object) -> Faults:
    deadline = spec["progressDeadlineSeconds"]
    yield from checks.at_least("spec.progressDeadlineSeconds", deadline, 0)
    if deadline <= spec.get("minReadySeconds", 0):
        yield invalid_value("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")


def _strategy_faults(strategy: Object) -> Faults:
    where = "spec.strategy"
    rolling = strategy.get("rollingUpdate")
    if strategy["type"] == "Recreate":
        if rolling is not None:
            detail = "may not be specified when strategy `type` is 'Recreate'"
            yield forbidden_field(f"{where}.rollingUpdate", detail)
    elif strategy["type"] != "RollingUpdate":
        yield unsupported(where, strategy, ["Recreate", "RollingUpdate"])
    elif rolling is not None:
        unavailable, surge = rolling["maxUnavailable"], rolling["maxSurge"]
        yield from checks.number_or_percent(f"{where}.rollingUpdate.maxUnavailable", unavailable)
        yield from checks.number_or_percent(f"{where}.rollingUpdate.maxSurge", surge)
        if unavailable in (0, "0%") and surge in (0, "0%"):
            detail = "may not be 0 when `maxSurge` is 0"
            yield invalid_value(f"{where}.rollingUpdate.maxUnavailable", unavailable, detail)
        if isinstance(unavailable, str) and unavailable[:-1].isdigit() and int(unavailable[:-1]) > 100:
            yield invalid_value(f"{where}.rollingUpdate.maxUnavailable", unavailable, "must not be greater than 100%")


class ReplicaSetWays(_Workload):
    """ReplicaSets."""


class StatefulSetWays(_Workload):
    """StatefulSets, of whose spec little may change."""

    @override
    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        new, before = item["spec"], old["spec"]
        if all(new.get(key) == before.get(key) for key in (new.keys() | before.keys()) - set(_STATEFUL_SET_MUTABLE)):
            return []
        return [forbidden_field("spec", _STATEFUL_SET_RULE)]
