"""The condition that sums up a resource's status, for whoever wants it in one word."""

from collections.abc import Mapping

from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, MODEL
from hooks.protocol import Object
from hooks.status import component_deployment, graph_deployment, model
from hooks.status.conditions import find_condition

SUMMARIES: Mapping[str, str] = {
    GRAPH_DEPLOYMENT.kind: graph_deployment.READY,
    COMPONENT_DEPLOYMENT.kind: component_deployment.AVAILABLE,
    MODEL.kind: model.ENDPOINTS_READY,
}
"""Kind → type of its condition. A DynamoGraphDeploymentRequest has none: there `status.state` does it."""


def summary(item: Object) -> Object | None:
    """The condition that sums a resource up, Unknown where it is not written yet; None for a kind that has none."""
    kind = SUMMARIES.get(str(item.get("kind")))
    return find_condition(item, kind) if kind else None
