"""From a model and latencies to a running graph, in whatever order things happen."""

import pytest
import yaml

from hooks.settings import Settings
from hooks.simulator.errors import ApiError
from hooks.simulator.installation import our_installation
from hooks.simulator.workloads import PodFault, Profile
from tests.simulator.scenarios.requested import ELSEWHERE, FOUND, OUTPUT, REQUEST, Requests, users_graph
from tests.simulator.scenarios.situations import GRAPH, service


@pytest.fixture
def requests(start_cluster):
    made = Requests(start_cluster(namespaces=["inference", "prod"]))
    yield made
    made.check()
    errors = [event for event in made.cluster.events if event.reason == "SyncError"]
    assert not errors or made.hooks_were_away


# From a model to a graph.


@pytest.mark.long
@pytest.mark.parametrize(("estimates", "app"), [(True, "aic-profiler"), (False, "dynamo-profiler")])
def test_a_model_becomes_a_running_graph(requests, estimates, app):
    requests.cluster.world.profile_seconds = 2 * 3600.0
    requests.comes_to(Profile(output=OUTPUT))
    requests.request(config={"sweep": {"use_ai_configurator": estimates}}, autoApply=True)
    requests.rests_in("Ready")
    assert requests.states == ["Pending", "Profiling", "Deploying", "Ready"]
    assert requests.find("Job", "profile-chat")["metadata"]["labels"]["app"] == app
    assert requests.status["deployment"] == {
        "name": "chat",
        "namespace": "inference",
        "created": True,
        "state": "successful",
    }
    assert requests.status["backend"] == "vllm"
    assert requests.status["profilingResults"] == "configmap/dgdr-output-chat"
    planner = requests.find("Deployment", "chat-planner")["spec"]["template"]["spec"]
    assert "chat-planner-profile-data" in [volume.get("configMap", {}).get("name") for volume in planner["volumes"]]
    assert requests.find("ConfigMap", "chat-planner-profile-data")


def test_without_auto_apply_the_graph_can_be_applied_by_hand(requests):
    requests.comes_to(FOUND)
    requests.request()
    requests.rests_in("Ready")
    assert requests.states == ["Pending", "Profiling", "Ready"]
    assert requests.names(GRAPH) == []
    requests.cluster.apply(requests.status["generatedDeployment"])
    requests.rests_in("Ready")
    assert requests.cluster.condition(GRAPH, "chat", "Ready", "inference") == "True"
    assert "deployment" not in requests.status
    requests.cluster.delete(GRAPH, "chat", "inference")
    requests.rests_in("Ready")


def test_the_graph_goes_to_another_namespace_that_consents(requests):
    requests.comes_to(FOUND)
    requests.consents()
    requests.request(autoApply=True, deploymentOverrides=ELSEWHERE)
    requests.rests_in("Ready")
    made = requests.find(GRAPH, "fast", "prod")
    assert made["metadata"]["labels"]["team"] == "a"
    worker = requests.find("Deployment", "fast-vllmdecodeworker", "prod")
    assert worker["spec"]["template"]["spec"]["containers"][0]["image"] == "mine:1"
    assert requests.names("ConfigMap", "prod") == ["fast-planner-profile-data"]
    assert requests.names(GRAPH) == []


def test_a_graph_to_start_from_may_come_late(requests):
    requests.comes_to(FOUND)
    requests.request(profilingConfig={"configMapRef": {"name": "base"}})
    requests.rests_in("Pending")
    assert requests.said("Validation")["reason"] == "ConfigMapNotFound"
    base = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "base", "namespace": "inference"}}
    requests.cluster.apply(base | {"data": {"other.yaml": "x"}})
    requests.rests_in("Pending")
    requests.cluster.apply(base | {"data": {"disagg.yaml": "x"}})
    requests.rests_in("Ready")


def test_consent_may_come_late(requests):
    requests.comes_to(FOUND)
    requests.request(autoApply=True, deploymentOverrides=ELSEWHERE)
    requests.rests_in("Pending")
    assert requests.said("Validation")["reason"] == "NamespaceNotAllowed"
    assert requests.names("Job") == []
    requests.consents()
    requests.rests_in("Ready")


