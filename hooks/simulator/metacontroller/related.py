"""The customize hook: which related objects a parent's hooks get, and which parents a change of one concerns."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from hooks.protocol import Kind, Object
from hooks.simulator.clock import Clock
from hooks.simulator.metacontroller.answers import read_customize
from hooks.simulator.metacontroller.discovery import Discovery
from hooks.simulator.metacontroller.failures import SyncFailed, TooManyRequests
from hooks.simulator.metacontroller.hook_client import HookClient
from hooks.simulator.metacontroller.informers import Change, Informers, ObjectKey
from hooks.simulator.metacontroller.manifests import ControllerManifest, Webhook
from hooks.simulator.metacontroller.object_map import ObjectMap, add
from hooks.simulator.metacontroller.related_rules import Rule, read_rule
from hooks.simulator.selectors import matches

CACHED = timedelta(minutes=20)
"""How long an answer is kept, for the parent's uid and generation."""

_NAMESPACE = Kind("Namespace", "v1", "namespaces")


@dataclass
class _Known:
    """The rules of one parent, for one generation of it."""

    rules: tuple[Rule, ...]
    identity: tuple[str, Any]


class Related:
    """The customize hook of one controller.

    Args:
        controller: whose hook it is.
        client: calls it.
        informers: where related objects are looked up.
        discovery: what kinds there are.
        clock: tells when an answer has to be asked for anew.
        enqueue: has a parent synced, because a related object changed.
    """

    def __init__(
        self,
        controller: ControllerManifest,
        client: HookClient,
        informers: Informers,
        discovery: Discovery,
        clock: Clock,
        enqueue: Callable[[ObjectKey], object],
    ) -> None:
        self._controller = controller
        self._webhook = controller.hooks.get("customize")
        self._client = client
        self._informers = informers
        self._discovery = discovery
        self._clock = clock
        self._enqueue = enqueue
        self._known: dict[ObjectKey, _Known] = {}
        self._unknown: dict[ObjectKey, None] = {}
        self._expiries: deque[tuple[datetime, ObjectKey, _Known]] = deque()
        self._asking: dict[tuple[Kind, str | None, str | None], dict[ObjectKey, None]] = {}
        self._watched: set[Kind] = set()

    def objects(self, key: ObjectKey, parent: Object) -> ObjectMap:
        """The related objects of a parent; each rule has its entry, empty where nothing was found.

        Raises:
            HookFailed, TooManyRequests, UnreadableAnswer: the customize hook did not say.
            InvalidRule, NotServed: it said what cannot be.
        """
        found: ObjectMap = {}
        if self._webhook is None:
            return found
        for rule in self._rules(key, parent, self._webhook):
            self._watch(rule.resource.kind)
            add(found, rule.resource.kind, self._selected(rule))
        return found

    def parent_changed(self, key: ObjectKey, parent: Object | None) -> None:
        """Take notice of a parent's new generation, or of its end."""
        if self._webhook is None:
            return
        known = self._known.get(key)
        if parent is None:
            self._forget(key)
            self._unknown.pop(key, None)
        elif known is None or known.identity != _identity(parent):
            self._forget(key)
            self._unknown[key] = None

    def _rules(self, key: ObjectKey, parent: Object, webhook: Webhook) -> tuple[Rule, ...]:
        self._expire()
        known = self._known.get(key)
        if known is None or known.identity != _identity(parent):
            request = {"controller": self._controller.manifest, "parent": parent}
            answer = read_customize(self._client.call(webhook, request), strict=webhook.strict)
            own = parent["metadata"].get("namespace") if webhook.version == "v1" else None
            rules = tuple(read_rule(rule, self._discovery, own_namespace=own) for rule in answer)
            known = _Known(rules, _identity(parent))
            self._learn(key, known)
        return known.rules

    def _selected(self, rule: Rule) -> Iterator[Object]:
        for item in self._candidates(rule):
            if self._selects(rule, item):
                yield item

    def _candidates(self, rule: Rule) -> Iterable[Object]:
        kind = rule.resource.kind
        if not rule.names or (rule.namespace is None and rule.resource.namespaced):
            return self._informers.all(kind, rule.namespace)
        named = (self._informers.find(ObjectKey(kind, rule.namespace or "", name)) for name in rule.names)
        return (item for item in named if item is not None)

    def _selects(self, rule: Rule, item: Object) -> bool:
        metadata = item["metadata"]
        if rule.namespace is not None and metadata.get("namespace") != rule.namespace:
            return False
        if rule.names and metadata["name"] not in rule.names:
            return False
        if rule.namespace_selector is not None:
            namespace = self._informers.find(ObjectKey(_NAMESPACE, "", metadata["namespace"]))
            if namespace is None or not matches(rule.namespace_selector, namespace):
                return False
        return matches(rule.selector, item)

    # Which parents a change concerns

    def _watch(self, kind: Kind) -> None:
        if kind not in self._watched:
            self._watched.add(kind)
            self._informers.subscribe(kind, partial(self._changed, kind))

    def _changed(self, kind: Kind, change: Change) -> None:
        versions = [change.item] if change.old is None else [change.old, change.item]
        for key in self._concerned(kind, versions):
            self._enqueue(key)

    def _concerned(self, kind: Kind, versions: list[Object]) -> list[ObjectKey]:
        if self._webhook is not None:
            self._ask_unknown(self._webhook)
        asking: dict[ObjectKey, None] = {}
        for item in versions:
            metadata = item["metadata"]
            for namespace in (None, metadata.get("namespace")):
                for name in (None, metadata["name"]):
                    asking |= self._asking.get((kind, namespace, name), {})
        return [key for key in asking if self._cares(key, kind, versions)]

    def _cares(self, key: ObjectKey, kind: Kind, versions: list[Object]) -> bool:
        rules = [rule for rule in self._known[key].rules if rule.resource.kind == kind]
        return any(self._selects(rule, item) for rule in rules for item in versions)

    def _ask_unknown(self, webhook: Webhook) -> None:
        """Ask the hook for the parents whose rules are not known; one that fails sees nothing of this change."""
        self._expire()
        for key in list(self._unknown):
            parent = self._informers.find(key)
            if parent is None:
                del self._unknown[key]
                continue
            # One that fails is skipped, as in Metacontroller: the next resync tries again.
            with suppress(SyncFailed, TooManyRequests):
                self._rules(key, parent, webhook)

    def _learn(self, key: ObjectKey, known: _Known) -> None:
        self._forget(key)
        self._unknown.pop(key, None)
        self._known[key] = known
        self._expiries.append((self._clock.now() + CACHED, key, known))
        for place in _places(known.rules):
            self._asking.setdefault(place, {})[key] = None

    def _forget(self, key: ObjectKey) -> None:
        known = self._known.pop(key, None)
        for place in _places(known.rules) if known else ():
            self._asking.get(place, {}).pop(key, None)

    def _expire(self) -> None:
        while self._expiries and self._expiries[0][0] <= self._clock.now():
            _, key, known = self._expiries.popleft()
            if self._known.get(key) is known:
                self._forget(key)
                self._unknown[key] = None


def _identity(parent: Object) -> tuple[str, Any]:
    return parent["metadata"]["uid"], parent["metadata"].get("generation", 0)


def _places(rules: tuple[Rule, ...]) -> Iterator[tuple[Kind, str | None, str | None]]:
    for rule in rules:
        for name in rule.names or (None,):
            yield rule.resource.kind, rule.namespace, name
