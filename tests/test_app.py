import io
import logging
from datetime import UTC, datetime
from http import HTTPStatus

import orjson
import pytest

from hooks.app import create_app
from hooks.controllers.registry import Controller
from hooks.controllers.registry import controllers as registered
from hooks.log import open_log
from hooks.protocol import CompositeAnswer, DecoratorAnswer
from hooks.settings import Settings
from hooks.tokens import Tokens
from tests.fake_hooks import GRAPH, NAMESPACE, PARENT, controllers, finalize

NOW = datetime(2026, 11, 30, tzinfo=UTC)
PASSWORD = "hunter2"


def app(tokens=(), log=None, **hooks):
    settings = Settings(nats_address="nats://n", server={"max_body_mib": 1})
    return create_app(
        settings,
        controllers(**hooks),
        clock=lambda: NOW,
        tokens=Tokens(tokens),
        log=open_log(io.BytesIO() if log is None else log),
    ).test_client()


def post(client, body, path="/dynamographdeployments/sync", **arguments):
    data = body if isinstance(body, bytes) else orjson.dumps(body)
    return client.post(path, data=data, buffered=True, **arguments)  # buffered: the answer has been sent


def parent(**spec):
    return {"parent": PARENT | {"spec": spec}}


def lines(log):
    return [orjson.loads(line) for line in log.getvalue().splitlines()]


def samples(client):
    text = client.get("/metrics").text
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if line[0] != "#"}


def test_a_request_of_only_the_parent_is_answered():
    answer = post(app(), parent())
    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    assert answer.json == {
        "status": {"state": "pending", "at": "2026-11-30T00:00:00+00:00", "nats": "nats://n", "final": False},
        "children": [{"kind": "ConfigMap"}, {"kind": "ConfigMap"}],
    }


def test_an_answer_is_given_anew_whatever_its_asker_has_seen():
    answer = post(app(), parent(), headers={"If-None-Match": "*"})
    assert answer.status_code == 200
    assert "ETag" not in answer.headers


def test_customize_answers_with_the_rules():
    assert post(app(), parent(), "/dynamographdeployments/customize").json == {
        "relatedResources": [
            {"apiVersion": "v1", "resource": "persistentvolumeclaims", "names": ["c"], "namespace": "d"}
        ]
    }


def test_a_decorated_object_is_answered():
    body = {"object": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "d"}}, "attachments": {}}
    assert post(app(), body, "/namespaces/sync").json == {"attachments": [{"kind": "Service"}]}


def test_a_controller_is_given_as_many_random_bytes_as_it_needs():
    def sync(request, settings, now):
        return DecoratorAnswer(annotations={"got": request.randomness.hex()})

    routes = {
        name: Controller(name, NAMESPACE, sync, decorates=True, randomness=size)
        for name, size in {"keys": 4, "none": 0}.items()
    }
    log = open_log(io.BytesIO())
    client = create_app(Settings(), routes, tokens=Tokens(), log=log, randomness=lambda size: b"r" * size).test_client()
    body = {"object": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "d"}}}
    assert post(client, body, "/keys/sync").json["annotations"] == {"got": b"rrrr".hex()}
    assert post(client, body, "/none/sync").json["annotations"] == {"got": ""}


@pytest.mark.parametrize(
    ("path", "finalizing"), [("finalize", True), ("finalize", False), ("sync", True)], ids=str
)  # fmt: skip
def test_finalizing_goes_to_the_finalize_hook_whatever_the_path(path, finalizing):
    answer = post(app(finalize=finalize), parent() | {"finalizing": finalizing}, f"/dynamographdeployments/{path}")
    assert answer.json == {"status": {"state": "gone", "final": True}, "children": [], "finalized": False}


def test_a_controller_without_a_finalize_hook_never_keeps_its_parent():
    answer = post(app(), parent(), "/dynamographdeployments/finalize").json
    assert answer["status"]["final"]
    assert answer["finalized"]


