"""Dynamic apply: the three-way merge of an observed object, what was last applied to it, and what is desired.

Source: metacontroller's documentation, "Apply semantics"; merge keys and their order as in its version 4.17.
"""

from typing import Any

import orjson

from hooks.protocol import Object
from hooks.simulator.metacontroller.failures import SyncFailed
from hooks.simulator.metacontroller.plain import text
from hooks.simulator.objects import copied

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"
"""Annotation in which each object that dynamic apply made carries what was desired."""

_MERGE_KEYS = ("containerPort", "port", "mountPath", "name", "uid", "ip", "path")
"""Fields that make a list a map, the first that every item of all three versions has winning."""

_SYSTEM_FIELDS = (
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
)
"""Fields of metadata that the API server fills: always put back as observed."""


class MergeConflict(SyncFailed):
    """Two versions of an object have different shapes in one place, so they cannot be merged."""


def first_version(desired: Object) -> Object:
    """The object that is created for a desired one: it, and the annotation that says so."""
    return _annotated(copied(desired), text(desired))


def next_version(observed: Object, desired: Object) -> Object:
    """The object that a desired one makes out of the observed one.

    Raises:
        MergeConflict: an object meets a list or the like.
    """
    desired = _without_annotation(desired)
    merged = merge(observed, last_applied(observed), desired)
    metadata = merged["metadata"]
    for field in _SYSTEM_FIELDS:
        _put_back(metadata, observed["metadata"], field)
    _put_back(merged, observed, "status")
    return _annotated(merged, text(desired))


def last_applied(observed: Object) -> Object | None:
    """What was desired when the object was last applied; None where dynamic apply never touched it.

    Raises:
        MergeConflict: the annotation is there but is no JSON object.
    """
    annotation = (observed["metadata"].get("annotations") or {}).get(LAST_APPLIED)
    if not annotation:
        return None
    try:
        applied = orjson.loads(annotation)
    except orjson.JSONDecodeError as error:
        raise MergeConflict(f"annotation {LAST_APPLIED} is no JSON: {error}") from None
    if not isinstance(applied, dict):
        raise MergeConflict(f"annotation {LAST_APPLIED} is no object")
    return applied


def merge(observed: Object, applied: Object | None, desired: Object) -> Object:
    """Merge a desired object into an observed one; none of the three is changed.

    A field that was applied and is not desired any more goes; one that is desired is set; every other stays.

    Raises:
        MergeConflict: an object meets a list or the like.
    """
    return _merge_objects("", copied(observed), applied or {}, desired)


def _merge(path: str, observed: Any, applied: Any, desired: Any) -> Any:
    if isinstance(observed, dict):
        return _merge_objects(path, observed, _shaped(path, applied, dict), _shaped(path, desired, dict))
    if isinstance(observed, list):
        return _merge_lists(path, observed, _shaped(path, applied, list), _shaped(path, desired, list))
    return copied(desired)


def _shaped(path: str, value: Any, shape: type[Any]) -> Any:
    if value is None:
        return shape()
    if not isinstance(value, shape):
        wanted = "an object" if shape is dict else "a list"
        raise MergeConflict(f"{path}: is {wanted} in the cluster, cannot be merged with {value!r}")
    return value


def _merge_objects(path: str, observed: Object, applied: Object, desired: Object) -> Object:
    for key in applied:
        if key not in desired:
            observed.pop(key, None)
    for key, value in desired.items():
        observed[key] = _merge(f"{path}.{key}", observed.get(key), applied.get(key), value)
    return observed


def _merge_lists(path: str, observed: list[Any], applied: list[Any], desired: list[Any]) -> list[Any]:
    key = _merge_key(observed, applied, desired)
    if key is None:
        return [copied(item) for item in desired]
    order = dict.fromkeys([_name(item, key) for item in desired])
    # A key that stands twice in the observed list keeps both places, with the later item in each: entries are lost.
    places = [_name(item, key) for item in observed]
    merged = _merge_objects(path, _by_name(observed, key), _by_name(applied, key), _by_name(desired, key))
    kept = [merged[name] for name in places if name in merged]
    return kept + [merged[name] for name in order if name not in set(places)]


def _by_name(items: list[Any], key: str) -> Object:
    return {_name(item, key): item for item in items}


def _name(item: Object, key: str) -> str:
    value = item[key]
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "<nil>"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _merge_key(*lists: list[Any]) -> str | None:
    items = [item for items in lists for item in items]
    if not items or not all(isinstance(item, dict) for item in items):
        return None
    return next((key for key in _MERGE_KEYS if all(key in item for item in items)), None)


def _put_back(target: Object, source: Object, field: str) -> None:
    if field in source:
        target[field] = copied(source[field])
    else:
        target.pop(field, None)


def _without_annotation(desired: Object) -> Object:
    annotations = desired["metadata"].get("annotations")
    if not annotations or LAST_APPLIED not in annotations:
        return desired
    remaining = {key: value for key, value in annotations.items() if key != LAST_APPLIED}
    return desired | {"metadata": desired["metadata"] | {"annotations": remaining}}


def _annotated(item: Object, applied: str) -> Object:
    metadata = item["metadata"]
    metadata["annotations"] = (metadata.get("annotations") or {}) | {LAST_APPLIED: applied}
    return item
