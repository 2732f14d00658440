"""Namespaces: their own finalizer, their phase, and the label that carries their name."""

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator import naming
from hooks.simulator.builtin.ways import BuiltIn
from hooks.simulator.resources import Lookup


class NamespaceWays(BuiltIn):
    """How the API server treats Namespaces."""

    @override
    def prepare(self, item: Object, old: Object | None, store: Lookup) -> None:
        """Set the finalizer and phase of a new one; only the server changes them later. The label is kept right."""
        del store
        if old is None:
            item["spec"] = {"finalizers": ["kubernetes"]}
            item["status"] = {"phase": "Active"}
        else:
            item["spec"] = old["spec"]
        item["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = item["metadata"].get("name", "")

    @override
    def name_faults(self, name: str) -> list[str]:
        """A DNS label."""
        return naming.dns_label_faults(name)

    @override
    def lingers(self, item: Object) -> bool:
        """Until the namespace controller has emptied it."""
        return bool(item["spec"].get("finalizers"))

    @override
    def mark_deleted(self, item: Object) -> None:
        """It is terminating."""
        item["status"] = {**item.get("status", {}), "phase": "Terminating"}
