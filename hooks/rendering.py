"""What a manifest becomes at all levels, without a cluster.

Each object that has a controller is synced as if nothing were there yet, its children likewise, and so on down; objects
of other kinds pass through as they are.
"""

import difflib
import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from hooks.api.common import GROUP_VERSION
from hooks.controllers import component_deployment, graph
from hooks.controllers.claims import claims
from hooks.controllers.graph import of_service, read_graph
from hooks.controllers.registry import Controller, controllers
from hooks.errors import InvalidSpec, MalformedRequest
from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST
from hooks.names import namespace_problem, object_name_problem
from hooks.profiling.output import UnusableOutput, read_output
from hooks.profiling.specification import read_request
from hooks.protocol import CompositeAnswer, Object, entries, part, read_sync
from hooks.settings import Settings
from hooks.status.conditions import INVALID_SPEC, faults_message
from hooks.unknown_fields import UnknownField

DEFAULT_NAMESPACE = "default"

UnknownFields = Callable[[Object], Iterable[UnknownField]]
"""Finds the fields in a custom resource that its CRD does not have."""


@dataclass
class Rendered:
    """What a manifest becomes."""

    objects: list[Object] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """What is to be known all the same."""
    faults: list[str] = field(default_factory=list)
    """What is wrong with the manifest, so that it is not what it asks for."""


def render(
    documents: Iterable[Any],
    settings: Settings,
    now: datetime,
    namespace: str | None = None,
    unknown_fields: UnknownFields | None = None,
    profile_output: str | None = None,
) -> Rendered:
    """Render the documents of a manifest.

    Args:
        documents: the parsed documents; empty ones and those inside a `List` count too.
        settings: the platform's settings.
        now: the time that conditions carry; it is in nothing that is rendered.
        namespace: where objects go that name no namespace.
        unknown_fields: finds fields that the API server would prune; nothing is warned about without it.
        profile_output: what the profiler of a request put out; without it a request becomes the Job that profiles.
    """
    rendered = Rendered()
    by_kind = {
        (found.parent.kind, found.parent.api_version): found for found in controllers().values() if not found.decorates
    }
    for place, document in manifest_objects(documents):
        problem = problem_of(document)
        if problem:
            rendered.faults.append(f"{place}: {problem}")
            continue
        found = by_kind.get((document["kind"], document["apiVersion"]))
        if found is None:
            rendered.objects.append(document)
            rendered.warnings += _almost_ours(document, [kind for kind, _ in by_kind])
            continue
        parent = _placed(document, namespace)
        misnamed = _misnamed(parent)
        if misnamed:
            rendered.faults += misnamed
            continue
        written = [parent]
        if profile_output is not None and found.parent == GRAPH_DEPLOYMENT_REQUEST:
            parents = _come_out(parent, profile_output, rendered, settings)
            written += parents
            found = by_kind[GRAPH_DEPLOYMENT.kind, GRAPH_DEPLOYMENT.api_version]
        else:
            parents = [parent]
        for item in written:
            unknown = unknown_fields(item) if unknown_fields else ()
            rendered.warnings += [f"{_title(item)}: {field}" for field in unknown]
            rendered.warnings += _assumed_claims(item, settings)
        for item in parents:
            _descend(item, found, by_kind, rendered, (settings, now))
    return rendered


