"""The HorizontalPodAutoscaler controller: as many replicas as the scenario says fit, within the bounds."""

from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.errors import ApiError
from hooks.simulator.objects import Key
from hooks.simulator.workloads.worker import Worker, condition, find_condition

AUTOSCALER = Kind("HorizontalPodAutoscaler", "autoscaling/v2", "horizontalpodautoscalers")


class Autoscalers(Worker):
    """Scales what autoscalers point at."""

    name: ClassVar[str] = "horizontal-pod-autoscaler"
    kind: ClassVar[Kind] = AUTOSCALER

    def concerns(self, event: str, kind: Kind, item: Object) -> list[Key]:
        """An autoscaler, and those of the workload's owner: ours have a common one."""
        found = list(super().concerns(event, kind, item))
        if kind.kind in {"Deployment", "LeaderWorkerSet"}:
            for owner in item["metadata"].get("ownerReferences") or ():
                found += [key for key in self.store.owned_by(owner["uid"]) if key.kind == AUTOSCALER]
        return found

    def sync(self, key: Key, item: Object) -> None:
        """Scale the target, and report."""
        spec, reference = item["spec"], item["spec"]["scaleTargetRef"]
        target = self._target(reference, key.namespace)
        now = self.now()
        if target is None:
            before = find_condition(item, "AbleToScale")
            message = f"the HPA controller was unable to get the target's current scale: {reference['name']} not found"
            broken = condition("AbleToScale", "False", "FailedGetScale", message, now, before)
            self.set_status(key, {"currentReplicas": 0, "desiredReplicas": 0, "conditions": [broken]})
            return
        current = target["spec"].get("replicas", 1)
        least, most = spec.get("minReplicas", 1), spec["maxReplicas"]
        fitting = self.world.demand.get((key.namespace, key.name), current)
        # A target that was scaled to 0 by hand is left alone.
        desired = 0 if current == 0 else max(least, min(most, fitting))
        if desired != current:
            target["spec"]["replicas"] = desired
            self.store.update(target)
            message = f"New size: {desired}; reason: simulated demand"
            self.events.record(item, "Normal", "SuccessfulRescale", message)
        able = condition("AbleToScale", "True", "ReadyForNewScale", "", now, find_condition(item, "AbleToScale"))
        status: Object = {"currentReplicas": current, "desiredReplicas": desired, "conditions": [able]}
        if desired != current:
            status["lastScaleTime"] = now
        elif "lastScaleTime" in (item.get("status") or {}):
            status["lastScaleTime"] = item["status"]["lastScaleTime"]
        self.set_status(key, status)

    def _target(self, reference: Object, namespace: str) -> Object | None:
        kind, version = reference["kind"], reference.get("apiVersion", "")
        try:
            return self.store.get(self.store.resource(kind, version).kind, reference["name"], namespace)
        except ApiError:
            return None
