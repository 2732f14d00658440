"""The Deployment controller: ReplicaSets for each template, roll-outs, and the status that tells of them."""

from datetime import datetime
from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.metacontroller.children import owner_reference
from hooks.simulator.objects import Key, copied
from hooks.simulator.workloads.pods import template_hash
from hooks.simulator.workloads.replica_set import REPLICA_SET
from hooks.simulator.workloads.rollout import Rollout, bounds, next_new, next_old
from hooks.simulator.workloads.worker import Worker, condition, find_condition, key_of

DEPLOYMENT = Kind("Deployment", "apps/v1", "deployments")
HASH_LABEL = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"


class Deployments(Worker):
    """Rolls out the templates of Deployments."""

    name: ClassVar[str] = "deployment-controller"
    kind: ClassVar[Kind] = DEPLOYMENT

    def sync(self, key: Key, item: Object) -> None:
        """Take the next step of the roll-out, if there is one, and report."""
        if "deletionTimestamp" in item["metadata"]:
            return
        name = f"{item['metadata']['name']}-{template_hash(item['spec']['template'])}"
        sets = self.owned(item, "ReplicaSet")
        new = next((one for one in sets if one["metadata"]["name"] == name), None)
        old = [one for one in sets if one is not new]
        if new is None:
            new = self._create(item, name, old)
        self._annotate(key, new)
        self._step(item, new, old)
        self._report(key, item, key_of(REPLICA_SET, new))

    def _create(self, item: Object, name: str, old: list[Object]) -> Object:
        template = copied(item["spec"]["template"])
        labels = {**(template["metadata"].get("labels") or {}), HASH_LABEL: name.rpartition("-")[2]}
        template["metadata"]["labels"] = labels
        revision = max((int(one["metadata"]["annotations"][REVISION]) for one in old), default=0) + 1
        selector = copied(item["spec"]["selector"])
        selector["matchLabels"] = {**(selector.get("matchLabels") or {}), HASH_LABEL: labels[HASH_LABEL]}
        made: Object = {
            "apiVersion": REPLICA_SET.api_version,
            "kind": REPLICA_SET.kind,
            "metadata": {
                "name": name,
                "namespace": item["metadata"]["namespace"],
                "labels": labels,
                "annotations": {REVISION: str(revision)},
                "ownerReferences": [owner_reference(item)],
            },
            "spec": {"replicas": 0, "selector": selector, "template": template},
        }
        return self.store.create(made)

    def _annotate(self, key: Key, new: Object) -> None:
        """Write the revision on the Deployment, as the real one does: others' annotations have to live with it."""
        revision = new["metadata"]["annotations"][REVISION]
        item = self.store.get(key.kind, key.name, key.namespace)
        annotations = item["metadata"].setdefault("annotations", {})
        if annotations.get(REVISION) != revision:
            annotations[REVISION] = revision
            self.store.update_status(item)  # as the real one does: the generation stays

    def _step(self, item: Object, new: Object, old: list[Object]) -> None:
        strategy = item["spec"].get("strategy") or {}
        before = Rollout(
            replicas=item["spec"].get("replicas", 1),
            new=new["spec"]["replicas"],
            old=sum(one["spec"]["replicas"] for one in old),
            new_available=_number(new, "availableReplicas"),
            old_available=sum(_number(one, "availableReplicas") for one in old),
        )
        if strategy.get("type") == "Recreate" and any(_number(one, "replicas") for one in old):
            wanted = before.new  # none of the new before the last of the old is gone
        else:
            wanted = next_new(before, strategy)
        self._scale(item, new, wanted)
        excess = before.old - next_old(before, strategy)
        for one in sorted(old, key=lambda one: (_number(one, "availableReplicas") > 0, one["metadata"]["name"])):
            less = min(excess, one["spec"]["replicas"])
            self._scale(item, one, one["spec"]["replicas"] - less)
            excess -= less

    def _scale(self, item: Object, replica_set: Object, replicas: int) -> None:
        if replica_set["spec"]["replicas"] != replicas:
            metadata = replica_set["metadata"]
            live = self.store.get(REPLICA_SET, metadata["name"], metadata["namespace"])
            live["spec"]["replicas"] = replicas
            self.store.update(live)
            before, up = replica_set["spec"]["replicas"], replicas > replica_set["spec"]["replicas"]
            message = f"Scaled {'up' if up else 'down'} replica set {metadata['name']} from {before} to {replicas}"
            self.events.record(item, "Normal", "ScalingReplicaSet", message)

    # Status

    def _report(self, key: Key, item: Object, new_key: Key) -> None:
        sets = self.owned(item, "ReplicaSet")
        new = next(one for one in sets if one["metadata"]["name"] == new_key.name)
        numbers = {
            "replicas": sum(_number(one, "replicas") for one in sets),
            "updatedReplicas": _number(new, "replicas"),
            "readyReplicas": sum(_number(one, "readyReplicas") for one in sets),
            "availableReplicas": sum(_number(one, "availableReplicas") for one in sets),
        }
        wanted = item["spec"].get("replicas", 1)
        numbers["unavailableReplicas"] = max(0, max(wanted, numbers["replicas"]) - numbers["availableReplicas"])
        conditions = [
            self._available(item, numbers, wanted),
            self._progressing(key, item, numbers, wanted, new),
            *self._failures(item, sets),
        ]
        status = {name: number for name, number in numbers.items() if number}
        self.set_status(key, {**status, "observedGeneration": item["metadata"]["generation"], "conditions": conditions})

    def _available(self, item: Object, numbers: dict[str, int], wanted: int) -> Object:
        _, unavailable = bounds(item["spec"].get("strategy") or {}, wanted)
        before = find_condition(item, "Available")
        if numbers["availableReplicas"] >= wanted - (unavailable if wanted else 0):
            why = "MinimumReplicasAvailable", "Deployment has minimum availability."
            return self._condition("Available", "True", why, before)
        why = "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
        return self._condition("Available", "False", why, before)

    def _progressing(self, key: Key, item: Object, numbers: dict[str, int], wanted: int, new: Object) -> Object:
        before = find_condition(item, "Progressing")
        name = f'ReplicaSet "{new["metadata"]["name"]}"'
        complete = all(numbers[field] == wanted for field in ("replicas", "updatedReplicas", "availableReplicas"))
        if complete:
            self.queue.cancel_delayed(key)
            why = "NewReplicaSetAvailable", f"{name} has successfully progressed."
            return self._condition("Progressing", "True", why, before)
        made = self._condition("Progressing", "True", ("ReplicaSetUpdated", f"{name} is progressing."), before)
        was = item.get("status") or {}
        moved = any(was.get(field, 0) != number for field, number in numbers.items() if field != "unavailableReplicas")
        if before is None or moved or was.get("observedGeneration") != item["metadata"]["generation"]:
            made["lastUpdateTime"] = self.now()
        elif before["status"] == "False":
            return before  # it stays too late until something moves
        limit = item["spec"].get("progressDeadlineSeconds", 600)
        left = (datetime.fromisoformat(made["lastUpdateTime"]) - self.clock.now()).total_seconds() + limit
        if left <= 0:
            why = "ProgressDeadlineExceeded", f"{name} has timed out progressing."
            return self._condition("Progressing", "False", why, before)
        self.queue.add_after(key, left + 1)
        return made

    def _failures(self, item: Object, sets: list[Object]) -> list[Object]:
        for one in sets:
            failure = find_condition(one, "ReplicaFailure")
            if failure is not None:
                why = failure["reason"], failure["message"]
                return [self._condition("ReplicaFailure", "True", why, find_condition(item, "ReplicaFailure"))]
        return []

    def _condition(self, kind: str, status: str, why: tuple[str, str], before: Object | None) -> Object:
        made = condition(kind, status, *why, self.now(), before)
        same = before is not None and all(before[field] == made[field] for field in ("status", "reason", "message"))
        made["lastUpdateTime"] = before["lastUpdateTime"] if same and before is not None else self.now()
        return made


def _number(item: Object, field: str) -> int:
    return int((item.get("status") or {}).get(field, 0))
