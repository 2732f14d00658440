"""What becomes of the order of a list that Metacontroller merges by name: the observed one, with new entries behind."""

from collections.abc import Iterable

from hooks.pods.environment import referred_to
from hooks.protocol import Object, entries, name_of


def init_container_note(whose: str, observed: Object, desired: Object) -> str:
    """What to do where init containers would run in another order than the desired pod spec has; empty where not.

    Args:
        whose: what the message names, such as `Deployment g-decode`.
        observed: the pod spec that is there.
        desired: the pod spec that is asked for.
    """
    wanted = _names(entries(desired, "initContainers"))
    there = _names(entries(observed, "initContainers"))
    kept = _merged(there, wanted)
    right = next((index for index, name in enumerate(wanted) if kept[index] != name), len(wanted))
    if right == len(wanted):
        return ""
    misplaced = [name for name in wanted[right:] if name in there]
    return (
        f"{whose}: its init containers run in the order {', '.join(kept)}, not {', '.join(wanted)}, since those that "
        f"are there keep their places: give {', '.join(misplaced)} another name"
    )


def variable_note(workload: Object, observed: Object, desired: Object) -> str:
    """What to do where a variable refers to one with `valueFrom` that would stand behind it; empty where not.

    Args:
        workload: what the pods are of.
        observed: the pod spec that is there.
        desired: the pod spec that is asked for.
    """
    found = []
    there = {str(container.get("name")): container for container in _containers(observed)}
    for container in _containers(desired):
        name = str(container.get("name"))
        wanted = entries(container, "env")
        kept = _merged(_names(entries(there.get(name, {}), "env")), _names(wanted))
        places = {variable: place for place, variable in enumerate(kept)}
        found += [
            f"{variable['name']} of container {name} refers to {source}"
            for variable in wanted
            for source in referred_to(variable)
            if places.get(source, -1) > places[str(variable["name"])]
        ]
    if not found:
        return ""
    namespace, called = name_of(workload)
    kind = workload["kind"]
    return (
        f"{kind} {called}: {', '.join(found)}, which stands behind it, since variables that are there keep their "
        f"places: kubectl delete -n {namespace} {kind.lower()} {called}, and it is made anew in the right order"
    )


def _containers(pod: Object) -> Iterable[Object]:
    return [*entries(pod, "containers"), *entries(pod, "initContainers")]


def _names(items: list[Object]) -> list[str]:
    return [str(item.get("name")) for item in items]


def _merged(there: list[str], wanted: list[str]) -> list[str]:
    """The order after a merge: what is there and wanted first."""
    kept = [name for name in there if name in wanted]
    return kept + [name for name in wanted if name not in kept]
