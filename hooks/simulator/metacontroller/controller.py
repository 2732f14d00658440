"""What CompositeControllers and DecoratorControllers have in common: their queue, and when a parent enters it."""

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from hooks.protocol import Kind, Object
from hooks.simulator.clock import Clock
from hooks.simulator.errors import ApiError
from hooks.simulator.event_log import EventLog
from hooks.simulator.metacontroller.answers import Answer
from hooks.simulator.metacontroller.children import Children
from hooks.simulator.metacontroller.discovery import Discovery, NotServed
from hooks.simulator.metacontroller.failures import SyncFailed, TooManyRequests
from hooks.simulator.metacontroller.hook_client import HookClient
from hooks.simulator.metacontroller.informers import Change, Informers, ObjectKey, controller_of, key_of
from hooks.simulator.metacontroller.manifests import ControllerManifest, Selection
from hooks.simulator.metacontroller.object_map import ObjectMap, add
from hooks.simulator.metacontroller.related import Related
from hooks.simulator.metacontroller.work_queue import WorkQueue
from hooks.simulator.resources import Resource
from hooks.simulator.selectors import matches
from hooks.simulator.store import Store

PATIENCE = 600.0
"""Seconds: a hook that asks to be called again counts as waiting for something until it has changed nothing for so
long; from then on it is only looking round."""
LATENCY = 0.01
"""Seconds that a sync takes: a call of a hook over the network."""
RELIST = 1800.0
"""Seconds after which every parent is synced, whatever happened: Metacontroller's `--cache-flush-interval`."""


@dataclass(frozen=True)
class Surroundings:
    """What a controller works with."""

    store: Store
    informers: Informers
    clock: Clock
    client: HookClient
    discovery: Discovery
    events: EventLog
    random: random.Random