# Profiling that fails.


@pytest.mark.parametrize(
    ("profile", "reason", "message"),
    [
        (
            Profile(exit_code=3, message="no GPU"),
            "ProfilingFailed",
            "the profiler ended with exit code 3 (Error: no GPU)",
        ),
        (
            Profile(output=OUTPUT, status="failed", error="no engine is fast enough"),
            "ProfilingFailed",
            "no engine is fast",
        ),
        (
            Profile(exit_code=1, status="failed", error="no model"),
            "ProfilingFailed",
            "no model; the profiler ended with",
        ),
        (Profile(), "ProfilingFailed", "but there is no"),
        (Profile(output=OUTPUT, copied=False), "ProfilingFailed", "Container output-copier"),
        (Profile(output="x" * 1_500_000), "ProfilingFailed", "has 1500000 bytes, and a ConfigMap holds 1048576"),
    ],
)
def test_a_profiler_that_fails_is_not_run_again_and_says_why(requests, profile, reason, message):
    requests.comes_to(profile)
    requests.request(autoApply=True)
    requests.rests_in("Failed")
    assert requests.states == ["Pending", "Profiling", "Failed"]
    assert requests.said("Profiling")["reason"] == reason
    assert message in requests.said("Profiling")["message"]
    assert "delete the request and create it anew" in requests.said("Profiling")["message"]
    assert len(requests.names("Pod")) == 1
    assert requests.names(GRAPH) == []


def graph_text(services, **more):
    return yaml.safe_dump(
        {
            "apiVersion": "nvidia.com/v1alpha1",
            "kind": GRAPH,
            "metadata": {"name": "base"},
            "spec": {"services": services},
            **more,
        }
    )


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("a: [", "OutputInvalid"),
        ("", "OutputInvalid"),
        (f"{OUTPUT}\n---\n{graph_text({})}", "OutputInvalid"),
        (graph_text({"A" * 60: service()}), "InvalidSpec"),
        (graph_text({"A": {"replicas": "two"}}), "InvalidSpec"),
        (graph_text({"A": service(x="y" * 260_000)}), "OutputTooLarge"),
    ],
)
def test_output_that_cannot_be_used_is_said_and_nothing_is_made(requests, output, reason):
    requests.comes_to(Profile(output=output))
    requests.request(autoApply=True)
    requests.rests_in("Failed")
    assert requests.said("SpecGenerated")["reason"] == reason
    assert requests.said("Profiling")["status"] == "True"
    assert requests.names(GRAPH) == []


def test_output_that_goes_before_anybody_has_read_it_is_missing(requests):
    requests.comes_to(FOUND)
    requests.request()
    requests.reaches("Profiling")
    requests.cluster.run_for(500)
    requests.cluster.hooks.fail(200)
    requests.hooks_were_away = True
    requests.cluster.run_until(lambda: "dgdr-output-chat" in requests.names("ConfigMap"), within=200)
    requests.cluster.delete("ConfigMap", "dgdr-output-chat", "inference")
    requests.cluster.run_for(600)
    requests.rests_in("Failed")
    assert requests.said("Profiling")["reason"] == "OutputMissing"


@pytest.mark.long
def test_what_keeps_the_profiler_from_starting_is_said_and_the_deadline_ends_it(requests):
    requests.cluster.world.fail("Job/profile-chat", PodFault.UNSCHEDULABLE, "inference")
    requests.request()
    requests.reaches("Profiling")
    requests.cluster.run_for(60)
    assert "waits for a node: Unschedulable" in requests.said("Profiling")["message"]
    requests.cluster.run_for(7 * 3600)
    assert requests.status["state"] == "Failed"
    assert "Job was active longer than specified deadline" in requests.said("Profiling")["message"]


# The Job and its output go.


