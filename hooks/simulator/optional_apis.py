"""APIs that a cluster may have besides its own and ours: as far as their objects are defaulted and told apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hooks.protocol import Object


@dataclass(frozen=True)
class OptionalApi:
    """An API that an administrator may install: its kind, and our manifests' component for it."""

    component: str
    definition: Object


def _object(**properties: Any) -> Object:
    return {"type": "object", "properties": properties, "x-kubernetes-preserve-unknown-fields": True}


def _definition(kind: str, plural: str, group: str, schema: Object) -> Object:
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
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [version],
        },
    }


_LEADER_WORKER_SET = _definition(
    "LeaderWorkerSet",
    "leaderworkersets",
    "leaderworkerset.x-k8s.io",
    _object(
        spec=_object(
            replicas={"type": "integer", "format": "int32", "default": 1},
            startupPolicy={"type": "string", "enum": ["LeaderCreated", "LeaderReady"], "default": "LeaderCreated"},
            leaderWorkerTemplate=_object(
                size={"type": "integer", "format": "int32", "minimum": 1, "default": 1},
                restartPolicy={"type": "string", "default": "RecreateGroupOnPodRestart"},
            ),
        ),
        status=_object(),
    ),
)
_VIRTUAL_SERVICE = _definition(
    "VirtualService", "virtualservices", "networking.istio.io", _object(spec=_object(), status=_object())
)

OPTIONAL_APIS: Mapping[str, OptionalApi] = {
    "LeaderWorkerSet": OptionalApi("leader-worker-set", _LEADER_WORKER_SET),
    "Istio": OptionalApi("istio", _VIRTUAL_SERVICE),
}
"""The optional APIs by the name under which a cluster is asked to have them."""
