import random
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from hooks import names
from hooks.controllers.graph_deployment_request import customize
from hooks.errors import MalformedRequest
from hooks.kinds import GRAPH_DEPLOYMENT_REQUEST
from hooks.protocol import customize_body, read_customize
from hooks.settings import Settings
from tests.controllers.request_situations import (
    ASKED,
    AUTO,
    BASE,
    ELSEWHERE,
    INVALID,
    NOW,
    OUTPUT,
    ago,
    ask,
    base,
    condition,
    graph,
    job,
    namespace,
    output,
    parent,
    pod,
    said,
    situation,
    status,
)
from tests.controllers.test_request_states import BOTH, REACHED
from tests.crds.crd_admission import refusals

CRD = Path(__file__).parent.parent.parent / "crds" / "nvidia.com_dynamographdeploymentrequests.yaml"
SCHEMA = yaml.safe_load(CRD.read_text())["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
STATUS = SCHEMA["properties"]["status"]
TERMINATED = {"name": "profiler", "state": {"terminated": {"exitCode": 1, "reason": "Error", "message": "no\nGPU"}}}


def state_of(answer):
    return answer["status"]["state"]


def message_of(answer, step):
    return said(answer, step)["message"]


@pytest.mark.parametrize("body", [*(body for body, _ in REACHED.values()), *filter(None, BOTH.values())])
def test_the_api_server_takes_every_status(body):
    answer = ask(body)
    assert refusals(SCHEMA, {**body["parent"], "status": answer["status"]}) == []


@pytest.mark.parametrize("body", [body for body, _ in REACHED.values()])
def test_an_answer_that_is_fed_back_gives_itself(body):
    first = ask(body)
    body = {**body, "parent": {**body["parent"], "status": {**first["status"], "observedGeneration": 1}}}
    assert ask(body)["status"] == first["status"]
    assert ask(body, now=NOW + timedelta(seconds=1))["status"] == first["status"]


@pytest.mark.parametrize("body", [body for body, (state, _) in REACHED.values() if state == "Failed"])
def test_every_failure_says_what_to_do(body):
    answer = ask(body)
    (failed,) = [found for found in answer["status"]["conditions"] if found["status"] == "False"]
    assert any(
        cure in failed["message"] for cure in ("delete the request and create it anew", "Mend the spec", "delete it")
    )


# What is profiled.


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


# What is awaited of the Job.


@pytest.mark.parametrize(("seconds", "resync"), [(0, 60.0), (30, 30.0), (59.5, 1.0)])
def test_the_output_of_a_complete_job_is_awaited_for_a_minute(seconds, resync):
    body = situation(parent(), job=job("complete", completionTime=ago(0)))
    answer = ask(body, now=NOW + timedelta(seconds=seconds))
    assert (state_of(answer), answer["resyncAfterSeconds"]) == ("Profiling", resync)


def test_output_that_stays_away_is_missing_and_counts_when_it_comes_late():
    body = situation(parent(), job=job("complete", completionTime=ago(0)))
    answer = ask(body, now=NOW + timedelta(seconds=61))
    assert (state_of(answer), said(answer, "Profiling")["reason"]) == ("Failed", "OutputMissing")
    assert "resyncAfterSeconds" not in answer
    late = situation(parent(None, answer["status"]), output(), job=job("complete"))
    assert state_of(ask(late, now=NOW + timedelta(seconds=90))) == "Ready"


def test_nothing_is_concluded_where_nobody_asked_for_the_output():
    asked = tuple(kind for kind in ASKED if "ConfigMap" not in kind)
    body = situation(parent(), job=job("complete", completionTime=ago(600)), asked=asked)
    assert state_of(ask(body)) == "Profiling"


def test_a_pod_that_failed_is_not_yet_a_job_that_failed():
    assert state_of(ask(situation(parent(), job=job("running", failed=1)))) == "Profiling"


@pytest.mark.parametrize("state", ["running", "complete", "failed"])
def test_a_failure_in_the_output_is_one_whatever_the_job_says(state):
    answer = ask(situation(parent(), output(error="no GPU found"), job=job(state)))
    assert (state_of(answer), said(answer, "Profiling")["reason"]) == ("Failed", "ProfilingFailed")
    assert "no GPU found" in message_of(answer, "Profiling")


def test_a_failure_says_all_that_is_known_of_it():
    pods = [pod({"phase": "Failed", "containerStatuses": [TERMINATED]}), pod({}, job_uid="another", name="z")]
    answer = ask(situation(parent(), output(error="sweep\nfailed"), *pods, job=job("failed")))
    assert message_of(answer, "Profiling") == (
        "profiling has failed: sweep failed; Job profile-chat failed (PodFailurePolicy: Container profiler failed with "
        "exit code 1); the profiler ended with exit code 1 (Error: no GPU); see its log (kubectl logs -n inference "
        "job/profile-chat -c profiler), mend the cause, then delete the request and create it anew to profile again "
        "(kubectl delete dynamographdeploymentrequest -n inference chat)"
    )


def test_a_failure_longer_than_a_message_keeps_its_cure():
    message = message_of(ask(situation(parent(), output(error="x" * 100_000), job=job("failed"))), "Profiling")
    assert message.endswith("(kubectl delete dynamographdeploymentrequest -n inference chat)")


@pytest.mark.parametrize(
    ("pods", "message"),
    [
        (
            [
                pod(
                    {
                        "phase": "Pending",
                        "conditions": [condition("PodScheduled", "False", reason="Unschedulable", message="0/3")],
                    }
                )
            ],
            "Job profile-chat profiles the model; pod profile-chat-x waits for a node: Unschedulable: 0/3",
        ),
        (
            [
                pod(
                    {
                        "phase": "Pending",
                        "containerStatuses": [
                            {
                                "name": "profiler",
                                "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no x"}},
                            },
                            {"name": "output-copier", "state": {"waiting": {"reason": "ContainerCreating"}}},
                        ],
                    }
                )
            ],
            (
                "Job profile-chat profiles the model; container profiler of pod profile-chat-x does not start: "
                "ImagePullBackOff: no x"
            ),
        ),
        ([pod({"phase": "Running"}), pod({"phase": "Pending"}, name="y")], "Job profile-chat profiles the model"),
        (
            [pod({"phase": "Pending", "conditions": "x", "containerStatuses": [5, {}]})],
            "Job profile-chat profiles the model",
        ),
    ],
)
def test_what_keeps_the_profiler_from_starting_is_said(pods, message):
    answer = ask(situation(parent(), *pods, job=job("running")))
    assert (state_of(answer), message_of(answer, "Profiling")) == ("Profiling", message)


