"""Whether and with what a request is profiled."""

from datetime import timedelta

import pytest

from hooks import names
from tests.controllers.request_situations import (
    AUTO,
    BASE,
    ELSEWHERE,
    INVALID,
    NOW,
    ago,
    ask,
    base,
    graph,
    job,
    message_of,
    namespace,
    output,
    parent,
    said,
    situation,
    state_of,
)


def test_a_long_fault_fits_into_a_condition():
    long = {"x" * 40_000: "y z"}
    answer = ask(situation(parent({"deploymentOverrides": {"labels": long}})))
    assert len(message_of(answer, "Validation")) == 32768


@pytest.mark.parametrize(("age", "resync"), [(3, 7.0), (9.5, 1.0)])
def test_pull_secrets_may_turn_up_in_the_first_seconds(age, resync):
    answer = ask(situation(parent()), now=NOW - timedelta(seconds=3600 - age))
    assert (state_of(answer), answer["children"]) == ("Pending", [])
    assert answer["resyncAfterSeconds"] == resync


def index_of(secret):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": names.registry_index(secret),
            "namespace": "inference",
            "labels": {"nvidia.com/registry-index": "true"},
        },
        "data": {"secret": secret, "registries": '["registry.example"]'},
    }


def test_a_pull_secret_that_is_found_goes_into_the_job_at_once():
    (made,) = ask(situation(parent(age=1), index_of("pull")))["children"]
    assert made["spec"]["template"]["spec"]["imagePullSecrets"] == [{"name": "pull"}]


@pytest.mark.parametrize(
    "body",
    [
        situation(
            parent(age=1, annotations={"nvidia.com/disable-image-pull-secret-discovery": "true"}), index_of("pull")
        ),
        {"parent": parent(age=1)},
        situation(parent(age=1, creationTimestamp=None)),
    ],
)
def test_nothing_is_awaited_where_nobody_looks_for_pull_secrets(body):
    (made,) = ask(body)["children"]
    assert "imagePullSecrets" not in made["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("related", "message"),
    [
        ([], "ConfigMap base does not exist in namespace inference"),
        ([base("agg.yaml")], "ConfigMap base has no key disagg.yaml"),
    ],
)
def test_the_base_graph_is_awaited(related, message):
    answer = ask(situation(parent(BASE), *related))
    assert message in message_of(answer, "Validation")
    assert answer["children"] == []


def test_the_job_is_made_once_the_base_graph_is_there():
    answer = ask(situation(parent(BASE), base()))
    assert [child["kind"] for child in answer["children"]] == ["Job"]


def test_gpus_cannot_be_discovered_in_an_installation_for_chosen_namespaces():
    settings = {"namespaceRestriction": {"enabled": True, "namespaces": ["inference"]}}
    answer = ask(situation(parent({"enableGpuDiscovery": True})), settings)
    assert (state_of(answer), answer["children"]) == ("Failed", [])
    assert "this installation looks after chosen namespaces only" in message_of(answer, "Validation")


def test_new_defaults_after_an_upgrade_leave_the_job_as_it_is():
    settings = {"profiling": {"outputCopierImage": "hooks:2", "backoffLimit": 0}}
    (kept,) = ask(situation(parent(), job=job("running")), settings)["children"]
    assert kept.keys() == {"apiVersion", "kind", "metadata"}
    assert kept["metadata"].keys() == {"name", "namespace"}


def test_a_corrected_spec_is_taken_up_again():
    failed = ask(situation(parent(INVALID)))
    assert state_of(failed) == "Failed"
    answer = ask(situation(parent(None, failed["status"])))
    assert [child["kind"] for child in answer["children"]] == ["Job"]


@pytest.mark.parametrize(
    ("spec", "related", "reason", "message"),
    [
        (ELSEWHERE, [], "NamespaceNotFound", "namespace prod, where the graph is to go, does not exist"),
        (ELSEWHERE, [namespace(deletionTimestamp=ago(1))], "NamespaceNotFound", "is being deleted"),
        (ELSEWHERE, [namespace()], "NamespaceNotAllowed", "kubectl annotate --overwrite namespace prod"),
        (ELSEWHERE, [namespace(consents="other")], "NamespaceNotAllowed", "allow-deployments-from=other,inference"),
        (AUTO, [graph(uid=None)], "NameConflict", "was not made for this request; delete it (kubectl delete"),
        (AUTO, [graph(uid="earlier")], "NameConflict", "earlier request called chat; delete it"),
        (AUTO, [graph(uid=None)], "NameConflict", "or choose another spec.deploymentOverrides.name"),
    ],
)
def test_where_the_graph_cannot_go_is_said_before_and_after_profiling(spec, related, reason, message):
    before = ask(situation(parent(spec), *related))
    assert (state_of(before), before["children"]) == ("Pending", [])
    assert said(before, "Validation")["reason"] == reason
    assert message in message_of(before, "Validation")
    after = ask(situation(parent(spec), *related, output(), job=job("complete", spec)))
    assert state_of(after) == "Failed"
    assert said(after, "DeploymentReady")["reason"] == reason
    assert message in message_of(after, "DeploymentReady")
    assert after["status"]["generatedDeployment"]["metadata"]["name"] == spec.get("deploymentOverrides", {}).get(
        "name", "chat"
    )


@pytest.mark.parametrize(
    ("spec", "related"),
    [
        (ELSEWHERE, [namespace(consents="inference")]),
        (ELSEWHERE, [namespace(consents="other, *")]),
        (AUTO, []),
        (AUTO, [namespace("inference")]),
        (AUTO, [namespace("inference", deletionTimestamp=ago(1))]),
        (AUTO, [graph(uid=None, deletionTimestamp=ago(1))]),
        ({"deploymentOverrides": ELSEWHERE["deploymentOverrides"]}, [graph(uid=None)]),
    ],
)
def test_where_the_graph_can_go_profiling_starts(spec, related):
    (made,) = ask(situation(parent(spec), *related))["children"]
    assert made["kind"] == "Job"


def test_the_platform_may_forbid_other_namespaces():
    settings = {"profiling": {"crossNamespace": "deny"}}
    answer = ask(situation(parent(ELSEWHERE), namespace(consents="*")), settings)
    assert said(answer, "Validation")["reason"] == "NamespaceNotAllowed"


def test_a_foreign_job_of_that_name_is_named_with_both_cures():
    theirs = job("running", uid="other")
    theirs["metadata"]["ownerReferences"][0] |= {"kind": "CronJob", "name": "nightly"}
    message = message_of(ask(situation(parent(), job=theirs)), "Validation")
    assert "Job profile-chat exists already and belongs to CronJob nightly" in message
    assert "delete it (kubectl delete job -n inference profile-chat)" in message


def test_the_job_of_an_earlier_request_of_that_name_is_waited_for():
    message = message_of(ask(situation(parent(), job=job("running", uid="earlier"))), "Validation")
    assert "waits for the Job profile-chat of the earlier DynamoGraphDeploymentRequest chat to go" in message
