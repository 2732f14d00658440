"""Which controller answers for which route: the one list that routes, `render` and the simulator read."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from hooks.adapters import Task
from hooks.builders.mpi_keys import RANDOMNESS
from hooks.controllers import (
    component_deployment,
    graph_deployment,
    graph_deployment_request,
    installation,
    model,
    namespaces,
    registry_secrets,
    request_labels,
)
from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, MODEL, NAMESPACE, SECRET
from hooks.protocol import CompositeAnswer, CustomizeRequest, DecoratorAnswer, Kind, RelatedRule, SyncRequest
from hooks.settings import Settings

Sync = Callable[[SyncRequest, Settings, datetime], CompositeAnswer | DecoratorAnswer]
Customize = Callable[[CustomizeRequest, Settings], Iterable[RelatedRule]]


@dataclass(frozen=True)
class Controller:
    """The hooks of one parent: `/<route>/sync`, and `/<route>/finalize` and `/<route>/customize` where it has them."""

    route: str
    parent: Kind
    sync: Sync
    customize: Customize | None = None
    finalize: Sync | None = None
    decorates: bool = False
    """Whether it is about objects of others (a DecoratorController), which become nothing by themselves."""
    more_parents: tuple[Kind, ...] = ()
    """Further kinds that it decorates."""
    task: Callable[[SyncRequest], Task | None] | None = None
    """What is to be done on workers before its sync, which is given the outcomes in the request."""
    randomness: int = 0
    """Number of fresh random bytes that its sync is given in the request."""

    @property
    def parents(self) -> tuple[Kind, ...]:
        """Every kind whose objects it is asked about."""
        return (self.parent, *self.more_parents)


REGISTERED = (
    Controller(GRAPH_DEPLOYMENT.plural, GRAPH_DEPLOYMENT, graph_deployment.sync, graph_deployment.customize),
    Controller(
        COMPONENT_DEPLOYMENT.plural, COMPONENT_DEPLOYMENT, component_deployment.sync, component_deployment.customize
    ),
    Controller(
        GRAPH_DEPLOYMENT_REQUEST.plural,
        GRAPH_DEPLOYMENT_REQUEST,
        graph_deployment_request.sync,
        graph_deployment_request.customize,
    ),
    Controller("namespaces", NAMESPACE, namespaces.sync, namespaces.customize, decorates=True, randomness=RANDOMNESS),
    Controller("dynamographdeploymentrequest-labels", GRAPH_DEPLOYMENT_REQUEST, request_labels.sync, decorates=True),
    Controller(
        "claims",
        GRAPH_DEPLOYMENT,
        installation.sync,
        decorates=True,
        more_parents=(COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, MODEL),
    ),
    Controller(MODEL.plural, MODEL, model.sync, model.customize, model.finalize, task=model.task),
    Controller("secrets", SECRET, registry_secrets.sync, decorates=True),
)


def controllers() -> Mapping[str, Controller]:
    """All controllers by route."""
    return {controller.route: controller for controller in REGISTERED}
