"""A whole API server: a store that serves the usual kinds, with the controllers that belong to it."""

from collections.abc import Iterable

from hooks.simulator.clock import Clock
from hooks.simulator.garbage import GarbageCollector
from hooks.simulator.namespaces import NamespaceController
from hooks.simulator.protection import ClaimProtection
from hooks.simulator.resources import Resource
from hooks.simulator.store import Store


def start(
    clock: Clock, resources: Iterable[Resource], namespaces: Iterable[str] = ("default",), seed: int = 0
) -> Store:
    """A store with garbage collector and namespace controller, and some Namespaces to begin with."""
    store = Store(clock, resources, seed)
    GarbageCollector(store)
    NamespaceController(store)
    ClaimProtection(store)
    with store.acting("api-server"):
        for name in namespaces:
            store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return store