@pytest.mark.parametrize(
    ("reason", "body", "status", "detail"),
    [
        ("nothing at all", b"", 400, '$: the body is empty; send {"parent": {…}}'),
        ("a manifest in YAML", b"parent:\n", 400, "$: the body is not JSON: unexpected character"),
        ("JSON that ends early", b'{"parent": {', 400, "$: the body is not JSON: "),
        ("no UTF-8", b'{"parent": "\xff"}', 400, "$: the body is not JSON: "),
        ("half a surrogate pair", b'{"parent": "\\ud800"}', 400, "$: the body is not JSON: "),
        ("NaN, which is no JSON", b'{"parent": NaN}', 400, "$: the body is not JSON: unexpected character"),
        ("Infinity, which is no JSON", b'{"parent": -Infinity}', 400, "$: the body is not JSON: "),
        ("a number beyond all numbers", b'{"parent": 1e999}', 400, "$: the body is not JSON: "),
        ("more levels than orjson takes", b"[" * 100_000, 400, "$: the body is not JSON: "),
        ("no object", b"[]", 400, "$: must be an object, is a list"),
        ("a number", b"1", 400, "$: must be an object, is a number"),
        ("null", b"null", 400, "$: must be an object, is null"),
        ("JSON that is no hook request", {"kind": "Pod"}, 400, "$.parent: is required"),
        ("a list for the parent", {"parent": []}, 400, "$.parent: must be an object, is a list"),
        ("a parent without a name", {"parent": PARENT | {"metadata": {}}}, 400, "$.parent.metadata.name: "),
        ("a list for the children", parent() | {"children": []}, 400, "$.children: must be an object, is a list"),
        ("a list for a kind", parent() | {"children": {"A.v1": []}}, 400, "$.children['A.v1']: must be an object"),
        ("a number for a child", parent() | {"related": {"A.v1": {"x": 1}}}, 400, "$.related['A.v1']['x']: must be"),
        ("a word for a boolean", parent() | {"finalizing": "no"}, 400, "$.finalizing: must be true or false"),
        ("another kind", {"parent": PARENT | {"kind": "Pod"}}, 422, "$.parent: is a Pod of nvidia.com/v1alpha1"),
        ("a list for the kind", {"parent": PARENT | {"kind": []}}, 422, "$.parent: is a [] of nvidia.com/v1alpha1"),
        ("another version", {"parent": PARENT | {"apiVersion": "nvidia.com/v2"}}, 422, "$.parent: is a Dynamo"),
        ("a long lie about the kind", {"parent": PARENT | {"kind": "x" * 10_000}}, 422, "$.parent: is a xxxx"),
        ("children that cannot be restated", parent(refuse="no annotation"), 422, "$.children: no annotation"),
        ("more than the limit", b'{"parent": "' + b"x" * (1 << 20) + b'"}', 413, "the body has more than 1 MiB; "),
    ],
    ids=lambda value: value if isinstance(value, str) and not value.startswith("$") else "",
)
def test_bad_input_is_a_problem_document_and_no_answer(reason, body, status, detail):
    answer = post(app(), body)
    assert answer.status_code == answer.json["status"] == status, reason
    assert answer.content_type == "application/problem+json"
    assert answer.json["type"] == "about:blank"
    assert answer.json["title"] == HTTPStatus(status).phrase
    assert answer.json["detail"].startswith(detail), reason
    assert len(answer.data) < 3000
    assert "children" not in answer.json
    assert "Traceback" not in answer.text


def test_a_body_that_ends_early_is_no_request():
    answer = post(app(), b'{"parent": {}}', environ_overrides={"CONTENT_LENGTH": "100"})
    assert answer.status_code == 400
    assert answer.json["detail"] == "$: the body ends after 14 of 100 bytes"


def deep(value, levels):
    """A body in which "deep" has so many levels."""
    return orjson.dumps(value).replace(b'"deep"', b'{"a":[' * (levels // 2) + b"0" + b"]}" * (levels // 2))


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (parent(x="deep"), "$.parent.spec.x.a[0].a[0].a…"),
        (
            parent()
            | {
                "children": {
                    "A.v1": {"d/c": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "c"}, "spec": "deep"}}
                }
            },
            "$.children['A.v1']['d/c'].spec.a[0].a[0]…",
        ),
    ],
    ids=["in the parent", "in a child"],
)
@pytest.mark.parametrize("levels", [300, 1000])
def test_depth_that_ends_a_recursion_of_ours_is_the_fault_of_the_body(body, path, levels):
    def restate(request, settings, now):
        return CompositeAnswer(status=request.parent["spec"], children=list(request.children))

    answer = post(app(sync=restate), deep(body, levels))
    assert answer.status_code == 400
    assert answer.json["detail"] == f"{path}: is nested more than 200 levels deep"


