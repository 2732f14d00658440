"""What the pods of a component find in their namespace: it heals those that cannot start, and restarts no others."""

import copy
from datetime import UTC, datetime

import orjson
import pytest

from hooks.builders.registry_index import build_registry_index
from hooks.controllers import component_deployment
from hooks.controllers.found import pod_templates
from hooks.kinds import COMPONENT_DEPLOYMENT, WORKLOADS
from hooks.protocol import read_customize, read_sync
from hooks.settings import Settings
from tests.controllers.pull_secrets import AUTH, pull_secret
from tests.golden_cases import applied, keyed, laid_over

NOW = datetime(2026, 11, 30, tzinfo=UTC)
OPT_OUT = {"nvidia.com/disable-image-pull-secret-discovery": "true"}
READY = {"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2}
WAITING = {"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "unavailableReplicas": 2}
ROLLING = {"observedGeneration": 1, "replicas": 3, "updatedReplicas": 1, "readyReplicas": 2, "availableReplicas": 2}
STUCK = READY | {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]}

NODES = {"spec": {"multinode": {"nodeCount": 2}, "componentType": "worker"}}
"""A component whose replicas have two pods each, of two templates."""


def component(image="nvcr.io/x", **changes):
    parent = {
        "apiVersion": COMPONENT_DEPLOYMENT.api_version,
        "kind": COMPONENT_DEPLOYMENT.kind,
        "metadata": {"name": "w", "namespace": "team", "uid": "u", "generation": 1},
        "spec": {"replicas": 2, "extraPodSpec": {"mainContainer": {"image": image, "command": ["run"]}}},
    }
    return laid_over(parent, changes)


def index(name, *hosts, namespace="team"):
    secret = pull_secret({"auths": dict.fromkeys(hosts, AUTH)})
    secret["metadata"] |= {"name": name, "namespace": namespace}
    return build_registry_index(secret)


def account(name):
    labels = {"nvidia.com/dynamo-component-pod": "true"}
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": "team", "labels": labels},
    }


def asked(parent, *related, observed=None, kinds=("ConfigMap.v1", "ServiceAccount.v1")):
    """The workload that is asked for; `kinds` are those that were asked for with `customize`."""
    body = {"parent": parent, "related": {kind: {} for kind in kinds} | keyed(related)}
    if observed:
        body["children"] = keyed([observed])
    answer = component_deployment.sync(read_sync(body, COMPONENT_DEPLOYMENT), Settings(), NOW)
    return next(child for child in answer.children if child["kind"] in WORKLOADS)


def found(*arguments, **options):
    pod = asked(*arguments, **options)["spec"]["template"]["spec"]
    return [secret["name"] for secret in pod.get("imagePullSecrets", ())]


def observed(parent, *related, status):
    """The Deployment as it is once it was made with what was related then."""
    return applied(asked(parent, *related), parent) | {"status": status}


def test_it_asks_for_the_indexes_of_its_own_namespace():
    rules = [
        rule.body()
        for rule in component_deployment.customize(
            read_customize({"parent": component()}, COMPONENT_DEPLOYMENT), Settings()
        )
    ]
    assert {
        "apiVersion": "v1",
        "resource": "configmaps",
        "labelSelector": {"matchLabels": {"nvidia.com/registry-index": "true"}},
        "namespace": "team",
    } in rules
    assert not [rule for rule in rules if rule["resource"] == "secrets"], "no credential travels with a sync"


def test_it_gets_its_own_secrets_and_the_fitting_ones_sorted_each_once():
    own = {"spec": {"extraPodSpec": {"imagePullSecrets": [{"name": "zz"}, {"name": "b"}, {"name": "b"}]}}}
    indexes = [index("b", "nvcr.io"), index("a", "nvcr.io"), index("hub", "docker.io"), index("c", "nvcr.io")]
    assert found(component(**own), *indexes) == ["a", "b", "c", "zz"]
    assert found(component(**own), *reversed(indexes)) == ["a", "b", "c", "zz"]


def test_init_and_side_containers_count():
    images = {
        "containers": [{"name": "side", "image": "side.io/x"}],
        "initContainers": [{"name": "init", "image": "init.io/x"}],
    }
    indexes = [index("a", "init.io"), index("b", "side.io"), index("c", "nvcr.io"), index("d", "docker.io")]
    assert found(component(spec={"extraPodSpec": images}), *indexes) == ["a", "b", "c"]


@pytest.mark.parametrize("where", ["spec", "metadata"])
def test_opting_out_leaves_the_users_own(where):
    parent = component(spec={"extraPodSpec": {"imagePullSecrets": [{"name": "own"}]}})
    parent[where] = parent[where] | {"annotations": OPT_OUT}
    assert found(parent, index("a", "nvcr.io")) == ["own"]


def test_an_index_of_another_namespace_is_not_ours():
    assert found(component(), index("a", "nvcr.io", namespace="other")) == []


def test_what_carries_no_label_or_a_false_name_is_no_index():
    unlabelled, misnamed = index("a", "nvcr.io"), index("b", "nvcr.io")
    del unlabelled["metadata"]["labels"]
    misnamed["metadata"]["name"] = "dynamo-registries-0000000000"
    assert found(component(), unlabelled, misnamed) == []