def test_a_copier_that_ended_early_is_said_while_there_is_time():
    containers = [
        {"name": "profiler", "state": {"running": {}}},
        {"name": "output-copier", "state": {"terminated": {"exitCode": 1, "message": "403: may not read pods"}}},
    ]
    answer = ask(situation(parent(), pod({"phase": "Running", "containerStatuses": containers}), job=job("running")))
    assert state_of(answer) == "Profiling"
    assert (
        "what it finds out will be lost, since the container that copies it ended with exit code 1 (403: may not read "
        "pods)" in message_of(answer, "Profiling")
    )


def test_a_lost_job_is_said_once_and_stays_lost():
    failed = ask(situation(parent(None, status(condition("Profiling", "False", reason="ProfilingRunning")))))
    assert "is gone and has left no output" in message_of(failed, "Profiling")
    again = ask(situation(parent(None, failed["status"])))
    assert again["status"] == failed["status"]
    assert again["children"] == []


@pytest.mark.parametrize("reason", ["ProfilingFailed", "OutputMissing"])
def test_a_job_that_failed_and_is_gone_keeps_its_reason(reason):
    failed = condition("Profiling", "False", reason=reason, message="why")
    answer = ask(situation(parent(None, status(failed, state="Failed"))))
    assert (state_of(answer), said(answer, "Profiling")["reason"]) == ("Failed", reason)
    assert message_of(answer, "Profiling") == "why"


def test_a_job_that_is_gone_with_its_output_there_goes_on():
    running = status(condition("Profiling", "False", reason="ProfilingRunning"), state="Profiling")
    assert state_of(ask(situation(parent(None, running), output()))) == "Ready"


# What comes out.


