"""What must come of a request, however odd it is."""

import io
import random
import re
from datetime import timedelta
from functools import wraps

import jsonschema_rs
import orjson

from hooks.app import create_app
from hooks.bodies import DEEPEST
from hooks.controllers import component_deployment, graph
from hooks.controllers.registry import controllers as registered
from hooks.kinds import BY_NAME, WORKLOADS
from hooks.log import open_log
from hooks.names import namespace_problem
from hooks.protocol import is_leaving
from hooks.simulator.metacontroller.apply import MergeConflict
from hooks.tokens import Tokens
from tests import laws
from tests.fuzz.api_server import refusals, status_refusals
from tests.fuzz.corpus import RANDOMNESS, perform
from tests.golden_cases import NOW
from tests.laws import canonical, fed_back, identity

_OBJECT = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata"],
    "properties": {
        "metadata": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "namespace": {"type": "string"},
                "labels": {"type": ["object", "null"], "additionalProperties": {"type": "string"}},
                "annotations": {"type": ["object", "null"], "additionalProperties": {"type": "string"}},
            },
        }
    },
}
_OBJECTS = {
    "type": ["object", "null"],
    "additionalProperties": {"type": "object", "additionalProperties": {"$ref": "#/$defs/object"}},
}
_ENVELOPE = {
    "type": "object",
    "properties": {
        "parent": {"$ref": "#/$defs/object"},
        "object": {"$ref": "#/$defs/object"},
        "children": _OBJECTS,
        "attachments": _OBJECTS,
        "related": _OBJECTS,
        "controller": {"type": ["object", "null"], "properties": {"spec": {"type": "object"}}},
        "finalizing": {"type": "boolean"},
    },
    "$defs": {"object": _OBJECT},
}
"""The shape of a hook's request (docs/service.md): what has it, is answered."""
_envelope = jsonschema_rs.validator_for(_ENVELOPE)
_KEPT = re.compile(r"cannot be kept as it is while the spec is invalid|is not JSON|is not of this object")
"""Why a request of the right shape may be refused all the same: a child that cannot be said again."""
_ANSWERS = (
    {"status", "children", "resyncAfterSeconds", "finalized"},
    {"attachments", "labels", "annotations", "status", "resyncAfterSeconds", "finalized"},
)
_ROUNDS = 4
"""Answers after which a request must have come to rest, whatever it began with."""
_OF_THE_USERS = re.compile(r"spec\.((leaderWorkerTemplate\.(leader|worker)Template|template)\.spec|metrics|behavior)\b")
"""Where what an API server refuses stands as the user wrote it: in `extraPodSpec`, and under `autoscaling`."""


class Broken(Exception):  # noqa: N818 - it is what is found, not an error of the fuzzer
    """Something that must not be: `kind` is the same for all requests that show the same fault."""

    def __init__(self, kind, detail):
        self.kind, self.detail = kind, detail
        super().__init__(f"{kind}: {detail}")


class Log(io.RawIOBase):
    """Keeps the last line."""

    def write(self, line):
        self.last = line


_clients = {}
"""Fingerprint of settings → a client of an application with these settings, and its log."""


def _client_of(settings):
    if settings.fingerprint not in _clients:
        log = Log()
        app = create_app(
            settings,
            registered(),
            clock=lambda: NOW,
            tokens=Tokens(()),
            log=open_log(log),
            randomness=lambda size: RANDOMNESS[:size],
            perform=perform,
        )
        _clients[settings.fingerprint] = app.test_client(), log
    return _clients[settings.fingerprint]


def check(request, *, thorough):
    """Send a request and see that what comes of it keeps every law.

    Args:
        request: a `Request`.
        thorough: check the laws that cost most, too.

    Raises:
        Broken: it does not.
    """
    client, log = _client_of(request.base.settings)
    data = request.data
    response = client.post(request.path, data=data, buffered=True)
    if response.status_code >= 500:
        raise Broken(*_fault_of(log.last))
    if response.status_code != 200:
        _check_refusal(request, response, data)
        return
    body, answer = orjson.loads(data), response.json
    if _depth(body) > DEEPEST or (request.hook != "customize" and request.base.parts[0] not in body):
        return  # it might have been refused, and no law is about it
    if request.hook == "customize":
        _kept(customize_follows_from_what_a_generation_counts, request.base, body, answer)
        return
    if request.hook == "finalize":
        body["finalizing"] = True
    for law in (*LAWS, *(THOROUGH if thorough else ())):
        _kept(law, request.base, body, answer)


