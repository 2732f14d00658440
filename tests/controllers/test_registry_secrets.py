import io
import json
import logging

import orjson
import pytest
import structlog

from hooks.app import create_app
from hooks.builders import registry_index
from hooks.builders.registry_index import build_registry_index, read_registry_index
from hooks.controllers.registry import controllers
from hooks.log import open_log
from hooks.settings import Settings
from hooks.tokens import Tokens
from tests.controllers.pull_secrets import AUTH, PASSWORD, pull_secret


def registries(secret):
    index = build_registry_index(secret)
    return index and json.loads(index["data"]["registries"])


@pytest.mark.parametrize(
    ("config", "hosts", "reason"),
    [
        ({"auths": {"nvcr.io": AUTH}}, ["nvcr.io"], "one registry"),
        ({"auths": {"b.io": AUTH, "a.io": AUTH}}, ["a.io", "b.io"], "sorted"),
        ({"auths": {"nvcr.io": AUTH, "https://nvcr.io/v2/": AUTH}}, ["nvcr.io"], "each once"),
        ({"auths": {"https://index.docker.io/v1/": AUTH}}, ["docker.io"], "as kubectl create secret writes it"),
        ({"auths": {"nvcr.io": {}}}, ["nvcr.io"], "credentials are none of our business"),
        ({"auths": {"nvcr.io": AUTH}, "credHelpers": {"gcr.io": "gcr"}}, ["nvcr.io"], "helpers are for laptops"),
        ({"auths": {"nvcr.io": AUTH, PASSWORD: AUTH}}, ["nvcr.io"], "a key that is no host is left out"),
        ({"auths": {}}, None, "empty"),
        ({}, None, "no auths"),
        ({"auths": None}, None, "null"),
        ({"auths": [AUTH]}, None, "a list"),
        ({"auths": {"nvcr.io": None}}, None, "nothing for the registry"),
        ({"nvcr.io": AUTH}, None, "the older format is another type of secret"),
        ([], None, "no object"),
        (b"{", None, "broken JSON"),
        (b"", None, "no JSON"),
        (b"[" * 100_000, None, "nested without end"),
        (b'{"auths": {"nvcr.io": {"password": "\xff"}}}', None, "not UTF-8"),
        ({"auths": {f"{number}.{'x' * 60}.io": AUTH for number in range(5000)}}, None, "an index too large to be kept"),
    ],
)
def test_an_index_names_the_registries_of_a_secret(config, hosts, reason):
    assert registries(pull_secret(config)) == hosts, reason


@pytest.mark.parametrize("encoded", ["%", "e30", "é", 1, None, {}, "e30=\n"])
def test_data_that_is_not_base64_gives_no_index(encoded):
    assert build_registry_index(pull_secret(data={".dockerconfigjson": encoded})) is None


@pytest.mark.parametrize("data", [None, {}, [], "x", {"password": "x"}])
def test_a_secret_without_the_key_gives_no_index(data):
    assert build_registry_index(pull_secret(data=data)) is None


@pytest.mark.parametrize("kind", ["Opaque", "kubernetes.io/dockercfg", "helm.sh/release.v1", "", None])
def test_another_type_of_secret_gives_no_index(kind):
    assert build_registry_index(pull_secret({"auths": {"nvcr.io": AUTH}}, type=kind)) is None


def test_an_index_is_read_back():
    index = build_registry_index(pull_secret({"auths": {"nvcr.io": AUTH, "a.io:1": AUTH}}))
    assert read_registry_index(index) == ("pull", ["a.io:1", "nvcr.io"])


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"secret": "other", "registries": '["nvcr.io"]'},
        {"secret": "pull"},
        {"secret": "pull", "registries": "["},
        {"secret": "pull", "registries": "{}"},
        {"secret": 1, "registries": "[]"},
    ],
)
def test_what_somebody_else_labelled_as_an_index_is_none(data):
    index = build_registry_index(pull_secret({"auths": {"nvcr.io": AUTH}}))
    assert read_registry_index(index | {"data": data}) is None


def test_the_longest_name_of_a_secret_has_an_index():
    secret = pull_secret({"auths": {"nvcr.io": AUTH}})
    secret["metadata"]["name"] = "s" * 253
    index = build_registry_index(secret)
    assert len(index["metadata"]["name"]) == len("dynamo-registries-") + 10
    assert read_registry_index(index)[0] == "s" * 253


