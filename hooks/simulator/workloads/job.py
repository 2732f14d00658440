"""The Job controller: pods that run once, and what their ends make of the Job."""

from datetime import datetime, timedelta
from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.errors import ApiError
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
        pods = self.owned(item, "Pod")
        running = [pod for pod in pods if active(pod)]
        succeeded = sum(phase(pod) == "Succeeded" for pod in pods)
        failed = [pod for pod in pods if phase(pod) == "Failed"]
        suspended = item["spec"].get("suspend")
        started = None if suspended else (item.get("status") or {}).get("startTime") or self.now()
        report: Object = {"startTime": started, "active": len(running), "succeeded": succeeded, "failed": len(failed)}
        report["ready"] = sum(map(ready, running))
        wanted = item["spec"].get("completions") or 1
        failure, refusal = self._failure(key, item, failed, started), None
        if failure is not None:
            report |= {"conditions": self._stop(item, running, *failure), "active": 0, "ready": 0}
        elif succeeded >= wanted:
            end = ("SuccessCriteriaMet", "Complete"), "CompletionsReached", "Reached expected number of succeeded pods"
            report |= {"conditions": self._end(item, *end), "completionTime": self.now()}
        elif suspended:
            why = "JobSuspended", "Job suspended", self.now(), find_condition(item, "Suspended")
            report["conditions"] = [condition("Suspended", "True", *why)]
        else:
            made, refusal = self._start(item, len(running), wanted - succeeded, list(map(_finished, failed)))
            report["active"] += made
        self.set_status(key, {name: value for name, value in report.items() if value or name == "ready"})
        if refusal:  # only now: the time of its start is known, whether it has pods or not
            raise refusal

    def _failure(self, key: Key, item: Object, failed: list[Object], started: str | None) -> tuple[str, str] | None:
        """Why the Job fails, as reason and message; of several reasons the first."""
        ruled_out = pod_failure_policy.failure(item, failed)
        if ruled_out is not None:
            return "PodFailurePolicy", ruled_out
        if pod_failure_policy.counted(item, failed) > item["spec"].get("backoffLimit", 6):
            return "BackoffLimitExceeded", "Job has reached the specified backoff limit"
        if started is not None and self._late(key, item["spec"], started):
            return "DeadlineExceeded", "Job was active longer than specified deadline"
        return None

    def _start(self, item: Object, running: int, missing: int, failures: list[datetime]) -> tuple[int, ApiError | None]:
        """Make the pods that are missing, after a while where some failed before.

        Returns:
            How many were made, and why no more were.
        """
        wanted = min(item["spec"].get("parallelism", 1), missing) - running
        if wanted > 0 and failures:
            pause = min(10.0 * 2 ** (len(failures) - 1), 600.0)
            left = (max(failures) - self.clock.now()).total_seconds() + pause
            if left > 0:
                self.queue.add_after(Key(JOB, item["metadata"]["namespace"], item["metadata"]["name"]), left)
                return 0, None
        name = item["metadata"]["name"]
        labels = {"job-name": name, "batch.kubernetes.io/job-name": name}
        for made in range(wanted):
            refusal = self.create_pod(item, pod_of(item["spec"]["template"], item, labels, generateName=name + "-"))
            if refusal:
                return made, refusal
        return max(0, int(wanted)), None

    def _late(self, key: Key, spec: Object, started: str) -> bool:
        limit = spec.get("activeDeadlineSeconds")
        if limit is None:
            return False
        left = (datetime.fromisoformat(started) + timedelta(seconds=limit) - self.clock.now()).total_seconds()
        if left > 0:
            self.queue.add_after(key, left, background=True)
        return left <= 0

    def _stop(self, item: Object, running: list[Object], reason: str, message: str) -> list[Object]:
        for pod in running:
            self.store.delete(POD, pod["metadata"]["name"], pod["metadata"]["namespace"])
        self.events.record(item, "Warning", reason, message)
        return self._end(item, ("FailureTarget", "Failed"), reason, message)

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
