"""Label selectors: `matchLabels` and `matchExpressions`."""

from collections.abc import Callable, Mapping
from typing import Any

from hooks.protocol import Object
from hooks.simulator.errors import bad_request

_OPERATORS: Mapping[str, Callable[[str | None, list[str]], bool]] = {
    "In": lambda value, values: value is not None and value in values,
    "NotIn": lambda value, values: value is None or value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
}


def matches(selector: Mapping[str, Any] | None, item: Object) -> bool:
    """Whether an object's labels satisfy the selector; an empty one (or None) selects everything.

    Raises:
        ApiError: the selector has an operator that does not exist.
    """
    if not selector:
        return True
    labels = item["metadata"].get("labels") or {}
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    return all(_satisfied(expression, labels) for expression in selector.get("matchExpressions") or [])


def _satisfied(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    operator = _OPERATORS.get(expression["operator"])
    if operator is None:
        raise bad_request(f'"{expression["operator"]}" is not a valid label selector operator')
    return operator(labels.get(expression["key"]), expression.get("values") or [])