def asked(body, path="/secrets/sync", restriction=None):
    """What comes of a call: the answer, and every byte that left the service, its log at the lowest level included."""
    stream = io.BytesIO()
    processors = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(orjson_text)]
    log = structlog.wrap_logger(
        structlog.BytesLogger(stream), processors=processors, wrapper_class=structlog.make_filtering_bound_logger(0)
    )
    settings = Settings.model_validate({"namespaceRestriction": restriction or {}})
    client = create_app(settings, controllers(), tokens=Tokens(), log=log).test_client()
    answer = client.post(path, data=body if isinstance(body, bytes) else orjson.dumps(body), buffered=True)
    return answer, stream.getvalue() + answer.data + str(answer.headers).encode()


def orjson_text(event, **_):
    return orjson.dumps(event, default=repr)


SECRET = pull_secret({"auths": {"nvcr.io": AUTH, f"https://robot:{PASSWORD}@a.io/{PASSWORD}": AUTH, PASSWORD: AUTH}})
BODY = {"object": SECRET, "attachments": {"ConfigMap.v1": {}}, "related": {}, "finalizing": False}
CREDENTIALS = [PASSWORD, AUTH["auth"], SECRET["data"][".dockerconfigjson"][:40]]


def changed(**members):
    return BODY | {"object": SECRET | members}


def metadata(**members):
    return changed(metadata=SECRET["metadata"] | members)


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (BODY, 200, "a pull secret"),
        (changed(type="Opaque"), 200, "another type"),
        (changed(data={".dockerconfigjson": PASSWORD}), 200, "data that is no base64"),
        (changed(data=PASSWORD), 200, "data that is no object"),
        (changed(stringData={"password": PASSWORD}), 200, "data as it is written"),
        (metadata(annotations={"kubectl.kubernetes.io/last-applied-configuration": PASSWORD}), 200, "an annotation"),
        (metadata(annotations=PASSWORD), 400, "annotations that are none"),
        (metadata(annotations={"a": {"password": PASSWORD}}), 400, "an annotation that is no string"),
        (metadata(labels={"a": [PASSWORD]}), 400, "a label that is no string"),
        (metadata(namespace=[PASSWORD]), 400, "no namespace"),
        (changed(metadata=PASSWORD), 400, "no metadata"),
        (changed(kind="ConfigMap"), 422, "another kind"),
        (BODY | {"object": [PASSWORD]}, 400, "a list"),
        (BODY | {"attachments": PASSWORD}, 400, "no attachments"),
        (BODY | {"attachments": {"Secret.v1": {"x": PASSWORD}}}, 400, "an attachment that is no object"),
        (BODY | {"related": {"Secret.v1": {"x": {"metadata": PASSWORD}}}}, 400, "a related object without metadata"),
        (BODY | {"controller": PASSWORD}, 400, "no controller"),
        (BODY | {"finalizing": PASSWORD}, 400, "neither true nor false"),
        (orjson.dumps(BODY)[:-1], 400, "a body that is cut off"),
        (orjson.dumps(BODY) + PASSWORD.encode(), 400, "a body with something behind it"),
        (b'{"object": {"data": {"password": ' + PASSWORD.encode(), 400, "a body that is no JSON"),
    ],
)
def test_no_credential_leaves_the_hook(body, status, reason):
    for path in ("/secrets/sync", "/secrets/finalize"):
        answer, left = asked(body, path)
        assert answer.status_code == status, reason
        for credential in CREDENTIALS:
            assert credential.encode() not in left, reason


@pytest.mark.parametrize(
    "error", [ValueError, TypeError, KeyError, RecursionError, OSError], ids=lambda kind: kind.__name__
)
def test_no_credential_leaves_by_a_fault_of_ours(error, monkeypatch):
    def fails(key):
        raise error(PASSWORD)

    monkeypatch.setattr(registry_index, "registry_host", fails)
    answer, left = asked(BODY)
    assert answer.status_code == 500
    assert error.__name__.encode() in left
    for credential in CREDENTIALS:
        assert credential.encode() not in left


def test_a_call_is_logged_with_the_name_of_its_secret_alone():
    stream = io.BytesIO()
    client = create_app(Settings(), controllers(), tokens=Tokens(), log=open_log(stream)).test_client()
    client.post("/secrets/sync", data=orjson.dumps(BODY), buffered=True)
    line = orjson.loads(stream.getvalue())
    assert {key: line[key] for key in ("kind", "namespace", "name", "children")} == {
        "kind": "Secret",
        "namespace": "team",
        "name": "pull",
        "children": 1,
    }
    assert logging.getLogger("hooks").handlers == []


def test_an_installation_for_some_namespaces_reads_no_secret_of_another_one():
    restriction = {"enabled": True, "namespaces": ["ours"], "installation": "ours"}
    assert asked(BODY, restriction=restriction)[0].json == {"attachments": []}
    assert asked(BODY, restriction=restriction | {"namespaces": ["team"]})[0].json["attachments"] != []