@pytest.mark.parametrize(("before", "now"), [((), ("a",)), (("a",), ()), (("a",), ("b",)), (("a", "b"), ("b", "c"))])
@pytest.mark.parametrize(
    ("status", "serves", "reason"),
    [
        (READY, True, "all replicas are ready"),
        (ROLLING, False, "the ready ones are old"),
        (ROLLING | {"readyReplicas": 3}, True, "one of the current template is ready"),
        (WAITING, False, "none is ready: perhaps they cannot pull"),
        ({}, False, "nothing runs yet"),
        (STUCK, False, "the roll-out is stuck"),
    ],
)
def test_a_pull_secret_restarts_nothing_that_serves_and_heals_what_cannot_pull(before, now, status, serves, reason):
    parent = component()
    there = observed(parent, *[index(name, "nvcr.io") for name in before], status=status)
    indexes = [index(name, "nvcr.io") for name in now]
    assert found(parent, *indexes, observed=there) == list(before if serves else now), reason


@pytest.mark.parametrize("status", [READY, WAITING, STUCK])
@pytest.mark.parametrize("image", ["nvcr.io/x", "nvcr.io/y"])
def test_indexes_that_were_not_asked_for_prove_nothing(status, image):
    there = observed(component(), index("a", "nvcr.io"), status=status)
    assert found(component(image), observed=there, kinds=("ServiceAccount.v1",)) == ["a"]


def test_another_change_of_the_template_takes_what_is_there_now():
    there = observed(component(), index("a", "nvcr.io"), status=READY)
    assert found(component("nvcr.io/y"), index("b", "nvcr.io"), observed=there) == ["b"]
    assert found(component("docker.io/y"), index("b", "nvcr.io"), observed=there) == []


def test_a_found_secret_that_the_user_names_himself_restarts_nothing():
    there = observed(component(), index("a", "nvcr.io"), status=READY)
    own = component(spec={"extraPodSpec": {"imagePullSecrets": [{"name": "a"}]}})
    before = orjson.loads(there["metadata"]["annotations"]["metacontroller.k8s.io/last-applied-configuration"])
    assert asked(own, observed=there)["spec"]["template"] == before["spec"]["template"]


@pytest.mark.parametrize("nodes", [{}, NODES])
@pytest.mark.parametrize("annotations", [None, {"a": "b"}])
@pytest.mark.parametrize("own", [{"serviceAccountName": "own"}, {"imagePullSecrets": [{"name": "own"}]}])
def test_what_the_user_takes_out_of_his_spec_does_not_stay_as_if_it_had_been_found(own, annotations, nodes):
    parent = component(**laid_over(nodes, {"spec": {"annotations": annotations, "extraPodSpec": own}}))
    there = applied(asked(parent), parent) | {"status": READY}
    without = component(**laid_over(nodes, {"spec": {"annotations": annotations}}))
    for template in pod_templates(asked(without, observed=there)):
        assert not template["spec"].keys() & {"serviceAccountName", "serviceAccount", "imagePullSecrets"}


@pytest.mark.parametrize("nodes", [{}, NODES])
@pytest.mark.parametrize("annotations", [None, {"a": "b"}])
@pytest.mark.parametrize("replicas", [(2, 3), (2, None), (None, 2)])
def test_another_number_of_replicas_restarts_nothing_for_what_is_found_no_more(replicas, annotations, nodes):
    before, after = (
        component(**laid_over(nodes, {"spec": {"annotations": annotations, "replicas": number}})) for number in replicas
    )
    there = applied(asked(before, index("a", "nvcr.io"), account("runs")), before) | {"status": READY}
    assert pod_templates(asked(after, observed=there)) == pod_templates(there)


@pytest.mark.parametrize("now", [(), (index("b", "nvcr.io"), account("walks"))])
@pytest.mark.parametrize(("status", "serves"), [(READY, True), (WAITING, False)])
def test_what_serves_keeps_what_it_has_under_server_side_apply_too(status, serves, now):
    parent = component()
    there = observed(parent, index("a", "nvcr.io"), account("runs"), status=status)
    del there["metadata"]["annotations"]["metacontroller.k8s.io/last-applied-configuration"]
    template = asked(parent, *now, observed=there)["spec"]["template"]
    assert template == (there if serves else asked(parent, *now))["spec"]["template"]


def test_accounts_and_secrets_are_found_apart():
    parent = component()
    there = observed(parent, index("a", "nvcr.io"), account("runs"), status=WAITING)
    pod = asked(parent, account("walks"), observed=there, kinds=("ServiceAccount.v1",))["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == "walks"
    assert pod["imagePullSecrets"] == [{"name": "a"}]


def test_what_is_found_does_not_change_the_desired_hash():
    hashes = {
        asked(component(), *related)["metadata"]["annotations"]["nvidia.com/desired-hash"]
        for related in ([], [index("a", "nvcr.io")], [index("b", "nvcr.io"), account("runs")])
    }
    assert len(hashes) == 1


@pytest.mark.parametrize(
    ("status", "serves"),
    [
        ({"replicas": 2, "updatedReplicas": 2, "readyReplicas": 2}, True),
        ({"replicas": 2, "updatedReplicas": 2, "readyReplicas": 1}, True),
        ({"replicas": 2, "updatedReplicas": 2}, False),
        ({"replicas": 3, "updatedReplicas": 1, "readyReplicas": 2}, False),
    ],
)
def test_leaders_and_workers_get_the_same_and_keep_it_as_long_as_a_group_serves(status, serves):
    parent = component(**NODES)
    workload = asked(parent, index("a", "nvcr.io"))
    there = applied(workload, parent) | {"status": status}
    now = asked(parent, index("b", "nvcr.io"), observed=there)
    kept = [{"name": "a" if serves else "b"}]
    assert [template["spec"]["imagePullSecrets"] for template in pod_templates(workload)] == [[{"name": "a"}]] * 2
    assert [template["spec"]["imagePullSecrets"] for template in pod_templates(now)] == [kept] * 2


def test_the_request_is_left_as_it_is():
    parent, secret = component(), index("a", "nvcr.io")
    before = copy.deepcopy((parent, secret))
    asked(parent, secret)
    assert (parent, secret) == before
