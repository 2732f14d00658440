"""DecoratorControllers: objects that somebody else made, and what is attached to them."""

from collections.abc import Mapping

from hooks.protocol import Object
from hooks.simulator.errors import ApiError
from hooks.simulator.metacontroller.answers import Answer, read_decorator
from hooks.simulator.metacontroller.controller import Controller
from hooks.simulator.metacontroller.failures import SyncFailed, raise_all
from hooks.simulator.metacontroller.informers import ObjectKey
from hooks.simulator.metacontroller.object_map import ObjectMap, add, request_form
from hooks.simulator.metacontroller.plain import same, sent
from hooks.simulator.objects import copied

DECORATOR = "metacontroller.k8s.io/decorator-controller"
"""Annotation by which a DecoratorController knows its attachments."""


class DecoratorController(Controller):
    """One running DecoratorController."""

    def _sync(self, key: ObjectKey, parent: Object) -> None:
        if not self._concerns(parent):
            return
        parent = self._with_finalizer_settled(parent)
        if not self._concerns(parent):
            return
        observed = self._attached(parent)
        answer = self._answer(parent, observed, self._related.objects(key, parent))
        self._call_again(key, answer.resync_after_seconds)
        if not self._decorate(parent, answer):
            return
        desired, problems = self._desired(answer, parent)
        for items in desired.values():
            for item in items.values():
                metadata = item["metadata"]
                metadata["annotations"] = {**(metadata.get("annotations") or {}), DECORATOR: self.manifest.name}
        if self._manages_children(parent):
            problems += self._children.manage(parent, observed, desired)
        raise_all("its attachments could not all be applied", problems)

    def _attached(self, parent: Object) -> ObjectMap:
        """The attachments that this controller made for the parent; others are none of its business."""
        metadata = parent["metadata"]
        found: ObjectMap = {}
        for kind in self._methods:
            owned = self._informers.owned_by(metadata["uid"], kind)
            ours = (
                item
                for item in owned
                if (item["metadata"].get("annotations") or {}).get(DECORATOR) == self.manifest.name
                and metadata.get("namespace") in (None, item["metadata"].get("namespace"))
            )
            add(found, kind, ours)
        return found

    def _answer(self, parent: Object, observed: ObjectMap, related: ObjectMap) -> Answer:
        finalizing = self._finalizing(parent)
        webhook = self.manifest.hooks.get("finalize" if finalizing else "sync")
        if webhook is None:
            raise SyncFailed("no sync hook is defined")
        request = {
            "controller": self.manifest.manifest,
            "object": parent,
            "attachments": request_form(observed, version=webhook.version, parent=parent),
            "related": request_form(related, version=webhook.version, parent=parent),
            "finalizing": finalizing,
        }
        return read_decorator(self._around.client.call(webhook, request), strict=webhook.strict)

    def _decorate(self, parent: Object, answer: Answer) -> bool:
        """Write labels, annotations, status and the finalizer's end to the parent.

        Returns:
            Whether the sync goes on: not where the parent is gone or changed in the meantime.
        """
        updated = copied(parent)
        metadata = updated["metadata"]
        labels = _updated(metadata, "labels", answer.labels)
        annotations = _updated(metadata, "annotations", answer.annotations)
        status = answer.status is not None and not same(parent.get("status"), answer.status)
        finalized = answer.finalized and self._has_finalizer(parent)
        if not labels and not annotations and not status and not finalized:
            return True
        try:
            if status:
                updated["status"] = answer.status
                updated = self._write_status(updated)
            if finalized:
                finalizers = metadata["finalizers"]
                updated["metadata"]["finalizers"] = [name for name in finalizers if name != self.manifest.finalizer]
            self._store.update(sent(updated))
        except ApiError as error:
            if error.reason in {"NotFound", "Conflict"}:
                return False
            raise
        return True

    def _write_status(self, updated: Object) -> Object:
        kind = self._around.discovery.kind(updated["apiVersion"], updated["kind"])
        if not self._parents[kind][1].has_status:
            return updated
        written = self._store.update_status(sent(updated))
        version = written["metadata"]["resourceVersion"]
        return updated | {"metadata": updated["metadata"] | {"resourceVersion": version}}


def _updated(metadata: Object, field: str, changes: Mapping[str, str | None]) -> bool:
    """Set and delete labels or annotations in place; returns whether any changed."""
    before = metadata.get(field) or {}
    after = {key: value for key, value in {**before, **changes}.items() if value is not None}
    if after == before:
        return False
    metadata[field] = after
    return True
