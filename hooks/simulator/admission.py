"""What an API server would refuse of a custom resource of ours, without a cluster around it."""

from collections.abc import Iterator
from functools import cache

from hooks.manifest_faults import KINDS, Refusal
from hooks.protocol import Object
from hooks.simulator.custom.validation import NOWHERE
from hooks.simulator.custom.ways import UNCHECKED, CustomWays
from hooks.simulator.errors import ApiError, FieldError
from hooks.simulator.metadata import metadata_faults, read_metadata
from hooks.simulator.objects import copied
from hooks.simulator.resources import Ways
from hooks.unknown_fields import schema_of


def refusals(item: Object, ways: Ways | None = None) -> Iterator[Refusal]:
    """Why a new object would not be taken: what is wrong with its metadata, by its schema, and by the CRD's rules.

    Args:
        item: a custom resource of ours.
        ways: how a server that is there treats its kind; worked out from the CRD where none is given.
    """
    kind = KINDS[item["kind"]]
    ways = ways or _ways(kind.plural)
    made = {key: value for key, value in copied(item).items() if key != "status"}
    try:
        read_metadata(kind, made, ways.metadata_prefix)
    except ApiError as error:
        yield Refusal("metadata", error.message)
        return
    read = ways.read(made)
    known = [*metadata_faults(read.item, None, ways.name_faults), *read.faults]
    for fault in dict.fromkeys(map(_refusal, ways.faults(read.item, None, known))):
        if not fault.text.endswith(UNCHECKED):
            yield fault


def _refusal(fault: FieldError) -> Refusal:
    return Refusal("" if fault.field == NOWHERE else fault.field, str(fault).removeprefix(f"{NOWHERE}: "))


@cache
def _ways(plural: str) -> CustomWays:
    return CustomWays(schema_of(plural))
