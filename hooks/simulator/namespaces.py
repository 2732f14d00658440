"""Namespaces: each gets a ServiceAccount called `default`, and takes what is in it along when it goes.

Source: Kubernetes' namespace and service account controllers, and the registry of Namespaces.
"""

from hooks.protocol import Kind, Object
from hooks.simulator.errors import ApiError
from hooks.simulator.store import ADDED, DELETED, NAMESPACE, Store

_DELAY = 0.1


class NamespaceController:
    """Empties Namespaces that are being deleted and then lets them go."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._accounts = any(resource.kind.kind == "ServiceAccount" for resource in store.kinds())
        store.watch(self._seen)

    def _seen(self, event: str, kind: Kind, item: Object) -> None:
        if kind == NAMESPACE:
            name = item["metadata"]["name"]
            if event == ADDED and self._accounts:
                self._store.clock.call_later(_DELAY, lambda: self._make_account(name))
            elif event != DELETED and "deletionTimestamp" in item["metadata"]:
                self._store.clock.call_later(_DELAY, lambda: self._empty(name))
        elif event == DELETED and (name := item["metadata"].get("namespace", "")):
            namespace = self._store.find("Namespace", name)
            if namespace is not None and "deletionTimestamp" in namespace["metadata"]:
                self._store.clock.call_later(_DELAY, lambda: self._empty(name))

    def _make_account(self, namespace: str) -> None:
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "default", "namespace": namespace},
        }
        if self._store.find("ServiceAccount", "default", namespace) is None:
            with self._store.acting("service-account-controller"):
                try:
                    self._store.create(account)
                except ApiError as error:
                    if error.status not in {403, 404}:  # the Namespace went in the meantime
                        raise

    def _empty(self, name: str) -> None:
        if self._store.find("Namespace", name) is None:
            return
        with self._store.acting("namespace-controller"):
            for key in self._store.keys_in(name):
                item = self._store.find(key.kind.kind, key.name, key.namespace, key.kind.api_version)
                if item is not None and "deletionTimestamp" not in item["metadata"]:
                    self._store.delete(key.kind, key.name, key.namespace)
            if not self._store.keys_in(name):
                self._store.finalize(name)
