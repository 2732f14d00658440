"""How the API server treats custom resources: pruned, defaulted, validated, and held to their rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator.custom.rules import ABSENT
from hooks.simulator.custom.scale import Scale
from hooks.simulator.custom.structure import Node
from hooks.simulator.custom.validation import NOWHERE, schema_faults, validator
from hooks.simulator.errors import FieldError, duplicate, invalid_value
from hooks.simulator.resources import Reading, Ways

_BLOCKING = {"Unsupported value", "Required value", "Too long", "Too many"}
UNCHECKED = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)
"""What is said in place of the rules' faults where other faults keep them from being looked at."""
Path = tuple[str | int, ...]


class CustomWays(Ways):
    """The ways of one version of a CustomResourceDefinition."""

    metadata_prefix = ""

    def __init__(self, schema: Mapping[str, Any], scale: Mapping[str, str] | None = None) -> None:
        self._root = Node(schema)
        self._scale = Scale(scale or {})
        self._judge = validator(schema)
        status = schema.get("properties", {}).get("status")
        self._status_judge = validator(status) if status is not None else None

    @override
    def read(self, item: Object) -> Reading:
        warnings: list[str] = []
        own = {key: item[key] for key in ("apiVersion", "kind", "metadata")}
        rest = {key: value for key, value in item.items() if key not in own}
        return Reading({**own, **self._root.read(rest, "", warnings)}, sorted(warnings))

    @override
    def faults(self, item: Object, old: Object | None, known: Sequence[FieldError]) -> Sequence[FieldError]:
        before = ABSENT if old is None else old
        judged = schema_faults(self._judge, item)
        counted = [*self._scale.spec_faults(item), *self._scale.status_faults(item)]
        return [*known, *self._all(judged, counted, item, before, blocked=any(map(_blocks, known)))]

    @override
    def status_faults(self, item: Object, old: Object) -> Sequence[FieldError]:
        if self._status_judge is None or "status" not in item:
            return ()
        judged = [
            (("status", *path), fault) for path, fault in schema_faults(self._status_judge, item["status"], "status")
        ]
        return self._all(judged, list(self._scale.status_faults(item)), item, old, blocked=False)

    def _all(
        self, judged: list[tuple[Path, FieldError]], counted: list[FieldError], item: Object, old: Any, *, blocked: bool
    ) -> Sequence[FieldError]:
        """The faults that an update did not find there already, and, where nothing keeps from it, those of rules."""
        faults = [fault for path, fault in judged if old is ABSENT or not _unchanged(self._root, item, old, path)]
        faults += counted
        faults += _walk(self._root, item, old, "", _duplicates)
        if blocked or any(map(_blocks, faults)):
            return [*faults, invalid_value(NOWHERE, None, UNCHECKED)]
        return [*faults, *_walk(self._root, item, old, "", _broken_rules)]


def _blocks(fault: FieldError) -> bool:
    return fault.problem in _BLOCKING or " in body must be of type " in fault.detail


def _broken_rules(node: Node, value: Any, old: Any, where: str) -> Iterator[FieldError]:
    """What a node's rules find; a value that an update left alone may go on breaking them."""
    if value is None or value == old:
        return
    for rule in node.rules:
        fault = rule.fault(value, old, where)
        if fault is not None:
            yield fault


def _duplicates(node: Node, value: Any, old: Any, where: str) -> Iterator[FieldError]:
    """Entries of a set or a map-like list that are there twice."""
    if node.list_type not in {"set", "map"} or not isinstance(value, list) or value == old:
        return
    seen = set()
    for index, entry in enumerate(value):
        key = _key(node, entry)
        if node.list_type == "map" and not isinstance(entry, dict):
            yield invalid_value(f"{where}[{index}]", entry, "must be an object for an array of list-type map")
        elif key in seen:
            shown = {name: entry[name] for name in node.list_keys if name in entry} if node.list_keys else entry
            yield duplicate(f"{where}[{index}]", shown)
        seen.add(key)


def _key(node: Node, entry: Any) -> bytes:
    """What tells an entry of a list from the others."""
    if node.list_type == "map" and isinstance(entry, dict):
        entry = [entry.get(name) for name in node.list_keys]
    return orjson.dumps(entry, option=orjson.OPT_SORT_KEYS)


def _walk(node: Node, value: Any, old: Any, where: str, check: Any) -> Iterator[FieldError]:
    """Have `check` look at every node that has something to check, with its old value if it can be told."""
    if not node.watched:
        return
    yield from check(node, value, old, where)
    if isinstance(value, dict):
        before = old if isinstance(old, dict) else {}
        for key, entry in value.items():
            child = node.child(key)
            if child is not None and child.watched:
                place = f"{where}.{key}" if where else key
                if key not in node.properties:
                    place = f"{where}[{key}]"  # as rules have it; the validation by schema writes a point
                yield from _walk(child, entry, before.get(key, ABSENT), place, check)
    elif isinstance(value, list) and node.items is not None and node.items.watched:
        known = _by_key(node, old)
        for index, entry in enumerate(value):
            yield from _walk(node.items, entry, known.get(_key(node, entry), ABSENT), f"{where}[{index}]", check)


def _by_key(node: Node, old: Any) -> dict[bytes, Any]:
    """The old entries of a map-like list by their key; those of other lists cannot be told apart."""
    if node.list_type != "map" or not isinstance(old, list):
        return {}
    return {_key(node, entry): entry for entry in old}


def _unchanged(node: Node | None, value: Any, old: Any, path: Path) -> bool:
    """Whether the update left alone what lies at the path: faults that were there before do not refuse it."""
    for part in path:
        if node is None:
            return False
        if isinstance(part, int):
            known = _by_key(node, old)
            entry = value[part]
            found = known.get(_key(node, entry), ABSENT)
            if found is ABSENT:
                return isinstance(old, list) and bool(value == old)
            node, value, old = node.items, entry, found
        else:
            if not isinstance(old, dict) or part not in old:
                return False
            node, value, old = node.child(str(part)), value[part], old[part]
    return bool(value == old)
