"""What counts as a steady state on a real server: no write that it counts itself, whoever sent it."""

import time

import pytest

from tests.real.cluster import RealCluster
from tests.simulator.scenarios.situations import graph

pytestmark = pytest.mark.real


def config_map(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}


def lease(name):
    kind = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
    return {**kind, "metadata": {"name": name, "namespace": "default"}, "spec": {}}


CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"


@pytest.fixture
def client(control_plane):
    control_plane.client.send("POST", CONFIG_MAPS, config_map("counted"))
    control_plane.client.send("POST", LEASES, lease("counted"))
    yield control_plane.client
    control_plane.client.send("DELETE", f"{CONFIG_MAPS}/counted")
    control_plane.client.send("DELETE", f"{LEASES}/counted")


def counted_since(client, before):
    """What it counted since then; it may count a request some moments after its answer, so this sends a last one."""
    client.send("POST", "/api/v1/namespaces/default/secrets", {"metadata": {"name": "last"}}, dryRun="All")
    for _ in range(100):
        found = client.writes_served() - before
        if found.pop("POST secrets", 0):
            return found
        time.sleep(0.1)
    raise AssertionError("it does not count at all")


@pytest.mark.parametrize(
    ("verb", "path", "body", "counted"),
    [
        ("PUT", f"{CONFIG_MAPS}/counted", config_map("counted"), {"PUT configmaps": 1}),
        ("POST", CONFIG_MAPS, {**config_map("other"), "data": {}}, {"POST configmaps": 1}),
        ("GET", f"{CONFIG_MAPS}/counted", None, {}),
        ("POST", LEASES, lease("other"), {}),
    ],
    ids=["a write of what is there already", "a new object", "a read", "a lease"],
)
def test_the_server_counts_writes_even_those_that_change_nothing(client, verb, path, body, counted):
    before = client.writes_served()
    client.send(verb, path, body, **({"dryRun": "All"} if verb == "POST" else {}))
    assert counted_since(client, before) == counted


def test_a_write_that_only_the_server_knows_of_is_no_steady_state(control_plane, monkeypatch):
    cluster = RealCluster(control_plane.client, seed=0)
    cluster.apply(graph())
    cluster.check_fixed_point()

    def write():
        control_plane.client.send("POST", CONFIG_MAPS, config_map("unseen"), dryRun="All")

    monkeypatch.setattr(cluster._engine, "resync_all", write)
    with pytest.raises(AssertionError, match=r"the server counts .*'POST configmaps': 1"):
        cluster.check_fixed_point()
    cluster.store.clear()