def _fault_of(line):
    fault = orjson.loads(line)["fault"]
    frames = re.findall(r'File "[^"]*/(hooks/[^"]*)", line (\d+)', fault)
    where = ":".join(frames[-1]) if frames else "?"
    return f"500, {fault.strip().splitlines()[-1].partition(':')[0]} at {where}", fault


def _kept(law, base, body, answer):
    try:
        law(base, body, answer)
    except Broken:
        raise
    except AssertionError as error:
        raise Broken(law.__name__, str(error)) from None


def _check_refusal(request, response, data):
    """A refusal is a problem document that says where, and only for what is no request at all."""
    document = response.json
    where = f"{response.status_code} {document.get('detail')}"
    if response.content_type != "application/problem+json" or document["status"] != response.status_code:
        raise Broken("a refusal without a problem document", where)
    if response.status_code not in {400, 422}:
        raise Broken(f"refused with {response.status_code}", where)
    if len(response.data) > 5000 or "children" in document:
        raise Broken("a problem document that is too large, or has children", where)
    if response.status_code == 422 and _KEPT.search(document["detail"]):
        return
    if _is_well_formed(request.base, data):
        raise Broken("refused although it has the shape of a request", where)


def _is_well_formed(base, data):
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    if not _envelope.is_valid(body) or _depth(body) > DEEPEST:
        return False
    parent = body.get("parent", body.get("object"))
    if parent is None:
        return False
    children = body.get("children" if "parent" in body else "attachments")
    kinds = [kind for kind in base.controller.parents if (kind.kind, kind.api_version) == _kind_of(parent)]
    if not kinds or (kinds[0].namespaced and not parent["metadata"].get("namespace")):
        return False
    return all(
        _kind_of(item) == tuple(kind.split(".", 1))
        for part in (children, body.get("related"))
        for kind, items in (part or {}).items()
        for item in items.values()
    )


def _kind_of(item):
    return item["kind"], item["apiVersion"]


def _depth(value):
    levels, open_values = 0, [value]
    while open_values:
        open_values = [
            item
            for container in open_values
            if isinstance(container, dict | list)
            for item in (container.values() if isinstance(container, dict) else container)
        ]
        levels += 1
    return levels - 1


def customize_follows_from_what_a_generation_counts(base, body, answer):
    """Metacontroller keeps the answer for a generation: status, labels and annotations must not matter to it."""
    assert answer.keys() == {"relatedResources"}, answer.keys()
    parent = body["parent"]
    metadata = {key: value for key, value in parent["metadata"].items() if key not in {"labels", "annotations"}}
    plain = {key: value for key, value in parent.items() if key != "status"} | {"metadata": metadata}
    client, _ = _client_of(base.settings)
    again = client.post(f"/{base.route}/customize", data=orjson.dumps({**body, "parent": plain})).json
    assert again == answer, (again, answer)
    assert laws.nulls(answer) == []
    for rule in answer["relatedResources"]:
        assert ("names" in rule) != ("labelSelector" in rule), rule
        assert rule.get("names") != [], rule


def the_core_answers_as_the_service_does(base, body, answer):
    before = canonical(body)
    core = base.answer_to(body)
    if body.get("finalizing") and base.controller.finalize is None:
        core = {"finalized": True} | core
    assert canonical(core) == canonical(answer)
    assert canonical(body) == before, "the request was changed"


def _in_a_cluster(law):
    """A law that need only hold for what a cluster could send, when Metacontroller can apply what is answered."""

    @wraps(law)
    def kept(base, body, answer):
        try:
            law(base, body, answer)
        except MergeConflict:
            pass
        except Exception:
            if could_be_sent(base, body):
                raise

    return kept


def could_be_sent(base, body):
    """Whether a cluster could send this, whatever the parent's spec says: no API server stores everything."""
    parent = body[base.parts[0]]
    metadata = parent["metadata"]
    place = metadata["name"] if parent["kind"] == "Namespace" else metadata.get("namespace", "")
    children = laws.observed(base, body)
    others = [item for items in (body.get("related") or {}).values() for item in items.values()]
    names = [(item["kind"], item["metadata"]["name"]) for item in children]
    return (
        isinstance(metadata.get("uid"), str)
        and type(generation := metadata.get("generation", 1)) is int
        and 0 <= generation < 2**63
        and namespace_problem(place) is None
        and not refusals({key: value for key, value in parent.items() if key != "spec"})
        and ("status" not in parent or not status_refusals(parent, parent["status"]))
        and len(set(names)) == len(names)
        and all(item["metadata"].get("namespace", place) == place for item in children)
        and all(_is_declared(base, item) for item in children)
        and not any(map(refusals, [*children, *others]))
        and not any(map(_counts_wrongly, [*children, *others]))
    )


