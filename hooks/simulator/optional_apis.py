"""APIs that a cluster may have besides its own and ours: as far as their objects are defaulted and told apart."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hooks.protocol import Object
from hooks.simulator.custom.leader_worker_set import leader_worker_set_definition


@dataclass(frozen=True)
class OptionalApi:
    """An API that an administrator may install: its kind, and our manifests' component for it."""

    component: str
    define: Callable[[], Object]

    @property
    def definition(self) -> Object:
        """Its CustomResourceDefinition."""
        return self.define()


def _object(**properties: Any) -> Object:
    return {"type": "object", "properties": properties, "x-kubernetes-preserve-unknown-fields": True}


def _definition(kind: str, plural: str, short_name: str, group: str, schema: Object) -> Object:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {
                "kind": kind,
                "plural": plural,
                "singular": kind.lower(),
                "listKind": f"{kind}List",
                "shortNames": [short_name],
            },
            "versions": [version],
        },
    }


def _virtual_service_definition() -> Object:
    schema = _object(spec=_object(), status=_object())
    return _definition("VirtualService", "virtualservices", "vs", "networking.istio.io", schema)


OPTIONAL_APIS: Mapping[str, OptionalApi] = {
    "LeaderWorkerSet": OptionalApi("leader-worker-set", leader_worker_set_definition),
    "Istio": OptionalApi("istio", _virtual_service_definition),
}
"""The optional APIs by the name under which a cluster is asked to have them."""
