"""What runs in the pod of a profiling Job: a profiler whose result a scenario decides, and the copier of its output.

Of the copier this is what it writes, made by its own code; that it waits and retries, its own tests show.
"""

import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import ClassVar

import yaml

from hooks import names
from hooks.copy_output import STATUS_FILE, Copy, End, build_config_map, result
from hooks.kinds import CONFIG_MAP
from hooks.profiling.output import CONFIGURATION
from hooks.protocol import Kind, Object
from hooks.simulator.objects import Key
from hooks.simulator.workloads.pods import POD, phase
from hooks.simulator.workloads.worker import Worker, condition
from hooks.simulator.workloads.world import Profile


class Profiler(Worker):
    """Ends the pods of profiling Jobs."""

    name: ClassVar[str] = "profiler"
    kind: ClassVar[Kind] = POD

    def sync(self, key: Key, item: Object) -> None:
        """End a pod whose profiler has run long enough, if it is known what comes of it."""
        profile = self.world.profile
        if profile is None or not profiles(item) or phase(item) != "Running" or "deletionTimestamp" in item["metadata"]:
            return
        started = datetime.fromisoformat(item["status"]["containerStatuses"][0]["state"]["running"]["startedAt"])
        left = (started + timedelta(seconds=self.world.profile_seconds) - self.clock.now()).total_seconds()
        if left > 0:
            self.queue.add_after(key, left)
            return
        if profile.copied:
            self._copy(item, profile)
        self.set_status(key, self._ended(item, profile))

    def _copy(self, pod: Object, profile: Profile) -> None:
        copy = _copy_of(pod)
        with tempfile.TemporaryDirectory() as folder:
            _leave(Path(folder), profile)
            written, text = result(Path(folder), End(profile.exit_code, _said(profile)), copy.folder)
        config_map = build_config_map(copy, written, text)
        there = self.store.find(CONFIG_MAP.kind, config_map["metadata"]["name"], copy.namespace)
        if there is None:
            self.store.create(config_map)
        else:
            self.store.update({**there, **config_map, "metadata": {**there["metadata"], **config_map["metadata"]}})

    def _ended(self, pod: Object, profile: Profile) -> Object:
        status = pod["status"]
        ends = {names.PROFILER: (profile.exit_code, profile.message)}
        if not profile.copied:
            ends[names.OUTPUT_COPIER] = (1, "the ConfigMap cannot be written (simulated)")
        containers = []
        for container in status["containerStatuses"]:
            code, message = ends.get(container["name"], (0, ""))
            ended = {"exitCode": code, "reason": "Error" if code else "Completed", "finishedAt": self.now()}
            state = {"terminated": ended | ({"message": message} if message else {})}
            containers.append({**container, "ready": False, "started": False, "state": state})
        failed = any(container["state"]["terminated"]["exitCode"] for container in containers)
        over = [
            condition(kind, "False", "PodFailed" if failed else "PodCompleted", "", self.now())
            for kind in ("Ready", "ContainersReady")
        ]
        others = [entry for entry in status["conditions"] if entry["type"] not in ("Ready", "ContainersReady")]
        phase_now = "Failed" if failed else "Succeeded"
        return {**status, "phase": phase_now, "conditions": [*others, *over], "containerStatuses": containers}


def profiles(pod: Object) -> bool:
    """Whether a pod is that of a profiling Job."""
    containers = {container["name"] for container in pod["spec"]["containers"]}
    return {names.PROFILER, names.OUTPUT_COPIER} <= containers


def _copy_of(pod: Object) -> Copy:
    """What the copier of a pod is told by its arguments."""
    containers = pod["spec"]["containers"]
    given = next(container["args"] for container in containers if container["name"] == names.OUTPUT_COPIER)
    told = dict(argument.removeprefix("--").split("=", 1) for argument in given)
    metadata = pod["metadata"]
    return Copy(
        request=told["request"],
        uid=told["uid"],
        namespace=metadata["namespace"],
        target_namespace=told["target-namespace"],
        pod=metadata["name"],
        folder=Path(told["folder"]),
    )


def _leave(folder: Path, profile: Profile) -> None:
    """Write what the profiler writes."""
    if profile.output is not None:
        (folder / CONFIGURATION).write_text(profile.output, encoding="utf-8")
    if profile.status:
        fields = {"status": profile.status, "error": profile.error}
        (folder / STATUS_FILE).write_text(yaml.safe_dump(fields), encoding="utf-8")


def _said(profile: Profile) -> str:
    return ": ".join(filter(None, ("Error" if profile.exit_code else "Completed", profile.message)))
