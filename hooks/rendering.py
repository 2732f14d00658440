"""What a manifest becomes at all levels, without a cluster.

Each object that has a controller is synced as if nothing were there yet, its children likewise, and so on down; objects
of other kinds pass through as they are. What belongs to the namespaces of these objects comes last.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hooks.controllers import component_deployment, graph
from hooks.controllers.claims import claims
from hooks.controllers.graph import of_service, read_graph
from hooks.controllers.registry import Controller, controllers
from hooks.documents import almost_ours, manifest_objects, problem_of, repeated
from hooks.errors import InvalidSpec, MalformedRequest
from hooks.kinds import (
    COMPONENT_DEPLOYMENT,
    GRAPH_DEPLOYMENT,
    GRAPH_DEPLOYMENT_REQUEST,
    NAMESPACE,
    PERSISTENT_VOLUME_CLAIM,
    SECRET,
)
from hooks.manifest_faults import Refusals, fault_lines, judged, title
from hooks.profiling.output import UnusableOutput, read_output
from hooks.profiling.specification import read_request
from hooks.protocol import (
    CompositeAnswer,
    CustomizeRequest,
    Object,
    Observed,
    SyncRequest,
    entries,
    read_sync,
)
from hooks.settings import Settings
from hooks.status.conditions import INVALID_SPEC
from hooks.unknown_fields import UnknownField

DEFAULT_NAMESPACE = "default"

UnknownFields = Callable[[Object], Iterable[UnknownField]]
"""Finds the fields in a custom resource that its CRD does not have."""


@dataclass(frozen=True)
class Asked:
    """How a manifest is to be rendered."""

    settings: Settings
    now: datetime
    """The time that conditions carry; it is in nothing that is rendered."""
    namespace: str | None = None
    """Where objects go that name no namespace."""
    unknown_fields: UnknownFields | None = None
    """Finds fields that the API server would prune; nothing is warned about without it."""
    refusals: Refusals | None = None
    """Finds what the API server would refuse; without it, the hooks alone judge."""
    profile_output: str | None = None
    """What the profiler of a request put out; without it a request becomes the Job that profiles."""
    namespace_objects: bool = True
    """Whether what belongs to the namespaces is rendered too."""


@dataclass
class Rendered:
    """What a manifest becomes."""

    objects: list[Object] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """What is to be known all the same."""
    ignored: bool = False
    """Whether a warning is of something in the manifest that counts for nothing: a field, a kind, an object."""
    faults: list[str] = field(default_factory=list)
    """What is wrong with the manifest, so that it is not what it asks for; one fault each."""


def render(documents: Iterable[Any], asked: Asked) -> Rendered:
    """Render the parsed documents of a manifest; empty ones and those inside a `List` count too."""
    rendered = Rendered()
    there = []
    for parent, found in _read(documents, asked, rendered):
        if found is None:
            there.append(parent)
            rendered.objects.append(parent)
            continue
        _warn(parent, asked, rendered)
        verdict = judged(parent, asked.settings, asked.refusals)
        if verdict.refused or verdict.all_told:
            told = [f"{title(parent)}: {fault}" for fault in verdict.faults]
            below = Rendered()
            if not verdict.all_told:
                _descend(parent, found, below, asked)
            rendered.faults += dict.fromkeys([*told, *below.faults])
            continue
        there.append(parent)
        if asked.profile_output is not None and found.parent == GRAPH_DEPLOYMENT_REQUEST:
            for came_out in _come_out(parent, asked.profile_output, rendered, asked.settings):
                there.append(came_out)
                _warn(came_out, asked, rendered)
                _descend(came_out, _CONTROLLERS[GRAPH_DEPLOYMENT.kind, GRAPH_DEPLOYMENT.api_version], rendered, asked)
        else:
            _descend(parent, found, rendered, asked)
    rendered.warnings += _assumed_claims(there, rendered, asked)
    if asked.namespace_objects:
        _add_namespace_objects(there, rendered, asked)
    if there and not (rendered.objects or rendered.faults):
        named = ", ".join(map(title, there))
        rendered.warnings.append(f"nothing is printed: {named} {'become' if len(there) > 1 else 'becomes'} no object")
    return rendered


_CONTROLLERS = {
    (found.parent.kind, found.parent.api_version): found for found in controllers().values() if not found.decorates
}
"""Kind and API version → what makes something of such an object."""


def _read(documents: Iterable[Any], asked: Asked, rendered: Rendered) -> Iterable[tuple[Object, Controller | None]]:
    """The objects of a manifest, each once, with the controller of those that have one."""
    places, objects = [], []
    for place, document in manifest_objects(documents):
        problem = problem_of(document)
        if problem:
            rendered.faults.append(f"{place}: {problem}")
            continue
        if (document["kind"], document["apiVersion"]) in _CONTROLLERS:
            metadata = {"namespace": asked.namespace or DEFAULT_NAMESPACE, **document["metadata"]}
            document = {**document, "metadata": metadata}  # noqa: PLW2901 - the same object, placed
        else:
            _ignore(rendered, almost_ours(document, [kind for kind, _ in _CONTROLLERS]))
        places.append(place)
        objects.append(document)
    passed_over = set()
    for first, second in repeated(objects):
        passed_over.add(first)
        said = f"{places[first]} counts for nothing: {title(objects[first])} stands once more in {places[second]}"
        _ignore(rendered, [f"{said}; leave one of them out"])
    for index, item in enumerate(objects):
        if index not in passed_over:
            yield item, _CONTROLLERS.get((item["kind"], item["apiVersion"]))


def _warn(parent: Object, asked: Asked, rendered: Rendered) -> None:
    """Warn of what is in a custom resource that somebody wrote, and not of what it becomes."""
    unknown = asked.unknown_fields(parent) if asked.unknown_fields else ()
    _ignore(rendered, [f"{title(parent)}: {found}" for found in unknown])


def _ignore(rendered: Rendered, warnings: list[str]) -> None:
    rendered.warnings += warnings
    rendered.ignored |= bool(warnings)


def _assumed_claims(parents: Iterable[Object], rendered: Rendered, asked: Asked) -> Iterable[str]:
    """What graphs mount and neither the manifest nor what becomes of it has, in sentences."""
    there = {
        (metadata.get("namespace") or asked.namespace or DEFAULT_NAMESPACE, metadata.get("name"))
        for metadata in (item["metadata"] for item in rendered.objects if item["kind"] == PERSISTENT_VOLUME_CLAIM.kind)
    }
    for parent in parents:
        if parent["kind"] != GRAPH_DEPLOYMENT.kind:
            continue
        try:
            mentioned = claims(read_graph(parent, asked.settings))
        except InvalidSpec:
            continue
        for name in mentioned.awaited:
            if (mentioned.namespace, name) not in there:
                yield f"{title(parent)}: claim {name} is taken as there; a cluster would wait for it"


def _descend(
    parent: Object,
    controller: Controller,
    rendered: Rendered,
    asked: Asked,
    known: Collection[str] = (),
    graph_of_it: Object | None = None,
) -> None:
    """Render one object and its children.

    Args:
        parent: the object.
        controller: what makes something of it.
        rendered: what is added to.
        asked: how to render.
        known: the notes about the object that were given already.
        graph_of_it: the graph that it is a component of, where it comes from one.
    """
    try:
        request = read_sync({"parent": parent}, controller.parent)
    except MalformedRequest as error:
        rendered.faults.append(f"{title(parent)}: {str(error).removeprefix('$.parent.')}")
        return
    answer = controller.sync(request, asked.settings, asked.now)
    faults = fault_lines(parent, graph_of_it, asked.settings)
    rendered.faults += faults
    if isinstance(answer, CompositeAnswer) and not faults:
        _report(parent, answer.status, rendered)
    notes = _notes(parent, asked.settings)
    rendered.warnings += [f"{title(parent)}: {note}" for note in notes if note not in known]
    for child in answer.body()["children"]:
        rendered.objects.append(child)
        found = _CONTROLLERS.get((child["kind"], child["apiVersion"]))
        if found is not None:
            said = [note for note in _notes(child, asked.settings) if _of_its_service(note, child) in notes]
            _descend(child, found, rendered, asked, said, parent if parent["kind"] == GRAPH_DEPLOYMENT.kind else None)


def _notes(parent: Object, settings: Settings) -> list[str]:
    """What is to be known of a graph or a component although nothing is wrong with it."""
    try:
        if parent["kind"] == GRAPH_DEPLOYMENT.kind:
            return graph.built(parent, settings).notes
        return component_deployment.built(parent, settings).notes if parent["kind"] == COMPONENT_DEPLOYMENT.kind else []
    except InvalidSpec:
        return []


def _of_its_service(note: str, component: Object) -> str:
    return of_service(note, component["spec"]["serviceName"]) if "serviceName" in component["spec"] else note


def _come_out(request: Object, text: str, rendered: Rendered, settings: Settings) -> list[Object]:
    """The graph that a request's profile becomes, and what goes with it; nothing where a fault keeps it from that."""
    try:
        wanted = read_request(request, settings)
        output = read_output(text, wanted.graph)
    except InvalidSpec as invalid:
        rendered.faults += [f"{title(request)}: {fault}" for fault in invalid.faults]
        return []
    except UnusableOutput as unusable:
        rendered.faults.append(f"{title(request)}: {unusable}")
        return []
    rendered.warnings += [f"{title(request)}: {name} of the output is not made" for name in output.left_out]
    rendered.objects += [*output.config_maps, output.graph]
    return [output.graph]


