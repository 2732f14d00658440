"""The ReplicaSet controller: so many pods, and no more."""

from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.errors import ApiError
from hooks.simulator.objects import Key
from hooks.simulator.workloads.pods import POD, active, pod_of, ready
from hooks.simulator.workloads.worker import Worker, condition, find_condition

REPLICA_SET = Kind("ReplicaSet", "apps/v1", "replicasets")


class ReplicaSets(Worker):
    """Makes and deletes the pods of ReplicaSets."""

    name: ClassVar[str] = "replicaset-controller"
    kind: ClassVar[Kind] = REPLICA_SET

    def sync(self, key: Key, item: Object) -> None:
        """Make or delete pods, then report."""
        if "deletionTimestamp" in item["metadata"]:
            return
        pods = [pod for pod in self.owned(item, "Pod") if active(pod)]
        refusal = None
        for _ in range(item["spec"].get("replicas", 1) - len(pods)):
            made = pod_of(item["spec"]["template"], item, {}, generateName=item["metadata"]["name"] + "-")
            refusal = self.create_pod(item, made)
            if refusal:
                break
        surplus = sorted(pods, key=lambda pod: (ready(pod), pod["metadata"]["name"]))
        for pod in surplus[: max(0, len(pods) - item["spec"].get("replicas", 1))]:
            self.store.delete(POD, pod["metadata"]["name"], key.namespace, uid=pod["metadata"]["uid"])
        self.set_status(key, self._status(item, refusal))
        if refusal:
            raise refusal

    def _status(self, item: Object, refusal: ApiError | None) -> Object:
        pods = [pod for pod in self.owned(item, "Pod") if active(pod)]
        are_ready = sum(map(ready, pods))
        status: Object = {"replicas": len(pods), "observedGeneration": item["metadata"]["generation"]}
        if pods:
            status["fullyLabeledReplicas"] = len(pods)
        if are_ready:
            status |= {"readyReplicas": are_ready, "availableReplicas": are_ready}
        if refusal:
            why = "FailedCreate", refusal.message, self.now(), find_condition(item, "ReplicaFailure")
            status["conditions"] = [condition("ReplicaFailure", "True", *why)]
        return status
