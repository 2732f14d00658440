"""One simulation: manifests, what happens to them, and how it ends."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

from hooks.api.common import GROUP_VERSION
from hooks.controllers.consent import is_ours
from hooks.kinds import (
    COMPONENT_DEPLOYMENT,
    GRAPH_DEPLOYMENT,
    GRAPH_DEPLOYMENT_REQUEST,
    JOB,
    POD,
    SERVICE_ACCOUNT,
    WORKLOADS,
)
from hooks.protocol import Kind, Object
from hooks.settings import Settings
from hooks.simulator.cluster import HOUR, Cluster, NeverAtRest, NeverReached
from hooks.simulator.errors import ApiError
from hooks.simulator.objects import Key
from hooks.simulator.references import assumed_claim, awaited_claims
from hooks.simulator.script import Action, Condition, Unreadable, duration_text
from hooks.simulator.states import UNSHOWN, state_of
from hooks.simulator.waiting import check_condition, check_name, conditions_of
from hooks.status.graph_deployment_request import PROFILING_STATE, READY
from hooks.status.summary import SUMMARIES

LONGEST = 24 * HOUR
"""How long a simulation lasts at most that is not told an end."""
_DEFAULT = "default"
"""The namespace of what names none."""
_RUNNING = WORKLOADS | {JOB.kind}
"""What a user may have meant who names something else to fail."""
_OWNING = {GRAPH_DEPLOYMENT.kind, COMPONENT_DEPLOYMENT.kind, GRAPH_DEPLOYMENT_REQUEST.kind}
_WITH_PODS = _RUNNING | _OWNING | {"ReplicaSet", POD.kind}
"""Kinds that own pods, or something that does."""


@dataclass(frozen=True)
class Step:
    """One thing that a user sees happen. `state` is empty where the object is gone."""

    at: float
    kind: str
    namespace: str
    name: str
    state: str


@dataclass(frozen=True)
class Plan:
    """What is to be simulated."""

    manifests: tuple[Object, ...]
    namespace: str | None = None
    """Where objects go that name no namespace, and where the names in actions are looked for."""
    actions: tuple[Action, ...] = ()
    until: Condition | None = None
    duration: float | None = None
    assume_claims: bool = False


@dataclass
class Simulation:
    """A run of a plan in a cluster; `show` is told of each step."""

    cluster: Cluster
    plan: Plan
    settings: Settings
    show: Callable[[Step], object]
    applied: list[tuple[Kind, str, str]] = field(default_factory=list)
    _done: list[Action] = field(default_factory=list)
    _seen: set[Key] = field(default_factory=set)
    """Everything that was there at any time."""
    _gone: dict[Key, float] = field(default_factory=dict)
    """What was deleted, and after how many seconds."""
    _shown: dict[Key, str] = field(default_factory=dict)

    def run(self) -> bool:
        """Run it.

        Returns:
            Whether it ended well: what was waited for came, or where nothing was, all that was applied is ready and
            every action was reached.

        Raises:
            ApiError: the API server refuses a manifest or an action.
            Unreadable: an action, or what is waited for, names what does not exist, or what never came to exist.
            NeverAtRest: the cluster goes on changing for ever.
        """
        cluster, plan = self.cluster, self.plan
        self._check_kinds()
        cluster.settle()
        cluster.store.watch(self._changed)
        from_the_beginning = [action for action in plan.actions if action.is_failure and not action.at]
        for action in from_the_beginning:
            self._do(action)
        self._apply()
        for action in plan.actions:
            if action.at is not None and action not in from_the_beginning:
                cluster.clock.call_later(action.at, partial(self._do, action))
        waiting = [action for action in plan.actions if action.at is None]
        if waiting and self._rests():
            for action in waiting:
                self._do(action)
        well = self._last()
        self._check_failures()
        self._check_waited_for()
        return well

    def unreached(self) -> list[Action]:
        """The actions that the simulation ended before."""
        return [action for action in self.plan.actions if action not in self._done]

    def _check_kinds(self) -> None:
        """Of a kind that is none, or cannot fail, is told before anything happens, not after an hour."""
        self._check_until()
        for action in self.plan.actions:
            kind = action.target.resolve(self.cluster).kind
            if action.is_failure and kind not in _WITH_PODS:
                raise Unreadable(f"{action.described}: a {kind} has no pods that could fail")

    def _check_until(self) -> None:
        """What the manifest shows never to come is told before anything happens."""
        until = self.plan.until
        if until is None:
            return
        ours = [item for item in self.plan.manifests if item["apiVersion"] == GROUP_VERSION]
        kinds = [item["kind"] for item in ours]
        if until.target is None:
            if not ours:
                problem = (
                    f"no object of {GROUP_VERSION} is in the manifest; name another one, as in deploy/chat:Available"
                )
                raise Unreadable(f"--until {until}: {problem}")
            check_condition(until, kinds)
            return
        kind = until.target.resolve(self.cluster)
        check_condition(until, [kind.kind])
        others = [
            COMPONENT_DEPLOYMENT.kind,
            *([GRAPH_DEPLOYMENT.kind] if GRAPH_DEPLOYMENT_REQUEST.kind in kinds else []),
        ]
        if kind.api_version == GROUP_VERSION and kind.kind not in others:  # what does not come of another object
            placed = (item for item in ours if item["kind"] == kind.kind and self._namespace_of(item) == self.namespace)
            check_name(f"--until {until}", until.target, self.namespace, (item["metadata"]["name"] for item in placed))

    def _check_waited_for(self) -> None:
        """What comes of others by another name is known only when it never came."""
        until = self.plan.until
        if until is not None and until.target is not None:
            kind = until.target.resolve(self.cluster)
            namespace = self.namespace if self.cluster.store.resource(kind).namespaced else ""
            names = (key.name for key in self._seen if (key.kind, key.namespace) == (kind, namespace))
            if self.cluster.find(kind, until.target.name, self.namespace) is None:
                check_name(f"--until {until}", until.target, namespace, names)

    def waited_in_vain(self) -> str:
        """What is to be said where that which was waited for did not come."""
        until = self.plan.until
        if until is None or until.target is None:
            return f"{until} did not come"
        item = self.cluster.find(until.target.resolve(self.cluster), until.target.name, self.namespace)
        return f"{until} did not come; {'it is gone' if item is None else conditions_of(item)}"

    def _do(self, action: Action) -> None:
        self._done.append(action)
        try:
            action.run(self.cluster, self.namespace)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            kind = action.target.resolve(self.cluster)
            namespaced = self.cluster.store.resource(kind).namespaced
            gone = self._gone.get(Key(kind, self.namespace if namespaced else "", action.target.name))
            if gone is not None:
                said = f"{action.target.kind}/{action.target.name} was deleted after {duration_text(gone)}"
                raise Unreadable(f"{action.described}: {said}") from error
            where = f" in namespace {self.namespace} (-n names another one)" if namespaced else ""
            raise Unreadable(f"{action.described}: {error.message}{where}") from error

    def _check_failures(self) -> None:
        """A failure of what was never there is a typing error, and all would look well."""
        for action in self._done:
            kind, name = action.target.resolve(self.cluster), action.target.name
            if action.is_failure and Key(kind, self.namespace, name) not in self._seen:
                there = [key for key in self._seen if key.kind.kind in _RUNNING and key.namespace == self.namespace]
                named = ", ".join(sorted(f"{key.kind.kind.lower()}/{key.name}" for key in there)) or "nothing that can"
                problem = f"never was there in namespace {self.namespace}, so it could not fail; there is {named}"
                raise Unreadable(f"{action.described}: {kind.kind.lower()}/{name} {problem}")

    def _left(self) -> float:
        """Seconds until the end."""
        if self.plan.duration is None:
            return LONGEST + max((action.at or 0.0 for action in self.plan.actions), default=0.0)
        return max(0.0, self.plan.duration - self._passed())

    def _passed(self) -> float:
        return (self.cluster.clock.now() - self.cluster.started).total_seconds()

    def _rests(self) -> bool:
        """Let everything come to rest; whether it does before the end."""
        try:
            self.cluster.settle(self._left())
        except NeverAtRest:
            if self.plan.duration is None:
                raise
            return False
        return True

    def _last(self) -> bool:
        """Run to the end."""
        if self.plan.until is not None:
            try:
                self.cluster.run_until(self._reached, self._left())
            except NeverReached:
                return False
            return True
        if self.plan.duration is not None:
            self.cluster.run_for(self._left())
        else:
            self.cluster.settle(self._left())
        return not self.unready() and not self.unreached()

    @cached_property
    def namespace(self) -> str:
        """Where names are looked for: where the user says, else where the manifests go, if that is one place."""
        found = {namespace for namespace in map(self._namespace_of, self.plan.manifests) if namespace}
        return self.plan.namespace or (found.pop() if len(found) == 1 else _DEFAULT)

    def _namespace_of(self, manifest: Object) -> str:
        """Where a manifest goes; nowhere, where its kind has no namespaces."""
        try:
            resource = self.cluster.store.resource(manifest["kind"], manifest["apiVersion"])
        except ApiError:
            return ""  # to be refused when it is applied
        given = manifest["metadata"].get("namespace")
        return str(given or self.plan.namespace or _DEFAULT) if resource.namespaced else ""

    def _apply(self) -> None:
        cluster, plan = self.cluster, self.plan
        for manifest in plan.manifests:
            namespace = self._namespace_of(manifest)
            if namespace and cluster.store.find("Namespace", namespace) is None:
                cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
            if plan.assume_claims:
                placed = {**manifest, "metadata": {**manifest["metadata"], "namespace": namespace}}
                for name in awaited_claims(placed, self.settings):
                    cluster.apply(assumed_claim(name, namespace))
            item = cluster.apply(manifest, namespace=namespace or _DEFAULT, validate=False)[0]
            kind = cluster.store.resource(item["kind"], item["apiVersion"]).kind
            self.applied.append((kind, item["metadata"].get("namespace", ""), item["metadata"]["name"]))

    def unready(self) -> list[Object]:
        """What was applied, is there, and is not ready."""
        return [item for item in self._objects() if not _ready(item)]

    def ignored(self) -> list[Object]:
        """The custom resources of ours in namespaces that this installation does not look after."""
        ours = (item for item in self._objects() if item["apiVersion"] == GROUP_VERSION)
        return [item for item in ours if not is_ours(item["metadata"]["namespace"], self.settings)]

    def profiling(self) -> bool:
        """Whether a request waits for a profiler of which nobody has said what it comes to."""
        unknown = self.cluster.world.profile is None
        return unknown and any((item.get("status") or {}).get("state") == PROFILING_STATE for item in self._objects())

    def missing_claims(self) -> list[str]:
        """The claims that what was applied waits for, as `namespace/name`."""
        missing = set()
        for item in self._objects():
            namespace = item["metadata"].get("namespace", "")
            names = awaited_claims(item, self.settings)
            found = (
                name for name in names if self.cluster.store.find("PersistentVolumeClaim", name, namespace) is None
            )
            missing |= {f"{namespace}/{name}" for name in found}
        return sorted(missing)

    def _objects(self) -> Iterator[Object]:
        for kind, namespace, name in self.applied:
            item = self.cluster.find(kind, name, namespace)
            if item is not None:
                yield item

    def _reached(self) -> bool:
        until = self.plan.until
        if until is None:
            return False
        if until.target is None:
            objects = [item for item in self._objects() if item["apiVersion"] == GROUP_VERSION]
        else:
            found = self.cluster.find(until.target.resolve(self.cluster), until.target.name, self.namespace)
            objects = [found] if found is not None else []
        return bool(objects) and all(map(until.holds_for, objects))

    def shows(self, kind: Kind, item: Object) -> bool:
        """Whether an object tells a user something: not what others tell, nor what the cluster has by itself."""
        key = kind, item["metadata"].get("namespace", ""), item["metadata"]["name"]
        by_itself = kind.kind == SERVICE_ACCOUNT.kind and key[2] == "default" and key not in self.applied
        return kind.kind not in UNSHOWN and not by_itself

    @property
    def several_namespaces(self) -> bool:
        """Whether what is shown was in more than one namespace."""
        return len({key.namespace for key in self._shown if key.namespace}) > 1

    def _changed(self, event: str, kind: Kind, item: Object) -> None:
        key = Key(kind, item["metadata"].get("namespace", ""), item["metadata"]["name"])
        self._seen.add(key)
        if event == "DELETED":
            self._gone[key] = self._passed()
        if not self.shows(kind, item):
            return
        state = "" if event == "DELETED" else state_of(item)
        if self._shown.get(key) == state:
            return
        self._shown[key] = state
        self.show(Step(self._passed(), kind.kind, key.namespace, key.name, state))


def _ready(item: Object) -> bool:
    """Whether a custom resource of ours says that it is as it should be; others always are."""
    if item["apiVersion"] != GROUP_VERSION:
        return True
    if item["kind"] == GRAPH_DEPLOYMENT_REQUEST.kind:
        return Condition(None, "state", READY).holds_for(item)
    return Condition(None, SUMMARIES[item["kind"]]).holds_for(item)