class Controller(ABC):
    """One running controller."""

    def __init__(self, manifest: ControllerManifest, around: Surroundings) -> None:
        """Start it.

        Raises:
            NotServed: the cluster lacks a kind that it declares.
        """
        self.manifest = manifest
        self._around = around
        self._store, self._informers = around.store, around.informers
        resource = around.discovery.resource
        self._parents: dict[Kind, tuple[Selection, Resource]] = {
            resource(selection.resource).kind: (selection, resource(selection.resource))
            for selection in manifest.parents
        }
        self._methods = {resource(name).kind: method for name, method in manifest.children.items()}
        self._children = Children(around.store, self._methods, around.random)
        self._queue: WorkQueue[ObjectKey] = WorkQueue(around.clock, self._work, LATENCY)
        self._related = Related(
            manifest, around.client, around.informers, around.discovery, around.clock, self._queue_parent
        )
        self._changed: dict[ObjectKey, datetime] = {}
        """When a sync of a parent last changed anything."""
        self._running = True
        self._subscribe()

    def _subscribe(self) -> None:
        for kind in self._parents:
            self._informers.subscribe(kind, partial(self._parent_changed, kind))
        for kind in self._methods:
            self._informers.subscribe(kind, self._child_changed)
        for key, parent in self.parents():
            self._related.parent_changed(key, parent)
        self.resync()
        self._repeat(RELIST)
        if self.manifest.resync_period_seconds is not None:
            self._repeat(max(self.manifest.resync_period_seconds, 1))

    def stop(self) -> None:
        """Do nothing any more."""
        self._running = False
        self._queue.close()

    def resync(self) -> None:
        """Have every parent synced."""
        for key, parent in self.parents():
            if self._concerns(parent):
                self._queue.add(key)

    def parents(self) -> Iterator[tuple[ObjectKey, Object]]:
        """All objects of the parent kinds."""
        for kind in self._parents:
            for parent in self._informers.all(kind):
                yield key_of(kind, parent), parent

    def _repeat(self, seconds: float) -> None:
        def tick() -> None:
            if self._running:
                self.resync()
                self._around.clock.call_later(seconds, tick, background=True)

        self._around.clock.call_later(seconds, tick, background=True)

    # When a parent is synced

    def _queue_parent(self, key: ObjectKey) -> None:
        parent = self._informers.find(key)
        if parent is not None and self._concerns(parent):
            self._queue.add(key)

    def _parent_changed(self, kind: Kind, change: Change) -> None:
        parent = change.item
        key = key_of(kind, parent)
        self._related.parent_changed(key, None if change.gone else parent)
        if change.gone:
            self._changed.pop(key, None)
        selection, _ = self._parents[kind]
        if selection.ignore_status_changes and _only_status(change):
            return
        if self._concerns(parent):
            self._queue.add(key)

    def _child_changed(self, change: Change) -> None:
        child = change.item
        owner = controller_of(child)
        if owner is not None:
            key = self._owner_key(child, owner)
            if key is not None:
                self._queue_parent(key)
        elif not change.gone and "deletionTimestamp" not in child["metadata"]:
            for key in self._adopters(child):
                self._queue_parent(key)

    def _owner_key(self, child: Object, owner: Object) -> ObjectKey | None:
        group = owner["apiVersion"].rpartition("/")[0]
        for kind, (_, resource) in self._parents.items():
            if kind.kind == owner["kind"] and kind.api_version.rpartition("/")[0] == group:
                namespace = child["metadata"].get("namespace", "") if resource.namespaced else ""
                key = ObjectKey(kind, namespace, owner["name"])
                parent = self._informers.find(key)
                return key if parent is not None and parent["metadata"]["uid"] == owner["uid"] else None
        return None

    def _adopters(self, orphan: Object) -> list[ObjectKey]:
        """The parents that would adopt an orphan."""
        del orphan
        return []

    # Syncing one

    def _work(self, key: ObjectKey) -> None:
        parent = self._informers.find(key)
        if parent is None:
            return
        before = len(self._store.writes)
        try:
            with self._store.acting(f"metacontroller/{self.manifest.name}"):
                self._sync(key, parent)
        except TooManyRequests as error:
            self._queue.add_after(key, error.seconds)
        except (SyncFailed, ApiError) as error:
            self._around.events.record(parent, "Warning", "SyncError", f"Sync error: {error}")
            self._queue.retry(key)
        else:
            self._queue.forget(key)
        if any(write.changed for write in self._store.writes[before:]):
            self._changed[key] = self._around.clock.now()

    def _call_again(self, key: ObjectKey, seconds: float) -> None:
        """Have a parent synced in so many seconds, as its hook asked for."""
        if seconds > 0:
            now = self._around.clock.now()
            since = (now - self._changed.setdefault(key, now)).total_seconds()
            self._queue.add_after(key, seconds, background=since > PATIENCE)

    @abstractmethod
    def _sync(self, key: ObjectKey, parent: Object) -> None:
        """Sync one parent.

        Raises:
            SyncFailed, ApiError: it shall be tried again, and an event says why.
            TooManyRequests: it shall be tried again later.
        """

    def _selected(self, parent: Object) -> bool:
        selection, _ = self._parents[self._around.discovery.kind(parent["apiVersion"], parent["kind"])]
        annotations = {"metadata": {"labels": parent["metadata"].get("annotations") or {}}}
        return matches(selection.label_selector, parent) and matches(selection.annotation_selector, annotations)

    def _concerns(self, parent: Object) -> bool:
        return self._has_finalizer(parent) or self._selected(parent)

    def _has_finalizer(self, parent: Object) -> bool:
        return self.manifest.finalizer in (parent["metadata"].get("finalizers") or ())

    def _with_finalizer_settled(self, parent: Object) -> Object:
        """Add our finalizer where a finalize hook is defined, remove it where none is."""
        wanted = "finalize" in self.manifest.hooks
        if self._has_finalizer(parent) == wanted or (wanted and "deletionTimestamp" in parent["metadata"]):
            return parent
        return self._set_finalizer(parent, wanted=wanted)

    def _set_finalizer(self, parent: Object, *, wanted: bool) -> Object:
        live = self.live(parent)
        finalizers = live["metadata"].get("finalizers") or []
        if (self.manifest.finalizer in finalizers) == wanted:
            return live
        if wanted:
            finalizers = [*finalizers, self.manifest.finalizer]
        else:
            finalizers = [finalizer for finalizer in finalizers if finalizer != self.manifest.finalizer]
        live["metadata"]["finalizers"] = finalizers
        return self._store.update(live)

    def live(self, item: Object) -> Object:
        """The object as it is in the store now.

        Raises:
            ApiError: it is gone, or another one has its name.
        """
        metadata = item["metadata"]
        kind = self._around.discovery.kind(item["apiVersion"], item["kind"])
        live = self._store.get(kind, metadata["name"], metadata.get("namespace", ""))
        if live["metadata"]["uid"] != metadata["uid"]:
            raise ApiError(404, "NotFound", f"{kind.kind} {metadata['name']} was replaced by another one")
        return live

    def _finalizing(self, parent: Object) -> bool:
        going = "deletionTimestamp" in parent["metadata"] or not self._selected(parent)
        return "finalize" in self.manifest.hooks and going

    def _manages_children(self, parent: Object) -> bool:
        """Whether the parent lives, or is being finalized by us and by no garbage collector."""
        if "deletionTimestamp" not in parent["metadata"]:
            return True
        finalizers = parent["metadata"].get("finalizers") or ()
        collected = "foregroundDeletion" in finalizers or "orphan" in finalizers
        return not collected and self._has_finalizer(parent) and "finalize" in self.manifest.hooks

    def _desired(self, answer: Answer, parent: Object) -> tuple[ObjectMap, list[Exception]]:
        """The children of an answer by kind, and what the cluster has no kind for.

        Children without a namespace get the parent's.
        """
        desired: ObjectMap = {}
        problems: list[Exception] = []
        namespace = parent["metadata"].get("namespace", "")
        for child in answer.children:
            if namespace and not child["metadata"].get("namespace"):
                child["metadata"]["namespace"] = namespace
            try:
                add(desired, self._around.discovery.kind(child.get("apiVersion", ""), child["kind"]), [child])
            except NotServed as error:
                problems.append(error)
        return desired, problems


def _only_status(change: Change) -> bool:
    """Whether a parent's change is one that `ignoreStatusChanges` spares."""
    if change.old is None or change.gone:
        return False
    before, after = change.old["metadata"], change.item["metadata"]
    return "deletionTimestamp" not in after and all(
        before.get(field) == after.get(field) for field in ("generation", "labels", "annotations")
    )
