"""What becomes of the order of a list that Metacontroller merges by name: the observed one, with new entries behind."""

from hooks.protocol import Object, entries


def init_container_note(whose: str, observed: Object, desired: Object) -> str:
    """What to do where init containers would run in another order than the desired pod spec has; empty where not.

    Args:
        whose: what the message names, such as `Deployment g-decode`.
        observed: the pod spec that is there.
        desired: the pod spec that is asked for.
    """
    wanted = _names(desired)
    there = [name for name in _names(observed) if name in wanted]
    kept = there + [name for name in wanted if name not in there]
    right = next((index for index, name in enumerate(wanted) if kept[index] != name), len(wanted))
    if right == len(wanted):
        return ""
    misplaced = [name for name in wanted[right:] if name in there]
    return (
        f"{whose}: its init containers run in the order {', '.join(kept)}, not {', '.join(wanted)}, since those that "
        f"are there keep their places: give {', '.join(misplaced)} another name"
    )


def _names(pod: Object) -> list[str]:
    return [str(container.get("name")) for container in entries(pod, "initContainers")]
