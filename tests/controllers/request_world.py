"""A small model of a cluster with one request, for random histories: what is there, what caches have seen of it, and
what users, kubelets and controllers do to it.

It is told apart from the hooks on purpose: it keeps what is true, and hands the hooks what their caches show.
"""

import copy
from datetime import timedelta

from hooks.controllers import namespaces
from hooks.controllers.graph_deployment_request import customize
from hooks.kinds import NAMESPACE
from hooks.protocol import CustomizeRequest, read_sync
from hooks.settings import Settings
from tests.controllers.request_situations import (
    AUTO,
    BASE,
    ELSEWHERE,
    INVALID,
    NOW,
    applied,
    ask,
    base,
    condition,
    graph,
    namespace,
    parent,
)
from tests.golden_cases import keyed

USABLE = """
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: base}
spec: {services: {Frontend: {componentType: frontend, extraPodSpec: {mainContainer: {image: x}}}}}
"""
SPECS = [{}, AUTO, ELSEWHERE, BASE, {**BASE, **AUTO}, INVALID]
CACHED = ("Job.batch/v1", "ConfigMap.v1", "DynamoGraphDeployment.nvidia.com/v1alpha1", "Namespace.v1")
SETTINGS = Settings()


class World:
    """One request and what is around it. `random` decides everything that is not certain."""

    def __init__(self, random):
        self.random = random
        self.now = NOW
        self.uids = 0
        self.objects = {kind: {} for kind in CACHED}
        self.seen = copy.deepcopy(self.objects)
        """What the request's controller sees; it lags behind `objects`."""
        self.history = []
        self.made_jobs = {}
        """uid of the request → how many Jobs were made for it; likewise graphs."""
        self.made_graphs = {}
        self.put(namespace("inference"))
        self.appears()

    # The request.

    def appears(self):
        """A user applies the request, perhaps under the name of one that was there before."""
        self.uids += 1
        self.uid = f"uid-{self.uids}"
        age = self.random.choice([0, 60])
        self.request = parent(self.random.choice(SPECS), uid=self.uid, creationTimestamp=self.time(-age))
        self.previous = self.request
        self.changed_behind_a_job = False

    def is_edited(self):
        """A user edits the spec, where the CRD's rule lets him."""
        if self.condition("Profiling") is None:
            spec = {**parent()["spec"], **self.random.choice(SPECS)}
            self.changed_behind_a_job |= self.job() is not None
            self.seen[CACHED[0]] = dict(self.objects[CACHED[0]])  # caches do not lag for the hours of profiling
            self.request = {**self.request, "spec": spec}
            self.request["metadata"] = {**self.request["metadata"], "generation": self.generation() + 1}
            self.previous = self.request

    def is_made_anew(self):
        """A user deletes the request and applies one of the same name."""
        self.appears()

    def generation(self):
        return self.request["metadata"]["generation"]

    @property
    def status(self):
        return self.request.get("status", {})

    def condition(self, step):
        return next((found for found in self.status.get("conditions", []) if found["type"] == step), None)

    # What is there.

    def put(self, item):
        kind = f"{item['kind']}.{item['apiVersion']}"
        self.objects[kind][item["metadata"].get("namespace", ""), item["metadata"]["name"]] = item

    def find(self, kind, name, namespace="inference"):
        return self.objects[next(key for key in CACHED if key.startswith(kind))].get((namespace, name))

    def remove(self, kind, name, namespace="inference"):
        self.objects[next(key for key in CACHED if key.startswith(kind))].pop((namespace, name), None)

    def job(self):
        """The Job of this request."""
        found = self.find("Job", "profile-chat")
        return found if found and self.owner(found) == self.uid else None

    def owner(self, item):
        return item["metadata"]["ownerReferences"][0]["uid"]

    def spec(self):
        """The spec that counts: what the Job was made from, while there is one."""
        return self.job_spec if self.job() is not None else self.request["spec"]

    def target(self, spec=None):
        overrides = (spec or self.spec()).get("deploymentOverrides", {})
        return overrides.get("namespace", "inference"), overrides.get("name", "chat")

    def graph(self):
        place, name = self.target()
        return self.find("DynamoGraphDeployment", name, place)

    def is_ours(self, item):
        return item is not None and item["metadata"].get("labels", {}).get("dgdr.nvidia.com/uid") == self.uid

    def time(self, seconds=0):
        return (self.now + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

    # What happens.

    def time_passes(self):
        self.now += timedelta(seconds=self.random.choice([1, 5, 30, 61, 3600]))

    def job_completes(self):
        self.job_ends("Complete", completionTime=self.time())

    def job_fails(self):
        self.job_ends("Failed")

    def job_ends(self, kind, **status):
        found = self.find("Job", "profile-chat")
        if found and not found["status"].get("conditions"):
            ended = condition(kind, lastTransitionTime=self.time())
            self.put({**found, "status": {"conditions": [ended], **status}})

    def job_goes(self):
        """Somebody deletes the Job, or an old request's is collected; ours after somebody has seen it.

        No request can tell of a Job that went before. And once it is gone, what a user wrote behind its back counts.
        """
        if self.job() is not None and (self.condition("Profiling") is None or self.changed_behind_a_job):
            return
        self.everything_is_seen()
        self.remove("Job", "profile-chat")

    def output_comes(self):
        text = self.random.choice([USABLE, USABLE, USABLE, "a: [", None])
        if self.job() is None:
            return
        self.put({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": "dgdr-output-chat",
                "namespace": "inference",
                "annotations": {"dgdr.nvidia.com/uid": self.uid},
            },
            "data": {"config_with_planner.yaml": text} if text else {"error": "no GPU"},
        })  # fmt: skip

    def output_goes(self):
        self.remove("ConfigMap", "dgdr-output-chat")

    def base_comes(self):
        self.put(base())

    def base_goes(self):
        self.remove("ConfigMap", "base")

    def namespace_comes(self):
        self.put(namespace("prod", consents=self.random.choice([None, "inference", "*"])))

    def namespace_goes(self):
        if not any(place == "prod" for place, _ in self.objects[CACHED[2]]):
            self.remove("Namespace", "prod", "")

    def foreign_graph_comes(self):
        place, name = self.target()
        if self.graph() is None and self.find("Namespace", place, ""):
            self.put(graph("ready", name, place, uid=None))

    def foreign_graph_goes(self):
        if not self.is_ours(self.graph()):
            self.remove("DynamoGraphDeployment", *reversed(self.target()))

    def graph_is_ready(self):
        self.graph_is("ready")

    def graph_is_not_ready(self):
        self.graph_is("pending")

    def graph_is(self, state):
        if self.is_ours(self.graph()):
            place, name = self.target()
            self.put(graph(state, name, place, uid=self.uid))

    def graph_goes(self):
        """A user deletes the graph: after somebody has seen it, and everybody has seen that."""
        if self.is_ours(self.graph()) and self.status.get("deployment", {}).get("created"):
            self.everything_is_seen()
            self.remove("DynamoGraphDeployment", *reversed(self.target()))

    EVENTS = (
        *(is_edited, is_made_anew, time_passes, time_passes, job_completes, job_completes, job_fails, job_goes),
        *(output_comes, output_comes, output_goes, base_comes, base_goes, namespace_comes, namespace_goes),
        *(foreign_graph_comes, foreign_graph_goes, graph_is_ready, graph_is_ready, graph_is_not_ready, graph_goes),
    )

    # Who looks.

    def something_is_seen(self):
        """Some caches catch up."""
        for kind in CACHED:
            if self.random.random() < 0.5:
                self.seen[kind] = dict(self.objects[kind])

    def everything_is_seen(self):
        self.seen = {kind: dict(items) for kind, items in self.objects.items()}
        self.previous = self.request

    def controller_syncs(self):
        """The request's controller asks the hook. The last status may not have been seen; then nothing else was."""
        asking = self.previous if self.random.random() < 0.2 else self.request
        if asking is self.request:
            self.something_is_seen()
        jobs = [item for item in self.seen[CACHED[0]].values() if self.owner(item) == self.uid]
        children = {"Job.batch/v1": {}} | keyed(jobs)
        answer = ask({"parent": asking, "related": self.related(asking), "children": children}, now=self.now)
        self.children_are_applied(jobs, answer["children"], asking)
        self.previous = self.request
        self.request = {**self.request, "status": {**answer["status"], "observedGeneration": self.generation()}}
        self.history.append((self.uid, answer["status"]))
        return answer

    def related(self, asking):
        """What of the seen objects the request asks for."""
        found = {}
        for rule in customize(CustomizeRequest(asking), SETTINGS):
            items = found.setdefault(rule.kind.key, {})
            for name in rule.names or ():
                item = self.seen.get(rule.kind.key, {}).get((rule.namespace or "", name))
                if item is not None:
                    items[f"{rule.namespace or ''}/{name}"] = item
        return found

    def children_are_applied(self, seen, desired, asking):
        """What Metacontroller does with the children of an answer."""
        names = {child["metadata"]["name"] for child in desired}
        assert all(job["metadata"]["name"] in names for job in seen), "a Job was left out, and would be deleted"
        for child in desired:
            if not seen and self.find("Job", child["metadata"]["name"]) is None:
                assert "spec" in child, "a Job would be made of nothing but its name"
                made = applied(child, asking)
                made["metadata"] |= {"creationTimestamp": self.time(), "uid": f"job-of-{self.uid}"}
                self.put({**made, "status": {}})
                self.job_spec = asking["spec"]
                self.made_jobs[self.uid] = self.made_jobs.get(self.uid, 0) + 1

    def namespace_syncs(self):
        """Whoever looks after the namespace that the graph goes to asks the hook."""
        place, name = self.target()
        target = self.find("Namespace", place, "")
        if target is None:
            return
        there = [item for (where, _), item in self.objects[CACHED[2]].items() if where == place]
        body = {
            "object": target,
            "attachments": {CACHED[2]: {}} | keyed([item for item in there if "labels" in item["metadata"]]),
            "related": {
                "DynamoGraphDeploymentRequest.nvidia.com/v1alpha1": {},
                CACHED[2]: {},
                "ConfigMap.v1": {},
            }
            | keyed([self.random.choice([self.previous, self.request]), *there]),
        }
        answer = namespaces.sync(read_sync(body, NAMESPACE), SETTINGS, self.now).body()
        for item in answer["attachments"]:
            if (
                item["kind"] == "DynamoGraphDeployment"
                and self.find(item["kind"], item["metadata"]["name"], place) is None
            ):
                assert item["metadata"]["name"] == name
                self.put(graph("pending", name, place, uid=item["metadata"]["labels"]["dgdr.nvidia.com/uid"]))
                self.made_graphs[self.uid] = self.made_graphs.get(self.uid, 0) + 1
