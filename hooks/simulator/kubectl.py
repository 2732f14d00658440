"""What `kubectl apply` does with a manifest: create it, or merge it into what is there.

Source: Kubernetes, "Declarative management of Kubernetes objects using configuration files", for custom resources.
"""

from typing import Any

import orjson

from hooks.protocol import Object
from hooks.simulator.errors import ApiError
from hooks.simulator.store import Store

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""Annotation in which kubectl keeps the manifest, to find what was taken out of it."""


def apply(store: Store, manifest: Object, namespace: str = "default", *, validate: bool = True) -> Object:
    """Apply one manifest as `kubectl apply` does. Lists are replaced whole, as for custom resources.

    Args:
        store: where to.
        manifest: the object.
        namespace: where it goes if it names none itself.
        validate: whether unknown fields are refused, as kubectl asks for, or dropped with a warning.

    Raises:
        ApiError: the API server refuses it.
    """
    resource = store.resource(str(manifest.get("kind")), str(manifest.get("apiVersion")))
    wanted = {**manifest, "metadata": {**(manifest.get("metadata") or {})}}
    if resource.namespaced:
        wanted["metadata"].setdefault("namespace", namespace)
    text = orjson.dumps(wanted, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE).decode()
    wanted["metadata"]["annotations"] = {**(wanted["metadata"].get("annotations") or {}), LAST_APPLIED: text}
    with store.acting("kubectl"):
        try:
            live = store.get(resource.kind, wanted["metadata"]["name"], wanted["metadata"].get("namespace", ""))
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return store.create(wanted, strict=validate)
        before = orjson.loads(live["metadata"].get("annotations", {}).get(LAST_APPLIED, "{}"))
        return store.update(_merged(live, before, wanted), strict=validate)


def _merged(live: Any, before: Any, wanted: Any) -> Any:
    if not isinstance(wanted, dict) or not isinstance(live, dict):
        return wanted
    merged = {key: value for key, value in live.items() if key in wanted or not _had(before, key)}
    for key, value in wanted.items():
        merged[key] = _merged(live.get(key), before.get(key) if isinstance(before, dict) else None, value)
    return merged


def _had(before: Any, key: str) -> bool:
    return isinstance(before, dict) and key in before
