"""Keeps a PersistentVolumeClaim that is being deleted as long as a pod uses it.

Source: Kubernetes, "Storage Object in Use Protection".
"""

from hooks.protocol import Kind, Object
from hooks.simulator.builtin.claims import PROTECTION
from hooks.simulator.store import DELETED, Store

_DELAY = 0.1


class ClaimProtection:
    """Takes the protecting finalizer off claims that are being deleted once no pod names them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.watch(self._seen)

    def _seen(self, event: str, kind: Kind, item: Object) -> None:
        namespace = item["metadata"].get("namespace", "")
        if kind.kind == "PersistentVolumeClaim" and event != DELETED and "deletionTimestamp" in item["metadata"]:
            self._later(item["metadata"]["name"], namespace)
        elif kind.kind == "Pod" and event == DELETED:
            for name in _used(item):
                self._later(name, namespace)

    def _later(self, name: str, namespace: str) -> None:
        self._store.clock.call_later(_DELAY, lambda: self._look(name, namespace))

    def _look(self, name: str, namespace: str) -> None:
        claim = self._store.find("PersistentVolumeClaim", name, namespace)
        if claim is None or "deletionTimestamp" not in claim["metadata"]:
            return
        if any(name in _used(pod) for pod in self._store.list("Pod", namespace)):
            return
        kept = self._store.get("PersistentVolumeClaim", name, namespace)
        kept["metadata"]["finalizers"] = [f for f in kept["metadata"].get("finalizers", ()) if f != PROTECTION]
        with self._store.acting("claim-protection"):
            self._store.update(kept)


def _used(pod: Object) -> set[str]:
    volumes = pod["spec"].get("volumes", ())
    return {volume["persistentVolumeClaim"]["claimName"] for volume in volumes if "persistentVolumeClaim" in volume}
