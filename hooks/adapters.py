"""LoRA adapters on workers: what is to be done, and what came of it. No I/O here (`hooks.endpoints` has it).

Source: seed, "EndpointInfo"; spec page "DynamoModel".
"""

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, order=True)
class Worker:
    """A pod that serves the base model."""

    address: str
    """Such as http://10.0.1.5:9090, made from an address of a slice."""
    pod: str
    ready: bool
    """Whether its slice calls it ready."""
    loaded: bool = False
    """Whether the last status says that it has the adapter."""


@dataclass(frozen=True)
class Task:
    """An adapter to load on workers, or to unload from them."""

    adapter: str
    uri: str
    workers: tuple[Worker, ...]
    unload: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of a task on one worker."""

    has_adapter: bool
    """Whether the worker has the adapter now, as far as is known."""
    result: str
    """One word for the metrics: listed, loaded, loading, unloaded, failed, unfinished."""
    message: str = ""
    """Why not, the same words for the same cause each time."""
    settled: bool = True
    """Whether nothing is gained by asking again soon."""


@dataclass(frozen=True)
class Outcomes:
    """What came of a task, by the workers' addresses."""

    by_address: dict[str, Outcome] = field(default_factory=dict)

    def of(self, worker: Worker) -> Outcome:
        """The outcome on a worker; where it was not asked at all, what the last status says stays."""
        unasked = Outcome(worker.loaded, result="unfinished", message="not asked yet", settled=False)
        return self.by_address.get(worker.address, unasked)


class Perform(Protocol):
    """Carries a task out, in bounded time."""

    def __call__(self, task: Task) -> Outcomes:
        """Ask every worker of the task. Never raises for what a worker does."""
        ...
