"""The Job controller: pods that run once, and what their ends make of the Job."""

from datetime import datetime, timedelta
from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.errors import ApiError, forbidden
from hooks.simulator.objects import Key
from hooks.simulator.workloads import pod_failure_policy
from hooks.simulator.workloads.pods import POD, active, phase, pod_of, ready
from hooks.simulator.workloads.worker import Worker, condition, find_condition

JOB = Kind("Job", "batch/v1", "jobs")


class Jobs(Worker):
    """Runs Jobs."""

    name: ClassVar[str] = "job-controller"
    kind: ClassVar[Kind] = JOB

    def sync(self, key: Key, item: Object) -> None:
        """Make the pods that are missing, or end the Job, and report."""
        if "deletionTimestamp" in item["metadata"] or _ended(item):
            return
        spec, status = item["spec"], item.get("status") or {}
        pods = self.owned(item, "Pod")
        running = [pod for pod in pods if active(pod)]
        succeeded = sum(phase(pod) == "Succeeded" for pod in pods)
        failures = [pod for pod in pods if phase(pod) == "Failed"]
        failed = len(failures)
        started = status.get("startTime") or self.now()
        report: Object = {"startTime": started, "active": len(running), "succeeded": succeeded, "failed": failed}
        report["ready"] = sum(map(ready, running))
        wanted = spec.get("completions") or 1
        late = self._late(key, spec, started)
        ruled_out = pod_failure_policy.failure(item, failures)
        if succeeded >= wanted:
            end = ("SuccessCriteriaMet", "Complete"), "CompletionsReached", "Reached expected number of succeeded pods"
            report |= {"conditions": self._end(item, *end), "completionTime": self.now()}
        elif ruled_out is not None:
            end = ("FailureTarget", "Failed"), "PodFailurePolicy", ruled_out
            report["conditions"] = self._stop(item, running, *end)
        elif late:
            end = ("FailureTarget", "Failed"), "DeadlineExceeded", "Job was active longer than specified deadline"
            report["conditions"] = self._stop(item, running, *end)
        elif pod_failure_policy.counted(item, failures) > spec.get("backoffLimit", 6):
            end = ("FailureTarget", "Failed"), "BackoffLimitExceeded", "Job has reached the specified backoff limit"
            report["conditions"] = self._stop(item, running, *end)
        elif spec.get("suspend"):
            why = "JobSuspended", "Job suspended", self.now(), find_condition(item, "Suspended")
            report["conditions"] = [condition("Suspended", "True", *why)]
        else:
            ends = [_finished(pod) for pod in failures]
            report["active"] += self._start(item, len(running), wanted - succeeded, ends)
        self.set_status(key, {name: value for name, value in report.items() if value or name == "ready"})

    def _start(self, item: Object, running: int, missing: int, failures: list[datetime]) -> int:
        """Make the pods that are missing, after a while where some failed before; returns how many."""
        wanted = min(item["spec"].get("parallelism", 1), missing) - running
        if wanted > 0 and failures:
            pause = min(10.0 * 2 ** (len(failures) - 1), 600.0)
            left = (max(failures) - self.clock.now()).total_seconds() + pause
            if left > 0:
                self.queue.add_after(Key(JOB, item["metadata"]["namespace"], item["metadata"]["name"]), left)
                return 0
        fault = self.world.fault_of(item, self.store)
        prefix = item["metadata"]["name"] + "-"
        for _ in range(wanted):
            if fault is not None and fault.refusal:
                error = forbidden(POD, prefix, fault.refusal)
                self.events.record(item, "Warning", "FailedCreate", f"Error creating: {error}")
                raise error
            labels = {"job-name": item["metadata"]["name"], "batch.kubernetes.io/job-name": item["metadata"]["name"]}
            self.store.create(pod_of(item["spec"]["template"], item, labels, generateName=prefix))
        return max(0, int(wanted))

    def _late(self, key: Key, spec: Object, started: str) -> bool:
        limit = spec.get("activeDeadlineSeconds")
        if limit is None:
            return False
        left = (datetime.fromisoformat(started) + timedelta(seconds=limit) - self.clock.now()).total_seconds()
        if left > 0:
            self.queue.add_after(key, left, background=True)
        return left <= 0

    def _stop(
        self, item: Object, running: list[Object], kinds: tuple[str, str], reason: str, message: str
    ) -> list[Object]:
        for pod in running:
            self.store.delete(POD, pod["metadata"]["name"], pod["metadata"]["namespace"])
        self.events.record(item, "Warning", reason, message)
        return self._end(item, kinds, reason, message)

    def _end(self, item: Object, kinds: tuple[str, str], reason: str, message: str) -> list[Object]:
        seconds = item["spec"].get("ttlSecondsAfterFinished")
        if seconds is not None:
            metadata = item["metadata"]
            self.clock.call_later(
                seconds, lambda: self._expire(metadata["name"], metadata["namespace"], metadata["uid"])
            )
        return [{**condition(kind, "True", reason, message, self.now()), "lastProbeTime": self.now()} for kind in kinds]

    def _expire(self, name: str, namespace: str, uid: str) -> None:
        with self.store.acting("ttl-after-finished-controller"):
            try:
                self.store.delete(JOB, name, namespace, uid=uid)
            except ApiError:
                return  # somebody deleted it already


def _finished(pod: Object) -> datetime:
    return datetime.fromisoformat(pod["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"])


def _ended(item: Object) -> bool:
    return any(find_condition(item, kind) is not None for kind in ("Complete", "Failed"))
