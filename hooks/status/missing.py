"""What is said where the cluster, or the controller in it, does not know a kind that is to be made."""

from hooks.kinds import LEADER_WORKER_SET, VIRTUAL_SERVICE
from hooks.protocol import Kind
from hooks.status.component_deployment import MISSING
from hooks.status.readiness import Readiness

_PRODUCTS = {LEADER_WORKER_SET.kind: "LeaderWorkerSet", VIRTUAL_SERVICE.kind: "Istio"}
"""Optional kinds, and what there is to install for each."""


def lacking(kind: Kind) -> Readiness:
    """Why a kind is left out that `childResources` does not list: Metacontroller would make it and never update it."""
    product = _PRODUCTS.get(kind.kind)
    if product is None:
        message = f"the controller does not list {kind.plural}: apply the manifests of the hooks anew, without changes"
        return Readiness(ready=False, reason=f"{kind.kind}{MISSING}", message=message)
    message = (
        f"the cluster has no {kind.kind}: install {product}, then run `helm upgrade` for the hooks, "
        f"which look for it when their chart is rendered"
    )
    return Readiness(ready=False, reason=f"{product}{MISSING}", message=message)
