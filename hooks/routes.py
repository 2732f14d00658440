"""The routes: one family for each controller, and what needs no token."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from http import HTTPStatus
from typing import Any

import orjson
from flask import Blueprint, Response, current_app, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from hooks import metrics
from hooks.adapters import Outcomes, Perform, Task
from hooks.bodies import read_json, read_manifest
from hooks.controllers.registry import Controller, Customize
from hooks.documents import manifest_objects
from hooks.errors import MalformedRequest
from hooks.problems import problem
from hooks.protocol import Object, SyncRequest, customize_body, read_customize, read_sync
from hooks.rendering import Asked, render
from hooks.settings import Settings
from hooks.turns import Turns
from hooks.unknown_fields import unknown_fields

Clock = Callable[[], datetime]
Randomness = Callable[[int], bytes]
"""A cryptographic source: so many fresh random bytes."""
View = Callable[[], Response]

_WARNINGS = 20
"""Headers that an answer carries at most: clients refuse more than a hundred."""


@dataclass(frozen=True)
class Sources:
    """What the hooks get from outside of a request."""

    clock: Clock
    randomness: Randomness
    perform: Perform
    """Carries tasks on workers out."""
    turns: Turns
    """How many calls are under way at once."""


def hooks(controllers: Mapping[str, Controller], settings: Settings, sources: Sources) -> Blueprint:
    """`POST /<route>/sync`, `/<route>/finalize` and, where the controller has it, `/<route>/customize`."""
    blueprint = Blueprint("hooks", __name__)
    for route, controller in controllers.items():
        views = {
            "sync": _sync(controller, settings, sources),
            "finalize": _sync(controller, settings, sources, finalizing=True),
        }
        if controller.customize is not None:
            views["customize"] = _customize(controller, controller.customize, settings)
        for hook, view in views.items():
            path = f"{route}/{hook}"
            blueprint.add_url_rule(f"/{path}", path, sources.turns.taken_by(view), methods=["POST"])
    return blueprint


def _sync(controller: Controller, settings: Settings, sources: Sources, *, finalizing: bool = False) -> View:
    def view() -> Response:
        asked = read_sync(_body(), *controller.parents)
        g.call.parent = asked.parent
        if controller.randomness:
            asked = replace(asked, randomness=sources.randomness(controller.randomness))
        if finalizing or asked.finalizing:
            asked = replace(asked, finalizing=True)
        if controller.task is not None and (task := controller.task(asked)) is not None:
            asked = replace(asked, outcomes=_outcomes(task, sources))
        if asked.finalizing:
            return _json(_finalized(controller, asked, settings, sources.clock()))
        return _json(controller.sync(asked, settings, sources.clock()).body())

    return view


def _outcomes(task: Task, sources: Sources) -> Outcomes:
    """What comes of a task, while other calls go on."""
    with sources.turns.given_away():
        outcomes = sources.perform(task)
    g.call.workers = outcomes.by_address
    return outcomes


def _finalized(controller: Controller, asked: SyncRequest, settings: Settings, now: datetime) -> Object:
    if controller.finalize is not None:
        return controller.finalize(asked, settings, now).body()
    # A controller that has nothing to finalize must not keep the parent for ever.
    return {"finalized": True} | controller.sync(asked, settings, now).body()


def _customize(controller: Controller, customize: Customize, settings: Settings) -> View:
    def view() -> Response:
        asked = read_customize(_body(), *controller.parents)
        g.call.parent = asked.parent
        return _json(customize_body(customize(asked, settings)))

    return view


def manifests(settings: Settings, sources: Sources) -> Blueprint:
    """`POST /render`: a manifest in YAML or JSON becomes one `List`; warnings are in headers of that name."""
    blueprint = Blueprint("manifests", __name__)

    @blueprint.post("/render", endpoint="render")  # what metrics and log call it
    @sources.turns.taken_by
    def rendered() -> Response:
        documents = read_manifest(_bytes())
        if not any(manifest_objects(documents)):
            cure = "send a manifest, as curl --data-binary @graph.yaml does"
            raise MalformedRequest("$", f"no object is in the body; {cure}")
        asked = Asked(
            settings=settings,
            now=sources.clock(),
            namespace=request.args.get("namespace"),
            unknown_fields=unknown_fields,
            namespace_objects=request.args.get("namespaceObjects") != "false",
        )
        found = render(documents, asked)
        if found.faults:
            number = len(found.faults)
            detail = f"the manifest has {number} fault{'s' if number > 1 else ''}, see errors"
            return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, errors=found.faults)
        g.call.answer = {"apiVersion": "v1", "kind": "List", "items": found.objects}
        text = orjson.dumps(g.call.answer, option=orjson.OPT_APPEND_NEWLINE)  # it is for terminals
        answer = Response(text, content_type="application/json")
        for warning in found.warnings[:_WARNINGS]:
            quoted = orjson.dumps(warning.encode("ascii", "replace").decode()).decode()  # a quoted string of ASCII
            answer.headers.add("Warning", f"299 dynamo-hooks {quoted}")
        return answer

    return blueprint


def _body() -> Any:
    g.call.body = read_json(_bytes())
    return g.call.body


def _bytes() -> bytes:
    """The body, up to the limit. Werkzeug's own limit is slow, and cuts a chunked body off without a word."""
    limit, length = current_app.config["MAX_CONTENT_LENGTH"], request.content_length
    if length is not None and length > limit:
        raise RequestEntityTooLarge
    try:
        body: bytes = request.environ["wsgi.input"].read(limit + 1 if length is None else length)
    except TimeoutError:
        raise MalformedRequest("$", "the body does not come to its end") from None
    g.call.size = len(body)
    if len(body) > limit:
        raise RequestEntityTooLarge
    if length is not None and len(body) < length:
        raise MalformedRequest("$", f"the body ends after {len(body)} of {length} bytes")
    return body


def _json(body: Object) -> Response:
    g.call.answer = body
    return Response(orjson.dumps(body), content_type="application/json")


def probes() -> Blueprint:
    """`/healthz`, `/readyz` and `/metrics`."""
    blueprint = Blueprint("probes", __name__)

    @blueprint.get("/healthz")
    @blueprint.get("/readyz")
    def healthy() -> Response:  # it keeps nothing and calls nobody: what answers is ready
        return Response("ok\n", content_type="text/plain")

    @blueprint.get("/metrics")
    def numbers() -> Response:
        body, content_type = metrics.exposition(request.headers.get("Accept", ""))
        return Response(body, content_type=content_type)

    return blueprint
