"""What is compared of two clusters: everything but what differs from run to run."""

import copy

import pytest

from hooks.simulator.cluster import Cluster
from tests.real.comparison import comparable, differences
from tests.simulator.scenarios.situations import graph, service


def ready(seed):
    cluster = Cluster(seed=seed, lag=0.5)
    cluster.apply(graph(services={"Worker": service(replicas=3)}))
    cluster.settle()
    return comparable(cluster.store, {})


@pytest.fixture(scope="module")
def found():
    return ready(seed=1)


def test_clusters_with_other_uids_times_and_generated_names_are_equal(found):
    assert differences(found, ready(seed=2)) == ""


def test_pods_are_numbered_and_their_endpoints_name_them(found):
    pods = list(found["Pod.v1"].values())
    assert sorted(pod["metadata"]["name"][-4:] for pod in pods) == ["-<0>", "-<1>", "-<2>"]
    (endpoints,) = (item["endpoints"] for item in found["EndpointSlice.discovery.k8s.io/v1"].values())
    assert [entry["targetRef"]["name"] for entry in endpoints] == sorted(pod["metadata"]["name"] for pod in pods)
    assert [entry["addresses"] for entry in endpoints] == [
        [f"address of {entry['targetRef']['name']}"] for entry in endpoints
    ]


def test_a_difference_is_told_with_the_object_and_the_field(found):
    changed = copy.deepcopy(found)
    changed["Deployment.apps/v1"]["default/chat-worker"]["status"]["readyReplicas"] = 2
    lines = differences(found, changed).splitlines()
    assert "-Deployment.apps/v1 default/chat-worker:   readyReplicas: 3" in lines
    assert "+Deployment.apps/v1 default/chat-worker:   readyReplicas: 2" in lines


def test_an_object_that_only_one_has_is_a_difference(found):
    changed = copy.deepcopy(found)
    del changed["Service.v1"]["default/chat-worker"]
    assert "-Service.v1 default/chat-worker: kind: Service" in differences(found, changed)
