"""What the pods of a profiling Job say: what keeps them from starting, and how their containers ended.

Source: Kubernetes, "Pod Lifecycle": conditions of pods, states of containers.
"""

from collections.abc import Iterable, Iterator

from hooks import names
from hooks.protocol import Object, entries, name_of, part
from hooks.status.conditions import find_condition

_STARTING = frozenset({"ContainerCreating", "PodInitializing"})
"""Reasons of containers that are waiting as they should."""
_SHOWN = 4096
"""Characters of somebody else's text: the length of a termination message."""


def obstacles(pods: Iterable[Object]) -> list[str]:
    """What keeps pods that are pending from starting, in sentences: no node, no image, no such volume."""
    found: list[str] = []
    for pod in pods:
        if part(pod, "status").get("phase") != "Pending":
            continue
        name = name_of(pod)[1]
        scheduled = find_condition(pod, "PodScheduled")
        if scheduled["status"] == "False":
            found.append(f"pod {name} waits for a node: {_said(scheduled)}")
        for container, state in _states(pod, "waiting"):
            if state.get("reason") not in _STARTING:
                found.append(f"container {container} of pod {name} does not start: {_said(state)}")
    return found


def container_ends(pods: Iterable[Object]) -> dict[str, str]:
    """Container → how it ended without success; the last one of that name."""
    return {container: end for pod in pods for container, end in _ends(pod)}


def copier_end(pods: Iterable[Object]) -> str | None:
    """How the container ended that was to copy the output, where it ended without success while the profiler runs."""
    for pod in pods:
        running = any(container == names.PROFILER for container, _ in _states(pod, "running"))
        ends = [end for container, end in _ends(pod) if container == names.OUTPUT_COPIER]
        if running and ends:
            return ends[-1]
    return None


def cut(text: str, length: int = _SHOWN) -> str:
    """Somebody else's text on one line, so that ours behind it is seen."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def _ends(pod: Object) -> Iterator[tuple[str, str]]:
    for container, state in _states(pod, "terminated"):
        if state.get("exitCode") != 0:
            said = _said(state)
            yield container, f"ended with exit code {state.get('exitCode')}{f' ({said})' if said else ''}"


def _states(pod: Object, state: str) -> Iterator[tuple[str, Object]]:
    status = part(pod, "status")
    for container in (*entries(status, "initContainerStatuses"), *entries(status, "containerStatuses")):
        found = part(container, "state").get(state)
        if isinstance(found, dict):
            yield str(container.get("name")), found


def _said(item: Object) -> str:
    words = [str(item[key]).strip() for key in ("reason", "message") if item.get(key)]
    return cut(": ".join(words))
