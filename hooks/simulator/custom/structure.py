"""The structure of custom resources: which fields there are, their defaults, and what becomes of nulls and the rest.

Source: Kubernetes, "Extend the Kubernetes API with CustomResourceDefinitions" (pruning, defaulting, nullable).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from hooks.protocol import Object
from hooks.simulator.builtin.quantities import canonical
from hooks.simulator.custom.rules import Rule, compiled_rules
from hooks.simulator.objects import copied

_EMBEDDED_METADATA = frozenset(
    [
        "name",
        "generateName",
        "namespace",
        "labels",
        "annotations",
        "finalizers",
        "ownerReferences",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
        "managedFields",
    ]
)


class Node:
    """One node of a structural schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema
        self.properties = {key: Node(value) for key, value in schema.get("properties", {}).items()}
        additional, items = schema.get("additionalProperties"), schema.get("items")
        self.additional = Node(additional) if isinstance(additional, Mapping) else None
        self.items = Node(items) if items is not None else None
        self.open = bool(schema.get("x-kubernetes-preserve-unknown-fields")) or additional is True
        self.embedded = bool(schema.get("x-kubernetes-embedded-resource"))
        self.nullable = bool(schema.get("nullable"))
        self.quantity = bool(schema.get("x-quantity"))
        self.list_type: str = schema.get("x-kubernetes-list-type", "atomic")
        self.list_keys: list[str] = schema.get("x-kubernetes-list-map-keys", [])
        self._defaults = {
            key: child.schema["default"] for key, child in self.properties.items() if "default" in child.schema
        }

    @cached_property
    def rules(self) -> list[Rule]:
        """The CEL rules of this node, compiled."""
        return compiled_rules(self.schema.get("x-kubernetes-validations", ()))

    @cached_property
    def watched(self) -> bool:
        """Whether this node, or one below, has rules or lists whose entries are told apart by a key."""
        children = [*self.properties.values(), self.additional, self.items]
        own = bool(self.schema.get("x-kubernetes-validations")) or self.list_type in {"set", "map"}
        return own or any(child.watched for child in children if child is not None)

    def child(self, key: str) -> "Node | None":
        """The node of a property, None where the schema knows none."""
        return self.properties.get(key) or self.additional

    def read(self, value: Any, where: str, warnings: list[str]) -> Any:
        """The value without what the schema does not know and without nulls, and with its defaults.

        What has another type than the schema wants stays as it is, for the validation to refuse.
        """
        if type(value) is dict:
            return self._read_object(value, where, warnings)
        if type(value) is list and self.items is not None:
            items = self.items
            return [items.read(entry, f"{where}[{index}]", warnings) for index, entry in enumerate(value)]
        if self.quantity:
            return _canonical(value)
        return whole(value) if type(value) in (float, list) else value

    def _read_object(self, value: Object, where: str, warnings: list[str]) -> Object:
        read: Object = {}
        for key, given in value.items():
            child = self.child(key)
            if child is None:
                if self.open:
                    read[key] = whole(given)
                elif not (self.embedded and key in {"apiVersion", "kind", "metadata"}):
                    warnings.append(f'unknown field "{_joined(where, key)}"')
                    continue
                if self.embedded and key == "metadata":
                    read[key] = _embedded_metadata(given, _joined(where, key), warnings)
                else:
                    read[key] = whole(given)
            elif given is not None or child.nullable:
                read[key] = child.read(given, _joined(where, key), warnings)
        for key, default in self._defaults.items():
            if key not in read:
                read[key] = self.properties[key].read(copied(default), key, [])
        return read


def _canonical(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return value
    try:
        return canonical(value)
    except ValueError:
        return value


def _joined(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def whole(value: Any) -> Any:
    """The value as JSON has it once it went through the server: `2.0` is `2` afterwards."""
    if type(value) is float and value.is_integer() and abs(value) < 2**63:  # beyond, it stays a float
        return int(value)
    if type(value) is list:
        return [whole(entry) for entry in value]
    if type(value) is dict:
        return {key: whole(entry) for key, entry in value.items()}
    return value


def _embedded_metadata(value: Any, where: str, warnings: list[str]) -> Any:
    if type(value) is not dict:
        return value
    warnings += [f'unknown field "{where}.{key}"' for key in value if key not in _EMBEDDED_METADATA]
    return {key: entry for key, entry in value.items() if key in _EMBEDDED_METADATA and entry is not None}
