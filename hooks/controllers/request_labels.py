"""DynamoGraphDeploymentRequest → the label that says in which namespace its graph goes.

Whatever looks after that namespace asks for requests by this label; it never trusts it.
"""

from datetime import datetime

from hooks import labels
from hooks.controllers.consent import is_ours
from hooks.profiling.requested import requested_graph
from hooks.protocol import DecoratorAnswer, SyncRequest, name_of
from hooks.settings import Settings


def sync(request: SyncRequest, settings: Settings, now: datetime) -> DecoratorAnswer:  # noqa: ARG001 - see registry
    """Answer with the label; without it where the spec names what can be no namespace."""
    if not is_ours(name_of(request.parent)[0], settings):
        return DecoratorAnswer()
    target = requested_graph(request.parent).namespace
    return DecoratorAnswer(labels={labels.TARGET_NAMESPACE: target if labels.is_value(target) else None})