def _is_declared(base, item):
    """Whether the controller's manifest lists the kind: Metacontroller sends no other."""
    kind = BY_NAME.get(item["kind"])
    return kind is not None and (item["apiVersion"], kind.plural) in laws.declared()[base.controller.route]


def _counts_wrongly(item):
    """Whether a status has a number that no API server takes there: counts are of 32 bits, and none is negative."""
    status = item.get("status")
    counts = {**status, "observedGeneration": 0} if isinstance(status, dict) else {}
    return any(isinstance(count, int) and not 0 <= count < 2**31 for count in counts.values())


def metacontroller_can_read_it(base, body, answer):
    assert answer.keys() <= _ANSWERS[base.controller.decorates], answer.keys()
    for item in base.children(answer):
        metadata = item["metadata"]
        for texts in (metadata.get("labels") or {}, metadata.get("annotations") or {}):
            assert all(isinstance(text, str) for text in texts.values()), texts


@_in_a_cluster
def children_are_complete(base, body, answer):
    laws.children_are_complete(base, body, answer)


@_in_a_cluster
def the_status_can_be_stored(base, body, answer):
    if "status" in answer:
        found = status_refusals(body["parent"], answer["status"])
        assert found == [], found


@_in_a_cluster
def the_api_server_takes_what_is_made(base, body, answer):
    """Where it takes the parent, and save for what a user writes for the API server itself to judge."""
    if refusals(body[base.parts[0]]):
        return
    for child in base.children(answer):
        if laws.is_created_once(base, child) and "spec" not in child:
            continue
        found = [fault for fault in refusals(child) if not _OF_THE_USERS.match(fault)]
        assert found == [], (child["kind"], found)


@_in_a_cluster
def what_runs_is_kept(base, body, answer):
    if not base.controller.decorates and laws.is_invalid(answer) and body.get("children") is not None:
        there = {identity(item) for item in laws.observed(base, body)}
        assert {identity(child) for child in answer["children"]} == there


@_in_a_cluster
def a_deletion_makes_nothing(base, body, answer):
    if body.get("finalizing") or is_leaving(body[base.parts[0]]):
        laws.nothing_new_is_made(base, body, answer)


@_in_a_cluster
def it_comes_to_rest(base, body, answer):
    """Some things wait for others to be gone; no workload changes meanwhile, and none once all are."""
    answers = [answer]
    for _ in range(_ROUNDS):
        body = fed_back(base, body, answers[-1])
        answers.append(base.answer_to(body))
        assert canonical(_workloads(base, answers[-1])) == canonical(_workloads(base, answer)), "a workload changes"
        if canonical(answers[-1]) == canonical(answers[-2]):
            return
    raise AssertionError(f"after {_ROUNDS} answers still another one")


def _workloads(base, answer):
    return [child for child in base.children(answer) if child["kind"] in WORKLOADS]


def neither_order_nor_keys_nor_memory_matter(base, body, answer):
    core = canonical(base.answer_to(body))
    component_deployment._built.forget()
    graph._built.forget()
    assert canonical(base.answer_to(body)) == core, "what is remembered matters"
    mixed = laws.shuffled(body, random.Random(1))
    assert canonical(base.answer_to(mixed)) == core, "the order of keys matters"


@_in_a_cluster
def a_later_clock_changes_nothing(base, body, answer):
    body = fed_back(base, fed_back(base, body, answer), answer)
    before = base.answer_to(body)
    body = fed_back(base, body, before)
    assert canonical(base.answer_to(body, NOW + timedelta(hours=2))) == canonical(before)


LAWS = (
    the_core_answers_as_the_service_does,
    metacontroller_can_read_it,
    children_are_complete,
    the_status_can_be_stored,
    the_api_server_takes_what_is_made,
    what_runs_is_kept,
    a_deletion_makes_nothing,
    it_comes_to_rest,
)
THOROUGH = (neither_order_nor_keys_nor_memory_matter, a_later_clock_changes_nothing)