def _report(parent: Object, status: Object, rendered: Rendered) -> None:
    """Say what a status says that waiting would not mend; both conditions of a component say the same."""
    said = {(condition["reason"], condition["message"]) for condition in entries(status, "conditions")}
    for reason, message in sorted(said):
        if reason == INVALID_SPEC:
            rendered.faults.append(f"{title(parent)}: {message}")


def _add_namespace_objects(there: list[Object], rendered: Rendered, asked: Asked) -> None:
    """Add what the namespaces get for the objects of the manifest. Nobody sees a key that will be made elsewhere."""
    controller = controllers()[NAMESPACE.plural]
    default = asked.namespace or DEFAULT_NAMESPACE
    by_place: dict[str, list[Object]] = {}
    for item in there:
        by_place.setdefault(str(item["metadata"].get("namespace") or default), []).append(item)
    for name, items in sorted(by_place.items()):
        namespace = {"apiVersion": NAMESPACE.api_version, "kind": NAMESPACE.kind, "metadata": {"name": name}}
        rules = controller.customize(CustomizeRequest(namespace), asked.settings) if controller.customize else ()
        related: dict[str, dict[str, Object]] = {rule.kind.key: {} for rule in rules}
        for item in items:
            kind = f"{item['kind']}.{item['apiVersion']}"
            if kind in related:
                placed = {**item, "metadata": {**item["metadata"], "namespace": name}}
                related[kind][item["metadata"]["name"]] = placed
        request = SyncRequest(namespace, related=Observed(related), randomness=bytes(controller.randomness))
        for made in controller.sync(request, asked.settings, asked.now).body()["attachments"]:
            if made["kind"] != SECRET.kind:
                rendered.objects.append(made)
                continue
            rendered.warnings.append(f"{title(made)} is not printed; a cluster makes it with keys of its own")
