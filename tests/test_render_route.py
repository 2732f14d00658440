import io
from pathlib import Path

import orjson
import pytest
import yaml

from hooks.app import create_app
from hooks.log import open_log
from hooks.settings import Settings

MANIFESTS = Path(__file__).parent / "manifests"


@pytest.fixture
def client():
    return create_app(Settings()).test_client()


def test_a_manifest_becomes_a_list_and_its_warnings_are_headers(client):
    body = (MANIFESTS / "basics--kubernetes--shared_frontend--shared_frontend.yaml").read_bytes()
    answer = client.post("/render?namespaceObjects=false", data=body)
    assert answer.status_code == 200
    assert {"PersistentVolumeClaim", "DynamoComponentDeployment", "Deployment", "Service"} == {
        item["kind"] for item in answer.json["items"]
    }
    assert "spec.services.VllmDecodeWorker.pvc counts for nothing" in answer.headers.getlist("Warning")[0]


def test_what_belongs_to_the_namespace_comes_last(client):
    answer = client.post("/render", data=(MANIFESTS / "vllm--agg.yaml").read_bytes())
    assert [item["kind"] for item in answer.json["items"]][-2:] == ["ServiceAccount", "RoleBinding"]


def test_the_log_calls_it_render():
    log = io.BytesIO()
    client = create_app(Settings(), log=open_log(log)).test_client()
    body = (MANIFESTS / "vllm--agg.yaml").read_bytes()
    client.post("/render", data=body, buffered=True)  # buffered: the answer has been sent, and recorded
    line = orjson.loads(log.getvalue())
    assert (line["controller"], line["hook"], line["path"]) == ("render", "render", "/render")
    assert line["children"] == 8


def test_the_namespace_comes_with_the_query(client):
    answer = client.post("/render?namespace=team", data=(MANIFESTS / "vllm--agg.yaml").read_bytes())
    assert {item["metadata"]["namespace"] for item in answer.json["items"]} == {"team"}


GRAPH = "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: g%s}, spec: %s}"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("a: b: c", "the body is not YAML"),
        ("apiVersion: v1kind: List", "it is one line: curl keeps those of a file with --data-binary, not with -d"),
        (b"\xff\xfe\x00", "the body is not YAML"),
        ("[" * 5000, "is nested more than 200 levels deep"),
        ("[" * 210 + "]" * 210, "is nested more than 200 levels deep"),
        (BOMB, "has more than 1000000 values once its aliases are written out"),
        ("a: &a [*a]", "has more than 1000000 values once its aliases are written out"),
        ("", "no object is in the body; send a manifest, as curl --data-binary @graph.yaml does"),
        ("# A graph.apiVersion: v1kind: List", "--data-binary"),  # what curl -d makes of one that begins with a comment
        ("---\n# nothing\n", "no object is in the body"),
        ("{apiVersion: v1, kind: List, items: []}", "no object is in the body"),
    ],
)
def test_what_is_no_manifest_is_a_problem(client, body, detail):
    answer = client.post("/render", data=body)
    assert answer.status_code == 400
    assert detail in answer.json["detail"]
    assert answer.content_type == "application/problem+json"
    assert answer.text.endswith("}\n")  # so that a terminal's prompt stands below


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (GRAPH % ("", "{a: .inf}"), "document 1: holds what JSON cannot"),
        (GRAPH % ("", "{a: 2026-11-30}"), "document 1: holds what JSON cannot"),
        (GRAPH % ("", "{1: a}"), "document 1: holds what JSON cannot"),
        (GRAPH % ("", "{a: 99999999999999999999}"), "document 1: holds what JSON cannot"),
        (GRAPH % ("", '{a: "\\ud800"}'), "document 1: holds what JSON cannot"),
        ("[1]", "document 1: is no Kubernetes object"),
        (GRAPH % ("", "{services: 3}"), "spec.services: has the value 3"),
        (GRAPH % (", labels: [a]", "{}"), "metadata.labels: must be an object of strings"),
    ],
)
def test_what_is_wrong_with_a_manifest_is_among_the_errors(client, body, fault):
    answer = client.post("/render", data=body)
    assert answer.status_code == 422
    assert answer.json["detail"] == "the manifest has 1 fault, see errors"
    assert fault in answer.json["errors"][0]
    assert answer.content_type == "application/problem+json"


def test_each_fault_is_an_error_by_itself_however_many_there_are(client):
    service = "{replicas: two, extraPodSpec: {mainContainer: {image: x}}}"
    services = ", ".join(f"Service{number}: {service}" for number in range(20))
    answer = client.post("/render", data=GRAPH % ("", f"{{services: {{{services}}}}}"))
    assert answer.json["detail"] == "the manifest has 20 faults, see errors"
    assert len(answer.json["errors"]) == 20
    assert all(error.endswith("write a whole number, without quotes") for error in answer.json["errors"])


def test_an_alias_stands_for_its_value_in_each_of_its_places(client):
    twice = "volumeMounts: [{name: a, mountPath: /a}, {name: a, mountPath: /a}]"
    pod = (
        f"{{mainContainer: {{image: x, resources: &resources {{limits: {{cpu: {{}}}}}}, {twice}}}, "
        f"containers: [{{name: b, image: x, resources: *resources, {twice}}}], "
        f"initContainers: [{{name: c, image: x, resources: *resources, {twice}}}]}}"
    )
    manifest = GRAPH % ("", f"{{services: {{Worker: {{extraPodSpec: {pod}}}}}}}")
    written_out = orjson.dumps(yaml.safe_load(manifest))
    errors = client.post("/render", data=manifest).json["errors"]
    assert errors == client.post("/render", data=written_out).json["errors"]
    assert sum("stands twice" in error for error in errors) == 3
