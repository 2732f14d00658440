"""The LeaderWorkerSet controller: groups of pods that live and die together.

Source: LeaderWorkerSet 0.9. The StatefulSets between it and the pods are left out.
"""

from collections.abc import Iterable
from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.errors import ApiError
from hooks.simulator.metacontroller.children import owner_reference
from hooks.simulator.objects import Key
from hooks.simulator.workloads.pods import POD, active, pod_of, ready, restarts, template_hash
from hooks.simulator.workloads.worker import Worker, condition, find_condition

LEADER_WORKER_SET = Kind("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", "leaderworkersets")

_LABEL = "leaderworkerset.sigs.k8s.io/"
_REVISION = _LABEL + "template-revision-hash"

_CONDITIONS = {
    "Available": ("AllGroupsReady", "All replicas are ready"),
    "Progressing": ("GroupsProgressing", "Replicas are progressing"),
    "UpdateInProgress": ("GroupsUpdating", "Rolling Upgrade is in progress"),
}


class LeaderWorkerSets(Worker):
    """Runs LeaderWorkerSets."""

    name: ClassVar[str] = "lws-manager"
    kind: ClassVar[Kind] = LEADER_WORKER_SET

    def sync(self, key: Key, item: Object) -> None:
        """Make, replace and delete groups, then report."""
        if "deletionTimestamp" in item["metadata"]:
            return
        template = item["spec"]["leaderWorkerTemplate"]
        revision = template_hash({name: template.get(name) for name in ("leaderTemplate", "workerTemplate", "size")})
        self._make_service(item)
        groups = self._groups(item)
        replicas, size = item["spec"].get("replicas", 1), template.get("size", 1)
        for index in sorted(groups, reverse=True):
            if index >= replicas or any(map(restarts, groups[index])):
                self._delete(groups.pop(index))
        self._update_one(groups, revision, size)
        filled = [self._fill(item, index, groups.get(index, []), revision) for index in range(replicas)]
        self._report(key, item, revision, size)
        refusal = next(filter(None, filled), None)
        if refusal:
            raise refusal

    def refused(self, pod: str, error: ApiError) -> str:
        """What the StatefulSet of the leaders, or of a group's workers, says of a pod that is refused."""
        return f"create Pod {pod} in StatefulSet {pod.rpartition('-')[0]} failed error: {error}"

    def _groups(self, item: Object) -> dict[int, list[Object]]:
        groups: dict[int, list[Object]] = {}
        for pod in self.owned(item, "Pod"):
            if active(pod):
                groups.setdefault(int(pod["metadata"]["labels"][_LABEL + "group-index"]), []).append(pod)
        return groups

    def _update_one(self, groups: dict[int, list[Object]], revision: str, size: int) -> None:
        """Take down one group of an older template, the last first, if all updated ones are ready."""
        old = [index for index, pods in groups.items() if _revision(pods) != revision]
        updated = [pods for pods in groups.values() if _revision(pods) == revision]
        if old and all(_ready(pods, size) for pods in updated):
            self._delete(groups.pop(max(old)))

    def _delete(self, pods: list[Object]) -> None:
        for pod in pods:
            metadata = pod["metadata"]
            self.store.delete(POD, metadata["name"], metadata["namespace"], uid=metadata["uid"])

    def _fill(self, item: Object, index: int, pods: list[Object], revision: str) -> ApiError | None:
        """Make the missing pods of a group, the leader first; returns why one is refused."""
        template, name = item["spec"]["leaderWorkerTemplate"], item["metadata"]["name"]
        if pods and _revision(pods) != revision:
            return None
        known = {pod["metadata"]["name"] for pod in pods}
        for worker in range(template.get("size", 1)):
            pod_name = f"{name}-{index}" if worker == 0 else f"{name}-{index}-{worker}"
            if pod_name in known:
                continue
            leading = worker == 0 and template.get("leaderTemplate")
            labels = {
                _LABEL + "name": name,
                _LABEL + "group-index": str(index),
                _LABEL + "worker-index": str(worker),
                _REVISION: revision,
            }
            made = leading or template["workerTemplate"]
            refusal = self.create_pod(item, pod_of(made, item, labels, name=pod_name))
            if refusal:
                return refusal
        return None

    def _make_service(self, item: Object) -> None:
        """The headless Service under whose name the pods find each other."""
        metadata = item["metadata"]
        if self.store.find("Service", metadata["name"], metadata["namespace"]) is not None:
            return
        selector = {_LABEL + "name": metadata["name"]}
        made: Object = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": metadata["name"],
                "namespace": metadata["namespace"],
                "ownerReferences": [owner_reference(item)],
            },
            "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": selector},
        }
        self.store.create(made)

    # Status

    def _report(self, key: Key, item: Object, revision: str, size: int) -> None:
        groups = self._groups(item)
        replicas = item["spec"].get("replicas", 1)
        updated = sum(_revision(pods) == revision for pods in groups.values())
        are_ready = sum(_ready(pods, size) for pods in groups.values())
        both = sum(_revision(pods) == revision and _ready(pods, size) for pods in groups.values())
        state: tuple[str, ...] = ("Available",) if both == replicas else ("Progressing",)
        if updated < len(groups):
            state = "UpdateInProgress", "Progressing"
        status = {
            "replicas": len(groups),
            "readyReplicas": are_ready,
            "updatedReplicas": updated,
            "observedGeneration": item["metadata"]["generation"],
            "hpaPodSelector": f"{_LABEL}name={key.name},{_LABEL}worker-index=0",
            "conditions": list(self._conditions(item, state)),
        }
        self.set_status(key, {name: value for name, value in status.items() if value})

    def _conditions(self, item: Object, state: tuple[str, ...]) -> Iterable[Object]:
        for kind, why in _CONDITIONS.items():
            before = find_condition(item, kind)
            if kind in state:
                made = condition(kind, "True", *why, self.now(), before)
                yield made | {"observedGeneration": item["metadata"]["generation"]}
            elif before is not None:
                made = condition(kind, "False", before["reason"], before["message"], self.now(), before)
                yield made | {"observedGeneration": before["observedGeneration"]}


def _revision(pods: list[Object]) -> str:
    return str(pods[0]["metadata"]["labels"][_REVISION])


def _ready(pods: list[Object], size: int) -> bool:
    return len(pods) == size and all(map(ready, pods))
