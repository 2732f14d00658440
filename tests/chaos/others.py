"""What users do with models, pull secrets, and whole namespaces."""

from tests.chaos.graphs import Graph
from tests.chaos.steps import apply, delete
from tests.simulator.scenarios.situations import GRAPH, graph, service
from tests.simulator.scenarios.test_models import BASE, MODEL, model
from tests.simulator.scenarios.test_namespaces import pull_secret

SERVED = {"modelRef": {"name": BASE}}


class Model:
    """A LoRA adapter, and the graph that serves its base model."""

    def __init__(self, lots, number, *, multinode):
        self.lots, self.name, self.graph = lots, f"adapter{number}", f"base{number}"
        self.there = self.served = False

    def next_steps(self):
        """What the user does next."""
        chosen = self.lots.choice(("model", "serve", "serve", "stop"))
        if chosen == "model":
            self.there = not self.there
            manifest = model(self.name, modelName=f"acme/{self.name}")
            return [apply(f"creates model {self.name}", manifest) if self.there else delete(MODEL, self.name)]
        if chosen == "serve":
            self.served = True
            replicas = self.lots.randint(0, 3)
            manifest = graph(self.graph, {"Worker": service(replicas=replicas, **SERVED)})
            return [apply(f"serves its base model with {replicas} replicas by {self.graph}", manifest)]
        return self._stop()

    def last_steps(self):
        """How the user takes everything away."""
        steps = self._stop()
        if self.there:
            self.there = False
            steps.insert(self.lots.randint(0, len(steps)), delete(MODEL, self.name))
        return steps

    def _stop(self):
        served, self.served = self.served, False
        return [delete(GRAPH, self.graph)] if served else []


class PullSecret:
    """A pull secret for the registry of all images."""

    def __init__(self, lots, number, *, multinode):
        self.name, self.there = f"pull{number}", False

    def next_steps(self):
        """It comes, or goes."""
        self.there = not self.there
        if self.there:
            return [apply(f"makes pull secret {self.name}", pull_secret(self.name, "registry.example"), careful=True)]
        return [delete("Secret", self.name, careful=True)]

    def last_steps(self):
        """It goes."""
        return self.next_steps() if self.there else []


class Team:
    """A namespace that comes and goes with a graph and a model in it."""

    def __init__(self, lots, number, *, multinode):
        self.lots, self.number, self.multinode = lots, number, multinode
        self.name, self.graph = f"team{number}", None

    def next_steps(self):
        """What happens next in it or to it."""
        if self.graph is None:
            self.graph = Graph(self.lots, self.number, multinode=self.multinode, namespace=self.name)
            made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}}
            adapter = model("adapter") | {"metadata": {"name": "adapter", "namespace": self.name}}
            steps = [apply(f"creates namespace {self.name}", made, careful=True)]
            return [*steps, apply(f"creates a model in {self.name}", adapter), *self.graph.create()]
        return self.last_steps() if self.lots.random() < 0.3 else self.graph.next_steps()

    def last_steps(self):
        """The namespace goes, with all that is in it."""
        if self.graph is None:
            return []
        self.graph = None
        return [delete("Namespace", self.name, "", careful=True)]
