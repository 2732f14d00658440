"""A cluster's objects without what differs from run to run, so that two runs can be compared."""

import re
from typing import Any

from hooks.protocol import Object, name_of
from hooks.simulator.store import Store

_SERVER_FIELDS = frozenset(
    {"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "generation", "managedFields"}
)
_TIMES = frozenset(
    {"lastTransitionTime", "lastUpdateTime", "lastProbeTime", "startTime", "startedAt", "finishedAt", "completionTime"}
)
_UID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UID_LENGTH = 36


def snapshot(store: Store, kinds: tuple[str, ...] = ()) -> Object:
    """The objects by kind, namespace and name.

    Uids stand as `<Kind/name>` of their object, wherever they occur; times and versions are left out.

    Args:
        store: whose objects.
        kinds: names of kinds to take; all, where none is named.
    """
    chosen = [resource.kind for resource in store.kinds() if not kinds or resource.kind.kind in kinds]
    names = {
        item["metadata"]["uid"]: f"<{resource.kind.kind}/{item['metadata']['name']}>"
        for resource in store.kinds()
        for item in store.list(resource.kind)
    }
    found: Object = {}
    for kind in chosen:
        items = {"/".join(filter(None, name_of(item))): stripped(item, names) for item in store.list(kind)}
        if items:
            found[kind.key] = items
    return found


def stripped(value: Any, names: dict[str, str]) -> Any:
    """An object without times and versions, its uids replaced by what `names` has for them."""
    if isinstance(value, dict):
        return {
            key: _metadata(item, names) if key == "metadata" else stripped(item, names)
            for key, item in value.items()
            if key not in _TIMES
        }
    if isinstance(value, list):
        return [stripped(item, names) for item in value]
    if isinstance(value, str):
        return _renamed(value, names)
    return value


def _metadata(metadata: Any, names: dict[str, str]) -> Any:
    if not isinstance(metadata, dict):
        return metadata
    return stripped({key: item for key, item in metadata.items() if key not in _SERVER_FIELDS}, names)


def _renamed(text: str, names: dict[str, str]) -> str:
    if len(text) < _UID_LENGTH:
        return text
    return _UID.sub(lambda found: names.get(found[0], found[0]), text)
