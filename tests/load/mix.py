"""What is asked in a load test: requests of all hooks, in the shares that they have in a cluster.

Counted for a cluster of 40 graphs of 5 services: every component, graph, request and model is synced when it, a child
of it or something that it asked for changes, and each 300 s; `customize` is asked anew after 20 minutes. A Namespace
is synced whenever a graph, component or request in it changes. Nearly all are rolled out, and some of them are what
the golden cases show.
"""

import random
from dataclasses import dataclass

import orjson

from hooks.kinds import COMPONENT_DEPLOYMENT
from hooks.protocol import read_sync
from tests.golden_cases import cases
from tests.steady import deployed_request, graph, namespace_request, profiling_request, steady_request

ROLLED_OUT = "rolled out"
GOLDEN = "golden cases"
WEIGHTS = {
    ("dynamocomponentdeployments/sync", ROLLED_OUT): 400,
    ("dynamocomponentdeployments/sync", GOLDEN): 100,
    ("dynamocomponentdeployments/customize", GOLDEN): 60,
    ("dynamographdeployments/sync", ROLLED_OUT): 120,
    ("dynamographdeployments/sync", GOLDEN): 40,
    ("dynamographdeployments/customize", GOLDEN): 20,
    ("namespaces/sync", ROLLED_OUT): 80,
    ("namespaces/sync", GOLDEN): 40,
    ("namespaces/customize", GOLDEN): 5,
    ("dynamographdeploymentrequests/sync", ROLLED_OUT): 36,
    ("dynamographdeploymentrequests/sync", GOLDEN): 4,
    ("dynamographdeploymentrequests/customize", GOLDEN): 5,
    ("dynamographdeploymentrequest-labels/sync", GOLDEN): 20,
    ("dynamomodels/sync", GOLDEN): 30,
    ("dynamomodels/customize", GOLDEN): 5,
    ("dynamomodels/finalize", GOLDEN): 5,
    ("secrets/sync", GOLDEN): 20,
    ("claims/sync", GOLDEN): 10,
}
"""Hook and where its requests come from → parts of all calls, of 1000."""


@dataclass(frozen=True)
class Call:
    """One request to a hook."""

    hook: str
    body: bytes


def mix():
    """Every request, by hook and where it comes from."""
    found = {}
    for hook, body in _rolled_out():
        found.setdefault((hook, ROLLED_OUT), []).append(Call(hook, orjson.dumps(body)))
    for hook, body in _golden():
        found.setdefault((hook, GOLDEN), []).append(Call(hook, orjson.dumps(body)))
    return found


def drawn(found, number, seed):
    """So many calls, drawn at random by `WEIGHTS`; the same for the same seed."""
    chance = random.Random(seed)
    sources = chance.choices(list(WEIGHTS), WEIGHTS.values(), k=number)
    return [chance.choice(found[source]) for source in sources]


def _rolled_out():
    for services in (4, 5, 6):
        body, _ = steady_request(graph(services))
        yield "dynamographdeployments/sync", body
        for component in body["children"][COMPONENT_DEPLOYMENT.key].values():
            yield "dynamocomponentdeployments/sync", steady_request(component)[0]
    for body, _ in (profiling_request(), deployed_request(5)):
        yield "dynamographdeploymentrequests/sync", body
    for graphs in (0, 0, 1, 5):  # most namespaces of a cluster have nothing to do with Dynamo
        yield "namespaces/sync", namespace_request(graphs)[0]


def _golden():
    """Sync of each golden case but those that wait for workers, whose time is not ours; and what it is asked else."""
    for case in cases():
        controller, body = case.controller, case.request()
        task = controller.task(read_sync(body, *controller.parents)) if controller.task else None
        if task is None or not task.workers:
            yield f"{controller.route}/sync", body
            if controller.finalize:
                yield f"{controller.route}/finalize", body | {"finalizing": True}
        if controller.customize:
            yield f"{controller.route}/customize", {"parent": case.parent}
