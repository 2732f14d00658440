"""One simulation: manifests, what happens to them, and how it ends."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hooks.api.common import GROUP_VERSION
from hooks.controllers.consent import is_ours
from hooks.kinds import GRAPH_DEPLOYMENT_REQUEST
from hooks.protocol import Kind, Object
from hooks.settings import Settings
from hooks.simulator.cluster import HOUR, Cluster, NeverReached
from hooks.simulator.references import assumed_claim, awaited_claims
from hooks.simulator.script import Action, Condition, Unreadable
from hooks.simulator.states import UNSHOWN, state_of
from hooks.status.graph_deployment_request import PROFILING_STATE, READY
from hooks.status.summary import SUMMARIES

LONGEST = 24 * HOUR
"""How long a simulation lasts at most that is not told an end."""


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
    namespace: str = "default"
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
    _shown: dict[tuple[Kind, str, str], str] = field(default_factory=dict)

    def run(self) -> bool:
        """Run it.

        Returns:
            Whether it ended well: what was waited for came, or where nothing was, all that was applied is ready.

        Raises:
            ApiError: the API server refuses a manifest or an action.
            Unreadable: an action names what does not exist, or what never came to exist.
            NeverAtRest: the cluster goes on changing for ever.
        """
        cluster, plan = self.cluster, self.plan
        start = cluster.clock.now()
        cluster.settle()
        cluster.store.watch(self._changed)
        for action in plan.actions:
            if action.at == 0.0:
                action.run(cluster, plan.namespace)
        self._apply()
        for action in plan.actions:
            if action.at:
                cluster.clock.call_later(action.at, lambda action=action: action.run(cluster, plan.namespace))  # type: ignore[misc]
        waiting = [action for action in plan.actions if action.at is None]
        if waiting:
            cluster.settle(within=LONGEST)
            for action in waiting:
                action.run(cluster, plan.namespace)
        spent = (cluster.clock.now() - start).total_seconds()
        well = self._last(LONGEST if plan.duration is None else max(0.0, plan.duration - spent))
        self._check_failures()
        return well

    def _check_failures(self) -> None:
        """A failure of what was never there is a typing error, and all would look well."""
        seen = {(kind.kind.lower(), name) for kind, _, name in self._shown}
        hidden = {kind.lower() for kind in UNSHOWN}
        for kind, name in self.cluster.world.workloads:
            if kind not in hidden and (kind, name) not in seen:
                there = sorted(f"{each}/{other}" for each, other in seen if each in ("deployment", "leaderworkerset"))
                raise Unreadable(f"{kind}/{name} never was there, so it could not fail; there are {', '.join(there)}")

    def _last(self, within: float) -> bool:
        """Run to the end."""
        if self.plan.until is not None:
            try:
                self.cluster.run_until(self._reached, within)
            except NeverReached:
                return False
            return True
        if self.plan.duration is not None:
            self.cluster.run_for(within)
        else:
            self.cluster.settle(within)
        return not self.unready()

    def _apply(self) -> None:
        cluster, plan = self.cluster, self.plan
        for manifest in plan.manifests:
            namespace = manifest["metadata"].get("namespace") or plan.namespace
            if cluster.store.find("Namespace", namespace) is None:
                made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
                cluster.apply(made)
            if plan.assume_claims:
                placed = {**manifest, "metadata": {**manifest["metadata"], "namespace": namespace}}
                for name in awaited_claims(placed, self.settings):
                    cluster.apply(assumed_claim(name, namespace))
            item = cluster.apply(manifest, namespace=plan.namespace, validate=False)[0]
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
            found = self.cluster.find(until.target.resolve(self.cluster), until.target.name, self._namespace())
            objects = [found] if found is not None else []
        return bool(objects) and all(map(until.holds_for, objects))

    def _namespace(self) -> str:
        """The namespace of names that a user gives: that of the manifests, where they agree."""
        found = {namespace for _, namespace, _ in self.applied if namespace}
        return found.pop() if len(found) == 1 else self.plan.namespace

    def _changed(self, event: str, kind: Kind, item: Object) -> None:
        if kind.kind in UNSHOWN:
            return
        metadata = item["metadata"]
        key = kind, metadata.get("namespace", ""), metadata["name"]
        state = "" if event == "DELETED" else state_of(item)
        if self._shown.get(key) == state:
            return
        self._shown[key] = state
        at = (self.cluster.clock.now() - self.cluster.started).total_seconds()
        self.show(Step(at, kind.kind, key[1], key[2], state))


def _ready(item: Object) -> bool:
    """Whether a custom resource of ours says that it is as it should be; others always are."""
    if item["apiVersion"] != GROUP_VERSION:
        return True
    if item["kind"] == GRAPH_DEPLOYMENT_REQUEST.kind:
        return Condition(None, "state", READY).holds_for(item)
    return Condition(None, SUMMARIES[item["kind"]]).holds_for(item)
