"""A cluster without Metacontroller: workloads that a test applies itself."""

from hooks.simulator.builtin import built_in
from hooks.simulator.cluster import Cluster
from hooks.simulator.custom import custom_resources
from hooks.simulator.installation import Installation
from hooks.simulator.optional_apis import OPTIONAL_APIS

LEADER_WORKER_SETS = custom_resources([OPTIONAL_APIS["LeaderWorkerSet"].definition])


class Below(Cluster):
    """A cluster without controllers of Metacontroller's."""

    def __init__(self, seed=None):
        resources = (*built_in(), *LEADER_WORKER_SETS)
        super().__init__(seed=seed, installation=Installation(lambda _: None, (), resources))

    def pods(self):
        return self.store.list("Pod")

    def status(self, kind, name):
        return self.get(kind, name).get("status") or {}

    def reason(self, kind, name, condition):
        for entry in self.status(kind, name).get("conditions", ()):
            if entry["type"] == condition:
                return entry["reason"]
        return None


def template(image="i:1", **spec):
    container = {"name": "main", "image": image}
    return {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [container], **spec}}


def deployment(replicas=3, image="i:1", pod=None, **spec):
    made = {"replicas": replicas, "selector": {"matchLabels": {"app": "x"}}, "template": template(image, **(pod or {}))}
    metadata = {"name": "d", "namespace": "default"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": made | spec}


def job(**spec):
    made = {"template": template(restartPolicy="Never"), **spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "default"}, "spec": made}
