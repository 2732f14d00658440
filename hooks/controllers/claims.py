"""The PersistentVolumeClaims of a graph: which it makes, which must be there, and which it may never leave out.

A claim that is ours is always returned, whatever becomes of its entry: leaving it out would delete the data.
"""

from dataclasses import dataclass
from itertools import chain

from hooks.builders.component_deployment import Graph
from hooks.builders.persistent_volume_claim import build_persistent_volume_claim
from hooks.children import conflict, identity, is_foreign, leaves_by_itself
from hooks.kinds import PERSISTENT_VOLUME_CLAIM
from hooks.protocol import Object, SyncRequest, is_leaving, name_of, part
from hooks.quantities import canonical_quantity, is_quantity


@dataclass(frozen=True)
class Claims:
    """The claims that a graph's spec mentions."""

    namespace: str
    created: list[Object]
    """Those that the graph makes: the entries of `pvcs` with `create`."""
    awaited: list[str]
    """Names of the others, sorted: they must exist."""
    mounted: dict[str, list[str]]
    """Service key → names of the claims that it mounts, sorted."""

    @property
    def mentioned(self) -> tuple[str, ...]:
        """Every name, sorted."""
        return tuple(sorted({*self.awaited, *(name_of(claim)[1] for claim in self.created)}))

    def children(self, request: SyncRequest) -> list[Object]:
        """The claims to make; one of that name that is not ours is used as it is."""
        return [claim for claim in self.created if not self._is_others(request, name_of(claim)[1])]

    def kept(self, request: SyncRequest) -> list[Object]:
        """Claims of ours that the spec no longer asks for."""
        wanted = {name_of(claim)[1] for claim in self.created}
        return [
            identity(claim)
            for claim in request.children.all(PERSISTENT_VOLUME_CLAIM)
            if name_of(claim)[1] not in wanted
        ]

    def missing(self, request: SyncRequest) -> dict[str, str]:
        """Name of each claim that must exist and does not → what is said of it. Nothing is concluded unasked.

        One that the graph makes is missing as long as that of an earlier graph of its name is still there: whoever
        mounts that one keeps it from going, and loses it at last.
        """
        if not request.related.asked(PERSISTENT_VOLUME_CLAIM):
            return {}
        leftover = {}
        for name in [name_of(claim)[1] for claim in self.created]:
            item = request.related.find(PERSISTENT_VOLUME_CLAIM, name, self.namespace)
            if item is not None and is_foreign(item, request.parent) and leaves_by_itself(item, request.parent):
                leftover[name] = conflict(item, request.parent, "")
        found = {name: self._find(request, name) for name in self.awaited}
        return leftover | {
            name: f"claim {name} does not exist: create it, or add it to spec.pvcs with create: true"
            if claim is None
            else f"claim {name} is being deleted, so no new pod can mount it: create it anew once it is gone"
            for name, claim in found.items()
            if claim is None or is_leaving(claim)
        }

    def notes(self, request: SyncRequest) -> list[str]:
        """What the spec asks of claims that are there already, and that stays undone: they are never updated."""
        notes = []
        for desired in self.created:
            name = name_of(desired)[1]
            observed = request.children.find(PERSISTENT_VOLUME_CLAIM, name, self.namespace)
            if observed is None:
                continue
            asked, there = _readable(desired), _readable(observed)
            notes += [
                f"claim {name} keeps its {what} of {there[what]}, spec.pvcs asks for {asked[what]}: "
                f"a claim that exists is not changed by us, see kubectl edit pvc {name}"
                for what in asked
                if there[what] not in ("", asked[what])
            ]
        return notes

    def _find(self, request: SyncRequest, name: str) -> Object | None:
        found = request.related.find(PERSISTENT_VOLUME_CLAIM, name, self.namespace)
        return found or request.children.find(PERSISTENT_VOLUME_CLAIM, name, self.namespace)

    def _is_others(self, request: SyncRequest, name: str) -> bool:
        item = request.related.find(PERSISTENT_VOLUME_CLAIM, name, self.namespace)
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
    mounted = {
        key: sorted({mount.name for mount in graph.service_spec(key).volume_mounts or ()}) for key in graph.services
    }
    made = {name: claim for name, claim in listed.items() if claim.create}
    return Claims(
        namespace=graph.namespace,
        created=[build_persistent_volume_claim(claim, graph.name, graph.namespace) for claim in made.values()],
        awaited=sorted({*listed, *chain.from_iterable(mounted.values())} - made.keys()),
        mounted=mounted,
    )
