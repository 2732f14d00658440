"""Requests in which a test says only what it is about, and answers in which it finds that quickly.

`ask_component(spec)` and `ask_graph(spec)` send a sync request through the envelope's reader, as a POST would.
"""

from dataclasses import dataclass
from typing import Any

from hooks.controllers import component_deployment, graph_deployment
from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT
from hooks.protocol import read_customize, read_sync
from hooks.settings import Settings
from tests.golden_cases import NOW, applied, keyed, laid_over

IMAGE = "registry.example.com/runtime:1"
ASKED = ("Deployment.apps/v1", "PersistentVolumeClaim.v1", "ServiceAccount.v1")
"""Kinds of which a request with related objects says that they were asked for, though there may be none."""


@dataclass
class Answer:
    """A sync answer."""

    status: dict[str, Any]
    children: list[dict[str, Any]]
    parent: dict[str, Any]

    def child(self, kind, name=None):
        """The one child of that kind (and name); None where there is none."""
        found = [
            child for child in self.children if child["kind"] == kind and name in (None, child["metadata"]["name"])
        ]
        assert len(found) <= 1, found
        return found[0] if found else None

    @property
    def names(self):
        return {(child["kind"], child["metadata"]["name"]) for child in self.children}

    @property
    def template(self):
        return self.child("Deployment")["spec"]["template"]

    @property
    def pod(self):
        return self.template["spec"]

    @property
    def main(self):
        return self.pod["containers"][0]

    @property
    def env(self):
        """Name → value, or the whole of `valueFrom`."""
        return {entry["name"]: entry.get("valueFrom", entry.get("value", "")) for entry in self.main["env"]}

    @property
    def condition(self):
        """`Available` of a component, `Ready` of a graph."""
        return self.status["conditions"][0]

    @property
    def message(self):
        return self.condition["message"]

    def observed(self, **parts):
        """Its children as they are found once they were applied; `Deployment={…}` is laid over the one of that kind."""
        return [laid_over(applied(child, self.parent), parts.get(child["kind"], {})) for child in self.children]


def parent_of(kind, name, spec, **metadata):
    found = {"name": name, "namespace": "default", "uid": f"uid-of-{name}", "generation": 1, **metadata}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": found, "spec": spec}


def component(spec=None, name="g-decode", **metadata):
    """A DynamoComponentDeployment that runs an image."""
    return parent_of(COMPONENT_DEPLOYMENT, name, running(spec or {}), **metadata)


def graph(services, name="g", metadata=None, **spec):
    """A DynamoGraphDeployment, each service of which runs an image."""
    running_services = {key: running(service) for key, service in services.items()}
    return parent_of(GRAPH_DEPLOYMENT, name, {**spec, "services": running_services}, **(metadata or {}))


def running(spec):
    """A spec with an image, where it has none."""
    return laid_over({"extraPodSpec": {"mainContainer": {"image": IMAGE}}}, spec)


def main_container(**fields):
    """A component's spec that says something of its main container."""
    return {"extraPodSpec": {"mainContainer": fields}}


def ask(parent, observed=None, related=None, settings=None, controller=None, now=NOW, **more):
    """The answer to a sync request; `observed` and `related` are lists of objects, None where nothing is said."""
    kind, sync = _hooks(parent)[:2]
    body = {"parent": parent, **more}
    if observed is not None:
        body["children"] = keyed(observed)
    if related is not None:
        body["related"] = {key: {} for key in ASKED} | keyed(related)
    if controller is not None:
        body["controller"] = controller
    answer = sync(read_sync(body, kind), Settings.model_validate(settings or {}), now).body()
    return Answer(answer["status"], answer["children"], parent)


def rules(parent, controller=None):
    """The rules of a customize answer."""
    kind, _, customize = _hooks(parent)
    request = read_customize({"parent": parent, "controller": controller}, kind)
    return [rule.body() for rule in customize(request, Settings())]


def _hooks(parent):
    if parent["kind"] == GRAPH_DEPLOYMENT.kind:
        return GRAPH_DEPLOYMENT, graph_deployment.sync, graph_deployment.customize
    return COMPONENT_DEPLOYMENT, component_deployment.sync, component_deployment.customize


def claim(name="models", **metadata):
    found = {"name": name, "namespace": "default", "uid": f"uid-of-claim-{name}", **metadata}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": found}


def mounting(*claims):
    return {"volumeMounts": [{"name": name, "mountPoint": f"/{name}"} for name in claims]}


TO_MAKE = {"name": "models", "create": True, "size": "1Ti", "storageClass": "fast", "volumeAccessMode": "ReadWriteMany"}


WORKER = {"componentType": "worker"}
INGRESS = {"ingress": {"enabled": True, "host": "h"}}
SCALED = {"autoscaling": {"enabled": True, "maxReplicas": 9}}


def controller(*resources):
    """A controller that lists these children alone."""
    listed = {
        "deployments": "apps/v1",
        "services": "v1",
        "horizontalpodautoscalers": "autoscaling/v2",
        "ingresses": "networking.k8s.io/v1",
        "leaderworkersets": "leaderworkerset.x-k8s.io/v1",
        "virtualservices": "networking.istio.io/v1",
    }
    return {"spec": {"childResources": [{"apiVersion": listed[name], "resource": name} for name in resources]}}


EVERY_CLUSTER = ("deployments", "services", "horizontalpodautoscalers", "ingresses")