def manifest_objects(documents: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    """Each object with the place that names it in a message; nothing for an empty document."""
    for number, document in enumerate(documents, 1):
        if isinstance(document, dict) and document.get("kind") == "List":
            items = document.get("items")
            for index, item in enumerate(items if isinstance(items, list) else ()):
                yield f"document {number}, items[{index}]", item
        elif document is not None:
            yield f"document {number}", document


def problem_of(document: Any) -> str | None:
    """Why a document is no Kubernetes object; None where it is one."""
    if not isinstance(document, dict):
        return "is no Kubernetes object; write apiVersion, kind and metadata"
    try:
        json.dumps(document, allow_nan=False)
        orjson.dumps(document, option=orjson.OPT_PASSTHROUGH_DATETIME)
    except (ValueError, TypeError) as error:  # a date or key without quotes, .inf, a huge number, an alias of itself
        return f"holds what JSON cannot: {error}; put it in quotes"
    for key in ("apiVersion", "kind"):
        if not isinstance(document.get(key), str):
            return f"{key} is missing or no string; add it"
    if not isinstance(part(document, "metadata").get("name"), str):
        return f"{document['kind']}: metadata.name is missing or no string; add it"
    return None


def _almost_ours(document: Object, kinds: list[str]) -> list[str]:
    """Say of an object of NVIDIA's group that it is none of ours: a typing error would pass in silence."""
    group, _, version = document["apiVersion"].rpartition("/")
    our_group, _, our_version = GROUP_VERSION.rpartition("/")
    kind = document["kind"]
    if group != our_group or (version != our_version and kind not in kinds):
        return []
    said = f"{kind} {document['metadata']['name']} is printed as it is, "
    if kind in kinds:
        return [f"{said}since its apiVersion is {document['apiVersion']}; write {GROUP_VERSION}"]
    close = difflib.get_close_matches(kind, kinds, n=1)
    return [f"{said}since its kind is none of {', '.join(kinds)}{f'; did you mean {close[0]}?' if close else ''}"]


def _misnamed(parent: Object) -> list[str]:
    """What the API server would refuse in the names of an object."""
    checks = {"name": object_name_problem, "namespace": namespace_problem}
    return [
        f"{_title(parent)}: metadata.{key}: {value!r} {problem}; change it"
        for key, check in checks.items()
        if isinstance(value := parent["metadata"][key], str) and (problem := check(value))
    ]


def _placed(document: Object, namespace: str | None) -> Object:
    metadata = {"namespace": namespace or DEFAULT_NAMESPACE, **document["metadata"]}
    return {**document, "metadata": metadata}


def _descend(
    parent: Object,
    controller: Controller,
    by_kind: dict[tuple[str, str], Controller],
    rendered: Rendered,
    circumstances: tuple[Settings, datetime],
    known: Collection[str] = (),
) -> None:
    """Render one object and its children; `known` are the warnings about the object that were given already."""
    try:
        request = read_sync({"parent": parent}, controller.parent)
    except MalformedRequest as error:
        rendered.faults.append(f"{_title(parent)}: {str(error).removeprefix('$.parent.')}")
        return
    answer = controller.sync(request, *circumstances)
    if isinstance(answer, CompositeAnswer):
        _report(parent, answer.status, rendered)
    notes = _notes(parent, circumstances[0])
    rendered.warnings += [f"{_title(parent)}: {note}" for note in notes if note not in known]
    for child in answer.body()["children"]:
        rendered.objects.append(child)
        found = by_kind.get((child["kind"], child["apiVersion"]))
        if found is not None:
            said = [note for note in _notes(child, circumstances[0]) if _of_its_service(note, child) in notes]
            _descend(child, found, by_kind, rendered, circumstances, said)


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
        asked = read_request(request, settings)
        output = read_output(text, asked.graph)
    except InvalidSpec as invalid:
        rendered.faults.append(f"{_title(request)}: {faults_message(invalid.faults)}")
        return []
    except UnusableOutput as unusable:
        rendered.faults.append(f"{_title(request)}: {unusable}")
        return []
    rendered.warnings += [f"{_title(request)}: {name} of the output is not made" for name in output.left_out]
    rendered.objects += [*output.config_maps, output.graph]
    return [output.graph]


def _report(parent: Object, status: Object, rendered: Rendered) -> None:
    """Say what a status says that waiting would not mend; both conditions of a component say the same."""
    said = {(condition["reason"], condition["message"]) for condition in entries(status, "conditions")}
    for reason, message in sorted(said):
        if reason == INVALID_SPEC:
            rendered.faults.append(f"{_title(parent)}: {message}")


def _assumed_claims(parent: Object, settings: Settings) -> list[str]:
    if parent["kind"] != GRAPH_DEPLOYMENT.kind:
        return []
    try:
        awaited = claims(read_graph(parent, settings)).awaited
    except InvalidSpec:
        return []
    return [f"{_title(parent)}: claim {name} is taken as there; a cluster would wait for it" for name in awaited]


def _title(item: Object) -> str:
    return f"{item['kind']} {item['metadata']['namespace']}/{item['metadata']['name']}"
