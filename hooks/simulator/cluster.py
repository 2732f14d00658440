"""The embedded cluster: an API server and Metacontroller with our hooks, in virtual time.

    cluster = Cluster()
    cluster.apply(manifest)
    cluster.run_until(lambda: cluster.condition("DynamoGraphDeployment", "my-graph", "Ready") == "True")
    cluster.check_fixed_point()

The same seed gives the same run, to the last uid.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable

from hooks.protocol import Kind, Object
from hooks.settings import Settings
from hooks.simulator import api_server, kubectl
from hooks.simulator.adapters import AdapterWorkers
from hooks.simulator.cache import Cache
from hooks.simulator.clock import Clock
from hooks.simulator.errors import ApiError
from hooks.simulator.event_log import EventLog
from hooks.simulator.installation import Installation, our_installation
from hooks.simulator.metacontroller.engine import Engine
from hooks.simulator.metacontroller.hook_client import HookClient
from hooks.simulator.metacontroller.manifests import ControllerManifest
from hooks.simulator.resources import Resource
from hooks.simulator.snapshot import snapshot
from hooks.simulator.store import Store, Write
from hooks.simulator.trace import Trace
from hooks.simulator.workloads import World, start_workloads

HOUR = 3600.0


class ClusterProblem(Exception):  # noqa: N818 - the base of what can be the matter
    """Something that should have come to pass in a cluster did not."""


class NeverReached(ClusterProblem):
    """A condition did not come to hold in the time it was given."""


class NeverAtRest(ClusterProblem):
    """A cluster that goes on changing by itself: an endless loop."""


class WritesAtRest(ClusterProblem):
    """A cluster at rest, synced once more, sent writes: its hooks want what the API server does not keep."""

    def __init__(self, writes: list[Write]) -> None:
        self.writes = writes
        listed = "\n".join(f"  {text}" for text in dict.fromkeys(map(_described, writes)))
        super().__init__(f"{len(writes)} write(s) at rest:\n{listed}")


class Cluster:
    """A cluster.

    Args:
        settings: the platform's settings, built-in defaults where none are given.
        seed: None runs everything in the order it was asked for; a number shuffles what is due at the same instant,
            draws the caches' lags, and decides everything else that is left to chance.
        lag: seconds that Metacontroller's caches may be behind.
        optional_apis: which of `optional_apis.OPTIONAL_APIS` the cluster has.
        world: what becomes of pods; a scenario may change it on the way.
        namespaces: those that are there from the beginning.
        installation: what is installed in it, ours where none is given.
    """

    def __init__(  # noqa: PLR0913 - each is one thing that a scenario decides
        self,
        settings: Settings | None = None,
        *,
        seed: int | None = None,
        lag: float = 0.0,
        optional_apis: Iterable[str] = (),
        world: World | None = None,
        namespaces: Iterable[str] = ("default",),
        installation: Installation | None = None,
    ) -> None:
        self.adapter_workers = AdapterWorkers()
        installed = installation or our_installation(settings or Settings(), optional_apis, self.adapter_workers)
        self.seed = seed
        self.clock = self._make_clock()
        self.started = self.clock.now()
        self.store = self._start_server(installed.resources, namespaces)
        self.events = EventLog(self.clock)
        self.trace = Trace(self.store, self.events)
        self.world = world or World()
        self.kubelet = start_workloads(self.store, self.events, self.world)
        self.hooks = HookClient(installed.application(self.clock), self.clock)
        self._random = random.Random(seed)  # noqa: S311 - replayable is what it must be
        self._lag = lag
        self._controllers = installed.controllers
        self._engine = self._start_metacontroller()

    # What users do

    def apply(self, *manifests: Object, namespace: str = "default", validate: bool = True) -> list[Object]:
        """`kubectl apply` manifests, in their order; `validate` refuses fields that nobody knows, as kubectl does.

        Raises:
            ApiError: the API server refuses one.
        """
        return [kubectl.apply(self.store, manifest, namespace, validate=validate) for manifest in manifests]

    def delete(self, kind: Kind | str, name: str, namespace: str = "default") -> None:
        """`kubectl delete` an object; what it owns follows.

        Raises:
            ApiError: NotFound.
        """
        with self.store.acting("kubectl"):
            self.store.delete(kind, name, namespace)

    def edit(
        self, kind: Kind | str, name: str, change: Callable[[Object], object], namespace: str = "default"
    ) -> Object:
        """`kubectl edit`: `change` gets the object and alters it.

        Raises:
            ApiError: NotFound, or the API server refuses the change.
        """
        with self.store.acting("kubectl"):
            item = self.store.get(kind, name, namespace)
            change(item)
            return self.store.update(item)

    # What can be seen

    def get(self, kind: Kind | str, name: str, namespace: str = "default") -> Object:
        """An object as it is now.

        Raises:
            ApiError: NotFound.
        """
        return self.store.get(kind, name, namespace)

    def find(self, kind: Kind | str, name: str, namespace: str = "default") -> Object | None:
        """An object as it is now, None where there is none."""
        try:
            return self.store.get(kind, name, namespace)
        except ApiError:
            return None

    def condition(self, kind: Kind | str, name: str, condition: str, namespace: str = "default") -> str:
        """The status of an object's condition; `Unknown` where it has none, or is not there."""
        item = self.find(kind, name, namespace) or {}
        for entry in (item.get("status") or {}).get("conditions") or ():
            if entry["type"] == condition:
                return str(entry["status"])
        return "Unknown"

    @property
    def writes(self) -> list[Write]:
        """Every write request so far, those that changed nothing or were refused among them."""
        return self.store.writes

    def snapshot(self, *kinds: str) -> Object:
        """All objects, or those of some kinds, without what differs from run to run: uids, versions and times."""
        return snapshot(self.store, kinds)

    # Time

    def run_for(self, seconds: float) -> None:
        """Let so many seconds pass."""
        self.clock.run_for(seconds)

    def run_until(self, condition: Callable[[], bool], within: float = HOUR) -> None:
        """Let time pass until a condition holds; it is asked whenever something changed.

        Raises:
            NeverReached: it did not, within so many seconds.
        """
        if not self.clock.run_for(within, _asked_on_change(self, condition)):
            raise NeverReached(f"not within {within:g} s; {self._last_words()}")

    def settle(self, within: float = HOUR) -> None:
        """Let time pass until nothing is due but what comes round for ever.

        Raises:
            NeverAtRest: something still is, after so many seconds.
        """
        before = len(self.writes)
        if not self.clock.run_for(within, lambda: self.clock.idle):
            counted = Counter(_described(write) for write in self.writes[before:]).most_common(3)
            busiest = ", ".join(f"{text} ({count} times)" for text, count in counted)
            raise NeverAtRest(f"not at rest after {within:g} s. Most written: {busiest}; {self._last_words()}")

    def resync_all(self) -> list[Write]:
        """Have every parent synced once more, until the cluster is at rest; returns the writes that this sent."""
        self.settle()
        before = len(self.writes)
        self._engine.resync_all()
        self.settle()
        return self.writes[before:]

    def check_fixed_point(self) -> None:
        """Check that one more sync of everything writes nothing.

        Raises:
            WritesAtRest: it does.
            NeverAtRest: the cluster does not come to rest at all.
        """
        writes = self.resync_all()
        if writes:
            raise WritesAtRest(writes)

    # What can befall it

    def install(self, installation: Installation, *, away: float = 3.0, token: str | None = None) -> None:
        """Put another installation in the place of the one that is there, as `helm upgrade` does.

        Nobody answers for the `away` seconds in which its pods are replaced. Metacontroller takes notice, and reads
        the token, only where the spec of a controller changed.
        """
        self.hooks.replace(installation.application(self.clock))
        self.hooks.fail(away)
        if _specs(installation.controllers) == _specs(self._controllers):
            return
        self._controllers = installation.controllers
        self.hooks.token = token
        self.restart_metacontroller()

    def uninstall(self) -> None:
        """Take the controllers away, as `helm uninstall` does."""
        self._controllers = ()
        self.restart_metacontroller()

    def restart_metacontroller(self, away: float = 0.0) -> None:
        """End Metacontroller and start it anew after so many seconds: its caches and its customize answers are gone."""
        self._engine.stop()
        self.clock.call_later(away, self._restart)

    def _restart(self) -> None:
        self._engine.stop()  # another one that was started meanwhile
        self._engine = self._start_metacontroller()

    def _start_metacontroller(self) -> Engine:
        lag = (lambda: self._random.uniform(0, self._lag)) if self._lag else 0.0
        cache = Cache(self.store, self.clock, lag)
        return Engine(self.store, cache, self.hooks, self._controllers, self.events, self.seed or 0)

    def _make_clock(self) -> Clock:
        return Clock(seed=self.seed)

    def _start_server(self, resources: Iterable[Resource], namespaces: Iterable[str]) -> Store:
        return api_server.start(self.clock, resources, namespaces, self.seed or 0)

    def _last_words(self) -> str:
        said = [f"{event.kind} {event.name}: {event.reason}, {event.message}" for event in self.events]
        return f"seed {self.seed}; last events: " + ("; ".join(said[-3:]) or "none")


def _specs(controllers: Iterable[ControllerManifest]) -> dict[tuple[str, str], Object]:
    return {(controller.kind, controller.name): controller.manifest["spec"] for controller in controllers}


def _asked_on_change(cluster: Cluster, condition: Callable[[], bool]) -> Callable[[], bool]:
    """A condition that is asked only where a write came since it was asked last."""
    asked = -1

    def holds() -> bool:
        nonlocal asked
        if asked == len(cluster.writes):
            return False
        asked = len(cluster.writes)
        return condition()

    return holds


def _described(write: Write) -> str:
    place = f"{write.namespace}/{write.name}" if write.namespace else write.name
    came_of_it = f"refused: {write.refused}" if write.refused else "changed it" if write.changed else "changed nothing"
    return f"{write.verb} {write.kind} {place} by {write.by or 'nobody'}: {came_of_it}"
