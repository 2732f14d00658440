"""What the scale subresource demands of a custom resource, whatever its schema says.

Source: k8s.io/apiextensions-apiserver, `pkg/registry/customresource/validator.go`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from hooks.protocol import Object
from hooks.simulator.errors import FieldError, invalid_value

_LARGEST = 2**31 - 1
_TYPES: Mapping[type, str] = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}
"""What Go calls the types of JSON."""


class Scale:
    """The paths of a scale subresource; none where there is none."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._spec_replicas = paths.get("specReplicasPath", "")
        self._status_replicas = paths.get("statusReplicasPath", "")
        self._selector = paths.get("labelSelectorPath", "")

    def spec_faults(self, item: Object) -> Iterator[FieldError]:
        """What is wrong with the wanted replicas."""
        yield from _replica_faults(item, self._spec_replicas)

    def status_faults(self, item: Object) -> Iterator[FieldError]:
        """What is wrong with the replicas that there are, and with what selects their pods."""
        yield from _replica_faults(item, self._status_replicas)
        if self._selector:
            value, problem = _found(item, self._selector, str)
            if problem:
                yield invalid_value(self._selector, value, problem)


def _replica_faults(item: Object, path: str) -> Iterator[FieldError]:
    value, problem = _found(item, path, int) if path else (0, "")
    if problem:
        yield invalid_value(path, value, problem)
    elif value < 0:
        yield invalid_value(path, value, "should be a non-negative integer")
    elif value > _LARGEST:
        yield invalid_value(path, value, f"should be less than or equal to {_LARGEST}")


def _found(item: Object, path: str, wanted: type) -> tuple[Any, str]:
    """What lies at the path, and what is wrong with it; the type's zero where there is nothing."""
    value: Any = item
    for key in path.removeprefix(".").split("."):
        if not isinstance(value, dict):
            return wanted(), _of_another_type(path, value, dict)
        if key not in value:
            return wanted(), ""
        value = value[key]
    return (value, "") if type(value) is wanted else (wanted(), _of_another_type(path, value, wanted))


def _of_another_type(path: str, value: Any, wanted: type) -> str:
    found = _TYPES.get(type(value), "<nil>")
    return (
        f"{path} accessor error: {_printed(value)} is of the type {found}, expected {_TYPES[wanted].replace(' ', '')}"
    )


def _printed(value: Any) -> str:
    """A value as Go prints it."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{_printed(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(_printed, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return "<nil>" if value is None else str(value)
