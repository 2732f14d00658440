"""The ReplicaSet controller: so many pods, and no more."""

from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.errors import ApiError, forbidden
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
        failure = ""
        for _ in range(item["spec"].get("replicas", 1) - len(pods)):
            failure = self._create(item)
            if failure:
                break
        surplus = sorted(pods, key=lambda pod: (ready(pod), pod["metadata"]["name"]))
        for pod in surplus[: max(0, len(pods) - item["spec"].get("replicas", 1))]:
            self.store.delete(POD, pod["metadata"]["name"], key.namespace, uid=pod["metadata"]["uid"])
        self.set_status(key, self._status(item, failure))
        if failure:
            raise ApiError(403, "Forbidden", failure)

    def _create(self, item: Object) -> str:
        """Make a pod; returns why that failed, nothing where it did not."""
        prefix = item["metadata"]["name"] + "-"
        try:
            self._admit(item, prefix)
            self.store.create(pod_of(item["spec"]["template"], item, {}, generateName=prefix))
        except ApiError as error:
            self.events.record(item, "Warning", "FailedCreate", f"Error creating: {error}")
            return str(error)
        return ""

    def _admit(self, item: Object, prefix: str) -> None:
        fault = self.world.fault_of(item, self.store)
        if fault is not None and fault.refusal:
            raise forbidden(POD, prefix, fault.refusal)

    def _status(self, item: Object, failure: str) -> Object:
        pods = [pod for pod in self.owned(item, "Pod") if active(pod)]
        are_ready = sum(map(ready, pods))
        status: Object = {"replicas": len(pods), "observedGeneration": item["metadata"]["generation"]}
        if pods:
            status["fullyLabeledReplicas"] = len(pods)
        if are_ready:
            status |= {"readyReplicas": are_ready, "availableReplicas": are_ready}
        if failure:
            before = find_condition(item, "ReplicaFailure")
            status["conditions"] = [condition("ReplicaFailure", "True", "FailedCreate", failure, self.now(), before)]
        return status
