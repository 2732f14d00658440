"""The cluster of the embedded scenarios, on a real API server: our engine and stand-ins, talking to it over HTTP.

Time stays virtual. The server's own controllers act in real time; the cluster waits for them where they are due.
"""

import secrets

from hooks.simulator.cluster import HOUR, Cluster
from hooks.simulator.objects import copied
from hooks.simulator.protection import ClaimProtection
from tests.real.http_store import HttpStore


def real_store(client, clock, resources, namespaces):
    """A part of a real server with some Namespaces, which nobody else has to do with."""
    store = HttpStore(client, clock, resources, prefix=f"t{secrets.token_hex(4)}-")
    with store.acting("api-server"):
        for name in namespaces:
            store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return store


class RealCluster(Cluster):
    """A part of a real cluster: namespaces of its own, which are called in it as the scenario calls them."""

    def __init__(self, client, **options):
        self._client = client
        super().__init__(**options)

    def find(self, kind, name, namespace="default"):
        """As in an embedded cluster; from what is known, as the scenarios ask again after each event."""
        resource = self.store.resource(kind)
        found = self.store.find(resource.kind.kind, name, namespace, resource.kind.api_version)
        return found and copied(found)

    def settle(self, within=HOUR):
        super().settle(within)
        while self.store.refresh():
            super().settle(within)

    def resync_all(self):
        """As in an embedded cluster; the server itself must have counted no write where none is known here."""
        self.settle()
        before, counted = len(self.writes), self._client.writes_served()
        self._engine.resync_all()
        self.settle()
        writes, served = self.writes[before:], self._client.writes_served() - counted
        assert writes or not served, f"nobody here wrote anything, but the server counts {dict(served)}"
        return writes

    def _start_server(self, resources, namespaces):
        store = real_store(self._client, self.clock, resources, namespaces)
        ClaimProtection(store)
        return store
