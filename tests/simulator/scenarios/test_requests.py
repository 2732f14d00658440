"""From a model and latencies to a running graph, in whatever order things happen."""

from pathlib import Path

import pytest
import yaml

from hooks.settings import Settings
from hooks.simulator.errors import ApiError
from hooks.simulator.installation import our_installation
from hooks.simulator.workloads import PodFault, Profile
from tests.controllers.test_request_histories import facts_are_kept, may_follow
from tests.simulator.scenarios.situations import GRAPH, service

REQUEST = "DynamoGraphDeploymentRequest"
OUTPUT = (Path(__file__).parents[2] / "profiling" / "config_with_planner.yaml").read_text()


def without(*keys):
    """The output without some of its services."""
    documents = list(yaml.safe_load_all(OUTPUT))
    for key in keys:
        del documents[1]["spec"]["services"][key]
    return yaml.safe_dump_all(documents)


FOUND = Profile(output=without("Frontend", "VllmPrefillWorker"))
ELSEWHERE = {"name": "fast", "namespace": "prod", "workersImage": "mine:1", "labels": {"team": "a"}}


class Requests:
    """A cluster with requests. Every status that any of them ever had is kept, and each must follow the one before."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.cluster.world.profile_seconds = 600.0
        self.history = []
        self.made = []
        self.hooks_were_away = False
        self.cluster.store.watch(self._watch)

    def request(self, name="chat", config=None, **spec):
        profiling = {"profilerImage": "registry.example/runtime:1", "config": config or {}}
        profiling |= spec.pop("profilingConfig", {})
        item = {
            "apiVersion": "nvidia.com/v1alpha1",
            "kind": REQUEST,
            "metadata": {"name": name, "namespace": "inference"},
            "spec": {"model": "Qwen/Qwen3-0.6B", "backend": "vllm", "profilingConfig": profiling, **spec},
        }
        return self.cluster.apply(item)[0]

    def comes_to(self, profile):
        self.cluster.world.profiled(profile)

    def reaches(self, state, within=24 * 3600):
        self.cluster.run_until(lambda: self.status.get("state") == state, within)

    def rests_in(self, state):
        self.cluster.settle(24 * 3600)
        assert self.status["state"] == state, self.history
        self.cluster.check_fixed_point()
        assert self.status["state"] == state, self.history

    @property
    def status(self):
        return (self.find(REQUEST, "chat") or {}).get("status", {})

    def said(self, step):
        return next((found for found in self.status["conditions"] if found["type"] == step), None)

    def find(self, kind, name, namespace="inference"):
        return self.cluster.find(kind, name, namespace)

    def names(self, kind, namespace="inference"):
        return [item["metadata"]["name"] for item in self.cluster.store.list(kind, namespace)]

    def edit(self, change):
        return self.cluster.edit(REQUEST, "chat", change, "inference")

    def consents(self):
        def annotate(item):
            item["metadata"]["annotations"] = {"nvidia.com/allow-deployments-from": "inference"}

        self.cluster.edit("Namespace", "prod", annotate, "")

    @property
    def states(self):
        """The states that requests had, each as often as it was entered."""
        states = [status["state"] for _, status in self.history]
        return [state for index, state in enumerate(states) if index == 0 or states[index - 1] != state]

    def check(self):
        last = {}
        for uid, status in self.history:
            before = last.get(uid, {})
            assert may_follow(before, status), (before, status)
            assert facts_are_kept(before, status), (before, status)
            last[uid] = status
        assert len(self.made) == len(set(self.made)), self.made

    def _watch(self, event, kind, item):
        if kind.kind == REQUEST and event == "MODIFIED" and "status" in item:
            entry = item["metadata"]["uid"], item["status"]
            if not self.history or self.history[-1] != entry:
                self.history.append(entry)
        if event == "ADDED" and kind.kind == "Job":
            self.made.append(("Job", item["metadata"]["ownerReferences"][0]["uid"]))
        if event == "ADDED" and kind.kind == GRAPH and "dgdr.nvidia.com/uid" in item["metadata"].get("labels", {}):
            self.made.append((GRAPH, item["metadata"]["labels"]["dgdr.nvidia.com/uid"]))


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


def users_graph(namespace="inference", name="chat"):
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": GRAPH,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"services": {"Frontend": service("frontend")}},
    }


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
