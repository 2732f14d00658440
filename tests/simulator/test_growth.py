"""The embedded cluster's work grows with what there is to do, not with what there is."""

import pytest

from hooks.simulator.cluster import Cluster


def graph(name, services):
    made = {"extraPodSpec": {"mainContainer": {"image": "i:1"}}, "componentType": "worker"}
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": name},
        "spec": {"services": {f"s{number}": made for number in range(services)}},
    }


def work_of(graphs, services=2):
    """Hook calls and write requests for each graph until all are ready."""
    cluster = Cluster(seed=1, lag=0.2)
    cluster.apply(*[graph(f"g{number}", services) for number in range(graphs)])
    cluster.settle()
    for number in range(graphs):
        assert cluster.condition("DynamoGraphDeployment", f"g{number}", "Ready") == "True"
    return (sum(cluster.hooks.calls.values()) + len(cluster.writes)) / graphs


def test_many_graphs_take_no_more_work_each_than_few():
    assert work_of(20) <= 1.25 * work_of(2)


@pytest.mark.parametrize("services", [25])
def test_the_largest_graph_becomes_ready(services):
    assert work_of(1, services) < 100 * services
