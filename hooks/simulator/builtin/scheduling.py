"""What the API server says of where a pod may run."""

from hooks.protocol import Object
from hooks.simulator import naming
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.errors import duplicate, invalid_value, required
from hooks.simulator.metadata import label_faults

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NODE_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def scheduling_faults(pod: Object, where: str) -> Faults:
    """Node selector, tolerations, affinity and spread of a pod spec."""
    yield from label_faults(f"{where}.nodeSelector", pod.get("nodeSelector", {}))
    for index, toleration in enumerate(pod.get("tolerations", ())):
        yield from _toleration_faults(toleration, f"{where}.tolerations[{index}]")
    yield from _spread_faults(pod, f"{where}.topologySpreadConstraints")
    affinity, place = pod.get("affinity", {}), f"{where}.affinity"
    if "nodeAffinity" in affinity:
        yield from _node_affinity_faults(affinity["nodeAffinity"], f"{place}.nodeAffinity")
    for key in ("podAffinity", "podAntiAffinity"):
        for index, term in enumerate(affinity.get(key, {}).get(_REQUIRED, ())):
            yield from _pod_term_faults(term, f"{place}.{key}.{_REQUIRED}[{index}]")
        for index, weighted in enumerate(affinity.get(key, {}).get(_PREFERRED, ())):
            here = f"{place}.{key}.{_PREFERRED}[{index}]"
            yield from _weight_faults(weighted, here)
            yield from _pod_term_faults(weighted["podAffinityTerm"], f"{here}.podAffinityTerm")


def _toleration_faults(toleration: Object, where: str) -> Faults:
    key, operator = toleration.get("key", ""), toleration.get("operator", "")
    for fault in naming.qualified_name_faults(key) if key else ():
        yield invalid_value(f"{where}.key", key, fault)
    if not key and operator != "Exists":
        detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        yield invalid_value(f"{where}.operator", operator, detail)
    if "tolerationSeconds" in toleration and toleration.get("effect") != "NoExecute":
        detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        yield invalid_value(f"{where}.effect", toleration.get("effect", ""), detail)
    if operator == "Exists" and toleration.get("value"):
        detail = "value must be empty when `operator` is 'Exists'"
        yield invalid_value(f"{where}.operator", toleration["value"], detail)
    elif operator in {"", "Equal"}:
        for fault in naming.label_value_faults(toleration.get("value", "")):
            yield invalid_value(f"{where}.operator", toleration["value"], fault)
    else:
        yield from checks.one_of(f"{where}.operator", operator, ("Equal", "Exists"))
    yield from checks.one_of(f"{where}.effect", toleration.get("effect"), _EFFECTS)


def _spread_faults(pod: Object, where: str) -> Faults:
    seen: set[tuple[str, str]] = set()
    for index, constraint in enumerate(pod.get("topologySpreadConstraints", ())):
        place = f"{where}[{index}]"
        if constraint.get("maxSkew", 0) <= 0:
            yield invalid_value(f"{place}.maxSkew", constraint.get("maxSkew", 0), "must be greater than zero")
        key, action = constraint.get("topologyKey", ""), constraint.get("whenUnsatisfiable", "")
        yield from checks.one_of(f"{place}.whenUnsatisfiable", action, ("DoNotSchedule", "ScheduleAnyway"))
        if (key, action) in seen:
            yield duplicate(f"{place}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}")
        seen.add((key, action))
        yield from checks.label_selector(f"{place}.labelSelector", constraint.get("labelSelector", {}))


def _node_affinity_faults(affinity: Object, where: str) -> Faults:
    if _REQUIRED in affinity:
        terms, place = affinity[_REQUIRED].get("nodeSelectorTerms") or (), f"{where}.{_REQUIRED}.nodeSelectorTerms"
        if not terms:
            yield required(place, "must have at least one node selector term")
        for index, term in enumerate(terms):
            yield from _node_term_faults(term, f"{place}[{index}]")
    for index, weighted in enumerate(affinity.get(_PREFERRED, ())):
        place = f"{where}.{_PREFERRED}[{index}]"
        yield from _weight_faults(weighted, place)
        yield from _node_term_faults(weighted["preference"], f"{place}.preference")


def _weight_faults(weighted: Object, where: str) -> Faults:
    weight = weighted.get("weight", 0)
    if not 1 <= weight <= 100:
        yield invalid_value(f"{where}.weight", weight, "must be in the range 1-100")


def _node_term_faults(term: Object, where: str) -> Faults:
    for index, expression in enumerate(term.get("matchExpressions", ())):
        place = f"{where}.matchExpressions[{index}]"
        operator, values = expression.get("operator", ""), expression.get("values", ())
        if operator in {"In", "NotIn"} and not values:
            yield required(f"{place}.values", "must be specified when `operator` is 'In' or 'NotIn'")
        elif operator in {"Exists", "DoesNotExist"} and values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield invalid_value(f"{place}.values", values, detail)
        elif operator in {"Gt", "Lt"} and len(values) != 1:
            yield required(f"{place}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
        elif operator not in _NODE_OPERATORS:
            yield invalid_value(f"{place}.operator", operator, "not a valid selector operator")
        for number, value in enumerate(values):
            for fault in naming.label_value_faults(value):
                yield invalid_value(f"{place}.values[{number}]", value, fault)
        for fault in naming.qualified_name_faults(expression.get("key", "")):
            yield invalid_value(f"{place}.key", expression.get("key", ""), fault)


def _pod_term_faults(term: Object, where: str) -> Faults:
    yield from checks.label_selector(f"{where}.labelSelector", term.get("labelSelector", {}))
    yield from checks.label_selector(f"{where}.namespaceSelector", term.get("namespaceSelector", {}))
    key = term.get("topologyKey", "")
    if not key:
        yield required(f"{where}.topologyKey", "can not be empty")
    for fault in naming.qualified_name_faults(key):
        yield invalid_value(f"{where}.topologyKey", key, fault)
