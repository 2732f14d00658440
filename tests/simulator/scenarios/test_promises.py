"""The promises of `Situation` can be broken: hooks that are wrong on purpose break them."""

import hooks.status.component_deployment
import hooks.status.graph_deployment
from hooks.simulator.cluster import Cluster
from tests.simulator.scenarios.situations import COMPONENT, GRAPH, Situation, graph


def test_calling_the_old_workload_ready_for_a_new_spec_is_noticed(monkeypatch):
    for module in (hooks.status.component_deployment, hooks.status.graph_deployment):
        monkeypatch.setattr(module, "is_applied", lambda child, _: child is not None)
    situation = Situation(Cluster(seed=0, lag=0.5))
    situation.cluster.apply(graph())
    situation.ready()
    situation.edit_service("Worker", extraPodSpec={"mainContainer": {"image": "registry.example/runtime:2"}})
    situation.cluster.settle()
    assert "chat says it is ready, and chat-worker still has image registry.example/runtime:1" in situation.broken


def test_a_workload_that_is_deleted_is_noticed():
    situation = Situation(Cluster())
    situation.cluster.apply(graph())
    situation.ready()
    situation.cluster.edit(GRAPH, "chat", lambda item: item["spec"]["services"].pop("Worker"))
    situation.cluster.settle()
    assert [line.split(" was")[0] for line in situation.broken] == [
        f"{COMPONENT} chat-worker",
        "Deployment chat-worker",
    ]
