"""What the controllers of workloads have in common."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.clock import timestamp
from hooks.simulator.errors import ApiError, forbidden
from hooks.simulator.event_log import EventLog
from hooks.simulator.metacontroller.work_queue import WorkQueue
from hooks.simulator.objects import Key
from hooks.simulator.store import Store
from hooks.simulator.workloads.pods import POD
from hooks.simulator.workloads.world import World

LATENCY = 0.05
"""Seconds that such a controller takes to act on a change."""


@dataclass(frozen=True)
class Floor:
    """Where the workers work."""

    store: Store
    events: EventLog
    world: World


class Worker(ABC):
    """One controller: looks after the objects of one kind."""

    name: ClassVar[str]
    kind: ClassVar[Kind]

    def __init__(self, floor: Floor) -> None:
        self.store, self.events, self.world = floor.store, floor.events, floor.world
        self.clock = floor.store.clock
        self.queue: WorkQueue[Key] = WorkQueue(self.clock, self._work, LATENCY)
        floor.store.watch(self._seen)
        floor.world.watch(self._world_changed)

    @abstractmethod
    def sync(self, key: Key, item: Object) -> None:
        """Do what is to be done about one object; `item` is not to be changed."""

    def concerns(self, event: str, kind: Kind, item: Object) -> Iterable[Key]:
        """The objects to look at after a change of some object: it, or its controller, where that is of our kind."""
        del event
        if kind == self.kind:
            yield key_of(kind, item)
        else:
            owner = controller_key(item, self.kind)
            if owner is not None:
                yield owner

    def find(self, key: Key) -> Object | None:
        """The object as it is now, not to be changed."""
        return self.store.find(key.kind.kind, key.name, key.namespace, key.kind.api_version)

    def owned(self, item: Object, kind: str) -> list[Object]:
        """The objects of a kind that the object owns, by name."""
        found = (self.find(key) for key in self.store.owned_by(item["metadata"]["uid"]) if key.kind.kind == kind)
        return [item for item in found if item is not None]

    def create_pod(self, owner: Object, pod: Object) -> ApiError | None:
        """Make a pod of the owner's, or say in an event that the API server refuses it; returns why it does."""
        name = pod["metadata"].get("name") or pod["metadata"]["generateName"]
        fault = self.world.fault_of(pod, self.store)
        try:
            if fault is not None and fault.refusal:
                raise forbidden(POD, name, fault.refusal)
            self.store.create(pod)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                self.events.record(owner, "Warning", "FailedCreate", self.refused(name, error))
            return error
        return None

    def refused(self, pod: str, error: ApiError) -> str:
        """What the event says of a pod that the API server refuses."""
        del pod
        return f"Error creating: {error}"

    def now(self) -> str:
        """The time as Kubernetes writes it."""
        return timestamp(self.clock.now())

    def set_status(self, key: Key, status: Object) -> None:
        """Write an object's status, if that changes it."""
        item = self.find(key)
        if item is None or (item.get("status") or {}) == status:
            return
        copy = self.store.get(key.kind, key.name, key.namespace)
        copy["status"] = status
        self.store.update_status(copy)

    def _seen(self, event: str, kind: Kind, item: Object) -> None:
        for key in self.concerns(event, kind, item):
            self.queue.add(key)

    def _world_changed(self) -> None:
        for item in self.store.list(self.kind):
            self.queue.add(key_of(self.kind, item))

    def _work(self, key: Key) -> None:
        item = self.find(key)
        if item is None:
            return
        try:
            with self.store.acting(self.name):
                self.sync(key, item)
        except ApiError:
            self.queue.retry(key)
        else:
            self.queue.forget(key)


def key_of(kind: Kind, item: Object) -> Key:
    """Where an object of that kind lies."""
    return Key(kind, item["metadata"].get("namespace", ""), item["metadata"]["name"])


def controller_key(item: Object, kind: Kind) -> Key | None:
    """Where an object's controller lies, if it is of that kind."""
    metadata = item["metadata"]
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller") and owner["kind"] == kind.kind and owner["apiVersion"] == kind.api_version:
            return Key(kind, metadata.get("namespace", ""), owner["name"])
    return None


def condition(kind: str, status: str, reason: str, message: str, now: str, before: Object | None = None) -> Object:
    """A condition; the time of its last transition stays where the status does."""
    same = before is not None and before["status"] == status
    since = before["lastTransitionTime"] if same and before is not None else now
    made = {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since}
    return {key: value for key, value in made.items() if value}


def find_condition(item: Object, kind: str) -> Object | None:
    """An object's condition of that type."""
    for entry in (item.get("status") or {}).get("conditions") or ():
        if entry["type"] == kind:
            found: Object = entry
            return found
    return None