def test_a_job_that_is_deleted_while_it_profiles_is_not_made_again(requests):
    requests.request(autoApply=True)
    requests.reaches("Profiling")
    requests.cluster.run_for(300)
    requests.cluster.delete("Job", "profile-chat", "inference")
    requests.rests_in("Failed")
    assert requests.said("Profiling")["reason"] == "ProfilingJobLost"
    assert requests.names("Job") == []


@pytest.mark.parametrize("gone", [["Job"], ["ConfigMap"], ["Job", "ConfigMap"]])
def test_a_job_and_an_output_that_expire_change_nothing(requests, gone):
    requests.comes_to(FOUND)
    requests.request(autoApply=True)
    requests.rests_in("Ready")
    before = requests.status
    for kind in gone:
        requests.cluster.delete(kind, {"Job": "profile-chat", "ConfigMap": "dgdr-output-chat"}[kind], "inference")
    requests.rests_in("Ready")
    assert requests.status == before


# The graph and its users.


def test_a_graph_that_a_user_deletes_stays_deleted(requests):
    requests.comes_to(FOUND)
    requests.request(autoApply=True)
    requests.rests_in("Ready")
    requests.cluster.delete(GRAPH, "chat", "inference")
    requests.rests_in("DeploymentDeleted")
    assert requests.names(GRAPH) == []
    requests.cluster.restart_metacontroller(away=3)
    requests.cluster.run_for(30)
    requests.rests_in("DeploymentDeleted")


def test_a_graph_that_degrades_and_a_planner_that_scales_leave_the_request_ready(requests):
    requests.comes_to(FOUND)
    requests.request(autoApply=True)
    requests.rests_in("Ready")

    def scale(item):
        item["spec"]["services"]["VllmDecodeWorker"]["replicas"] = 5

    requests.cluster.edit(GRAPH, "chat", scale, "inference")
    requests.rests_in("Ready")
    assert requests.find(GRAPH, "chat")["spec"]["services"]["VllmDecodeWorker"]["replicas"] == 5
    requests.cluster.world.fail("Deployment/chat-vllmdecodeworker", PodFault.CRASH, "inference")
    requests.cluster.delete("Pod", next(name for name in requests.names("Pod") if "decode" in name), "inference")
    requests.cluster.run_for(600)
    assert requests.status["state"] == "Ready"
    assert requests.said("DeploymentReady")["reason"] == "DeploymentDegraded"
    requests.cluster.world.heal("Deployment/chat-vllmdecodeworker", "inference")
    requests.rests_in("Ready")
    assert requests.said("DeploymentReady")["status"] == "True"


def test_a_graph_of_somebody_else_is_in_the_way_before_and_after_profiling(requests):
    requests.comes_to(FOUND)
    requests.cluster.apply(users_graph())
    requests.request(autoApply=True)
    requests.rests_in("Pending")
    assert requests.said("Validation")["reason"] == "NameConflict"
    requests.cluster.delete(GRAPH, "chat", "inference")
    requests.reaches("Profiling")
    requests.cluster.apply(users_graph())
    requests.rests_in("Failed")
    assert requests.said("DeploymentReady")["reason"] == "NameConflict"
    assert requests.find(GRAPH, "chat")["spec"] == users_graph()["spec"]
    requests.cluster.delete(GRAPH, "chat", "inference")
    requests.rests_in("Ready")
    assert sorted(requests.find(GRAPH, "chat")["spec"]["services"]) == ["Planner", "VllmDecodeWorker"]


# The request and its users.


def test_a_request_that_is_deleted_while_it_profiles_takes_its_job_along(requests):
    requests.request()
    requests.reaches("Profiling")
    requests.cluster.run_for(2)  # an answer before our own last status was seen cannot know of it
    requests.cluster.delete(REQUEST, "chat", "inference")
    requests.cluster.settle()
    assert requests.names("Job") == requests.names("Pod") == []


def test_a_graph_outlives_its_request(requests):
    requests.comes_to(FOUND)
    requests.request(autoApply=True)
    requests.rests_in("Ready")
    requests.cluster.delete(REQUEST, "chat", "inference")
    requests.cluster.settle()
    assert requests.names("Job") == []
    assert requests.cluster.condition(GRAPH, "chat", "Ready", "inference") == "True"
    assert "chat-planner-profile-data" in requests.names("ConfigMap")
    assert "dgdr-output-chat" not in requests.names("ConfigMap")
    requests.cluster.check_fixed_point()


