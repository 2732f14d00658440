"""What the fuzzer starts from: valid requests to every hook.

They are the golden cases, the manifests of real users, and two specs that have every field. Each stands there as it is
asked first and once more rolled out, so that what runs can be lost.
"""

import copy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

import orjson
import yaml

from hooks.adapters import Outcome, Outcomes
from hooks.controllers.registry import Controller, controllers
from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, MODEL
from hooks.protocol import Kind, read_sync
from hooks.settings import Settings
from hooks.simulator.metacontroller.apply import first_version, next_version
from tests.golden_cases import NOW, Asked, cases, owned
from tests.laws import fed_back
from tests.test_any_spec import COMPONENT, GRAPH, SEVERAL_NODES

MANIFESTS = Path(__file__).parent.parent / "manifests"
KINDS = {kind.kind: kind for kind in (COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, MODEL)}
RANDOMNESS = bytes(range(64))
_ROUNDS = 2
"""Answers that are fed back to a request until it counts as rolled out."""


@dataclass(frozen=True)
class Base(Asked):
    """A valid sync request, and who answers it."""

    name: str
    route: str
    text: bytes
    settings: Settings = field(default_factory=Settings)

    @cached_property
    def controller(self) -> Controller:
        return controllers()[self.route]

    @property
    def hooks(self):
        """What it can be sent to."""
        return ("sync", "finalize", "customize") if self.controller.customize else ("sync", "finalize")

    def body(self):
        """A fresh copy."""
        return orjson.loads(self.text)

    def answer_to(self, body, now=NOW):
        """What the hook answers to any body, with the same random bytes each time, and `perform` for workers."""
        controller = self.controller
        request = read_sync(body, *controller.parents)
        if controller.randomness:
            request = replace(request, randomness=RANDOMNESS[: controller.randomness])
        if controller.task is not None and (task := controller.task(request)) is not None:
            request = replace(request, outcomes=perform(task))
        if request.finalizing and controller.finalize is not None:
            return controller.finalize(request, self.settings, now).body()
        return controller.sync(request, self.settings, now).body()

    def applied(self, child, parent, observed=None):
        """A desired child as it is found once Metacontroller's own merge has applied it over what was there."""
        made = next_version(observed, child) if observed else first_version(child)
        return self.decorated(owned(made, parent))


def perform(task):
    """Workers of which every other one does what it is told."""
    outcomes = {
        worker.address: Outcome(True, "loaded") if number % 2 == 0 else Outcome(False, "failed", "answers 500")
        for number, worker in enumerate(task.workers)
    }
    return Outcomes(outcomes)


@cache
def bases():
    """All of them, in a fixed order."""
    found = [Base(str(case), case.controller.route, orjson.dumps(case.request()), case.settings) for case in cases()]
    found += [
        Base(name, KINDS[parent["kind"]].plural, orjson.dumps({"parent": parent, "children": {}, "related": {}}))
        for name, parent in (*_of_users(), *_with_every_field())
    ]
    return (*found, *(rolled_out(base) for base in found))


def _of_users():
    for path in sorted(MANIFESTS.glob("*.yaml")):
        for number, item in enumerate(yaml.safe_load_all(path.read_text())):
            if item and item["kind"] in KINDS:
                metadata = {"namespace": "default", "uid": f"uid-{number}", "generation": 1, **item["metadata"]}
                yield path.stem, item | {"metadata": metadata}


def _with_every_field():
    yield "every field of a graph", _parent(GRAPH_DEPLOYMENT, GRAPH)
    yield "every field of a component", _parent(COMPONENT_DEPLOYMENT, COMPONENT)
    for backend, shell in (("vllm", True), ("vllm", False), ("sglang", True), ("sglang", False), ("trtllm", True)):
        spec = copy.deepcopy(SEVERAL_NODES) | {"backendFramework": backend}
        main = spec["extraPodSpec"]["mainContainer"]
        words = ["python3", "-m", f"dynamo.{backend}", "--tensor-parallel-size", "2"]
        main |= {"command": ["/bin/sh", "-c"], "args": [" ".join(words)]} if shell else {"command": words, "args": []}
        yield f"several nodes with {backend}", _parent(COMPONENT_DEPLOYMENT, spec)


def _parent(kind: Kind, spec):
    metadata = {"name": "g", "namespace": "default", "uid": "uid-of-g", "generation": 1}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": spec}


def rolled_out(base):
    """The same request once its answers have been applied, or once it is answered where it is being deleted."""
    body = base.body()
    body.setdefault(base.parts[1], {})
    for _ in range(_ROUNDS):
        body = fed_back(base, body, base.answer_to(body))
    return replace(base, name=f"{base.name}, rolled out", text=orjson.dumps(body))
