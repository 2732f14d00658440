"""A service with controllers that do what the parent's spec tells them to.

`python fake_hooks.py HOST PORT WORKERS [SILENCE]`
"""

import sys

import click

from hooks import server
from hooks.controllers.registry import Controller
from hooks.errors import UnprocessableRequest
from hooks.protocol import CompositeAnswer, DecoratorAnswer, Kind, RelatedRule
from hooks.server import listen, serve
from hooks.settings import ServerSettings, Settings
from hooks.tokens import Tokens

GRAPH = Kind("DynamoGraphDeployment", "nvidia.com/v1alpha1", "dynamographdeployments")
NAMESPACE = Kind("Namespace", "v1", "namespaces", namespaced=False)
CLAIM = Kind("PersistentVolumeClaim", "v1", "persistentvolumeclaims")
PARENT = {
    "apiVersion": GRAPH.api_version,
    "kind": GRAPH.kind,
    "metadata": {"name": "g", "namespace": "d", "uid": "u-1", "generation": 3},
    "spec": {},
}


def sync(request, settings, now):
    """A controller that does what the parent's spec tells it to."""
    spec = request.parent["spec"]
    if "refuse" in spec:
        raise UnprocessableRequest("$.children", spec["refuse"])
    if "fail" in spec:
        raise ValueError(spec["fail"])
    if "missing" in spec:
        return {}["missing"]
    status = {"state": "pending", "at": now.isoformat(), "nats": settings.nats_address, "final": request.finalizing}
    return CompositeAnswer(status=spec.get("status", status), children=[{"kind": "ConfigMap"}] * 2)


def finalize(request, settings, now):
    return CompositeAnswer(status={"state": "gone", "final": request.finalizing}, children=[], finalized=False)


def customize(request, settings):
    return [RelatedRule(CLAIM, names=("c",), namespace=request.parent["metadata"]["namespace"])]


def namespaces(request, settings, now):
    return DecoratorAnswer(attachments=[{"kind": "Service"}])


def controllers(**hooks):
    """The controllers by route; `hooks` are further or other ones of the first."""
    graphs = Controller("dynamographdeployments", GRAPH, **{"sync": sync, "customize": customize, **hooks})
    return {graphs.route: graphs, "namespaces": Controller("namespaces", NAMESPACE, namespaces)}


def load():
    from hooks.app import create_app  # noqa: PLC0415 - `hooks.server.serve` says why

    return create_app(Settings(server=ServerSettings(max_body_mib=1)), controllers(), tokens=Tokens())


if __name__ == "__main__":
    host, port, workers, *silence = sys.argv[1:]
    server.SILENCE = float(*silence or [server.SILENCE])
    listener = listen(host, int(port))
    url = f"http://{host}:{listener.getsockname()[1]}"
    serve(load, ServerSettings(workers=int(workers)), listener, when_ready=lambda: click.echo(url, err=True))
