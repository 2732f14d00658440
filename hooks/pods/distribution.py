"""What spreads one engine over the nodes of a group: changes to the pods of its leader and of its workers.

LeaderWorkerSet gives each pod of a group LWS_LEADER_ADDRESS (the leader's host name), LWS_GROUP_SIZE and
LWS_WORKER_INDEX (0 for the leader), in front of the container's own environment. Any restart of a container makes
the whole group start anew, models and all, so nothing here ends because another pod is slow.

Source: LeaderWorkerSet documentation, "Labels, annotations and environment variables".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hooks.pods.command import CommandLine, variable

LEADER_ADDRESS = "LWS_LEADER_ADDRESS"
WORKER_INDEX = "LWS_WORKER_INDEX"
GROUP_SIZE = "LWS_GROUP_SIZE"
OF_THE_GROUP = frozenset({LEADER_ADDRESS, WORKER_INDEX, GROUP_SIZE})
"""What LeaderWorkerSet gives; a container's own variable of such a name wins over it."""

LEADER = variable(LEADER_ADDRESS)
"""The leader's host name, as an argument."""

NO_PROBES: Mapping[str, None] = {"livenessProbe": None, "readinessProbe": None, "startupProbe": None}
"""For pods that only the leader talks to."""


@dataclass(frozen=True)
class Node:
    """A pod of a group: its role, the number of nodes, and the GPUs of each (0 where none are asked for)."""

    role: Literal["leader", "worker"]
    count: int
    gpus: int

    @property
    def is_leader(self) -> bool:
        """Whether it is the one that serves requests."""
        return self.role == "leader"


@dataclass(frozen=True)
class Distribution:
    """What the main container and the pod of one role get."""

    line: CommandLine
    probes: Mapping[str, dict[str, Any] | None] = field(default_factory=dict)
    """Probes by their field: one to have instead of whatever is there, or None for none. Others stay as they are."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables to have where the user sets none of that name."""
    volumes: tuple[dict[str, Any], ...] = ()
    mounts: tuple[dict[str, Any], ...] = ()
    """Mounts of these volumes in the main container, to have where the user mounts nothing at that path."""
    note: str = ""
    """A sentence for the condition's message; empty where everything is as one would expect."""
