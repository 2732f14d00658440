"""The graphs of requests, and the ConfigMaps beside them, in the namespace that they go to.

A graph serves traffic, so it outlives its request; users and planners edit it, so it is made once and never updated;
and one that a user deleted is never made again. Nothing is made by the word of somebody who has no say in this
namespace: what counts is the request's spec and the consent of the namespace.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hooks import labels, names
from hooks.builders.generated_deployment import build_generated_deployment
from hooks.children import identity
from hooks.controllers.consent import refusal
from hooks.kinds import CONFIG_MAP, GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST
from hooks.profiling.output import CONFIGURATION, UnusableOutput, read_output
from hooks.profiling.requested import RequestedGraph, requested_graph
from hooks.protocol import Object, SyncRequest, is_leaving, name_of, part
from hooks.settings import Settings


@dataclass
class _Made:
    """What this answer makes or names, by name."""

    graphs: dict[str, Object] = field(default_factory=dict)
    config_maps: dict[str, Object] = field(default_factory=dict)


def requested_graphs(request: SyncRequest, settings: Settings) -> list[Object]:
    """The graphs and ConfigMaps of a namespace: every one that is there, and those that are due."""
    made = _Made(
        {name_of(graph)[1]: identity(graph) for graph in request.children.all(GRAPH_DEPLOYMENT)},
        {name_of(item)[1]: identity(item) for item in request.children.all(CONFIG_MAP) if _is_kept(request, item)},
    )
    for item, wanted in _allowed(request, settings):
        graph = _due_graph(request, item, wanted)
        if graph is not None:
            made.graphs.setdefault(wanted.name, graph)
        for config_map in _due_config_maps(request, item, wanted, made):
            made.config_maps.setdefault(name_of(config_map)[1], config_map)
    return [*made.graphs.values(), *made.config_maps.values()]


def _allowed(request: SyncRequest, settings: Settings) -> Iterable[tuple[Object, RequestedGraph]]:
    """The requests whose spec names this namespace and whom it allows; whatever their labels say."""
    namespace = request.parent["metadata"]["name"]
    for item in request.related.all(GRAPH_DEPLOYMENT_REQUEST):
        wanted = requested_graph(item)
        if wanted.namespace != namespace or not wanted.request_uid or is_leaving(item):
            continue
        if refusal(wanted.request_namespace, request.parent, settings) is None:
            yield item, wanted


def _due_graph(request: SyncRequest, item: Object, wanted: RequestedGraph) -> Object | None:
    """The graph of a request, where it is to be made now."""
    status = part(item, "status")
    due = wanted.auto_apply and status.get("state") == "Deploying"
    if not due or part(status, "deployment").get("created") is True:
        return None
    if not request.related.asked(GRAPH_DEPLOYMENT) or _graph_there(request, wanted.name):
        return None
    return build_generated_deployment(part(status, "generatedDeployment"), wanted)


def _graph_there(request: SyncRequest, name: str) -> bool:
    namespace = request.parent["metadata"]["name"]
    observed = (request.related, request.children)
    return any(found.find(GRAPH_DEPLOYMENT, name, namespace) is not None for found in observed)


def _due_config_maps(request: SyncRequest, item: Object, wanted: RequestedGraph, made: _Made) -> list[Object]:
    """The ConfigMaps of a request's output, where some of them are not there."""
    if not _has_its_graph(request, item, wanted, made):
        return []
    output = request.related.find(CONFIG_MAP, names.profile_output(wanted.request), wanted.request_namespace)
    if output is None or part(output["metadata"], "annotations").get(labels.REQUEST_UID) != wanted.request_uid:
        return []
    text = part(output, "data").get(CONFIGURATION)
    # To read the output takes as long as hundreds of syncs: the first look is at what was made of it.
    if not isinstance(text, str) or CONFIG_MAP.kind not in text or _are_complete(request, wanted):
        return []
    try:
        found = read_output(text, wanted).config_maps
    except UnusableOutput:
        return []  # the request's status says why
    return [_listing(config_map, [name_of(each)[1] for each in found]) for config_map in found]


def _has_its_graph(request: SyncRequest, item: Object, wanted: RequestedGraph, made: _Made) -> bool:
    """Whether the ConfigMaps are due: with the graph, or, where a user is to make that, when it is ready to be made."""
    if not wanted.auto_apply:
        return bool(part(item, "status").get("state") == "Ready")
    namespace = request.parent["metadata"]["name"]
    graph = request.children.find(GRAPH_DEPLOYMENT, wanted.name, namespace) or made.graphs.get(wanted.name)
    return graph is not None and not is_leaving(graph) and wanted.is_made(graph)


def _listing(config_map: Object, together: list[str]) -> Object:
    """A ConfigMap that names all that were made with it, so that nobody has to read the output to miss one."""
    annotations = {labels.MADE_TOGETHER: ",".join(together)}
    return {**config_map, "metadata": {**config_map["metadata"], "annotations": annotations}}


def _are_complete(request: SyncRequest, wanted: RequestedGraph) -> bool:
    there = request.children.all(CONFIG_MAP)
    for config_map in there:
        if _carries(config_map, labels.REQUEST_UID) == wanted.request_uid:
            together = part(config_map["metadata"], "annotations").get(labels.MADE_TOGETHER, "")
            return set(together.split(",")) <= {name_of(each)[1] for each in there}
    return False


def _is_kept(request: SyncRequest, config_map: Object) -> bool:
    """Whether a ConfigMap's graph or request is there still, as far as is known."""
    if not all(map(request.related.asked, (GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST))):
        return True
    graph, uid = _carries(config_map, labels.GRAPH_DEPLOYMENT), _carries(config_map, labels.REQUEST_UID)
    requests = request.related.all(GRAPH_DEPLOYMENT_REQUEST)
    return _graph_there(request, graph or "") or any(item["metadata"].get("uid") == uid for item in requests)


def _carries(item: Object, label: str) -> str | None:
    value: str | None = part(item["metadata"], "labels").get(label)
    return value
