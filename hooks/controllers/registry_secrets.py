"""Image pull secrets → their indexes: which registries a Secret is for, and nothing else of it.

Metacontroller sends each Secret here when it changes. Nothing but its name and its registries may leave this module.
"""

from datetime import datetime

from hooks.builders.registry_index import build_registry_index
from hooks.children import only_observed
from hooks.controllers.consent import is_ours
from hooks.protocol import DecoratorAnswer, SyncRequest, name_of
from hooks.settings import Settings


def sync(request: SyncRequest, settings: Settings, now: datetime) -> DecoratorAnswer:  # noqa: ARG001 - see registry
    """Answer with the index of a pull secret; with nothing for every other Secret."""
    if not is_ours(name_of(request.parent)[0], settings):
        return DecoratorAnswer()
    index = build_registry_index(request.parent)
    wanted = [] if index is None else [index]
    return DecoratorAnswer(attachments=only_observed(wanted, request.children) if request.deleting else wanted)
