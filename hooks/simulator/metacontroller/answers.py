"""Reading a hook's answer as Metacontroller does: strictly, where the hook has version `v2`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from hooks.protocol import Object
from hooks.simulator.metacontroller.failures import SyncFailed

_COMPOSITE = {"status": dict, "children": list, "resyncAfterSeconds": float, "finalized": bool}
_DECORATOR = {
    "labels": dict,
    "annotations": dict,
    "status": dict,
    "attachments": list,
    "resyncAfterSeconds": float,
    "finalized": bool,
}
_CUSTOMIZE = {"relatedResources": list}
_RULE = {
    "apiVersion": str,
    "resource": str,
    "labelSelector": dict,
    "namespaceSelector": dict,
    "namespace": str,
    "names": list,
}


class UnreadableAnswer(SyncFailed):
    """The answer is no JSON, has a wrong type, or has a field that is unknown or stands twice."""


@dataclass(frozen=True)
class Answer:
    """What a sync or finalize hook answered. `status` is None where it was left out or null."""

    children: list[Object]
    status: Object | None = None
    resync_after_seconds: float = 0
    finalized: bool = False
    labels: dict[str, str | None] = field(default_factory=dict)
    annotations: dict[str, str | None] = field(default_factory=dict)


class _Repeated(dict[str, Any]):
    """An object in which a field stands twice."""

    field = ""


def read_composite(body: bytes, *, strict: bool) -> Answer:
    """Read the answer of a CompositeController's sync or finalize hook.

    Raises:
        UnreadableAnswer: see there.
    """
    answer = _fields(_json(body), _COMPOSITE, "the answer", strict=strict)
    return Answer(
        children=[_child(item, f"children[{i}]") for i, item in enumerate(answer.get("children") or [])],
        status=answer.get("status"),
        resync_after_seconds=answer.get("resyncAfterSeconds") or 0,
        finalized=answer.get("finalized") or False,
    )


def read_decorator(body: bytes, *, strict: bool) -> Answer:
    """Read the answer of a DecoratorController's sync or finalize hook; raises as `read_composite` does."""
    answer = _fields(_json(body), _DECORATOR, "the answer", strict=strict)
    return Answer(
        children=[_child(item, f"attachments[{i}]") for i, item in enumerate(answer.get("attachments") or [])],
        status=answer.get("status"),
        resync_after_seconds=answer.get("resyncAfterSeconds") or 0,
        finalized=answer.get("finalized") or False,
        labels=answer.get("labels") or {},
        annotations=answer.get("annotations") or {},
    )


def read_customize(body: bytes, *, strict: bool) -> list[Object]:
    """Read the rules in the answer of a customize hook; raises as `read_composite` does."""
    answer = _fields(_json(body), _CUSTOMIZE, "the answer", strict=strict)
    rules = answer.get("relatedResources") or []
    return [_fields(rule, _RULE, f"relatedResources[{i}]", strict=strict) for i, rule in enumerate(rules)]


def _json(body: bytes) -> Any:
    try:
        return json.loads(body, object_pairs_hook=_object, parse_constant=_no_constant)
    except ValueError as error:
        raise UnreadableAnswer(f"is no JSON: {error}") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _object(pairs: list[tuple[str, Any]]) -> Object:
    item = dict(pairs)
    if len(item) == len(pairs):
        return item
    repeated = _Repeated(item)
    names = [name for name, _ in pairs]
    repeated.field = next(name for name in names if names.count(name) > 1)
    return repeated


def _fields(answer: Any, known: Mapping[str, type], where: str, *, strict: bool) -> Object:
    if not isinstance(answer, dict):
        raise UnreadableAnswer(f"{where} is no object")
    unknown = sorted(answer.keys() - known.keys())
    if strict and isinstance(answer, _Repeated):
        raise UnreadableAnswer(f"{where} has the field {answer.field!r} twice")
    if strict and unknown:
        raise UnreadableAnswer(f"{where} has the unknown field {unknown[0]!r}")
    for name, kind in known.items():
        value = answer.get(name)
        if value is not None and not _is(value, kind):
            raise UnreadableAnswer(f"{where}: {name} has the wrong type, {value!r}")
        if strict and isinstance(value, dict):
            _check_once(value, f"{where}: {name}")
    return answer


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind)


def _check_once(value: Any, where: str) -> None:
    """Fail where a field stands twice, at any depth; inside children Metacontroller does not look."""
    if isinstance(value, _Repeated):
        raise UnreadableAnswer(f"{where} has the field {value.field!r} twice")
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in items:
        _check_once(item, where)


def _child(item: Any, where: str) -> Object:
    if not isinstance(item, dict) or not item.get("kind") or not isinstance(item.get("metadata"), dict):
        raise UnreadableAnswer(f"{where} is no object of a kind with metadata")
    labels = item["metadata"].get("labels") or {}
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        raise UnreadableAnswer(f"{where} has labels that are no strings")
    return item
