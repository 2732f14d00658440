"""What comes back of a LeaderWorkerSet; facts from a real server with LeaderWorkerSet's own CRD and webhooks."""

import pytest

from hooks.simulator.api_server import start
from hooks.simulator.builtin import built_in
from hooks.simulator.clock import Clock
from hooks.simulator.custom import custom_resources
from hooks.simulator.custom.leader_worker_set import leader_worker_set_definition
from hooks.simulator.errors import ApiError

RESOURCES = [*built_in(), *custom_resources([leader_worker_set_definition()])]


@pytest.fixture
def store():
    return start(Clock(), RESOURCES)


def leader_worker_set(container=None, name="x", pod=None, **spec):
    template = {"spec": {"containers": [{"name": "c", "image": "i", **(container or {})}], **(pod or {})}}
    group = {"size": 2, "workerTemplate": template, **spec.pop("leaderWorkerTemplate", {})}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"leaderWorkerTemplate": group, **spec},
    }


def pod_of(item):
    return item["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]


def test_defaults_are_those_of_the_definition_and_of_the_webhook(store):
    made = store.create(leader_worker_set())
    assert made["spec"] == {
        "replicas": 1,
        "startupPolicy": "LeaderCreated",
        "networkConfig": {"subdomainPolicy": "Shared"},
        "rolloutStrategy": {
            "type": "RollingUpdate",
            "rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": 0, "partition": 0},
        },
        "leaderWorkerTemplate": {
            "size": 2,
            "restartPolicy": "RecreateGroupOnPodRestart",
            "workerTemplate": {
                "metadata": {},
                "spec": {"containers": [{"name": "c", "image": "i", "resources": {}}]},
            },
        },
    }


def test_a_pod_template_is_not_defaulted_as_a_deployments_is_and_keeps_its_empty_values(store):
    container = {"args": [], "env": [{"name": "A", "value": ""}], "tty": False, "ports": [{"containerPort": 1}]}
    pod = pod_of(store.create(leader_worker_set(container, pod={"hostNetwork": False, "nodeSelector": None})))
    assert pod == {
        "containers": [
            {
                "name": "c",
                "image": "i",
                "resources": {},
                **container,
                "ports": [{"containerPort": 1, "protocol": "TCP"}],
            }
        ],
        "hostNetwork": False,
    }


@pytest.mark.parametrize(("given", "kept"), [("1000m", "1"), (0.5, "500m"), (1, "1"), ("8192Mi", "8Gi")])
def test_quantities_are_put_into_canonical_form(store, given, kept):
    pod = {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": given}}]}
    stored = pod_of(store.create(leader_worker_set({"resources": {"limits": {"memory": given}}}, pod=pod)))
    assert stored["containers"][0]["resources"] == {"limits": {"memory": kept}}
    assert stored["volumes"][0]["emptyDir"] == {"sizeLimit": kept}


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (leader_worker_set(leaderWorkerTemplate={"size": 0}), "leaderWorkerTemplate.size in body should be greater"),
        (leader_worker_set(replicas=-1), "spec.replicas in body should be greater than or equal to 0"),
        (leader_worker_set(startupPolicy="x"), 'supported values: "LeaderCreated", "LeaderReady"'),
        (leader_worker_set({"env": [{"name": "A"}, {"name": "A"}]}), 'env[1]: Duplicate value: {"name":"A"}'),
        (leader_worker_set(name="1x"), "a DNS-1035 label must consist of"),
        (
            leader_worker_set(rolloutStrategy={"rollingUpdateConfiguration": {"maxUnavailable": 0}}),
            "must not be 0 when `maxSurge` is 0",
        ),
    ],
)
def test_what_the_real_one_refuses_is_refused(store, item, words):
    with pytest.raises(ApiError) as raised:
        store.create(item)
    assert words in raised.value.message


def test_a_sub_group_policy_stays(store):
    made = store.create(leader_worker_set(leaderWorkerTemplate={"subGroupPolicy": {"subGroupSize": 2}}))
    made["spec"]["leaderWorkerTemplate"]["subGroupPolicy"]["subGroupSize"] = 1
    with pytest.raises(ApiError) as raised:
        store.update(made)
    assert "subGroupPolicy is immutable" in raised.value.message
