"""What the API server makes of `metadata`, the same for every kind.

Source: k8s.io/apimachinery `api/validation`, objectmeta.go.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hooks.protocol import Object
from hooks.simulator import naming
from hooks.simulator.errors import FieldError, bad_request, forbidden_field, invalid_value, required, too_long

ANNOTATIONS_LIMIT = 256 * 1024
"""Bytes of all keys and values of an object's annotations."""

_STRINGS = ("name", "generateName", "namespace", "uid", "resourceVersion", "selfLink")
_TIMES = ("creationTimestamp", "deletionTimestamp")
_NUMBERS = ("generation", "deletionGracePeriodSeconds")
_SYSTEM = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")
"""What only the server writes."""


def read_metadata(item: Object) -> list[str]:
    """Decode `metadata` in place: unknown fields, nulls and empty values go.

    Returns:
        Warnings, one for each field that nobody knows.

    Raises:
        ApiError: it has values of a wrong type.
    """
    given = item.get("metadata")
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise bad_request(f"{item.get('kind')}: metadata is no object")
    read: Object = {}
    warnings = []
    for key, value in given.items():
        if key == "managedFields":
            continue
        if key not in _READERS:
            warnings.append(f'unknown field "metadata.{key}"')
        elif value is not None and (kept := _READERS[key](f"metadata.{key}", value)):
            read[key] = kept
    item["metadata"] = read
    return warnings


def _typed(*types: type) -> Callable[[str, Any], Any]:
    def reader(where: str, value: Any) -> Any:
        if not isinstance(value, types) or isinstance(value, bool):
            raise bad_request(f"{where}: cannot unmarshal {orjson_type(value)} into it")
        return value

    return reader


def orjson_type(value: Any) -> str:
    """The JSON type of a value, as Go's messages call it."""
    names = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}
    return names.get(type(value), "null")


def _strings(where: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise bad_request(f"{where}: cannot unmarshal {orjson_type(value)} into a map of strings")
    for key, entry in value.items():
        if entry is not None and not isinstance(entry, str):
            raise bad_request(f"{where}: cannot unmarshal {orjson_type(entry)} into a string (key {key!r})")
    return {key: entry or "" for key, entry in value.items()}


def _list_of(reader: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    def read(where: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise bad_request(f"{where}: cannot unmarshal {orjson_type(value)} into a list")
        return [reader(f"{where}[{index}]", entry) for index, entry in enumerate(value)]

    return read


def _owner(where: str, value: Any) -> Object:
    if not isinstance(value, dict):
        raise bad_request(f"{where}: cannot unmarshal {orjson_type(value)} into an owner reference")
    kept: Object = {key: value.get(key) or "" for key in ("apiVersion", "kind", "name", "uid")}
    for key in ("controller", "blockOwnerDeletion"):
        if value.get(key) is not None:
            kept[key] = value[key]
    return kept


_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(_STRINGS + _TIMES, _typed(str)),
    **dict.fromkeys(_NUMBERS, _typed(int)),
    "labels": _strings,
    "annotations": _strings,
    "finalizers": _list_of(_typed(str)),
    "ownerReferences": _list_of(_owner),
}


def keep_system_fields(item: Object, old: Object) -> None:
    """Put the fields that only the server writes back as they are stored, in place."""
    metadata, stored = item["metadata"], old["metadata"]
    for key in (*_SYSTEM, "resourceVersion"):
        metadata.pop(key, None)
        if key in stored:
            metadata[key] = stored[key]
    if "generateName" in stored:
        metadata.setdefault("generateName", stored["generateName"])


def metadata_faults(item: Object, old: Object | None, name_faults: Callable[[str], list[str]]) -> list[FieldError]:
    """Everything wrong with an object's metadata on a create (`old` is None) or an update."""
    metadata = item["metadata"]
    errors: list[FieldError] = []
    name = metadata.get("name", "")
    if not name:
        errors.append(required("metadata.name", "name or generateName is required"))
    elif old is None:
        errors += [invalid_value("metadata.name", name, fault) for fault in name_faults(name)]
    errors += label_faults("metadata.labels", metadata.get("labels") or {})
    errors += annotation_faults("metadata.annotations", metadata.get("annotations") or {})
    errors += _owner_faults(metadata.get("ownerReferences") or [])
    errors += _finalizer_faults(metadata, old)
    return errors


def label_faults(where: str, labels: Mapping[str, str]) -> list[FieldError]:
    """What is wrong with a map of labels, anywhere in an object."""
    errors = []
    for key, value in labels.items():
        errors += [invalid_value(where, key, fault) for fault in naming.qualified_name_faults(key)]
        errors += [invalid_value(where, value, fault) for fault in naming.label_value_faults(value)]
    return errors


def annotation_faults(where: str, annotations: Mapping[str, str]) -> list[FieldError]:
    """What is wrong with a map of annotations: their keys, and their size in all."""
    errors = []
    for key in annotations:
        errors += [invalid_value(where, key, fault) for fault in naming.qualified_name_faults(key.lower())]
    total = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
    if total > ANNOTATIONS_LIMIT:
        errors.append(too_long(where, ANNOTATIONS_LIMIT))
    return errors


def _owner_faults(owners: list[Object]) -> list[FieldError]:
    errors = []
    for index, owner in enumerate(owners):
        where = f"metadata.ownerReferences[{index}]"
        missing = [key for key in ("apiVersion", "kind", "name", "uid") if not owner[key]]
        errors += [invalid_value(f"{where}.{key}", "", "must not be empty") for key in missing]
    controllers = [owner["name"] for owner in owners if owner.get("controller")]
    if len(controllers) > 1:
        detail = (
            'Only one reference can have Controller set to true. Found "true" in references for '
            f"{controllers[0]} and {controllers[1]}"
        )
        errors.append(invalid_value("metadata.ownerReferences", owners, detail))
    return errors


def _finalizer_faults(metadata: Object, old: Object | None) -> list[FieldError]:
    errors = []
    finalizers = metadata.get("finalizers") or []
    for index, finalizer in enumerate(finalizers):
        where = f"metadata.finalizers[{index}]"
        errors += [invalid_value(where, finalizer, fault) for fault in naming.qualified_name_faults(finalizer)]
    if old is not None and "deletionTimestamp" in metadata:
        new = sorted(set(finalizers) - set(old["metadata"].get("finalizers") or []))
        if new:
            listed = ", ".join(f'"{finalizer}"' for finalizer in new)
            detail = (
                "no new finalizers can be added if the object is being deleted, "
                f"found new finalizers []string{{{listed}}}"
            )
            errors.append(forbidden_field("metadata.finalizers", detail))
    return errors