@pytest.mark.parametrize(
    ("found", "is_ours"),
    [
        (output(uid="4711"), True),
        (output(uid="earlier"), False),
        (output(uid=None, age=10), True),
        (output(uid=None, age=2000), False),
    ],
)
def test_an_output_is_ours_by_its_uid_else_by_its_age(found, is_ours):
    assert (state_of(ask(situation(parent(), found, job=job("running")))) == "Ready") == is_ours


def test_the_generated_graph_is_ready_to_be_applied():
    answer = ask(situation(parent(), output(), job=job("complete")))
    generated = answer["status"]["generatedDeployment"]
    assert generated["metadata"]["name"] == "chat"
    assert sorted(generated["spec"]["services"]) == ["Frontend", "Planner", "VllmDecodeWorker", "VllmPrefillWorker"]
    assert answer["status"]["profilingResults"] == "configmap/dgdr-output-chat"
    assert answer["status"]["backend"] == "vllm"


def test_the_generated_graph_stays_when_job_and_output_are_gone():
    first = ask(situation(parent(), output(), job=job("complete")))
    answer = ask(situation(parent(None, first["status"])))
    assert answer["status"] == first["status"]
    assert answer["children"] == []


def test_the_generated_graph_stays_as_it_was_found_first():
    first = ask(situation(parent(), output(), job=job("complete")))
    changed = OUTPUT.replace("replicas: 2", "replicas: 5")
    assert changed != OUTPUT
    answer = ask(situation(parent(None, first["status"]), output(changed), job=job("complete")))
    assert answer["status"] == first["status"]


def test_what_is_not_made_of_the_output_is_said():
    text = f"{OUTPUT}\n---\n{{apiVersion: v1, kind: Secret, metadata: {{name: token}}}}"
    first = ask(situation(parent(), output(text), job=job("complete")))
    assert message_of(first, "SpecGenerated").endswith(
        "the profiler's output holds what is not made as well: Secret token"
    )
    assert ask(situation(parent(None, first["status"]), output(text), job=job("complete")))["status"] == first["status"]


def graph_text(services):
    return yaml.safe_dump(
        {
            "apiVersion": "nvidia.com/v1alpha1",
            "kind": "DynamoGraphDeployment",
            "metadata": {"name": "base"},
            "spec": {"services": services},
        }
    )


@pytest.mark.parametrize(
    ("text", "reason", "message"),
    [
        (
            None,
            "OutputInvalid",
            "ConfigMap dgdr-output-chat has neither a key config_with_planner.yaml nor a key error",
        ),
        ("", "OutputInvalid", "holds no DynamoGraphDeployment"),
        (graph_text({"A": {"replicas": "two"}}), "InvalidSpec", "spec.services.A.replicas: has the value 'two'"),
        (graph_text({"A" * 60: {}}), "InvalidSpec", "which has 65 characters, 63 are allowed"),
        (graph_text({"A": {}, "a": {}}), "InvalidSpec", "is that of service A too"),
        (graph_text([]), "InvalidSpec", "spec.services: has the value []"),
        (
            graph_text({"A": {"extraPodSpec": {"mainContainer": {}}}}),
            "InvalidSpec",
            "chat-a: spec.extraPodSpec.mainContainer.image: is required",
        ),
        (graph_text({"A": {"extraPodSpec": {"nodeName": "x" * 250_000}}}), "OutputTooLarge", "250000 are allowed"),
    ],
)
def test_output_that_cannot_be_used_says_why(text, reason, message):
    answer = ask(situation(parent(), output(text), job=job("complete")))
    assert (state_of(answer), said(answer, "SpecGenerated")["reason"]) == ("Failed", reason)
    assert message in message_of(answer, "SpecGenerated")
    assert "generatedDeployment" not in answer["status"]


# The graph.


def status_of_graph(**fields):
    made = graph("ready")
    made["status"] |= fields
    return made


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (graph("ready"), "Ready"),
        (status_of_graph(state="Ready"), "Ready"),
        (status_of_graph(conditions=[condition("Ready")]), "Ready"),
        (status_of_graph(conditions=[condition("Ready", observedGeneration=1)]), "Deploying"),
        (status_of_graph(conditions=[condition("Ready")], observedGeneration=1), "Deploying"),
        (status_of_graph(state="pending"), "Deploying"),
        (status_of_graph(conditions=[]), "Deploying"),
        (graph("pending"), "Deploying"),
        (graph("pending") | {"status": {}}, "Deploying"),
    ],
)
def test_a_graph_is_ready_when_it_says_so_of_its_current_generation(found, state):
    answer = ask(situation(parent(AUTO), found))
    assert state_of(answer) == state
    assert answer["status"]["deployment"]["created"] is True


