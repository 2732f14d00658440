"""What scenarios are made of: graphs, short words for steps, and promises that hold at every moment."""

IMAGE = "registry.example/runtime:1"
GRAPH = "DynamoGraphDeployment"
COMPONENT = "DynamoComponentDeployment"


def service(component="worker", image=IMAGE, **more):
    return {"componentType": component, "replicas": 1, "extraPodSpec": {"mainContainer": {"image": image}}} | more


def graph(name="chat", services=None, **spec):
    services = services or {"Frontend": service("frontend"), "Worker": service()}
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": GRAPH,
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"services": services, **spec},
    }


class Situation:
    """A cluster in a scenario.

    At every moment, whatever the order of events: a graph that says it is ready for its present spec is so; and no
    workload that runs is deleted unless the test expects it.
    """

    def __init__(self, cluster):
        self.cluster = cluster
        self.broken = []
        self.may_go = set()
        cluster.store.watch(self._watch)

    # Steps

    def ready(self, name="chat", within=3600):
        self.cluster.run_until(lambda: self.is_ready(name), within)

    def is_ready(self, name="chat"):
        found = self.cluster.find(GRAPH, name)
        status = (found or {}).get("status") or {}
        current = status.get("observedGeneration") == found["metadata"]["generation"] if found else False
        return current and self.cluster.condition(GRAPH, name, "Ready") == "True"

    def edit_service(self, key, name="chat", **changes):
        def change(item):
            item["spec"]["services"][key].update(changes)

        return self.cluster.edit(GRAPH, name, change)

    def at_rest(self):
        """What every scenario ends in: one more sync of everything writes nothing."""
        self.cluster.check_fixed_point()

    # What is to be seen

    def message(self, name="chat"):
        return self.condition(name)["message"]

    def condition(self, name="chat", kind=GRAPH, type_="Ready"):
        conditions = self.cluster.get(kind, name)["status"]["conditions"]
        return next(entry for entry in conditions if entry["type"] == type_)

    def names(self, kind):
        return [item["metadata"]["name"] for item in self.cluster.store.list(kind)]

    def images(self, component="chat-worker"):
        selector = {"matchLabels": {"nvidia.com/selector": component}}
        pods = self.cluster.store.list("Pod", "default", selector)
        return {pod["spec"]["containers"][0]["image"] for pod in pods}

    def errors(self):
        return [event for event in self.cluster.events if event.reason == "SyncError"]

    # Promises

    def trace(self):
        return self.cluster.trace

    def check_promises(self):
        assert not self.broken, "\n".join(self.broken)

    def _watch(self, event, kind, item):
        name = item["metadata"]["name"]
        if event == "DELETED" and kind.kind in {"Deployment", COMPONENT} and name not in self.may_go:
            self.broken.append(f"{kind.kind} {name} was deleted at {self.cluster.clock.now()}")
        if kind.kind == GRAPH and event == "MODIFIED" and self._claims_to_be_ready(item):
            self.broken += [f"{name} says it is ready, and {problem}" for problem in self._problems(item)]

    @staticmethod
    def _claims_to_be_ready(item):
        status = item.get("status") or {}
        if status.get("observedGeneration") != item["metadata"]["generation"]:
            return False
        return any(entry["type"] == "Ready" and entry["status"] == "True" for entry in status.get("conditions", ()))

    def _problems(self, item):
        """What is not as a graph's spec has it."""
        for key, wanted in item["spec"]["services"].items():
            name = f"{item['metadata']['name']}-{key.lower()}"
            found = self.cluster.find("Deployment", name)
            if found is None:
                yield f"{name} is not there"
                continue
            status = found.get("status") or {}
            image = found["spec"]["template"]["spec"]["containers"][0]["image"]
            if image != wanted["extraPodSpec"]["mainContainer"]["image"]:
                yield f"{name} still has image {image}"
            if "autoscaling" in wanted:
                continue  # what an autoscaler did a moment ago, nobody can know yet
            if status.get("observedGeneration") != found["metadata"]["generation"]:
                yield f"{name} has not been looked at by its controller"
            numbers = [status.get(field, 0) for field in ("replicas", "updatedReplicas", "availableReplicas")]
            if numbers != [wanted.get("replicas", 1)] * 3:
                yield f"{name} has the numbers {numbers}"
