"""ConfigMaps and Secrets: their keys, their size, and those that never change."""

import base64
import json
from collections.abc import Mapping, Sequence

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.ways import BuiltIn, immutable
from hooks.simulator.errors import FieldError, forbidden_field, invalid_value, required, too_long

_LARGEST = 1024 * 1024
"""Bytes of all values."""
_NEEDED: Mapping[str, Sequence[str]] = {
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}
"""Type of Secret → the keys it must have."""
_JSON_TYPES: Mapping[type, str] = {list: "array", str: "string", bool: "bool", int: "number", float: "number"}
"""What Go calls the types of JSON that are no object; null is read as an empty one."""


def _frozen(item: Object, old: Object, fields: Sequence[str]) -> list[FieldError]:
    if not old.get("immutable"):
        return []
    changed = [] if item.get("immutable") else ["immutable"]
    changed += [field for field in fields if item.get(field, {}) != old.get(field, {})]
    return [forbidden_field(field, "field is immutable when `immutable` is set") for field in changed]


class ConfigMapWays(BuiltIn):
    """ConfigMaps."""

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        del known
        data, binary = item.get("data", {}), item.get("binaryData", {})
        found = [fault for key in data for fault in checks.config_key(f"data[{key}]", key)]
        found += [
            invalid_value(f"data[{key}]", key, "duplicate of key present in binaryData")
            for key in data
            if key in binary
        ]
        found += [fault for key in binary for fault in checks.config_key(f"binaryData[{key}]", key)]
        size = sum(len(text.encode()) for text in data.values()) + sum(map(_decoded_size, binary.values()))
        return [*found, too_long("[]", _LARGEST)] if size > _LARGEST else found

    @override
    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        return _frozen(item, old, ("data", "binaryData"))


class SecretWays(BuiltIn):
    """Secrets, whose `stringData` becomes `data`."""

    @override
    def complete(self, item: Object) -> None:
        for key, text in item.pop("stringData", {}).items():
            item.setdefault("data", {})[key] = base64.b64encode(text.encode()).decode()

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        del known
        data = item.get("data", {})
        found = [fault for key in data for fault in checks.config_key(f"data[{key}]", key)]
        if sum(map(_decoded_size, data.values())) > _LARGEST:
            found.append(too_long("data", _LARGEST))
        for key in _NEEDED.get(item["type"], ()):
            if key not in data:
                found.append(required(f"data[{key}]"))
            elif key.startswith(".docker"):
                found += _json_faults(data[key], f"data[{key}]")
        return found

    @override
    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        found = [] if item["type"] == old["type"] else [immutable("type", item["type"])]
        return [*found, *_frozen(item, old, ("data",))]


def _decoded_size(encoded: str) -> int:
    return len(encoded) * 3 // 4 - encoded.count("=")


def _json_faults(encoded: str, where: str) -> list[FieldError]:
    text = base64.b64decode(encoded).decode(errors="replace")
    try:
        found = _JSON_TYPES.get(type(json.loads(text)))
    except ValueError:
        detail = f"invalid character '{text[:1]}' looking for beginning of value"
        detail = detail if text else "unexpected end of JSON input"
    else:
        if found is None:
            return []
        detail = f"json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
    return [invalid_value(where, "<secret contents redacted>", detail)]