SPECS = {
    "dynamographdeployments": [
        "deep",
        {"services": "deep"},
        {"services": {"a": "deep"}},
        {"services": {"a": {"extraPodSpec": "deep"}}},
        {"services": {"a": {"extraPodSpec": {"mainContainer": {"image": "i"}, "affinity": "deep"}}}},
        {"services": {"a": {"envs": "deep"}}},
    ],
    "dynamocomponentdeployments": [
        "deep",
        {"replicas": "deep"},
        {"extraPodSpec": {"mainContainer": {"image": "i"}, "affinity": "deep"}},
        {"extraPodSpec": {"mainContainer": {"image": "i", "resources": {"limits": {"x": "deep"}}}}},
    ],
}


@pytest.mark.parametrize(("route", "spec"), [(route, spec) for route, specs in SPECS.items() for spec in specs])
@pytest.mark.parametrize("levels", [100, 240, 1000])
def test_depth_in_a_spec_is_an_answer_or_the_fault_of_the_body(route, spec, levels):
    controller = registered()[route]
    kind = {"apiVersion": controller.parent.api_version, "kind": controller.parent.kind}
    client = create_app(Settings(), tokens=Tokens(), log=open_log(io.BytesIO())).test_client()
    answer = post(client, deep({"parent": PARENT | kind | {"spec": spec}}, levels), f"/{route}/sync")
    assert answer.status_code in ((200,) if levels == 100 else (200, 400)), answer.text


def test_a_problem_names_the_place_on_its_own():
    assert post(app(), {"parent": []}).json["where"] == "$.parent"


@pytest.mark.parametrize("path", ["dynamocomponentdeployments", "dynamographdeploymentrequests", "dynamomodels"])
def test_a_resource_without_a_controller_says_so(path):
    answer = post(app(), parent(), f"/{path}/sync")
    assert answer.status_code == 404
    assert answer.json["detail"] == (
        f"this version has no controller for {path}; it has dynamographdeployments, namespaces"
    )


@pytest.mark.parametrize(
    "path", ["/", "/dynamographdeployment/sync", "/dynamographdeployments/sync/", "/namespaces/customize"]
)
def test_another_path_is_not_found_and_the_paths_are_named(path):
    answer = post(app(), parent(), path)
    assert answer.status_code == 404
    assert answer.json["detail"].startswith(f"there is no {path}; there are /dynamographdeployments/customize, ")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/dynamographdeployments/sync", {"POST"}),
        ("OPTIONS", "/dynamographdeployments/sync", {"POST"}),
        ("DELETE", "/dynamographdeployments/sync", {"POST"}),
        ("POST", "/healthz", {"GET", "HEAD"}),
    ],
)
def test_another_method_is_not_allowed(method, path, allowed):
    answer = app().open(path, method=method)
    assert answer.status_code == answer.json["status"] == 405
    assert answer.json["detail"] == f"{path} answers {' and '.join(sorted(allowed))}, not {method}"
    assert set(answer.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    "header", [None, "Bearer three", "Bearer", "Bearer one two", "Basic one", "one", "", "Bearer öne"]
)
@pytest.mark.parametrize("path", ["/dynamographdeployments/sync", "/dynamographdeployments/customize", "/nowhere"])
def test_a_call_without_the_token_is_refused(path, header):
    headers = {} if header is None else {"Authorization": header.encode().decode("latin-1")}
    answer = post(app(tokens=["one", "two"]), parent(), path, headers=headers)
    assert answer.status_code == answer.json["status"] == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="dynamo-hooks"'
    assert "one" not in answer.text


@pytest.mark.parametrize("header", ["Bearer old", "Bearer new", "bearer new", "Bearer  new"])
def test_the_old_and_the_new_token_are_accepted(header):
    answer = post(app(tokens=["old", "new"]), parent(), headers={"Authorization": header})
    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_need_no_token(path):
    assert app(tokens=["one"]).get(path).status_code == 200


@pytest.mark.parametrize("spec", [{"fail": PASSWORD}, {"missing": PASSWORD}], ids=["a value", "a key"])
def test_a_fault_of_ours_is_a_500_whose_id_finds_its_traceback_in_the_log(spec):
    log = io.BytesIO()
    answer = post(app(log=log), parent(**spec))
    assert answer.status_code == answer.json["status"] == 500
    assert answer.json["detail"].endswith(f"under the id {answer.json['id']}")
    assert answer.json.keys() == {"type", "title", "status", "detail", "id"}
    (line,) = lines(log)
    assert line["fault_id"] == answer.json["id"]
    assert (line["level"], line["outcome"], line["name"]) == ("error", "error", "g")
    assert "in sync\n" in line["fault"]
    assert ("KeyError: 'missing'" in line["fault"]) == ("missing" in spec)
    assert PASSWORD not in log.getvalue().decode() + answer.text


