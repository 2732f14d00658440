"""Pods: how they are made from a template, and what state they are in."""

import hashlib

import orjson

from hooks.protocol import Kind, Object
from hooks.simulator.metacontroller.children import owner_reference
from hooks.simulator.objects import copied

POD = Kind("Pod", "v1", "pods")

_SIGNS = "bcdfghjklmnpqrstvwxz2456789"
"""Signs of which Kubernetes makes hashes in names, so that no words come out (`util/rand`)."""


def template_hash(template: Object) -> str:
    """A short name for a pod template."""
    digest = hashlib.sha256(orjson.dumps(template, option=orjson.OPT_SORT_KEYS)).digest()
    return "".join(_SIGNS[byte % len(_SIGNS)] for byte in digest[:10])


def pod_of(template: Object, owner: Object, labels: dict[str, str], **metadata: str) -> Object:
    """A pod from a template, owned by `owner`, with more labels; `metadata` gives its name or generateName."""
    made = copied(template)
    given = made.get("metadata") or {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            **given,
            **metadata,
            "namespace": owner["metadata"]["namespace"],
            "labels": {**(given.get("labels") or {}), **labels},
            "ownerReferences": [owner_reference(owner)],
        },
        "spec": made["spec"],
    }


def active(pod: Object) -> bool:
    """Whether the pod runs, or is about to."""
    return "deletionTimestamp" not in pod["metadata"] and phase(pod) not in {"Succeeded", "Failed"}


def phase(pod: Object) -> str:
    """The pod's phase."""
    return str((pod.get("status") or {}).get("phase") or "Pending")


def ready(pod: Object) -> bool:
    """Whether the pod takes requests."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(entry["type"] == "Ready" and entry["status"] == "True" for entry in conditions)


def restarts(pod: Object) -> int:
    """How often containers of the pod were restarted."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return sum(status.get("restartCount", 0) for status in statuses)
