"""A claim that a graph makes for its components."""

from hooks import labels
from hooks.api.graph_deployment import PersistentVolumeClaim
from hooks.kinds import PERSISTENT_VOLUME_CLAIM
from hooks.protocol import Object


def build_persistent_volume_claim(claim: PersistentVolumeClaim, graph_deployment: str, namespace: str) -> Object:
    """The claim. It is never updated: most of its spec cannot change."""
    metadata: Object = {"name": claim.name, "namespace": namespace}
    if labels.is_value(graph_deployment):
        metadata["labels"] = {labels.GRAPH_DEPLOYMENT: graph_deployment}
    return {
        "apiVersion": PERSISTENT_VOLUME_CLAIM.api_version,
        "kind": PERSISTENT_VOLUME_CLAIM.kind,
        "metadata": metadata,
        "spec": {
            "accessModes": [claim.volume_access_mode],
            "resources": {"requests": {"storage": claim.size}},
            "storageClassName": claim.storage_class,
        },
    }
