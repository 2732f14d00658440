"""A toy controller: Widgets and what a test's own function makes of them."""

import orjson
import yaml
from werkzeug.wrappers import Request, Response

from hooks.protocol import Kind
from hooks.simulator.builtin import built_in
from hooks.simulator.cluster import Cluster
from hooks.simulator.custom import custom_resources
from hooks.simulator.installation import Installation
from hooks.simulator.metacontroller.manifests import read_controller

WIDGET = Kind("Widget", "example.com/v1", "widgets")
CONFIG_MAP = Kind("ConfigMap", "v1", "configmaps")


def definition(kind, scope="Namespaced"):
    plural = f"{kind.lower()}s"
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    status_schema = {
        "type": "object",
        "required": ["state"],
        "properties": {"observedGeneration": {"type": "integer"}, "state": {"type": "string"}},
    }
    schema = {"type": "object", "properties": {"spec": anything, "status": status_schema}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com",
            "scope": scope,
            "names": {"kind": kind, "plural": plural},
            "versions": [version],
        },
    }


COMPOSITE = """
apiVersion: metacontroller.k8s.io/v1alpha1
kind: CompositeController
metadata: {name: widgets}
spec:
  generateSelector: true
  resyncPeriodSeconds: 300
  parentResource: {apiVersion: example.com/v1, resource: widgets}
  childResources:
  - {apiVersion: v1, resource: configmaps, updateStrategy: {method: InPlace}}
  - {apiVersion: v1, resource: services, updateStrategy: {method: InPlace}}
  - {apiVersion: batch/v1, resource: jobs}
  - {apiVersion: apps/v1, resource: deployments, updateStrategy: {method: InPlace}}
  hooks:
    sync: {version: v2, webhook: {url: "http://hooks.example/widgets/sync?v=1"}}
"""
DECORATOR = """
apiVersion: metacontroller.k8s.io/v1alpha1
kind: DecoratorController
metadata: {name: namespaces}
spec:
  resources: [{apiVersion: v1, resource: namespaces, labelSelector: {matchLabels: {decorate: "yes"}}}]
  attachments:
  - {apiVersion: v1, resource: configmaps, updateStrategy: {method: InPlace}}
  hooks:
    sync: {version: v2, webhook: {url: "http://hooks.example/widgets/sync"}}
"""


def hook(controller, name, version="v2"):
    """The same controller with one hook more, or with one of another version."""
    webhook = {"url": f"http://hooks.example/widgets/{name}"}
    controller["spec"]["hooks"][name] = {"version": version, "webhook": webhook}
    return controller


def application(answers):
    """The hooks: functions of a request by name, each returning JSON or bytes."""

    def answer(environ, start_response):
        request = Request(environ)
        made = answers[request.path.rpartition("/")[2]](orjson.loads(request.get_data()))
        status, made = made if isinstance(made, tuple) else (200, made)
        body = made if isinstance(made, bytes) else orjson.dumps(made)
        return Response(body, status, content_type="application/json")(environ, start_response)

    return answer


def cluster(sync, *, controller=COMPOSITE, seed=None, lag=0.0, namespaces=("default",), **hooks):
    """A cluster with one controller, whose hooks are the test's own functions."""
    manifest = yaml.safe_load(controller) if isinstance(controller, str) else controller
    for name in hooks:
        if name not in manifest["spec"]["hooks"]:
            hook(manifest, name)
    resources = [*built_in(), *custom_resources([definition("Widget"), definition("Gadget", "Cluster")])]
    app = application({"sync": sync, **hooks})
    installation = Installation(lambda _: app, (read_controller(manifest),), tuple(resources))
    return Cluster(installation=installation, seed=seed, lag=lag, namespaces=namespaces)


def widget(name="w", labels=None, **spec):
    metadata = {"name": name, "namespace": "default"} | ({"labels": labels} if labels else {})
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata, "spec": spec}


def config_map(name="c", data=None, **metadata):
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}}
    return made | ({"data": data} if data is not None else {})


def answer(*children, **more):
    return {"status": {"state": "fine"}, "children": list(children), **more}


def messages(running, reason="SyncError"):
    return [event.message for event in running.events if event.reason == reason]
