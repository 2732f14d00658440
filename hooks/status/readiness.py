"""Whether an observed child already is what the answer asks for, and whether it is ready.

Observed children are those before this answer is applied: an old, fully ready workload says nothing of a new spec.
"""

from dataclasses import dataclass

from hooks import labels
from hooks.protocol import Object, is_leaving, name_of, part

NOT_APPLIED = "not yet applied; should this last, see the SyncError event in `kubectl describe`"
LEAVING = "is being deleted; it is made anew once it is gone"
LEAVING_FOR_GOOD = "is being deleted"
GONE = "is gone"
NOT_CREATED = "not created yet"


@dataclass(frozen=True)
class Readiness:
    """Whether a child is ready, and if not why: a reason for programs and a message for people."""

    ready: bool
    reason: str
    message: str


@dataclass(frozen=True)
class Numbers:
    """Replicas of a workload."""

    desired: int
    total: int
    updated: int
    ready: int
    available: int

    def __str__(self) -> str:
        return (
            f"{self.desired} desired, {self.total} there, {self.updated} updated, {self.ready} ready, "
            f"{self.available} available"
        )

    @property
    def settled(self) -> bool:
        """Whether every replica is a ready one of the current template, and no old one is left."""
        return self.total == self.updated == self.ready == self.available == self.desired


def is_applied(child: Object | None, desired: Object) -> bool:
    """Whether an observed child carries the hash of the desired one, and is there to stay."""
    if child is None or is_leaving(child):
        return False
    observed = part(child["metadata"], "annotations").get(labels.DESIRED_HASH)
    return observed is not None and observed == desired["metadata"]["annotations"][labels.DESIRED_HASH]


def deployment_numbers(deployment: Object) -> Numbers:
    """Replicas of a Deployment, whose status leaves out zeros."""
    status = part(deployment, "status")
    return Numbers(
        desired=_count(part(deployment, "spec").get("replicas", 1)),
        total=_count(status.get("replicas")),
        updated=_count(status.get("updatedReplicas")),
        ready=_count(status.get("readyReplicas")),
        available=_count(status.get("availableReplicas")),
    )


def leader_worker_set_numbers(leader_worker_set: Object) -> Numbers:
    """Groups of a LeaderWorkerSet, which knows ready ones and no available ones."""
    status = part(leader_worker_set, "status")
    ready = _count(status.get("readyReplicas"))
    return Numbers(
        desired=_count(part(leader_worker_set, "spec").get("replicas", 1)),
        total=_count(status.get("replicas")),
        updated=_count(status.get("updatedReplicas")),
        ready=ready,
        available=ready,
    )


def is_behind(child: Object) -> bool:
    """Whether a child's status is about an older spec than it has."""
    observed = part(child, "status").get("observedGeneration")
    generation = child["metadata"].get("generation")
    return generation is not None and (observed is None or _count(observed) < _count(generation))


def unapplied_message(child: Object | None, desired: Object, *, deleting: bool) -> str:
    """What is said of a child that is not what this answer asks for; `deleting` is whether its parent is on its way."""
    said = NOT_APPLIED
    if child is not None and is_leaving(child):
        said = LEAVING_FOR_GOOD if deleting else LEAVING
    return f"{desired['kind']} {name_of(desired)[1]}: {said}"


def absent(*, deleting: bool) -> str:
    """What is said of a child that is not there; `deleting` is whether its parent is on its way out."""
    return GONE if deleting else NOT_CREATED


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