def test_a_call_is_one_line_of_the_log():
    log = io.BytesIO()
    client = app(log=log)
    post(client, parent(secret=PASSWORD))
    post(client, parent(), "/dynamographdeployments/customize")
    client.get("/healthz")
    answered, customized = lines(log)
    assert 0 <= answered.pop("duration_seconds") < 60
    assert datetime.fromisoformat(answered.pop("timestamp")).tzinfo
    assert answered == {
        "event": "call",
        "level": "info",
        "controller": "dynamographdeployments",
        "hook": "sync",
        "outcome": "ok",
        "kind": GRAPH.kind,
        "namespace": "d",
        "name": "g",
        "uid": "u-1",
        "generation": 3,
        "state": "pending",
        "children": 2,
    }
    assert customized["hook"] == "customize"


def test_what_is_no_metadata_is_not_logged():
    log = io.BytesIO()
    metadata = {"name": "n" * 1000, "namespace": "d", "uid": {"password": PASSWORD}, "generation": [PASSWORD]}
    post(app(log=log), {"parent": PARENT | {"metadata": metadata}})
    (line,) = lines(log)
    assert line["name"] == "n" * 253
    assert (line["namespace"], line["uid"], line["generation"]) == ("d", None, None)


@pytest.mark.parametrize(
    ("path", "body", "line"),
    [
        (
            "/dynamographdeployments/sync",
            {"parent": []},
            {"outcome": "malformed", "hook": "sync", "problem": "$.parent: must be an object, is a list"},
        ),
        ("/nowhere", {}, {"outcome": "not_found", "controller": "none", "path": "/nowhere"}),
    ],
)
def test_a_refused_call_is_logged_with_its_reason(path, body, line):
    log = io.BytesIO()
    post(app(log=log), body, path)
    (found,) = lines(log)
    assert found["level"] == "warning"
    assert line.items() <= found.items()


def test_a_log_that_nobody_reads_does_not_cost_the_answer():
    class Closed(io.BytesIO):
        def write(self, _):
            raise BrokenPipeError

    assert post(app(log=Closed()), parent()).status_code == 200


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ({"state": "successful", "conditions": [{"type": "Ready", "status": "True"}]}, "successful"),
        ({"conditions": [{"type": "X", "status": "True"}, {"type": "Ready", "status": "False"}]}, "False"),
        ({"conditions": [{"type": "Ready", "status": "Unknown"}]}, "Unknown"),
    ],
)
def test_answers_are_counted_by_kind_and_state(status, state):
    client = app()
    sample = f'dynamo_hooks_answers_total{{kind="{GRAPH.kind}",state="{state}"}}'
    before = samples(client).get(sample, 0)
    post(client, parent(status=status))
    assert samples(client)[sample] == before + 1


def test_calls_are_counted_by_hook_and_outcome_with_their_duration_and_size():
    client = app()
    post(client, parent())
    before = samples(client)
    body = orjson.dumps(parent())
    post(client, body)
    post(client, b"no JSON")
    post(client, b"", "/nowhere")
    client.get("/healthz")
    after = samples(client)
    hook = 'controller="dynamographdeployments",hook="sync"'
    grown = {
        name: after[name] - before.get(name, 0)
        for name in after
        if not name.endswith("_created") and "_bucket" not in name and after[name] != before.get(name)
    }
    assert grown.pop(f"dynamo_hooks_call_duration_seconds_sum{{{hook}}}") > 0
    none = 'controller="none",hook="none"'
    grown = {name: value for name, value in grown.items() if none not in name}
    assert grown == {
        f'dynamo_hooks_calls_total{{{hook},outcome="ok"}}': 1,
        f'dynamo_hooks_calls_total{{{hook},outcome="malformed"}}': 1,
        f"dynamo_hooks_call_duration_seconds_count{{{hook}}}": 2,
        f"dynamo_hooks_request_size_bytes_count{{{hook}}}": 2,
        f"dynamo_hooks_request_size_bytes_sum{{{hook}}}": len(body) + len(b"no JSON"),
        f'dynamo_hooks_answers_total{{kind="{GRAPH.kind}",state="pending"}}': 1,
    }


def test_nothing_is_logged_but_through_the_log(caplog):
    with caplog.at_level(logging.DEBUG):
        post(app(), parent(fail=PASSWORD))
    assert not caplog.records
