"""Whether a DynamoGraphDeployment that somebody else wrote could be carried out: our own controllers judge it."""

from collections.abc import Iterator
from datetime import datetime

from hooks.controllers import component_deployment, graph_deployment
from hooks.kinds import COMPONENT_DEPLOYMENT
from hooks.protocol import Object, SyncRequest, entries, name_of
from hooks.settings import Settings
from hooks.status.conditions import INVALID_SPEC


def graph_faults(graph: Object, settings: Settings, now: datetime) -> list[str]:
    """What is wrong with a graph and with the components that it would become, in sentences.

    Args:
        graph: the DynamoGraphDeployment, with a namespace.
        settings: the platform's settings.
        now: the time that conditions carry; it is in nothing that comes out.
    """
    answer = graph_deployment.sync(SyncRequest(parent=graph), settings, now)
    faults = list(_invalid(answer.status))
    for child in answer.children:
        if child["kind"] == COMPONENT_DEPLOYMENT.kind:
            component = component_deployment.sync(SyncRequest(parent=child), settings, now)
            faults += [f"{name_of(child)[1]}: {message}" for message in _invalid(component.status)]
    return faults


def _invalid(status: Object) -> Iterator[str]:
    messages = {
        condition["message"] for condition in entries(status, "conditions") if condition["reason"] == INVALID_SPEC
    }
    yield from sorted(messages)
