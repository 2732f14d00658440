"""Steps of a life cycle: something that a user does, in words and in deed."""

import copy
from dataclasses import dataclass

from hooks.simulator.errors import ApiError


@dataclass(frozen=True)
class Step:
    """`careful` says that the user waits for everything to be at rest, before and after: the outcome hangs on that."""

    said: str
    act: object
    careful: bool = False
    awaited: object = None
    """What the command itself waits for, as `kubectl delete` does."""


def apply(said, manifest, *, careful=False):
    """`kubectl apply`, of the manifest as it is now."""
    kept = copy.deepcopy(manifest)
    return Step(said, lambda cluster: cluster.apply(copy.deepcopy(kept)), careful)


def delete(kind, name, namespace="default", *, how="Background", careful=False):
    """`kubectl delete`, which minds nothing that is gone already."""

    def act(cluster):
        with cluster.store.acting("kubectl"):
            if cluster.find(kind, name, namespace) is not None:
                cluster.store.delete(kind, name, namespace, propagation=how)

    more = "" if how == "Background" else f" with cascade={how}"

    def gone(cluster):
        found = cluster.find(kind, name, namespace)
        return found is None or "deletionTimestamp" not in found["metadata"]

    return Step(f"deletes {kind} {namespace}/{name}{more}", act, careful, gone)


def edit(said, kind, name, namespace, change):
    """`kubectl edit` by hand of something that should be there; where it is not, nothing happens."""

    def act(cluster):
        if cluster.find(kind, name, namespace) is not None:
            cluster.edit(kind, name, change, namespace)

    return Step(f"{said} {kind} {namespace}/{name}", act, careful=True)


def attempt(said, act):
    """Something that the API server may refuse, in which case the user leaves it."""

    def attempted(cluster):
        try:
            act(cluster)
        except ApiError:
            return

    return Step(said, attempted, careful=True)
