"""Scheduler and kubelet: what becomes of a pod."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.objects import Key
from hooks.simulator.workloads.pods import POD, phase, restarts
from hooks.simulator.workloads.profiler import profiles
from hooks.simulator.workloads.worker import Floor, Worker, condition, find_condition, key_of
from hooks.simulator.workloads.world import PodFault

CLAIM = Kind("PersistentVolumeClaim", "v1", "persistentvolumeclaims")

_WAITING = {
    PodFault.IMAGE_PULL: ("BackOff", "Back-off pulling image (simulated)"),
    PodFault.CONFIG: ("Failed", "Error: a Secret or ConfigMap that it refers to is not there (simulated)"),
}
"""Faults that keep a container from being started: the reason and message of the pod's event."""


class Kubelet(Worker):
    """Schedules pods, starts their containers, and lets them fail where the scenario says so."""

    name: ClassVar[str] = "kubelet"
    kind: ClassVar[Kind] = POD

    def __init__(self, floor: Floor) -> None:
        super().__init__(floor)
        self._busy: dict[str, datetime] = {}
        """Until when nothing happens to a pod, by its uid."""

    def concerns(self, event: str, kind: Kind, item: Object) -> Iterable[Key]:
        """A new pod, and the pods that wait for a new claim."""
        if kind == POD and event == "ADDED":
            yield key_of(kind, item)
        elif kind == CLAIM and event == "ADDED":
            for pod in self.store.list(POD, item["metadata"]["namespace"]):
                if item["metadata"]["name"] in _claims(pod):
                    yield key_of(POD, pod)

    def restart(self, name: str, namespace: str = "default") -> None:
        """Let a pod's main container end, so that it is started again.

        Raises:
            ApiError: there is no such pod.
        """
        pod = self.store.get(POD, name, namespace)
        key = key_of(POD, pod)
        with self.store.acting(self.name):
            self.set_status(key, self._running(pod, is_ready=False, restarted=1))
        self._wait(key, pod, self.world.start_seconds)

    def sync(self, key: Key, item: Object) -> None:
        """Bring a pod one step further."""
        if "deletionTimestamp" in item["metadata"] or phase(item) in {"Succeeded", "Failed"}:
            return
        left = self._busy.get(item["metadata"]["uid"], self.clock.now()) - self.clock.now()
        if left > timedelta():
            self.queue.add_after(key, left.total_seconds())
            return
        fault = self.world.fault_of(item, self.store)
        missing = [] if "PersistentVolumeClaim" in self.world.assumed else self._missing_claims(item)
        if fault is PodFault.UNSCHEDULABLE or missing:
            self._hold(key, item, [f'persistentvolumeclaim "{name}" not found' for name in missing])
        elif not _scheduled(item):
            scheduled = condition("PodScheduled", "True", "", "", self.now(), find_condition(item, "PodScheduled"))
            self.set_status(key, _pending(item, scheduled))
            self._wait(key, item, self.world.start_seconds + _delay(item))
        elif fault in _WAITING:
            why, message = _WAITING[fault]
            self.events.record(item, "Warning", why, message)
            self.set_status(key, self._waiting(item, fault, message))
        elif fault is PodFault.FAILED or (fault is PodFault.CRASH and _never_restarts(item)):
            self.set_status(key, self._ended(item, "Failed", 1))
        elif fault is PodFault.CRASH:
            container = item["spec"]["containers"][0]["name"]
            message = f"Back-off restarting failed container {container} (simulated)"
            self.events.record(item, "Warning", "BackOff", message)
            self.set_status(key, self._crashing(item))
        elif _runs_once(item):
            self._run_once(key, item)
        else:
            if fault is PodFault.NOT_READY:
                self.events.record(item, "Warning", "Unhealthy", "Readiness probe failed (simulated)")
            self.set_status(key, self._running(item, is_ready=fault is not PodFault.NOT_READY))

    def _wait(self, key: Key, pod: Object, seconds: float) -> None:
        self._busy[pod["metadata"]["uid"]] = self.clock.now() + timedelta(seconds=seconds)
        self.queue.add_after(key, seconds)

    def _hold(self, key: Key, pod: Object, why: list[str]) -> None:
        message = "0/1 nodes are available: " + (", ".join(why) or "1 Insufficient nvidia.com/gpu (simulated)")
        self.events.record(pod, "Warning", "FailedScheduling", message)
        before = find_condition(pod, "PodScheduled")
        held = condition("PodScheduled", "False", "Unschedulable", message, self.now(), before)
        self.set_status(key, _pending(pod, held))

    def _run_once(self, key: Key, pod: Object) -> None:
        if phase(pod) != "Running":
            self.set_status(key, self._running(pod, is_ready=True))
            self._wait(key, pod, self.world.run_seconds)
        elif not profiles(pod):  # what runs in those decides itself when it ends
            self.set_status(key, self._ended(pod, "Succeeded", 0))

    def _running(self, pod: Object, *, is_ready: bool, restarted: int = 0) -> Object:
        started = (pod.get("status") or {}).get("startTime") or self.now()
        state = {"running": {"startedAt": started}}
        return self._status(pod, "Running", state, is_ready=is_ready, restart_count=restarts(pod) + restarted)

    def _waiting(self, pod: Object, reason: str, message: str) -> Object:
        return self._status(pod, "Pending", {"waiting": {"reason": str(reason), "message": message}}, is_ready=False)

    def _crashing(self, pod: Object) -> Object:
        waiting = {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}
        count = max(restarts(pod), 1)
        return self._status(pod, "Running", {"waiting": waiting}, is_ready=False, restart_count=count)

    def _ended(self, pod: Object, how: str, code: int) -> Object:
        ended = {"exitCode": code, "reason": "Completed" if code == 0 else "Error", "finishedAt": self.now()}
        return self._status(pod, how, {"terminated": ended}, is_ready=False)

    def _status(self, pod: Object, in_phase: str, state: Object, *, is_ready: bool, restart_count: int = 0) -> Object:
        now, status = self.now(), "True" if is_ready else "False"
        why = ("", "") if is_ready else ("ContainersNotReady", "containers with unready status")
        conditions = [
            condition("PodScheduled", "True", "", "", now, find_condition(pod, "PodScheduled")),
            condition("Initialized", "True", "", "", now, find_condition(pod, "Initialized")),
            condition("ContainersReady", status, *why, now, find_condition(pod, "ContainersReady")),
            condition("Ready", status, *why, now, find_condition(pod, "Ready")),
        ]
        containers = [
            {
                "name": container["name"],
                "image": container.get("image", ""),
                "imageID": "",
                "ready": is_ready,
                "restartCount": restart_count,
                "started": in_phase == "Running",
                "state": state,
            }
            for container in pod["spec"]["containers"]
        ]
        started = (pod.get("status") or {}).get("startTime") or now
        return {
            "phase": in_phase,
            "conditions": conditions,
            "containerStatuses": containers,
            "startTime": started,
            "qosClass": pod["status"]["qosClass"],
        }

    def _missing_claims(self, pod: Object) -> list[str]:
        namespace = pod["metadata"]["namespace"]
        return [name for name in _claims(pod) if self.store.find(CLAIM.kind, name, namespace) is None]


def _pending(pod: Object, scheduled: Object) -> Object:
    return {"phase": "Pending", "conditions": [scheduled], "qosClass": pod["status"]["qosClass"]}


def _claims(pod: Object) -> list[str]:
    volumes = pod["spec"].get("volumes") or ()
    return [volume["persistentVolumeClaim"]["claimName"] for volume in volumes if "persistentVolumeClaim" in volume]


def _scheduled(pod: Object) -> bool:
    found = find_condition(pod, "PodScheduled")
    return found is not None and found["status"] == "True"


def _runs_once(pod: Object) -> bool:
    return bool(pod["spec"].get("restartPolicy", "Always") != "Always")


def _never_restarts(pod: Object) -> bool:
    return bool(pod["spec"].get("restartPolicy") == "Never")


def _delay(pod: Object) -> float:
    """Seconds that the main container's readiness probe waits before it asks."""
    probe = pod["spec"]["containers"][0].get("readinessProbe") or {}
    return float(probe.get("initialDelaySeconds") or 0)
