"""What a user wants to happen in a simulation, read from a command line's words."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hooks.protocol import Kind, Object
from hooks.simulator.cluster import Cluster
from hooks.simulator.states import is_behind
from hooks.simulator.workloads.world import PodFault


class Unreadable(ValueError):  # noqa: N818 - what is the matter
    """Words that say nothing that a simulation could do."""


_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def read_duration(text: str) -> float:
    """A duration in seconds, from `90`, `90s`, `5m`, `1h30m` or `2d`.

    Raises:
        Unreadable: it is something else.
    """
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    parts = re.findall(r"(\d+(?:\.\d+)?)([smhd])", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise Unreadable(f"{text!r} is no duration; write 90s, 5m or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def duration_text(seconds: float) -> str:
    """Seconds as people read them, such as `1h30m0.0s`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    text = f"{rest:.1f}s"
    if minutes or hours:
        text = f"{minutes}m{text}"
    return f"{hours}h{text}" if hours else text


@dataclass(frozen=True)
class Target:
    """An object that a user names as `KIND/NAME`, or a service of a graph as `dgd/NAME/SERVICE`."""

    kind: str
    name: str
    service: str = ""

    def resolve(self, cluster: Cluster) -> Kind:
        """The kind that is meant, by its name, plural or short name, in any case.

        Raises:
            Unreadable: the cluster has no such kind.
        """
        wanted = self.kind.lower()
        for resource in cluster.store.kinds():
            if wanted in (resource.kind.kind.lower(), resource.kind.plural, *resource.short_names):
                return resource.kind
        raise Unreadable(f"the cluster has no kind {self.kind!r}")


def read_target(text: str) -> Target:
    """Read `KIND/NAME` or `KIND/NAME/SERVICE`.

    Raises:
        Unreadable: it is something else.
    """
    kind, _, rest = text.partition("/")
    name, _, service = rest.partition("/")
    if not kind or not name:
        raise Unreadable(f"{text!r} names no object; write KIND/NAME, such as dgd/chat")
    return Target(kind, name, service)


@dataclass(frozen=True)
class Action:
    """Something to do to an object, in a cluster and the namespace where names are looked for."""

    described: str
    """As it may be written on a command line."""
    target: Target
    run: Callable[[Cluster, str], object]
    at: float | None
    """When, in seconds; None stands for: as soon as everything is at rest."""
    is_failure: bool = False
    """Whether it says what is wrong with an object that need not be there yet."""


def _timed(text: str) -> tuple[str, float | None]:
    words, found, time = text.rpartition("@")
    return (words, read_duration(time)) if found else (text, None)


def read_failure(text: str) -> Action:
    """Read `KIND/NAME=REASON[@TIME]`; without a time it is so from the beginning.

    Raises:
        Unreadable: it is something else, or no reason that is known.
    """
    words, at = _timed(text)
    named, _, reason = words.partition("=")
    target = read_target(named)
    by_name = {fault.value.lower(): fault for fault in PodFault}
    if reason.lower() not in by_name:
        raise Unreadable(f"{reason!r} is no reason to fail; one of {', '.join(PodFault)} is")
    fault = by_name[reason.lower()]

    def run(cluster: Cluster, namespace: str) -> None:
        cluster.world.fail(f"{target.resolve(cluster).kind}/{target.name}", fault, namespace)

    return Action(f"--fail {text}", target, run, at or 0.0, is_failure=True)


def read_deletion(text: str) -> Action:
    """Read `KIND/NAME[@TIME]`; raises as `read_target` does."""
    words, at = _timed(text)
    target = read_target(words)

    def run(cluster: Cluster, namespace: str) -> None:
        cluster.delete(target.resolve(cluster), target.name, namespace)

    return Action(f"--delete {text}", target, run, at)


def read_scaling(text: str) -> Action:
    """Read `KIND/NAME=REPLICAS[@TIME]`, a graph's service as `dgd/NAME/SERVICE=REPLICAS`.

    An autoscaler is told what it finds fitting.

    Raises:
        Unreadable: it is something else.
    """
    words, at = _timed(text)
    object_text, _, number = words.partition("=")
    target = read_target(object_text)
    if not number.isdecimal():
        raise Unreadable(f"{text!r} has no number of replicas; write {object_text}=2")
    return Action(f"--scale {text}", target, lambda cluster, space: _scale(cluster, space, target, int(number)), at)


def _scale(cluster: Cluster, namespace: str, target: Target, replicas: int) -> None:
    kind = target.resolve(cluster)
    if kind.kind == "HorizontalPodAutoscaler":
        cluster.get(kind, target.name, namespace)  # it has to be there, as everything that is scaled
        cluster.world.want(target.name, replicas, namespace)
        return

    def change(item: Object) -> None:
        place = item["spec"]
        if kind.kind == "DynamoGraphDeployment":
            services = place.get("services") or {}
            if target.service not in services:
                raise Unreadable(f"name one of the graph's services: {target.kind}/{target.name}/{_listed(services)}")
            place = services[target.service]
        place["replicas"] = replicas

    cluster.edit(kind, target.name, change, namespace)


def _listed(names: Iterable[str]) -> str:
    return "|".join(sorted(names))


@dataclass(frozen=True)
class Condition:
    """A condition's status (or `status.state`) to wait for, of one object or of every one that was applied."""

    target: Target | None
    type: str
    status: str = "True"

    def __str__(self) -> str:
        """As it may be written on a command line."""
        whose = f"{self.target.kind}/{self.target.name}:" if self.target else ""
        return f"{whose}{self.type}={self.status}"

    def holds_for(self, item: Object) -> bool:
        """Whether it holds for an object, by a status that is about the object's present generation."""
        if is_behind(item):
            return False
        status = item.get("status") or {}
        if self.type == "state":
            return bool(status.get("state") == self.status)
        found = {entry["type"]: entry["status"] for entry in status.get("conditions") or ()}
        return bool(found.get(self.type, "Unknown") == self.status)


_STATUSES = ("True", "False", "Unknown")


def read_condition(text: str) -> Condition:
    """Read `[KIND/NAME:]CONDITION[=STATUS]`, such as `Ready`, `dgd/chat:Ready=False` or `dgd/chat:state=failed`.

    Raises:
        Unreadable: it is something else.
    """
    words, colon, rest = text.rpartition(":")
    target = read_target(words) if colon else None
    kind, equals, status = rest.partition("=")
    if not kind or (equals and not status) or (kind == "state" and not equals):
        raise Unreadable(f"{text!r} is no condition; write Ready, dgd/chat:Ready=False or dgd/chat:state=failed")
    if equals and kind != "state" and status not in _STATUSES:
        raise Unreadable(f"{status!r} is no status of a condition; write {kind}={'|'.join(_STATUSES)}")
    return Condition(target, kind, status or "True")
