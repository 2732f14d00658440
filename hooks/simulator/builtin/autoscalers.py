"""HorizontalPodAutoscalers: their target, metrics and behaviour."""

from collections.abc import Sequence

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.quantities import nano_units
from hooks.simulator.builtin.ways import BuiltIn
from hooks.simulator.errors import FieldError, forbidden_field, invalid_value, required, unsupported

_SOURCES = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}
_TARGETS = ("Utilization", "Value", "AverageValue")
_LONGEST_WINDOW = 3600
_LONGEST_PERIOD = 1800


class AutoscalerWays(BuiltIn):
    """HorizontalPodAutoscalers."""

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        del known
        spec = item["spec"]
        return [
            *_replicas_faults(spec),
            *_target_faults(spec["scaleTargetRef"]),
            *(fault for index, metric in enumerate(spec["metrics"]) for fault in _metric_faults(metric, index)),
            *_behavior_faults(spec.get("behavior", {})),
        ]


def _replicas_faults(spec: Object) -> Faults:
    least, most = spec["minReplicas"], spec.setdefault("maxReplicas", 0)
    yield from checks.at_least("spec.minReplicas", least, 1)
    if least == 0 and not any(metric.get("type") in {"Object", "External"} for metric in spec["metrics"]):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        yield forbidden_field("spec.metrics", detail)
    if most == 0:
        yield required("spec.maxReplicas", "must be set and greater than 0")
    else:
        yield from checks.at_least("spec.maxReplicas", most, 1)
    if most < least:
        yield invalid_value("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`")


def _target_faults(target: Object) -> Faults:
    if not target.get("apiVersion", "").rpartition("/")[0]:
        detail = "apiVersion must specify API group"
        yield invalid_value("spec.scaleTargetRef.apiVersion", target.get("apiVersion", ""), detail)


def _metric_faults(metric: Object, index: int) -> Faults:
    where = f"spec.metrics[{index}]"
    kind = metric.get("type", "")
    if not kind:
        yield required(f"{where}.type", "must specify a metric source type")
    source = _SOURCES.get(kind)
    if source is None:
        yield unsupported(f"{where}.type", kind, _SOURCES)
    elif source not in metric:
        yield required(f"{where}.{source}", "must populate information for the given metric source")
        return
    for given in _SOURCES.values():
        if given in metric and source in (None, given):
            yield from _source_faults(metric[given], f"{where}.{given}", given)


def _source_faults(source: Object, where: str, kind: str) -> Faults:
    target = source["target"]
    if "metric" in source and not source["metric"].get("name"):
        yield required(f"{where}.metric.name", "must specify a metric name")
    yield from _value_faults(target, f"{where}.target")
    if kind in {"resource", "containerResource"}:
        if not source.get("name"):
            yield required(f"{where}.name", "must specify a resource name")
        utilization, value = target.get("averageUtilization"), target.get("averageValue")
        if utilization is None and value is None:
            detail = "must set either a target raw value or a target utilization"
            yield required(f"{where}.target.averageUtilization", detail)
        elif utilization is not None and value is not None:
            detail = "may not set both a target raw value and a target utilization"
            yield forbidden_field(f"{where}.target.averageValue", detail)
    elif kind == "pods" and "averageValue" not in target:
        yield required(f"{where}.target.averageValue", "must specify a positive target averageValue")


def _value_faults(target: Object, where: str) -> Faults:
    kind = target.get("type", "")
    if not kind:
        yield required(f"{where}.type", "must specify a metric target type")
    if kind not in _TARGETS:
        yield invalid_value(f"{where}.type", kind, "must be either Utilization, Value, or AverageValue")
    for key in ("value", "averageValue"):
        if key in target and nano_units(target[key]) <= 0:
            yield invalid_value(f"{where}.{key}", target[key], "must be positive")
    if "averageUtilization" in target and target["averageUtilization"] < 1:
        yield invalid_value(f"{where}.averageUtilization", target["averageUtilization"], "must be greater than 0")


def _behavior_faults(behavior: Object) -> Faults:
    for key, rules in behavior.items():
        where = f"spec.behavior.{key}"
        window = rules.get("stabilizationWindowSeconds")
        yield from checks.at_least(f"{where}.stabilizationWindowSeconds", window, 0)
        if window is not None and window > _LONGEST_WINDOW:
            detail = f"must be less than or equal to {_LONGEST_WINDOW}"
            yield invalid_value(f"{where}.stabilizationWindowSeconds", window, detail)
        yield from checks.one_of(f"{where}.selectPolicy", rules.get("selectPolicy"), ("Disabled", "Max", "Min"))
        if not rules.get("policies"):
            yield required(f"{where}.policies", "must specify at least one Policy")
        for index, policy in enumerate(rules.get("policies", ())):
            yield from _policy_faults(policy, f"{where}.policies[{index}]")


def _policy_faults(policy: Object, where: str) -> Faults:
    yield from checks.one_of(f"{where}.type", policy.get("type", ""), ("Percent", "Pods"))
    for key in ("value", "periodSeconds"):
        if policy.get(key, 0) <= 0:
            yield invalid_value(f"{where}.{key}", policy.get(key, 0), "must be greater than zero")
    if policy.get("periodSeconds", 0) > _LONGEST_PERIOD:
        detail = f"must be less than or equal to {_LONGEST_PERIOD}"
        yield invalid_value(f"{where}.periodSeconds", policy["periodSeconds"], detail)
