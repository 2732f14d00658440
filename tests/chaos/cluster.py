"""A cluster in which Metacontroller, the hooks, the API server and the controllers below break at any moment."""

import random
from dataclasses import replace
from datetime import timedelta

from hooks.settings import Settings
from hooks.simulator import api_server
from hooks.simulator.adapters import AdapterWorkers
from hooks.simulator.cache import Cache
from hooks.simulator.cluster import HOUR, Cluster, NeverReached
from hooks.simulator.installation import our_installation
from hooks.simulator.metacontroller.engine import Engine
from tests.chaos.broken import BrokenHooks, BrokenStore, EngineGone, PausableClock, Process, SkewedClock
from tests.chaos.faults import Faults

NAMESPACES = ("default", "inference", "prod")
LONGEST = 48 * HOUR
LAG = 0.5
"""Seconds that caches may be behind when nothing is wrong."""
LAST_RETRY = 1300.0
"""Seconds after which the last retry after any failure has come: the longest wait of a queue, and a resync."""


class ChaosCluster(Cluster):
    """`faults` is what is wrong with it just now. `plant` may put a wrong application in place of the hooks."""

    def __init__(self, seed, optional_apis=(), plant=None, plant_store=None):
        self.faults = Faults()
        self.processes = []
        self._lags = random.Random(seed)
        self._plant_store = plant_store or (lambda store: store)
        workers = AdapterWorkers()
        installed = our_installation(Settings(), optional_apis, workers)

        def application(clock):
            made = installed.application(SkewedClock(clock, self.faults))
            return plant(made) if plant else made

        super().__init__(
            seed=seed, installation=replace(installed, application=application), namespaces=NAMESPACES, lag=LAG
        )
        self.adapter_workers = workers
        self.faults.cluster = self

    # Time

    def until(self, holds, within=LONGEST):
        """Let time pass until something holds, whatever becomes of Metacontroller; returns whether it does."""
        end = self.clock.now() + timedelta(seconds=within)
        while True:
            try:
                return self.clock.run_until(end, holds)
            except EngineGone:
                continue

    def pass_by(self, seconds):
        """Let so many seconds pass."""
        self.until(lambda: False, seconds)

    def rest(self):
        """Let everything come to rest: all that is wrong ends by itself, and the last retry after it is waited for.

        Raises:
            NeverReached: something goes on for ever.
        """
        self._idle()
        if self.faults.end():
            self.pass_by(LAST_RETRY)
            self._idle()

    def _idle(self):
        if not self.until(lambda: self.clock.idle):
            raise NeverReached(f"not at rest; {self._last_words()}")

    # Metacontroller

    @property
    def leaders(self):
        """The processes of Metacontroller that lead: one, or none while it is away."""
        return [process for process in self.processes if process.leads]

    def end_metacontroller(self, away):
        """End it, wherever it stands, and start it after so many seconds with nothing in its memory."""
        for process in self.leaders:
            self.end_process(process, away)

    def end_process(self, process, away):
        """End one process; one that leads is started again after so many seconds."""
        led = process.leads
        process.end()
        if led:
            self.clock.call_later(away, self._restart)

    def change_leader(self, overlap):
        """Start another one. The old one begins nothing any more, but may end within so many seconds what it began."""
        for process in self.leaders:
            process.retire()
            self.clock.call_later(overlap, process.end)
            self._restart()

    def _start_metacontroller(self):
        process = Process()
        self.processes.append(process)
        store = self._plant_store(BrokenStore(self.store, self.clock, process, self.faults))
        cache = Cache(self.store, self.clock, self._lag_now)
        hooks = BrokenHooks(self.hooks, self, process)
        process.engine = Engine(store, cache, hooks, self._controllers, self.events, self.seed or 0)
        return process.engine

    def _lag_now(self):
        return max(self._lags.uniform(0, LAG), self.faults.lag(self.clock.now(), self._lags))

    def _start_server(self, resources, namespaces):
        self.floor_clock = PausableClock(self.clock)
        return api_server.start(self.floor_clock, resources, namespaces, self.seed or 0)
