"""The last step of every child: as the API server stores it, within its bounds, and stamped with its hash."""

from hooks import labels
from hooks.errors import Fault, InvalidSpec
from hooks.kinds import CREATED_ONCE
from hooks.manifest import SIZE_LIMIT, as_stored, desired_hash, repeated_keys, too_large
from hooks.protocol import Object, name_of


def finish(child: Object, *, is_sound: bool = True) -> Object:
    """A built-in child as it will be read back, with the annotation nvidia.com/desired-hash.

    Args:
        child: the child.
        is_sound: whether nothing is known to be wrong with its spec. If something is, a repeated key is not told: it
            most likely follows from that.

    Raises:
        InvalidSpec: a merged list has a key twice, so that an entry would be lost, or the object is too large.
    """
    stored: Object = as_stored(child)
    whose = f"{child['kind']} {name_of(child)[1]}"
    faults = [
        Fault(f"{whose}, {path}", f"{key} {value} stands twice, and one of the two would be lost", "keep one of them")
        for path, key, value in (repeated_keys(stored) if is_sound else ())
    ]
    return stamp(stored, faults)


def stamp(child: Object, faults: list[Fault] | None = None) -> Object:
    """The child with the hash of what it is now; kinds that are never updated carry none.

    Raises:
        InvalidSpec: the given faults, or the object is too large.
    """
    found = list(faults or ())
    size = too_large(child)
    if size is not None:
        problem = f"has {size} bytes of JSON, {SIZE_LIMIT} are allowed"
        found.append(Fault(f"{child['kind']} {name_of(child)[1]}", problem, "make its spec smaller"))
    if found:
        raise InvalidSpec(found)
    if child["kind"] not in CREATED_ONCE:
        metadata = child["metadata"]
        metadata["annotations"] = {**metadata.get("annotations", {}), labels.DESIRED_HASH: desired_hash(child)}
    return child
