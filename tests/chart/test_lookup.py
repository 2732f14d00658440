"""What the chart sees in a cluster: a few paths of an API server, which Helm's `lookup` reads."""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.chart import rendered
from tests.chart.rendered import RESTRICTED, TLS

KINDS = {
    "v1": [("secrets", "Secret", True)],
    "apiextensions.k8s.io/v1": [("customresourcedefinitions", "CustomResourceDefinition", False)],
    "metacontroller.k8s.io/v1alpha1": [("compositecontrollers", "CompositeController", False)],
}
CRD = "compositecontrollers.metacontroller.k8s.io"
CRD_PATH = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{CRD}"
CONTROLLERS = "/apis/metacontroller.k8s.io/v1alpha1/compositecontrollers"
SECRET = "/api/v1/namespaces/dynamo-hooks/secrets"


def resources(group_version):
    listed = [
        {"name": plural, "kind": kind, "namespaced": namespaced, "singularName": "", "verbs": ["get", "list"]}
        for plural, kind, namespaced in KINDS[group_version]
    ]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": listed}


def discovery():
    folder = {"v1": "/api/v1"} | {name: f"/apis/{name}" for name in KINDS if name != "v1"}
    groups = [
        {"name": name.partition("/")[0], "versions": [version], "preferredVersion": version}
        for name, version in (
            (name, {"groupVersion": name, "version": name.partition("/")[2]}) for name in KINDS if name != "v1"
        )
    ]
    return {path: resources(name) for name, path in folder.items()} | {
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups},
        "/version": {"major": "1", "minor": "36", "gitVersion": "v1.36.0"},
    }


@pytest.fixture
def cluster():
    """Path → what is there; a client of it in `cluster.config`."""
    answers = Answers(discovery())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.partition("?")[0]
            answer = answers.get(path)
            status = 200 if answer is not None else 404
            missing = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
            body = json.dumps(answer or missing).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    kubeconfig = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "fake", "cluster": {"server": address}}],
        "users": [{"name": "fake", "user": {}}],
        "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "fake"}}],
        "current-context": "fake",
    }
    with rendered.helm.Config(kubeconfig_content=json.dumps(kubeconfig), namespace="dynamo-hooks") as config:
        answers.config = config
        answers[CONTROLLERS] = controllers()
        yield answers
    server.shutdown()
    server.server_close()


class Answers(dict):
    config = None


def controllers(*names):
    items = [{"metadata": {"name": name}} for name in names]
    kind = {"apiVersion": "metacontroller.k8s.io/v1alpha1", "kind": "CompositeController"}
    return {**kind, "kind": "CompositeControllerList", "metadata": {}, "items": [kind | item for item in items]}


def secret(annotations=None, name="dynamo-hooks-token", **data):
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    metadata = {"name": name, "namespace": "dynamo-hooks", "annotations": annotations or {}}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": encoded}


def metacontroller(**webhook):
    versions = [{"name": "v1alpha1", "schema": {"openAPIV3Schema": {"properties": webhook}}}]
    kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return kind | {"metadata": {"name": CRD}, "spec": {"versions": versions}}


MADE_FOR = "dynamo-hooks/token-revision"


def test_the_token_stays_over_upgrades(cluster):
    cluster[f"{SECRET}/dynamo-hooks-token"] = secret({MADE_FOR: ""}, token="first")
    assert rendered.token(config=cluster.config) == {"token": "first"}
    assert rendered.revision(config=cluster.config) == rendered.revision(config=cluster.config)


def test_another_revision_makes_a_new_token_and_keeps_the_old_one_for_the_time_being(cluster):
    cluster[f"{SECRET}/dynamo-hooks-token"] = secret({MADE_FOR: ""}, token="first")
    before = rendered.revision(config=cluster.config)
    found = rendered.token({"auth": {"tokenRevision": "2"}}, config=cluster.config)
    assert found["previous-token"] == "first"
    assert len(found["token"]) == 48
    assert rendered.revision({"auth": {"tokenRevision": "2"}}, config=cluster.config) != before


def test_the_next_upgrade_forgets_the_old_token(cluster):
    there = {"token": "second", "previous-token": "first"}
    cluster[f"{SECRET}/dynamo-hooks-token"] = secret({MADE_FOR: "2"}, **there)
    assert rendered.token({"auth": {"tokenRevision": "2"}}, config=cluster.config) == {"token": "second"}


@pytest.mark.parametrize(("values", "name"), [({"auth": {"existingSecret": "mine"}}, "mine"), (TLS, "certificate")])
def test_urls_change_with_a_secret_of_one_s_own(cluster, values, name):
    values = {"auth": {"existingSecret": "mine"}} | values
    revisions = set()
    for text in ("first", "second"):
        cluster[f"{SECRET}/{name}"] = secret(name=name, **{"token": text, "tls.crt": text})
        revisions.add(rendered.revision(values, config=cluster.config))
    assert len(revisions) == 2


def test_a_metacontroller_that_cannot_send_a_token_is_refused(cluster):
    cluster[CRD_PATH] = metacontroller(url={"type": "string"})
    with pytest.raises(rendered.helm.HelmError, match=r"Metacontroller is older than 4\.16"):
        rendered.files(config=cluster.config)
    cluster[CRD_PATH] = metacontroller(authorization={"type": "object"})
    assert rendered.files(config=cluster.config)


@pytest.mark.parametrize(
    ("there", "values"),
    [("dynamo-graph-deployments-teams", {}), ("dynamo-graph-deployments", RESTRICTED)],
)
def test_an_installation_for_all_namespaces_beside_a_restricted_one_is_refused(cluster, there, values):
    cluster[CONTROLLERS] = controllers(there)
    with pytest.raises(rendered.helm.HelmError, match=r"set namespaceRestriction\.enabled on both"):
        rendered.files(values, config=cluster.config)


@pytest.mark.parametrize(
    ("there", "values"),
    [
        ("dynamo-graph-deployments", {}),
        ("dynamo-graph-deployments-teams", RESTRICTED),
        ("dynamo-graph-deployments-others", RESTRICTED),
        ("somebody-elses", {}),
    ],
)
def test_an_upgrade_and_another_restricted_installation_are_not(cluster, there, values):
    cluster[CONTROLLERS] = controllers(there)
    assert rendered.files(values, config=cluster.config)
