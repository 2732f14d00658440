"""What `kubectl get` prints: the columns of each kind, those of custom resources as their CRDs declare them."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hooks.protocol import Object
from hooks.simulator.states import pod_state

Cells = Callable[[Object, datetime], list[str]]


@dataclass(frozen=True)
class Table:
    """One kind's objects, as rows."""

    kind: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def lines(self) -> list[str]:
        """The table as kubectl pads it: three spaces between columns."""
        rows = [self.headers, *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(len(self.headers))]
        return ["   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def table(
    kind: str, items: Iterable[Object], now: datetime, columns: Iterable[Object] = (), *, namespaces: bool = False
) -> Table:
    """The table of a kind's objects.

    Args:
        kind: its name.
        items: the objects.
        now: the time that ages are told by.
        columns: those that a CustomResourceDefinition declares.
        namespaces: whether they are told, as for all namespaces at once.
    """
    headers, cells = _columns(kind, columns)
    places = ("NAMESPACE", "NAME") if namespaces else ("NAME",)
    rows = tuple((*(item["metadata"][place.lower()] for place in places), *cells(item, now)) for item in items)
    return Table(kind, (*places, *headers), rows)


def _columns(kind: str, columns: Iterable[Object]) -> tuple[tuple[str, ...], Cells]:
    declared = [column for column in columns if not column.get("priority")]
    if declared:
        return tuple(column["name"].upper() for column in declared), lambda item, now: [
            _cell(column, item, now) for column in declared
        ]
    headers, cells = _BUILT_IN.get(kind, ((), lambda _: []))
    return (*headers, "AGE"), lambda item, now: [*cells(item), _age(item["metadata"]["creationTimestamp"], now)]


def _cell(column: Object, item: Object, now: datetime) -> str:
    value = at_path(item, column["jsonPath"])
    if value is None:
        return ""
    return _age(value, now) if column["type"] == "date" else str(value)


_PART = re.compile(
    r"""\.(?P<key>[\w-]+)|\[\?\(@\.(?P<field>\w+)\s*==\s*["'](?P<value>[^"']*)["']\)\]|\[(?P<index>\d+)\]"""
)


def at_path(item: Any, path: str) -> Any:
    """The value at a JSONPath, of the kind that printer columns have: keys, indexes, and filters by equality.

    Returns:
        The first value found, None where there is none.

    Raises:
        ValueError: the path has something else in it.
    """
    rest, value = path, item
    while rest:
        part = _PART.match(rest)
        if part is None:
            raise ValueError(f"{path}: {rest} is no part of a printer column's path")
        rest = rest[part.end() :]
        if part["key"] is not None:
            value = value.get(part["key"]) if isinstance(value, dict) else None
        elif part["field"] is not None:
            entries = value if isinstance(value, list) else ()
            value = next((entry for entry in entries if entry.get(part["field"]) == part["value"]), None)
        else:
            index = int(part["index"])
            value = value[index] if isinstance(value, list) and index < len(value) else None
    return value


def _age(since: str, now: datetime) -> str:
    """A duration in kubectl's short form: `59s`, `4m10s`, `25m`, `3h5m`, `26h`, `5d`."""
    seconds = max(0, int((now - datetime.fromisoformat(since)).total_seconds()))
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return f"{minutes}m{seconds % 60}s" if seconds % 60 else f"{minutes}m"
    if hours < 3:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h{minutes % 60}m" if minutes % 60 else f"{hours}h"
    return f"{hours}h" if hours < 48 else f"{days}d"


def _deployment(item: Object) -> list[str]:
    status = item.get("status") or {}
    wanted = item["spec"].get("replicas", 1)
    numbers = (status.get(field, 0) for field in ("updatedReplicas", "availableReplicas"))
    return [f"{status.get('readyReplicas', 0)}/{wanted}", *map(str, numbers)]


def _pod(item: Object) -> list[str]:
    containers = (item.get("status") or {}).get("containerStatuses") or []
    ready = sum(bool(container.get("ready")) for container in containers)
    restarts = sum(container.get("restartCount", 0) for container in containers)
    state = "Terminating" if "deletionTimestamp" in item["metadata"] else pod_state(item)
    return [f"{ready}/{len(item['spec']['containers'])}", state, str(restarts)]


def _service(item: Object) -> list[str]:
    spec = item["spec"]
    ports = ",".join(f"{port['port']}/{port.get('protocol', 'TCP')}" for port in spec.get("ports") or ())
    return [spec.get("type", "ClusterIP"), spec.get("clusterIP", "<none>"), "<none>", ports or "<none>"]


def _autoscaler(item: Object) -> list[str]:
    spec, status = item["spec"], item.get("status") or {}
    target = spec["scaleTargetRef"]
    numbers = (spec.get("minReplicas", 1), spec["maxReplicas"], status.get("currentReplicas", 0))
    return [f"{target['kind']}/{target['name']}", *map(str, numbers)]


def _ingress(item: Object) -> list[str]:
    spec = item["spec"]
    hosts = ",".join(rule.get("host", "*") for rule in spec.get("rules") or ())
    return [spec.get("ingressClassName", "<none>"), hosts or "*"]


def _claim(item: Object) -> list[str]:
    status = item.get("status") or {}
    spec = item.get("spec") or {}
    capacity = (status.get("capacity") or {}).get("storage", "")
    return [status.get("phase", "Pending"), capacity, spec.get("storageClassName", "")]


def _job(item: Object) -> list[str]:
    status = item.get("status") or {}
    ended = {entry["type"] for entry in status.get("conditions") or () if entry["status"] == "True"}
    state = next((kind for kind in ("Complete", "Failed", "Suspended") if kind in ended), "Running")
    return [state, f"{status.get('succeeded', 0)}/{item['spec'].get('completions') or 1}"]


_BUILT_IN: Mapping[str, tuple[tuple[str, ...], Callable[[Object], list[str]]]] = {
    "Deployment": (("READY", "UP-TO-DATE", "AVAILABLE"), _deployment),
    "Pod": (("READY", "STATUS", "RESTARTS"), _pod),
    "Service": (("TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)"), _service),
    "HorizontalPodAutoscaler": (("REFERENCE", "MINPODS", "MAXPODS", "REPLICAS"), _autoscaler),
    "Ingress": (("CLASS", "HOSTS"), _ingress),
    "PersistentVolumeClaim": (("STATUS", "CAPACITY", "STORAGECLASS"), _claim),
    "Job": (("STATUS", "COMPLETIONS"), _job),
}
"""Columns of built-in kinds between NAME and AGE, those that have a meaning here."""
