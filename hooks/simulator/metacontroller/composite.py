"""CompositeControllers: a parent, the children that it claims, and its status."""

from collections.abc import Iterator

from hooks.protocol import Kind, Object
from hooks.simulator.errors import ApiError
from hooks.simulator.metacontroller.answers import Answer, read_composite
from hooks.simulator.metacontroller.children import owner_reference
from hooks.simulator.metacontroller.controller import Controller
from hooks.simulator.metacontroller.failures import SyncFailed, raise_all
from hooks.simulator.metacontroller.informers import GENERATED_LABEL, ObjectKey, controller_of, key_of
from hooks.simulator.metacontroller.object_map import ObjectMap, add, request_form
from hooks.simulator.metacontroller.plain import same, sent
from hooks.simulator.selectors import matches


class CompositeController(Controller):
    """One running CompositeController."""

    def _sync(self, key: ObjectKey, parent: Object) -> None:
        if not self._concerns(parent):
            return
        parent = self._with_finalizer_settled(parent)
        if not self._concerns(parent):
            return
        observed = self._claimed(parent)
        answer = self._answer(parent, observed, self._related.objects(key, parent))
        self._call_again(key, answer.resync_after_seconds)
        if answer.finalized:
            parent = self._set_finalizer(parent, wanted=False)
        desired, problems = self._desired(answer, parent)
        self._label(desired, parent)
        if self._manages_children(parent):
            problems += self._children.manage(parent, observed, desired)
        self._write_status(parent, answer.status)
        raise_all("its children could not all be applied", problems)

    def _answer(self, parent: Object, observed: ObjectMap, related: ObjectMap) -> Answer:
        finalizing = self._finalizing(parent)
        webhook = self.manifest.hooks.get("finalize" if finalizing else "sync")
        if webhook is None:
            raise SyncFailed("no sync hook is defined")
        request = {
            "controller": self.manifest.manifest,
            "parent": parent,
            "children": request_form(observed, version=webhook.version, parent=parent),
            "related": request_form(related, version=webhook.version, parent=parent),
            "finalizing": finalizing,
        }
        return read_composite(self._around.client.call(webhook, request), strict=webhook.strict)

    # Claiming

    def _selector(self, parent: Object) -> Object:
        if self.manifest.generate_selector:
            return {"matchLabels": {GENERATED_LABEL: parent["metadata"]["uid"]}}
        selector = (parent.get("spec") or {}).get("selector") or {}
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            raise SyncFailed("spec.selector of the parent selects nothing")
        return dict(selector)

    def _claimed(self, parent: Object) -> ObjectMap:
        """The children that the parent owns, after releasing and adopting; as they were observed before that."""
        selector = self._selector(parent)
        claimed: ObjectMap = {}
        for kind in self._methods:
            problems: list[Exception] = []
            candidates = self._candidates(kind, parent)
            add(claimed, kind, [item for item in candidates if self._claim(item, parent, selector, problems)])
            raise_all(f"{kind.plural} could not be claimed", problems)
        return claimed

    def _candidates(self, kind: Kind, parent: Object) -> Iterator[Object]:
        uid, namespace = parent["metadata"]["uid"], parent["metadata"].get("namespace")
        label = uid if self.manifest.generate_selector else None
        for item in self._informers.owned_by(uid, kind) + self._informers.orphans(kind, label):
            if namespace is None or item["metadata"].get("namespace") == namespace:
                yield item

    def _claim(self, item: Object, parent: Object, selector: Object, problems: list[Exception]) -> bool:
        owned, matching = controller_of(item) is not None, matches(selector, item)
        if owned and matching:
            return True
        if "deletionTimestamp" in parent["metadata"]:
            return False
        try:
            if owned:
                self._release(item, parent)
            elif matching and "deletionTimestamp" not in item["metadata"]:
                self._adopt(item, parent)
                return True
        except ApiError as error:
            if error.reason != "NotFound":
                problems.append(error)
        return False

    def _release(self, item: Object, parent: Object) -> None:
        live = self.live(item)
        owners = live["metadata"].get("ownerReferences") or []
        live["metadata"]["ownerReferences"] = [owner for owner in owners if owner["uid"] != parent["metadata"]["uid"]]
        self._store.update(live)

    def _adopt(self, item: Object, parent: Object) -> None:
        if "deletionTimestamp" in self.live(parent)["metadata"]:
            raise ApiError(409, "Gone", f"{parent['kind']} {parent['metadata']['name']} is being deleted")
        live = self.live(item)
        live["metadata"]["ownerReferences"] = [
            *(live["metadata"].get("ownerReferences") or []),
            owner_reference(parent),
        ]
        self._store.update(live)

    def _adopters(self, orphan: Object) -> list[ObjectKey]:
        if self.manifest.generate_selector and GENERATED_LABEL not in (orphan["metadata"].get("labels") or {}):
            return []
        namespace = orphan["metadata"].get("namespace", "")
        found = []
        for kind, (_, resource) in self._parents.items():
            for parent in self._informers.all(kind, namespace if resource.namespaced else None):
                try:
                    if matches(self._selector(parent), orphan):
                        found.append(key_of(kind, parent))
                except SyncFailed:
                    continue
        return found

    def _label(self, desired: ObjectMap, parent: Object) -> None:
        """Put the generated label on children that lack it, and fail where one would not be ours by its labels."""
        selector = self._selector(parent)
        for kind, items in desired.items():
            for item in items.values():
                metadata = item["metadata"]
                labels = metadata.get("labels", {})
                if not isinstance(labels, dict):
                    raise SyncFailed(f"the labels of {kind.kind} {metadata['name']} are no object but {labels!r}")
                if self.manifest.generate_selector and GENERATED_LABEL not in labels:
                    metadata["labels"] = {**labels, GENERATED_LABEL: parent["metadata"]["uid"]}
                if not matches(selector, item):
                    raise SyncFailed(f"the labels of {kind.kind} {metadata['name']} do not match its parent's selector")

    # Status

    def _write_status(self, parent: Object, status: Object | None) -> None:
        wanted = {**(status or {}), "observedGeneration": parent["metadata"].get("generation", 0)}
        kind = self._around.discovery.kind(parent["apiVersion"], parent["kind"])
        _, resource = self._parents[kind]
        try:
            live = self.live(parent)
            if same(live.get("status"), wanted):
                return
            live["status"] = sent(wanted)
            if resource.has_status:
                self._store.update_status(live)
            else:
                self._store.update(live)
        except ApiError as error:
            if error.reason not in {"NotFound", "Conflict"}:
                raise SyncFailed(f"its status was refused: {error}") from error
