"""What kinds the cluster serves, found by plural or by kind."""

from collections.abc import Iterable

from hooks.protocol import Kind
from hooks.simulator.metacontroller.failures import SyncFailed
from hooks.simulator.metacontroller.manifests import ResourceName
from hooks.simulator.resources import Resource


class NotServed(SyncFailed):
    """The cluster has no such kind."""


class Discovery:
    """The kinds of a cluster, as they were when it was made."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._by_plural: dict[tuple[str, str], Resource] = {}
        self._by_kind: dict[tuple[str, str], Resource] = {}
        for resource in resources:
            kind = resource.kind
            self._by_plural[kind.api_version, kind.plural] = resource
            self._by_kind[kind.api_version, kind.kind] = resource

    def resource(self, name: ResourceName) -> Resource:
        """The resource of that API version and plural.

        Raises:
            NotServed: there is none.
        """
        found = self._by_plural.get((name.api_version, name.plural))
        if found is None:
            raise NotServed(f"the cluster has no {name.plural} of {name.api_version}")
        return found

    def kind(self, api_version: str, kind: str) -> Kind:
        """The kind of that API version and name; raises as `resource` does."""
        found = self._by_kind.get((api_version, kind))
        if found is None:
            raise NotServed(f"the cluster has no kind {kind} of {api_version}")
        return found.kind
