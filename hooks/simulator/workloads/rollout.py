"""How many replicas the old and the new template have at each step of a Deployment's roll-out.

Source: Kubernetes, "Deployments", "Rolling Update Deployment".
"""

import math
from dataclasses import dataclass

from hooks.protocol import Object


@dataclass(frozen=True)
class Rollout:
    """A step of a roll-out: what there is of the new template and of all older ones together."""

    replicas: int
    new: int
    old: int
    new_available: int
    old_available: int


def bounds(strategy: Object, replicas: int) -> tuple[int, int]:
    """How many pods there may be above the wanted number, and how many may be unavailable."""
    rolling = strategy.get("rollingUpdate") or {}
    surge = _share(rolling.get("maxSurge", "25%"), replicas, up=True)
    unavailable = _share(rolling.get("maxUnavailable", "25%"), replicas, up=False)
    return surge, max(unavailable, 0 if surge else 1)


def _share(value: int | str, replicas: int, *, up: bool) -> int:
    if isinstance(value, int):
        return value
    exact = replicas * int(value.removesuffix("%")) / 100
    return math.ceil(exact) if up else math.floor(exact)


def next_new(step: Rollout, strategy: Object) -> int:
    """How many replicas of the new template come next."""
    if strategy.get("type") == "Recreate":
        return step.replicas if step.old == 0 else step.new
    if step.new >= step.replicas:
        return step.replicas
    surge, _ = bounds(strategy, step.replicas)
    room = step.replicas + surge - step.new - step.old
    return min(step.replicas, step.new + max(0, room))


def next_old(step: Rollout, strategy: Object) -> int:
    """How many replicas of older templates stay next, those that are not available going first."""
    if strategy.get("type") == "Recreate":
        return 0
    _, unavailable = bounds(strategy, step.replicas)
    least = step.replicas - unavailable
    spare = max(0, step.new + step.old - least - (step.new - step.new_available))
    broken = min(step.old - step.old_available, spare)
    available = step.old_available + step.new_available
    healthy = min(max(0, available - least), spare - broken, step.old - broken)
    return step.old - broken - healthy
