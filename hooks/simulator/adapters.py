"""Workers of the embedded cluster's pods, as far as LoRA adapters are concerned: no call leaves the process."""

from hooks.adapters import Outcome, Outcomes, Task, Worker


class AdapterWorkers:
    """Carries tasks out on workers that exist in name only. A pod that replaces another one has nothing loaded.

    `failing` holds what comes of a task on an address instead; a scenario fills and empties it. `log` is each load and
    unload that a worker saw, as (address, pod, what).
    """

    def __init__(self) -> None:
        self.loaded: dict[tuple[str, str], set[str]] = {}
        self.failing: dict[str, Outcome] = {}
        self.log: list[tuple[str, str, str]] = []

    def __call__(self, task: Task) -> Outcomes:
        """Load the adapter where it is not loaded yet, or unload it."""
        return Outcomes({worker.address: self._outcome(task, worker) for worker in task.workers})

    def _outcome(self, task: Task, worker: Worker) -> Outcome:
        if worker.address in self.failing:
            return self.failing[worker.address]
        adapters = self.loaded.setdefault((worker.address, worker.pod), set())
        if not task.unload and task.adapter in adapters:
            return Outcome(has_adapter=True, result="listed")
        self.log.append((worker.address, worker.pod, "unload" if task.unload else "load"))
        if task.unload:
            adapters.discard(task.adapter)
            return Outcome(has_adapter=False, result="unloaded")
        adapters.add(task.adapter)
        return Outcome(has_adapter=True, result="loaded")
