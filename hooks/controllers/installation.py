"""Custom resources → the label that says which installation looks after them, where several share a cluster.

Metacontroller cannot keep to chosen namespaces, and a CompositeController has no answer that leaves a parent as it is.
So the CompositeControllers of such an installation select by this label, and only this decorator sets it.
"""

from datetime import datetime

from hooks import labels
from hooks.protocol import DecoratorAnswer, SyncRequest, name_of, part
from hooks.settings import Settings


def sync(request: SyncRequest, settings: Settings, now: datetime) -> DecoratorAnswer:  # noqa: ARG001 - see registry
    """Answer with the label for a resource of one of our namespaces that no other installation has taken."""
    restriction = settings.namespace_restriction
    carried = part(request.parent["metadata"], "labels").get(labels.INSTALLATION)
    ours = restriction.enabled and name_of(request.parent)[0] in restriction.namespaces
    if not ours or not restriction.installation or carried not in (None, "", restriction.installation):
        return DecoratorAnswer()
    return DecoratorAnswer(labels={labels.INSTALLATION: restriction.installation})
