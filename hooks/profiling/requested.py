"""What a DynamoGraphDeploymentRequest says of the graph that comes out: all that is read of its spec after profiling.

While there is a Job this is read from the Job, which remembers what it was made from. It is read leniently: whatever
became of the spec since, a graph that runs is found by it.
"""

from dataclasses import dataclass, field
from typing import Any

from hooks import labels
from hooks.protocol import Object, name_of, part

FIELDS = ("backend", "autoApply", "deploymentOverrides")
"""The fields of the spec that are read after profiling."""


@dataclass(frozen=True)
class RequestedGraph:
    """The graph that a request asks for."""

    request: str
    """Name of the request."""
    request_namespace: str
    request_uid: str
    backend: str | None = None
    auto_apply: bool = False
    overrides: Object = field(default_factory=dict)
    """`deploymentOverrides`."""

    @property
    def name(self) -> str:
        """Name of the graph."""
        return self._override("name") or self.request

    @property
    def namespace(self) -> str:
        """Namespace of the graph."""
        return self._override("namespace") or self.request_namespace

    @property
    def workers_image(self) -> str | None:
        """Image of all its workers, with autoApply and without."""
        return _text(self.overrides.get("workersImage"))

    @property
    def own_labels(self) -> dict[str, str]:
        """Labels by which the graph is known to be this request's, and nobody else's."""
        found = {
            labels.REQUEST_NAME: self.request,
            labels.REQUEST_NAMESPACE: self.request_namespace,
            labels.REQUEST_UID: self.request_uid,  # not there before the API server has seen the request
            labels.MANAGED_BY: labels.MANAGER,
        }
        return {key: value for key, value in found.items() if value}

    def overriding(self, key: str) -> dict[str, str]:
        """The user's `labels` or `annotations` of the graph."""
        if not self.auto_apply:
            return {}
        return {name: value for name, value in part(self.overrides, key).items() if isinstance(value, str)}

    def is_made(self, graph: Object) -> bool:
        """Whether a DynamoGraphDeployment was made for this request, rather than for an earlier one of its name."""
        carried = part(graph["metadata"], "labels").get(labels.REQUEST_UID)
        return bool(self.request_uid) and carried == self.request_uid

    def _override(self, key: str) -> str | None:
        return _text(self.overrides.get(key)) if self.auto_apply else None


def requested_graph(request: Object, spec: Object | None = None) -> RequestedGraph:
    """What a request asks for.

    Args:
        request: the DynamoGraphDeploymentRequest.
        spec: the part of its spec that is read after profiling, where it is known from elsewhere.
    """
    namespace, name = name_of(request)
    found = part(request, "spec") if spec is None else spec
    uid = request["metadata"].get("uid")
    return RequestedGraph(
        request=name,
        request_namespace=namespace,
        request_uid=uid if isinstance(uid, str) else "",
        backend=_text(found.get("backend")),
        auto_apply=found.get("autoApply") is True,
        overrides=part(found, "deploymentOverrides"),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