def test_the_deployment_mirrors_the_graph():
    answer = ask(situation(parent(ELSEWHERE), graph("pending", "fast", "prod")))
    assert answer["status"]["deployment"] == {
        "name": "fast",
        "namespace": "prod",
        "created": True,
        "state": "pending",
    }
    assert message_of(answer, "DeploymentReady") == (
        "DynamoGraphDeployment fast in namespace prod was made and is not ready yet: 2 of 3 components"
    )


def test_a_planner_that_scales_does_not_take_ready_back():
    ready = ask(situation(parent(AUTO), graph("ready")))
    scaling = ask(situation(parent(AUTO, ready["status"]), graph("pending")))
    assert (state_of(scaling), said(scaling, "DeploymentReady")["reason"]) == ("Ready", "DeploymentDegraded")
    assert state_of(ask(situation(parent(AUTO, scaling["status"]), graph("ready")))) == "Ready"


def test_a_deleted_graph_stays_deleted_but_for_one_of_ours_that_is_seen():
    ready = ask(situation(parent(AUTO), output(), graph("ready")))
    gone = ask(situation(parent(AUTO, ready["status"]), output(), graph("ready", deletionTimestamp=ago(1))))
    assert state_of(gone) == "DeploymentDeleted"
    assert gone["status"]["deployment"] == {"name": "chat", "namespace": "inference", "created": True}
    again = ask(situation(parent(AUTO, gone["status"]), output(), graph("ready", uid="user")))
    assert again["status"] == gone["status"]
    assert state_of(ask(situation(parent(AUTO, gone["status"]), graph("pending")))) == "Deploying"


@pytest.mark.parametrize("found", [[], [graph("ready")], [graph("pending")], [graph("ready", uid=None)]])
def test_without_auto_apply_the_graph_does_not_matter(found):
    ready = ask(situation(parent(), output()))
    answer = ask(situation(parent(None, ready["status"]), output(), *found))
    assert answer["status"] == ready["status"]
    assert "deployment" not in answer["status"]


def test_the_graph_awaits_nothing_where_nobody_asked_for_it():
    asked = tuple(kind for kind in ASKED if "Graph" not in kind and "Namespace" not in kind)
    assert state_of(ask(situation(parent(ELSEWHERE), output(), asked=asked))) == "Deploying"


# A spec that changed all the same.


def test_the_job_remembers_what_it_was_made_from():
    body = situation(parent({"backend": "sglang", "autoApply": False}), output(), job=job("complete", AUTO))
    answer = ask(body)
    assert said(answer, "Validation")["status"] == "False"
    assert said(answer, "Validation")["reason"] == "SpecChangeRejected"
    assert (state_of(answer), answer["status"]["backend"]) == ("Deploying", "vllm")


@pytest.mark.parametrize("spec", [{"model": "other"}, {"backend": "sglang"}, INVALID, {"profilingConfig": None}])
def test_any_change_is_rejected_while_there_is_a_job(spec):
    answer = ask(situation(parent(spec), job=job("running")))
    assert (state_of(answer), said(answer, "Validation")["reason"]) == ("Profiling", "SpecChangeRejected")


def test_a_graph_that_was_not_asked_for_by_its_name_is_not_taken_for_deleted():
    ready = ask(situation(parent(AUTO), output(), graph("ready"), job=job("complete", AUTO)))
    renamed = AUTO | {"deploymentOverrides": {"name": "other"}}
    answer = ask(situation(parent(renamed, ready["status"]), output(), job=job("complete", AUTO)))
    assert (state_of(answer), answer["status"]["deployment"]) == ("Ready", ready["status"]["deployment"])


@pytest.mark.parametrize("annotations", [{}, {"dgdr.nvidia.com/spec": "{"}, {"dgdr.nvidia.com/spec": "[]"}])
def test_a_job_that_remembers_nothing_leaves_it_to_the_spec(annotations):
    found = job("complete")
    found["metadata"]["annotations"] = annotations
    answer = ask(situation(parent(AUTO), output(), job=found))
    assert (state_of(answer), said(answer, "Validation")["status"]) == ("Deploying", "True")


