"""Our own output in the form in which the API server hands it back.

What it would rewrite costs a write on every sync (see "Apply semantics" in Metacontroller's documentation): nulls,
zeros of fields that Go leaves out, quantities in other spellings, defaults inside lists that are replaced whole. Fields
are told apart by name, and by the field around them where one name means two things. The facts come from the
types in k8s.io/api and from an API server (tests/recorded).
"""

import hashlib
from typing import Any, NamedTuple, TypeAlias

import orjson

from hooks.quantities import InvalidQuantity, canonical_quantity, is_quantity

Json = Any
_Trail: TypeAlias = "str | tuple[_Trail, str | int]"
"""Where something stands: a path, or a step from somewhere else; text is made of it only when somebody must read it."""

SIZE_LIMIT = 250_000
"""Bytes of an object's JSON and its annotations: Metacontroller keeps that JSON in one annotation more, and the API
server allows annotations of 262,144 bytes in all. The rest is room for what Metacontroller adds."""

_MERGE_KEYS = ("containerPort", "port", "mountPath", "name", "uid", "ip", "path")
"""What Metacontroller merges lists of objects by: the first that all items have."""

_ZERO_IS_ABSENT = frozenset(
    (  # noqa: SIM905 - as a list it would be a hundred lines
        # of pods
        "dnsPolicy hostIPC hostNetwork hostPID hostname nodeName priorityClassName restartPolicy schedulerName "
        "serviceAccount serviceAccountName subdomain level role type user effect key operator value name namespace "
        # of containers
        "image imagePullPolicy stdin stdinOnce terminationMessagePath terminationMessagePolicy tty workingDir "
        "readOnly subPath subPathExpr hostIP hostPort protocol prefix request apiVersion containerName "
        "failureThreshold initialDelaySeconds periodSeconds successThreshold timeoutSeconds host path scheme "
        # of volumes
        "audience certificateChainPath chapAuthDiscovery chapAuthSession credentialBundlePath datasetName datasetUUID "
        "directory fsType group iscsiInterface keyPath keyring keyType kind medium partition pool protectionDomain "
        "pullPolicy reference revision secretFile secretName signerName sslEnabled storageMode storagePolicyID "
        "storagePolicyName storagePool tenant volumeName volumeNamespace "
        # of everything else
        "apiGroup clusterIP concurrencyPolicy externalName externalTrafficPolicy healthCheckNodePort loadBalancerIP "
        "minReadySeconds nodePort number paused publishNotReadyAddresses sessionAffinity status targetPort"
    ).split()
)
"""Fields whose zero (`""`, 0, false) the API server drops: no pointers in Go, and `omitempty`."""

_ZERO_IS_A_VALUE = {
    "azureDisk": frozenset({"fsType", "kind", "readOnly"}),
    "clientIP": frozenset({"timeoutSeconds"}),
    "clusterTrustBundle": frozenset({"name", "signerName"}),
    "csi": frozenset({"fsType", "readOnly"}),
    "dataSource": frozenset({"apiGroup"}),
    "dataSourceRef": frozenset({"apiGroup", "namespace"}),
    "hostPath": frozenset({"type"}),
    "httpHeaders": frozenset({"value"}),
    "onExitCodes": frozenset({"containerName"}),
    "options": frozenset({"value"}),
    "sysctls": frozenset({"value"}),
}
"""Where a field of such a name keeps its zero after all: the field around it → the fields."""

_MAPS = frozenset({"annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector", "options"}) | {
    "stringData",
    "userAnnotations",
    "volumeAttributes",
}
"""Maps whose keys are the user's: empty strings are values, and the empty map is dropped."""

_AMOUNTS = frozenset({"limits", "overhead", "requests"})
"""Maps of quantities, which the API server rounds up to thousandths."""

_QUANTITIES = frozenset({"averageValue", "divisor", "sizeLimit", "tolerance"})
"""Fields that hold one quantity; `value` does so in a metric's `target`."""


class Repeated(NamedTuple):
    """A list that Metacontroller would merge by a key whose value stands there twice: an entry would be lost."""

    path: str
    key: str
    value: str | int


class Unreadable(NamedTuple):
    """A field that must hold a quantity, and the value there that is none."""

    path: str
    value: Json


