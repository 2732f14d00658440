"""Two stores side by side: the embedded one, and a part of a real server."""

import pytest

from hooks.packaged import packaged
from hooks.simulator.api_server import start
from hooks.simulator.builtin import built_in
from hooks.simulator.clock import Clock
from hooks.simulator.custom import custom_resources
from hooks.simulator.kustomize import read_manifests
from hooks.simulator.optional_apis import OPTIONAL_APIS
from tests.real.cluster import real_store


@pytest.fixture(scope="session")
def resources():
    """All kinds that there are."""
    definitions = read_manifests(packaged("crds")) + [api.definition for api in OPTIONAL_APIS.values()]
    return (*built_in(), *custom_resources(definitions))


@pytest.fixture
def embedded(resources):
    """An embedded store with Namespaces of given names: `embedded("a", "b")`."""

    def make(*namespaces):
        clock = Clock()
        store = start(clock, resources, namespaces)
        clock.run_for(1)
        return store

    return make


@pytest.fixture
def real(control_plane, resources):
    """A real store with Namespaces of given names; they are called so in it alone."""
    made = []

    def make(*namespaces):
        store = real_store(control_plane.client, Clock(), resources, namespaces)
        store.catch_up()
        made.append(store)
        return store

    yield make
    for store in made:
        store.clear()
