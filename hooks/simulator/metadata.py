"""What the API server makes of `metadata`, the same for every kind.

Source: k8s.io/apimachinery `api/validation`, objectmeta.go.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hooks.protocol import Kind, Object
from hooks.simulator import naming
from hooks.simulator.errors import (
    FieldError,
    forbidden_field,
    invalid_value,
    required,
    too_long,
    unreadable,
)

ANNOTATIONS_LIMIT = 256 * 1024
"""Bytes of all keys and values of an object's annotations."""

_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("name", "generateName", "namespace", "uid", "resourceVersion", "selfLink"), "string"),
    **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), "string"),
    **dict.fromkeys(("generation", "deletionGracePeriodSeconds"), "int64"),
    **dict.fromkeys(("labels", "annotations"), "map[string]string"),
    "finalizers": "[]string",
    "ownerReferences": "[]v1.OwnerReference",
}
_OWNER_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("apiVersion", "kind", "name", "uid"), "string"),
    **dict.fromkeys(("controller", "blockOwnerDeletion"), "bool"),
}
_HOLDERS: Mapping[str, type] = {"string": str, "int64": int, "bool": bool}
_SYSTEM = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")
"""What only the server writes."""
_STANDARD_FINALIZERS = {"foregroundDeletion", "orphan", "kubernetes"}


class _Wrong(Exception):  # noqa: N818 - it describes the value
    """A value of another type than its field's."""


def read_metadata(kind: Kind, item: Object, prefix: str = "metadata.") -> list[str]:
    """Decode `metadata` in place: unknown fields, nulls and empty values go.

    Args:
        kind: the object's kind.
        item: the object.
        prefix: what stands before a field in messages: nothing for custom resources.

    Returns:
        Warnings, one for each field that nobody knows.

    Raises:
        ApiError: it has values of a wrong type.
    """
    given = item.get("metadata")
    read: Object = {}
    warnings: list[str] = []
    if given is None:
        given = {}
    if not isinstance(given, dict):
        struct = f"Go struct field {kind.kind}.metadata of type v1.ObjectMeta"
        raise unreadable(kind, f"json: cannot unmarshal {json_type(given)} into {struct}")
    for key, value in given.items():
        if key not in _TYPES:
            if key != "managedFields":
                warnings.append(f'unknown field "metadata.{key}"')
        elif value is not None:
            try:
                kept = _read(value, _TYPES[key], prefix + key, warnings)
            except _Wrong as wrong:
                raise unreadable(kind, str(wrong)) from None
            if kept:
                read[key] = kept
    item["metadata"] = read
    return warnings


def json_type(value: Any) -> str:
    """The JSON type of a value, as Go's messages call it."""
    names = {bool: "bool", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _read(value: Any, kind: str, key: str, warnings: list[str]) -> Any:
    if kind in _HOLDERS:
        _expect(value, _HOLDERS[kind], kind, key)
        return value
    if kind == "map[string]string":
        _expect(value, dict, kind, key)
        return {name: _string(entry, key) for name, entry in value.items()}
    _expect(value, list, kind, key)
    if kind == "[]string":
        return [_string(entry, key) for entry in value]
    return [_read_owner(entry, key, index, warnings) for index, entry in enumerate(value)]


def _expect(value: Any, wanted: type, kind: str, key: str, struct: str = "ObjectMeta") -> None:
    if type(value) is not wanted:
        raise _Wrong(f"json: cannot unmarshal {json_type(value)} into Go struct field {struct}.{key} of type {kind}")


def _string(entry: Any, key: str) -> str:
    if entry is None:
        return ""
    _expect(entry, str, "string", key)
    text: str = entry
    return text


def _read_owner(value: Any, where: str, index: int, warnings: list[str]) -> Object:
    _expect(value, dict, "v1.OwnerReference", where)
    read: Object = dict.fromkeys(("apiVersion", "kind", "name", "uid"), "")
    for key, entry in value.items():
        if key not in _OWNER_TYPES:
            warnings.append(f'unknown field "metadata.ownerReferences[{index}].{key}"')
        elif entry is not None:
            kind = _OWNER_TYPES[key]
            _expect(entry, _HOLDERS[kind], kind, f"{where}.{key}", "OwnerReference")
            read[key] = entry
    return read


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
    if "labels" in metadata:
        errors += label_faults("metadata.labels", metadata["labels"])
    if "annotations" in metadata:
        errors += annotation_faults("metadata.annotations", metadata["annotations"])
    if "ownerReferences" in metadata:
        errors += _owner_faults(metadata["ownerReferences"])
    if "finalizers" in metadata:
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
    where = "metadata.ownerReferences"
    errors = []
    for owner in owners:
        for key in ("apiVersion", "kind", "name", "uid"):
            if not owner[key]:
                subject = "version " if key == "apiVersion" else ""
                errors.append(invalid_value(f"{where}.{key}", "", f"{subject}must not be empty"))
    controllers = [f"{owner['kind']}/{owner['name']}" for owner in owners if owner.get("controller")]
    if len(controllers) > 1:
        detail = (
            'Only one reference can have Controller set to true. Found "true" in references for '
            f"{controllers[0]} and {controllers[1]}"
        )
        errors.append(invalid_value(where, owners, detail))
    return errors


def _finalizer_faults(metadata: Object, old: Object | None) -> list[FieldError]:
    where = "metadata.finalizers"
    errors = []
    finalizers = metadata["finalizers"]
    for index, finalizer in enumerate(finalizers):
        errors += [invalid_value(where, finalizer, fault) for fault in naming.qualified_name_faults(finalizer)]
        if "/" not in finalizer and finalizer not in _STANDARD_FINALIZERS:
            detail = "name is neither a standard finalizer name nor is it fully qualified"
            errors.append(invalid_value(f"{where}[{index}]", finalizer, detail))
    if old is not None and "deletionTimestamp" in metadata:
        new = sorted(set(finalizers) - set(old["metadata"].get("finalizers") or []))
        if new:
            listed = ", ".join(f'"{finalizer}"' for finalizer in new)
            detail = (
                "no new finalizers can be added if the object is being deleted, "
                f"found new finalizers []string{{{listed}}}"
            )
            errors.append(forbidden_field(where, detail))
    return errors