def as_stored(item: dict[str, Json]) -> dict[str, Json]:
    """A fresh copy of an object of a built-in kind (or of a pod template) as the API server hands it back.

    Only fields that are set are in it, and few defaults: those whose absence would cause a write, inside lists that
    Metacontroller replaces whole, and those that would stand in the way of the next change. A volume without a source
    is an `emptyDir`, which would stay beside another source; an account has two names, and one would stay of the two.
    A quantity that cannot be read stays as it is (`unreadable_quantities` finds it). Custom resources are stored as
    they are: for those see `without_nulls`.
    """
    return _stored(item, "")


def without_nulls(value: Json) -> Json:
    """A deep copy without nulls, for custom resources."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_PASSTHROUGH_DATETIME)
    except TypeError:  # no JSON, as a date in YAML, or nested deeper than orjson goes
        return _without_nulls(value)
    return _without_nulls(value) if b"null" in text else orjson.loads(text)


def _without_nulls(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value if item is not None]
    return value


def repeated_keys(value: Json, path: str = "") -> list[Repeated]:
    """Every place where a list that is merged by a key has a value of that key twice, as Metacontroller compares them.

    Args:
        value: what is returned to Metacontroller, or a part of it.
        path: where that part stands, such as `spec.extraPodSpec`.
    """
    found: list[Repeated] = []
    if isinstance(value, dict | list) and _repeats_a_key(value):
        _collect_repeated(value, path, found)
    return found


def unreadable_quantities(value: dict[str, Json], path: str = "") -> list[Unreadable]:
    """Every quantity of a built-in object or pod spec that cannot be read; `path` as for `repeated_keys`."""
    found: list[Unreadable] = []
    _collect_unreadable(value, "", path, found)
    return found


def desired_hash(item: dict[str, Json]) -> str:
    """SHA-256 of an object's canonical JSON, in hex digits; the order of keys does not matter, that of lists does."""
    return hashlib.sha256(orjson.dumps(item, option=orjson.OPT_SORT_KEYS)).hexdigest()


def too_large(item: dict[str, Json]) -> int | None:
    """The size in bytes that counts against `SIZE_LIMIT`, where it is beyond."""
    text = orjson.dumps(item)
    # Go writes these three as six bytes each, and shell scripts are full of them.
    size = len(text) + 5 * sum(map(text.count, (b"<", b">", b"&")))
    for key, annotation in (item["metadata"].get("annotations") or {}).items():
        size += len(key.encode()) + len(annotation.encode())
    return size if size > SIZE_LIMIT else None


def _stored(mapping: dict[str, Json], parent: str) -> dict[str, Json]:
    stored: dict[str, Json] = {}
    for key, item in mapping.items():
        kind = type(item)
        if kind is dict:
            kept = _stored_mapping(item, key)
            if kept or not (key in _MAPS or key in _AMOUNTS):
                stored[key] = kept
        elif kind is list:
            if items := _stored_list(item, key):
                stored[key] = items
        elif item is None:
            continue
        elif key in _QUANTITIES or (key == "value" and parent == "target"):
            stored[key] = _quantity(item)
        elif item or key not in _ZERO_IS_ABSENT or key in _ZERO_IS_A_VALUE.get(parent, ()):
            stored[key] = _whole(item) if kind is float else item
    return stored


def _stored_mapping(mapping: dict[str, Json], key: str) -> dict[str, Json]:
    if key in _MAPS or (key == "selector" and not _is_label_selector(mapping)):
        return {
            name: item if type(item) is str else without_nulls(item)
            for name, item in mapping.items()
            if item is not None
        }
    if key in _AMOUNTS:
        return {name: _quantity(item, whole_thousandths=True) for name, item in mapping.items() if item is not None}
    stored = _stored(mapping, key)
    if key == "spec":
        _name_account_twice(stored)
    return stored


def _stored_list(items: list[Json], key: str) -> list[Json]:
    stored = [
        _stored(item, key) if type(item) is dict else _stored_entry(item, key) for item in items if item is not None
    ]
    if key == "sources":
        for source in stored:
            _fill_source(source)
    elif key == "volumes":
        for volume in stored:
            if isinstance(volume, dict) and volume.keys() == {"name"}:
                volume["emptyDir"] = {}
    return stored


