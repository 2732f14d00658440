"""PersistentVolumeClaims: each is bound a moment after it was made."""

from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.objects import Key
from hooks.simulator.workloads.kubelet import CLAIM
from hooks.simulator.workloads.worker import Worker


class Claims(Worker):
    """Binds claims."""

    name: ClassVar[str] = "persistentvolume-binder"
    kind: ClassVar[Kind] = CLAIM

    def sync(self, key: Key, item: Object) -> None:
        """Bind it."""
        spec = item.get("spec") or {}
        bound: Object = {"phase": "Bound", "accessModes": spec.get("accessModes", [])}
        requests = (spec.get("resources") or {}).get("requests")
        if requests:
            bound["capacity"] = requests
        self.set_status(key, bound)
