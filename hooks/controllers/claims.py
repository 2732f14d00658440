"""The PersistentVolumeClaims of a graph: which it makes, which must be there, and which it may never leave out.

A claim that is ours is always returned, whatever becomes of its entry: leaving it out would delete the data.
"""

from dataclasses import dataclass

from hooks.api.graph_deployment import PersistentVolumeClaim
from hooks.builders.component_deployment import Graph
from hooks.builders.persistent_volume_claim import build_persistent_volume_claim
from hooks.children import identity, is_foreign
from hooks.kinds import PERSISTENT_VOLUME_CLAIM
from hooks.protocol import Object, SyncRequest, name_of, part
from hooks.quantities import canonical_quantity, is_quantity


@dataclass(frozen=True)
class Claims:
    """The claims that a graph's spec mentions."""

    graph: Graph
    created: tuple[PersistentVolumeClaim, ...]
    """Entries of `pvcs` that the graph makes."""
    awaited: tuple[str, ...]
    """Names of the others: they must exist."""

    @property
    def mentioned(self) -> tuple[str, ...]:
        """Every name, sorted."""
        return tuple(sorted({*self.awaited, *(claim.name for claim in self.created)}))

    def of_service(self, key: str) -> list[str]:
        """The claims that a service mounts."""
        return sorted({mount.name for mount in self.graph.service_spec(key).volume_mounts or ()})

    def children(self, request: SyncRequest) -> list[Object]:
        """The claims to make; one of that name that is not ours is used as it is."""
        return [
            build_persistent_volume_claim(claim, self.graph.name, self.graph.namespace)
            for claim in self.created
            if not self._is_others(request, claim.name)
        ]

    def kept(self, request: SyncRequest) -> list[Object]:
        """Claims of ours that the spec no longer asks for."""
        wanted = {claim.name for claim in self.created}
        return [
            identity(claim)
            for claim in request.children.all(PERSISTENT_VOLUME_CLAIM)
            if name_of(claim)[1] not in wanted
        ]

    def missing(self, request: SyncRequest) -> dict[str, str]:
        """Name of each claim that must exist and does not → what is said of it. Nothing is concluded unasked."""
        if not request.related.asked(PERSISTENT_VOLUME_CLAIM):
            return {}
        namespace = self.graph.namespace
        return {
            name: f"claim {name} does not exist: create it, or add it to spec.pvcs with create: true"
            for name in self.awaited
            if request.related.find(PERSISTENT_VOLUME_CLAIM, name, namespace) is None
            and request.children.find(PERSISTENT_VOLUME_CLAIM, name, namespace) is None
        }

    def notes(self, request: SyncRequest) -> list[str]:
        """What the spec asks of claims that are there already, and that stays undone: they are never updated."""
        notes = []
        for claim in self.created:
            observed = request.children.find(PERSISTENT_VOLUME_CLAIM, claim.name, self.graph.namespace)
            if observed is None:
                continue
            desired = build_persistent_volume_claim(claim, self.graph.name, self.graph.namespace)
            asked, there = _readable(desired), _readable(observed)
            notes += [
                f"claim {claim.name} keeps its {what} of {there[what]}, spec.pvcs asks for {asked[what]}: "
                f"a claim that exists is not changed by us, see kubectl edit pvc {claim.name}"
                for what in asked
                if there[what] not in ("", asked[what])
            ]
        return notes

    def _is_others(self, request: SyncRequest, name: str) -> bool:
        item = request.related.find(PERSISTENT_VOLUME_CLAIM, name, self.graph.namespace)
        return item is not None and is_foreign(item, request.parent)


def _readable(claim: Object) -> dict[str, str]:
    """What a claim is, in words; empty where it does not say."""
    spec = part(claim, "spec")
    storage = part(part(spec, "resources"), "requests").get("storage")
    modes = spec.get("accessModes")
    storage_class = spec.get("storageClassName")
    return {
        "size": canonical_quantity(storage) if is_quantity(storage) else "",
        "storage class": storage_class if isinstance(storage_class, str) else "",
        "access mode": ", ".join(map(str, modes)) if isinstance(modes, list) else "",
    }


def claims(graph: Graph) -> Claims:
    """The claims that a graph's spec mentions, in `pvcs` and in its services' `volumeMounts`."""
    listed = {claim.name: claim for claim in graph.spec.pvcs or ()}
    created = tuple(claim for claim in listed.values() if claim.create)
    mounted = {mount.name for key in graph.services for mount in graph.service_spec(key).volume_mounts or ()}
    awaited = (mounted | listed.keys()) - {claim.name for claim in created}
    return Claims(graph, created, tuple(sorted(awaited)))