def _stored_entry(item: Json, key: str) -> Json:
    return _stored_list(item, key) if type(item) is list else _whole(item)


def _name_account_twice(spec: dict[str, Json]) -> None:
    """A pod's account has an old name too, which the API server fills in and which would bring a removed one back."""
    if account := spec.get("serviceAccountName") or spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"] = account


def _fill_source(source: Json) -> None:
    """A projected volume's sources have no merge key, so what is left out there is written again on each sync."""
    for kind, projection in source.items() if isinstance(source, dict) else ():
        if not isinstance(projection, dict):
            continue
        if kind == "serviceAccountToken":
            projection.setdefault("expirationSeconds", 3600)
        elif kind == "podCertificate":
            projection.setdefault("maxExpirationSeconds", 86400)
        elif kind == "downwardAPI" and isinstance(files := projection.get("items"), list):
            for file in files:
                _fill_reference(file)


def _fill_reference(file: Json) -> None:
    for kind, reference in file.items() if isinstance(file, dict) else ():
        if kind == "fieldRef" and isinstance(reference, dict):
            reference.setdefault("apiVersion", "v1")
        elif kind == "resourceFieldRef" and isinstance(reference, dict):
            reference.setdefault("divisor", "0")


def _is_label_selector(mapping: dict[str, Json]) -> bool:
    """Whether it is `matchLabels` and `matchExpressions`, and not a Service's plain map."""
    return "matchLabels" in mapping or "matchExpressions" in mapping


def _quantity(value: Json, *, whole_thousandths: bool = False) -> Json:
    try:
        return canonical_quantity(value, whole_thousandths=whole_thousandths)
    except InvalidQuantity:
        return without_nulls(value)


def _whole(value: Json) -> Json:
    """YAML's `500.0` is 500 for Kubernetes. Beyond 2^53 a float is not exact any more and stays as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _repeats_a_key(value: Json) -> bool:
    """Whether `_collect_repeated` would find anything; most often not, and then no paths need be kept."""
    containers = [value]
    add = containers.append
    for container in containers:  # which grows meanwhile
        if type(container) is dict:
            for item in container.values():
                if type(item) is dict or type(item) is list:
                    add(item)
        else:
            if (
                len(container) > 1
                and (key := _merge_key(container))
                and len({str(i[key]) for i in container}) < len(container)
            ):
                return True
            for item in container:
                if type(item) is dict:
                    add(item)
    return False


def _collect_repeated(value: dict[str, Json] | list[Json], trail: _Trail, found: list[Repeated]) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, dict | list):
                _collect_repeated(item, (trail, key), found)
        return
    if len(value) > 1 and (merge_key := _merge_key(value)):
        seen = set()
        for item in value:
            if (text := str(item[merge_key])) in seen:
                found.append(Repeated(_text(trail), merge_key, item[merge_key]))
            seen.add(text)
    for index, item in enumerate(value):
        if isinstance(item, dict):
            _collect_repeated(item, (trail, index), found)


def _merge_key(items: list[Json]) -> str | None:
    first, *others = items
    for key in _MERGE_KEYS if isinstance(first, dict) else ():
        if key in first:
            for item in others:
                if not isinstance(item, dict) or key not in item:
                    break
            else:
                return key
    return None


def _collect_unreadable(mapping: dict[str, Json], parent: str, trail: _Trail, found: list[Unreadable]) -> None:
    for key, item in mapping.items():
        if isinstance(item, dict):
            if key not in _MAPS:
                _collect_unreadable(item, key, (trail, key), found)
        elif isinstance(item, list):
            for index, entry in enumerate(item):
                if isinstance(entry, dict):
                    _collect_unreadable(entry, key, ((trail, key), index), found)
        elif _is_quantity_field(key, parent) and item is not None and not is_quantity(item):
            found.append(Unreadable(_text((trail, key)), item))


def _is_quantity_field(key: str, parent: str) -> bool:
    return key in _QUANTITIES or parent in _AMOUNTS or (key == "value" and parent == "target")


def _text(trail: _Trail) -> str:
    parts: list[str] = []
    while not isinstance(trail, str):
        trail, step = trail
        parts.append(f"[{step}]" if isinstance(step, int) or "/" in step else f".{step}")
    return (trail + "".join(reversed(parts))).removeprefix(".")
