"""All controllers of a cluster, started and stopped together as Metacontroller's process is."""

import random
from collections.abc import Iterable

from hooks.simulator.cache import Cache
from hooks.simulator.event_log import EventLog
from hooks.simulator.metacontroller.composite import CompositeController
from hooks.simulator.metacontroller.controller import Controller, Surroundings
from hooks.simulator.metacontroller.decorator import DecoratorController
from hooks.simulator.metacontroller.discovery import Discovery, NotServed
from hooks.simulator.metacontroller.hook_client import HookClient
from hooks.simulator.metacontroller.informers import Informers
from hooks.simulator.metacontroller.manifests import ControllerManifest
from hooks.simulator.store import Store


class Engine:
    """Runs controllers against a store.

    Args:
        store: the API server.
        cache: what Metacontroller knows of it; a restarted engine needs a new one.
        client: calls the hooks.
        manifests: the controllers.
        events: where `SyncError` events go.
        seed: decides orders that Metacontroller leaves to chance.
    """

    def __init__(
        self,
        store: Store,
        cache: Cache,
        client: HookClient,
        manifests: Iterable[ControllerManifest],
        events: EventLog,
        seed: int = 0,
    ) -> None:
        self.controllers: list[Controller] = []
        self._informers = Informers(store, cache)
        around = Surroundings(
            store=store,
            informers=self._informers,
            clock=store.clock,
            client=client,
            discovery=Discovery(store.kinds()),
            events=events,
            random=random.Random(seed),  # noqa: S311 - replayable is what it must be
        )
        for manifest in manifests:
            self._start(manifest, around)

    def resync_all(self) -> None:
        """Have every parent of every controller synced once."""
        for controller in self.controllers:
            controller.resync()

    def stop(self) -> None:
        """End it, as a process ends: what was waiting is forgotten."""
        for controller in self.controllers:
            controller.stop()
        self._informers.close()

    def _start(self, manifest: ControllerManifest, around: Surroundings) -> None:
        build = CompositeController if manifest.composite else DecoratorController
        try:
            self.controllers.append(build(manifest, around))
        except NotServed as error:
            # Metacontroller does not start such a controller, and tries again for ever.
            about = {"kind": manifest.kind, "metadata": {"name": manifest.name, "uid": manifest.name}}
            around.events.record(about, "Warning", "CreateError", f"{manifest.name} cannot start: {error}")
