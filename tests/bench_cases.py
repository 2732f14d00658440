"""The calls that `make bench` measures: every hook, for parents at rest; and how many times an echo each may take."""

from dataclasses import dataclass

import orjson

from hooks.controllers.registry import controllers
from hooks.kinds import COMPONENT_DEPLOYMENT
from hooks.protocol import customize_body, read_customize, read_sync
from hooks.settings import Settings
from tests.golden_cases import FOLDER, NOW
from tests.golden_cases import Case as GoldenCase
from tests.steady import deployed_request, graph, namespace_request, profiling_request, steady_request

GRAPH_OF_5, GRAPH_OF_25 = "DGD of 5 services", "DGD of 25 services"
FULL_NAMESPACE = "Namespace of 100 DGDs of 4 services"


@dataclass(frozen=True)
class Case:
    """A hook call, and how many times an echo's time it may take."""

    name: str
    path: str
    body: bytes
    answer: bytes
    limit: float


def cases():
    """Calls for resources that are rolled out, which is what nearly all calls of a cluster are."""
    small, large = (steady_request(graph(services)) for services in (5, 25))
    component = next(
        child
        for child in large[0]["children"][COMPONENT_DEPLOYMENT.key].values()
        if child["spec"]["componentType"] == "worker"
    )
    request = profiling_request()
    return [
        _sync("DCD", *steady_request(component), limit=1.5),
        _sync(GRAPH_OF_5, *small, limit=2.0),
        _sync(GRAPH_OF_25, *large, limit=2.0),
        _sync("DGDR, profiling", *request, limit=1.5),
        _sync("DGDR, its graph of 8 services deployed", *deployed_request(8), limit=1.5),
        _golden("DynamoModel", "model/base", limit=1.5),
        _golden("DynamoModel", "model/base", limit=1.5, finalizing=True),
        _sync("Namespace without a resource of Dynamo's", *namespace_request(0), limit=1.3),
        _sync(FULL_NAMESPACE, *namespace_request(100), limit=1.5),
        _golden("Secret of a registry", "registry_secret/registries", limit=1.5),
        _golden("DGDR's labels", "request_labels/another-namespace", limit=1.5),
        _golden("DGD, which installation looks after it", "installation/cluster-wide", limit=1.5),
        _customize("DCD", component, limit=1.5),
        _customize(GRAPH_OF_25, large[0]["parent"], limit=2.0),
        _customize("DGDR", request[0]["parent"], limit=1.5),
        _customize(
            "Namespace", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "inference"}}, limit=1.5
        ),
    ]


def _sync(name, body, answer, limit):
    return _case(f"{name}: sync", f"/{_controller(body).route}/sync", body, answer, limit)


def _golden(name, case, limit, *, finalizing=False):
    found = GoldenCase(FOLDER / case)
    controller, body = found.controller, found.request() | {"finalizing": finalizing}
    hook = "finalize" if finalizing else "sync"
    function = controller.finalize if finalizing else controller.sync
    answer = function(read_sync(body, *controller.parents), Settings(), NOW).body()
    return _case(f"{name}: {hook}", f"/{controller.route}/{hook}", body, answer, limit)


def _customize(name, parent, limit):
    body = {"parent": parent}
    controller = _controller(body)
    answer = customize_body(controller.customize(read_customize(body, *controller.parents), Settings()))
    return _case(f"{name}: customize", f"/{controller.route}/customize", body, answer, limit)


def _controller(body):
    kind = body.get("parent", body.get("object"))["kind"]
    return next(each for each in controllers().values() if each.parent.kind == kind)


def _case(name, path, body, answer, limit):
    return Case(name, path, orjson.dumps(body), orjson.dumps(answer), limit)
