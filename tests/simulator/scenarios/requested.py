"""Requests in a scenario: what they ask for, what their profilers put out; no status may say what cannot be.

A model's profile is that of `tests/profiling`.
"""

from pathlib import Path

import yaml

from hooks.simulator.workloads import Profile
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


def users_graph(namespace="inference", name="chat"):
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": GRAPH,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"services": {"Frontend": service("frontend")}},
    }
