"""How things are at rest, without what may honestly differ between a disturbed run and an undisturbed one."""

import difflib

import yaml

from tests.chaos.broken import TOUCH
from tests.real.comparison import comparable

REVISION = "deployment.kubernetes.io/revision"
MOST_CHANGES, LONGEST = 12, 240
"""Lines that are shown of an object, and signs of a line."""
LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"


def state(cluster, history):
    """Every object, and the adapters that pods have loaded.

    Besides uids, versions and times, which `comparable` leaves out: how many versions there were of what users do not
    write themselves, templates that were skipped, keys that are drawn at random, and the marks of conflicts.
    """
    found = comparable(cluster.store, history.gone)
    for kind, items in found.items():
        for place, item in list(items.items()):
            if kind.startswith("ReplicaSet") and not item["spec"].get("replicas"):
                del items[place]
            _forget(item)
    _mark_generations(cluster, found)
    pods = {item["metadata"]["name"] for item in cluster.store.list("Pod")}
    loaded = [sorted(adapters) for (_, pod), adapters in cluster.adapter_workers.loaded.items() if pod in pods]
    return found | {"adapters": {"loaded": sorted(filter(None, loaded))}}


def differences(undisturbed, disturbed):
    """How two states differ, as lines that people read: `-` as it is undisturbed, `+` disturbed."""
    lines = []
    for kind in sorted(undisturbed | disturbed):
        one, other = undisturbed.get(kind, {}), disturbed.get(kind, {})
        for name in sorted(one | other):
            before, after = one.get(name), other.get(name)
            if before is None or after is None:
                lines.append(f"{'+' if before is None else '-'} {kind} {name}")
            elif before != after:
                lines += [f"~ {kind} {name}", *_changes(before, after)[:MOST_CHANGES]]
    return lines


def _changes(before, after):
    texts = [yaml.safe_dump(value, width=1000).splitlines() for value in (before, after)]
    found = difflib.unified_diff(*texts, lineterm="", n=0)
    return [f"    {line[:LONGEST]}" for line in found if not line.startswith(("@@", "---", "+++"))]


def orphans(cluster):
    """Objects whose owners are not there, once everything is at rest."""
    lines = []
    for resource in cluster.store.kinds():
        for item in cluster.store.list(resource.kind):
            for owner in item["metadata"].get("ownerReferences", ()):
                if cluster.store.by_uid(owner["uid"]) is None:
                    name = f"{resource.kind.kind} {item['metadata']['name']}"
                    lines.append(f"{name} belongs to {owner['kind']} {owner['name']}, which is gone")
    return lines


def _forget(item):
    annotations = item["metadata"].get("annotations")
    if annotations is not None:
        for name in (REVISION, TOUCH):
            annotations.pop(name, None)
        if not annotations:
            del item["metadata"]["annotations"]
    if item.get("kind") == "Secret" and item["metadata"]["name"] == "mpi-run-ssh-secret":
        item["data"] = sorted(item["data"])
        annotations.pop(LAST_APPLIED, None)
    if item.get("kind") == "LeaderWorkerSet":  # what it once was and is no more depends on what was skipped
        told = item.get("status") or {}
        told["conditions"] = [entry for entry in told.get("conditions", ()) if entry["status"] == "True"]
    if "lastScaleTime" in (item.get("status") or {}):
        del item["status"]["lastScaleTime"]


def _mark_generations(cluster, found):
    """Say of each status whether it is about the present generation, and count those that users make."""
    for resource in cluster.store.kinds():
        for item in cluster.store.list(resource.kind):
            metadata = item["metadata"]
            place = "/".join(filter(None, (metadata.get("namespace"), metadata["name"])))
            kept = found.get(resource.kind.key, {}).get(place)
            if kept is None:
                continue
            for told in (kept.get("status") or {}, *(kept.get("status") or {}).get("conditions", ())):
                if "observedGeneration" in told:
                    current = told["observedGeneration"] == metadata.get("generation")
                    told["observedGeneration"] = "the present one" if current else "an older one"
            if (
                metadata.get("generation")
                and "nvidia.com" in item["apiVersion"]
                and not metadata.get("ownerReferences")
            ):
                kept["metadata"]["generation"] = metadata["generation"]