def test_a_request_that_is_made_again_waits_for_its_predecessors_graph(requests):
    requests.comes_to(FOUND)
    requests.request(autoApply=True)
    requests.rests_in("Ready")
    requests.cluster.delete(REQUEST, "chat", "inference")
    requests.request(autoApply=True)
    requests.rests_in("Pending")
    assert requests.said("Validation")["reason"] == "NameConflict"
    assert "earlier request called chat" in requests.said("Validation")["message"]
    requests.cluster.delete(GRAPH, "chat", "inference")
    requests.rests_in("Ready")


def test_a_request_that_is_made_again_while_it_profiled_profiles_anew(requests):
    requests.request()
    requests.reaches("Profiling")
    requests.cluster.run_for(2)  # until caches show that there was a Job
    requests.cluster.delete(REQUEST, "chat", "inference")
    requests.request()
    requests.comes_to(FOUND)
    requests.rests_in("Ready")
    assert len([kind for kind, _ in requests.made if kind == "Job"]) == 2


def test_a_spec_may_be_edited_until_profiling_starts(requests):
    requests.comes_to(FOUND)
    requests.request(config={"engine": "vllm"})
    requests.rests_in("Failed")
    assert requests.said("Validation")["reason"] == "InvalidSpec"
    assert "Mend the spec" in requests.said("Validation")["message"]
    requests.edit(lambda item: item["spec"]["profilingConfig"].update(config={}))
    requests.reaches("Profiling")
    with pytest.raises(ApiError, match="spec cannot change once profiling has started"):
        requests.edit(lambda item: item["spec"].update(model="other"))
    requests.edit(lambda item: item["metadata"].update(labels={"team": "a"}))
    requests.rests_in("Ready")


def test_a_change_that_got_through_does_not_count(requests):
    requests.comes_to(FOUND)
    requests.request(autoApply=True)
    requests.cluster.run_until(lambda: requests.names("Job") != [])
    requests.edit(lambda item: item["spec"].update(autoApply=False, backend="sglang"))
    requests.rests_in("Deploying")
    assert requests.said("Validation")["reason"] == "SpecChangeRejected"
    assert requests.status["backend"] == "vllm"


# The hooks and their caches.


def test_hooks_that_are_upgraded_in_between_go_on(requests):
    requests.comes_to(FOUND)
    requests.request(autoApply=True)
    requests.reaches("Profiling")
    job = requests.find("Job", "profile-chat")["metadata"]["uid"]
    upgrade(requests.cluster, {"profiling": {"outputCopierImage": "hooks:2", "activeDeadlineSeconds": 99}})
    requests.cluster.run_for(60)
    assert requests.find("Job", "profile-chat")["metadata"]["uid"] == job
    requests.rests_in("Ready")
    before = requests.status
    upgrade(requests.cluster, {"natsAddress": "nats://n:4222"})
    requests.cluster.run_for(60)
    requests.rests_in("Ready")
    assert requests.status["generatedDeployment"] == before["generatedDeployment"]


def upgrade(cluster, settings):
    made = our_installation(Settings.model_validate(settings), [], cluster.adapter_workers)
    cluster.hooks = type(cluster.hooks)(made.application(cluster.clock), cluster.clock)
    cluster._controllers = made.controllers
    cluster.restart_metacontroller(away=3)


def test_a_status_that_was_lost_is_found_again_from_what_is_there(requests):
    requests.comes_to(FOUND)
    requests.request(autoApply=True)
    requests.rests_in("Ready")
    item = requests.find(REQUEST, "chat")
    item["status"] = {}
    with requests.cluster.store.acting("somebody"):
        requests.cluster.store.update_status(item)
    requests.rests_in("Ready")
    assert requests.status["deployment"]["created"] is True
    assert requests.status["generatedDeployment"]
    requests.history.clear()  # no state may follow the empty one so
