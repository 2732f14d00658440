"""What the API server knows of a kind: its scope, its subresources, and how it treats its objects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from hooks.protocol import Kind, Object
from hooks.simulator import naming
from hooks.simulator.errors import FieldError


class Lookup(Protocol):
    """The part of the store that admission may look into."""

    def find(self, kind: str, name: str, namespace: str = "", api_version: str | None = None) -> Object | None:
        """The object as stored, not to be changed, or None."""


class Reading(NamedTuple):
    """An object as decoded and defaulted, and what was found on the way."""

    item: Object
    warnings: Sequence[str] = ()
    """Fields that nobody knows, and that are gone now."""
    faults: Sequence[FieldError] = ()
    """What is wrong although it could be read."""


class Ways:
    """How the API server treats objects of one kind. This one takes everything as it comes."""

    metadata_prefix = "metadata."
    """What stands before the field in messages about metadata that cannot be read."""

    def read(self, item: Object) -> Reading:
        """Decode an object and fill in its defaults.

        Raises:
            ApiError: it cannot be decoded (400).
        """
        return Reading(item)

    def prepare(self, item: Object, old: Object | None, store: Lookup) -> None:
        """Fill in, in place, what the server decides on a create (`old` is None) or an update.

        Raises:
            ApiError: an admission plugin refuses it.
        """

    def faults(self, item: Object, old: Object | None, known: Sequence[FieldError]) -> Sequence[FieldError]:
        """Everything wrong with the object's content on a create (`old` is None) or an update.

        `known` is what was found as it was read.
        """
        del item, old
        return known

    def with_status(self, old: Object, given: Object) -> Object:
        """The stored object with what an update of its status may change: for custom resources, just that."""
        made = {key: value for key, value in old.items() if key != "status"}
        return made | ({"status": given["status"]} if "status" in given else {})

    def status_faults(self, item: Object, old: Object) -> Sequence[FieldError]:
        """Everything wrong with the object after an update of its status."""
        del item, old
        return ()

    def name_faults(self, name: str) -> list[str]:
        """What is wrong with the name, nothing where it is right."""
        return naming.subdomain_faults(name)

    def counts(self, item: Object, old: Object) -> bool:
        """Whether an update is one that `metadata.generation` counts; the spec's changes always are."""
        del item, old
        return False

    def lingers(self, item: Object) -> bool:
        """Whether something besides `metadata.finalizers` keeps an object that is being deleted."""
        del item
        return False

    def mark_deleted(self, item: Object) -> None:
        """Note on the object, in place, that its deletion has begun."""


@dataclass(frozen=True)
class Resource:
    """A kind that the cluster serves."""

    kind: Kind
    namespaced: bool = True
    has_status: bool = True
    has_generation: bool = True
    """Whether `metadata.generation` counts the changes of the spec (some older kinds go without)."""
    unconditional_update: bool = True
    """Whether an update may come without a resourceVersion; custom resources' may not."""
    ways: Ways = field(default_factory=Ways, compare=False)
    short_names: tuple[str, ...] = ()
    """What else kubectl takes for it, such as `deploy`."""
    columns: Sequence[Object] = field(default=(), compare=False)
    """`additionalPrinterColumns`: what kubectl shows of a custom resource."""


def generation_changes(new: Mapping[str, object], old: Mapping[str, object], *, has_status: bool) -> bool:
    """Whether the part that the generation counts differs: all but metadata, and but status where that is separate."""
    ignored = {"metadata", "status"} if has_status else {"metadata"}
    return any(new.get(key) != old.get(key) for key in (new.keys() | old.keys()) - ignored)