# An earlier request of the same name.


def test_a_request_made_again_waits_for_its_predecessors_job_and_graph():
    predecessor = [output(uid="earlier"), graph("ready", uid="earlier")]
    waiting = ask(situation(parent(AUTO), *predecessor, job=job("running", AUTO, uid="earlier")))
    assert (state_of(waiting), waiting["children"]) == ("Pending", [])
    conflict = ask(situation(parent(AUTO, waiting["status"]), *predecessor))
    assert (state_of(conflict), said(conflict, "Validation")["reason"]) == ("Pending", "NameConflict")
    free = ask(situation(parent(AUTO, conflict["status"]), predecessor[0]))
    assert [child["kind"] for child in free["children"]] == ["Job"]


# What is asked for.


def rules(spec=None, settings=None):
    request = read_customize({"parent": parent(spec)}, GRAPH_DEPLOYMENT_REQUEST)
    return customize_body(customize(request, Settings.model_validate(settings or {})))["relatedResources"]


def test_few_objects_are_asked_for_each_in_its_namespace():
    assert rules({**ELSEWHERE, **BASE}) == [
        {"apiVersion": "batch/v1", "resource": "jobs", "names": ["profile-chat"], "namespace": "inference"},
        {
            "apiVersion": "v1",
            "resource": "pods",
            "labelSelector": {"matchLabels": {"job-name": "profile-chat"}},
            "namespace": "inference",
        },
        {
            "apiVersion": "v1",
            "resource": "configmaps",
            "names": ["dgdr-output-chat", "base"],
            "namespace": "inference",
        },
        {
            "apiVersion": "v1",
            "resource": "configmaps",
            "labelSelector": {"matchLabels": {"nvidia.com/registry-index": "true"}},
            "namespace": "inference",
        },
        {"apiVersion": "v1", "resource": "namespaces", "names": ["prod"]},
        {
            "apiVersion": "nvidia.com/v1alpha1",
            "resource": "dynamographdeployments",
            "names": ["fast"],
            "namespace": "prod",
        },
    ]


def test_the_pods_of_the_cluster_need_not_be_watched():
    assert "pods" not in [rule["resource"] for rule in rules(None, {"profiling": {"podDetails": False}})]


@pytest.mark.parametrize("spec", [{"profilingConfig": 5}, {"profilingConfig": {"configMapRef": {"name": 5}}}, {}])
def test_without_auto_apply_and_for_a_spec_of_any_shape_no_graph_is_asked_for(spec):
    assert {rule["resource"] for rule in rules(spec)} == {"jobs", "pods", "configmaps"}


# What nobody should send.

JUNK = [None, 5, -1.5, True, "", "x", [], [None], ["x"], {}, {"x": None}, {"name": 5}, [{}], [[]], "2026-13-45", "\x00"]


def damaged(value, randomness):
    """JSON with junk in one place, chosen at random."""
    places = list(value.items() if isinstance(value, dict) else enumerate(value)) if value else []
    places = [place for place in places if place[0] != "generation"]  # the API server's own
    if not isinstance(value, dict | list) or not places:
        return randomness.choice(JUNK)
    key, item = randomness.choice(places)
    copied = value.copy()
    nested = isinstance(item, dict | list) and item
    copied[key] = damaged(item, randomness) if nested and randomness.random() < 0.9 else randomness.choice(JUNK)
    return copied


@pytest.mark.parametrize("body", [*(body for body, _ in REACHED.values()), *filter(None, BOTH.values())])
def test_junk_anywhere_is_refused_or_answered_with_a_status_that_the_api_server_takes(body):
    full = situation(
        body["parent"],
        *(item for items in body["related"].values() for item in items.values()),
        pod({"phase": "Failed", "containerStatuses": [TERMINATED], "conditions": [condition("PodScheduled", "False")]}),
    ) | {key: body[key] for key in ("children",) if key in body}
    randomness = random.Random(1)
    for _ in range(100):
        part = randomness.choice([key for key in ("parent", "related", "children") if full.get(key)])
        asked = {**full, part: damaged(full[part], randomness)}
        try:
            answer = ask(asked)
        except MalformedRequest:
            continue
        assert refusals(STATUS, answer["status"]) == [], asked[part]
