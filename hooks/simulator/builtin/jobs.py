"""Jobs: the labels and the selector that the server gives them, and how little of them may change."""

from collections.abc import Sequence

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.pod_specs import share_names, template_faults
from hooks.simulator.builtin.ways import BuiltIn, immutable
from hooks.simulator.errors import FieldError, invalid_value, required
from hooks.simulator.resources import Lookup

_UID_LABEL = "batch.kubernetes.io/controller-uid"
_IMMUTABLE = ("completions", "selector", "template", "completionMode", "podFailurePolicy", "backoffLimitPerIndex")
_COUNTS = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
]


class JobWays(BuiltIn):
    """Jobs."""

    @override
    def complete(self, item: Object) -> None:
        template = item["spec"]["template"]
        share_names(template["spec"])
        labels = template["metadata"].get("labels")
        if labels and not item["metadata"].get("labels"):
            item["metadata"]["labels"] = labels  # one map for both, as there: what is added to one is in the other

    @override
    def prepare(self, item: Object, old: Object | None, store: Lookup) -> None:
        """A new Job's pods carry its uid and name, and it selects them by its uid."""
        del store
        spec, metadata = item["spec"], item["metadata"]
        if old is not None or spec.get("manualSelector"):
            return
        uid, name = metadata["uid"], metadata.get("name", "")
        labels = {_UID_LABEL: uid, "batch.kubernetes.io/job-name": name, "controller-uid": uid, "job-name": name}
        of_template = spec["template"]["metadata"].setdefault("labels", {})
        if not metadata.get("labels"):
            metadata["labels"] = of_template
        of_template.update(labels)
        spec.setdefault("selector", {}).setdefault("matchLabels", {})[_UID_LABEL] = uid

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        spec = item["spec"]
        found = [fault for key in _COUNTS for fault in checks.at_least(f"spec.{key}", spec.get(key), 0)]
        found += checks.one_of("spec.completionMode", spec["completionMode"], ("NonIndexed", "Indexed"))
        if spec["completionMode"] == "Indexed" and "completions" not in spec:
            found.append(required("spec.completions", "when completion mode is Indexed"))
        found += template_faults(spec["template"], "spec.template", known)
        found += _restart_faults(spec["template"]["spec"].get("restartPolicy"), "spec.template.spec.restartPolicy")
        found += _selector_faults(spec)
        return found

    @override
    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        new, before = item["spec"], old["spec"]
        return [immutable(f"spec.{key}", new.get(key)) for key in _IMMUTABLE if new.get(key) != before.get(key)]


def _restart_faults(policy: str | None, where: str) -> Faults:
    if policy in {None, "Always"}:
        yield required(where, 'valid values: "OnFailure", "Never"')
    else:
        yield from checks.one_of(where, policy, ("OnFailure", "Never"))


def _selector_faults(spec: Object) -> Faults:
    selector = spec.get("selector")
    if selector is None:
        yield required("spec.selector")
    elif not spec.get("manualSelector") and selector.get("matchLabels", {}).keys() - {_UID_LABEL, "controller-uid"}:
        yield invalid_value("spec.selector", selector, "`selector` not auto-generated")
