"""What users do with a graph."""

from functools import partial

from tests.chaos.steps import Step, apply, delete, edit
from tests.simulator.scenarios.situations import COMPONENT, GRAPH, graph, service
from tests.simulator.scenarios.test_multinode import COMMAND, SINGLE
from tests.simulator.scenarios.test_namespaces import QWEN, TENSORRT

BROKEN = "registry.example/broken:1"
"""An image that cannot be pulled."""
IMAGES = ("registry.example/runtime:1", "registry.example/runtime:2", "registry.example/runtime:3", BROKEN)
SCALING = {"enabled": True, "minReplicas": 1, "maxReplicas": 4}
CLAIM = {"name": "models", "create": True, "size": "1Gi", "storageClass": "fast", "volumeAccessMode": "ReadWriteOnce"}


def menu(*, multinode):
    """Services that a graph may have."""
    found = {
        "Frontend": service("frontend"),
        "Worker": service(**SINGLE, **COMMAND),
        "Decode": service(replicas=2, **QWEN),
        "Planner": service("planner"),
        "Prefill": service(autoscaling=SCALING),
    }
    return found | ({"Nodes": service(**SINGLE, **COMMAND, multinode={"nodeCount": 2})} if multinode else {})


class Graph:
    """One graph and its user."""

    def __init__(self, lots, number, *, multinode, namespace=None):
        self.lots = lots
        self.name = f"chat{number}"
        self.namespace = namespace or lots.choice(("default", "prod"))
        self.multinode = multinode
        self.menu = menu(multinode=multinode)
        self.manifest = None
        self.invalid = False
        self.wants_hands = None

    # The story

    def next_steps(self):
        """What the user does next: one step, or a few that belong together."""
        if self.manifest is None:
            return self.create()
        if self.wants_hands:
            return self.hand_over()
        if self.invalid and self.lots.random() < 0.6:
            return self.mend()
        often = [self.scale, self.scale, self.roll_out, self.roll_out, self.set_variable, self.add, self.remove]
        rarely = [self.spoil, self.span_nodes, self.demand, self.by_hand, self.lose_label, self.conflict, self.go]
        return self.lots.choice([*often, *rarely])()

    def last_steps(self):
        """How the user takes everything away."""
        return [] if self.manifest is None else self.go()

    # Steps

    def create(self):
        names = self.lots.sample(list(self.menu), self.lots.randint(1, 3))
        more = {"pvcs": [CLAIM]} if self.lots.random() < 0.2 else {}
        services = {name: dict(self.menu[name]) for name in names}
        if self.multinode and self.lots.random() < 0.15:
            more["backendFramework"] = "trtllm"
            services = {"Trt": service(**TENSORRT)}
        self.manifest = graph(self.name, services, **more)
        self.manifest["metadata"]["namespace"] = self.namespace
        self.invalid = False
        return [self._apply(f"creates a graph of {', '.join(services)}:")]

    def scale(self):
        key, one = self._service()
        one["replicas"] = self.lots.randint(0, 3)
        return [self._apply(f"scales {key} to {one['replicas']} in")]

    def roll_out(self):
        key, one = self._service()
        image = self.lots.choice(IMAGES)
        container = one["extraPodSpec"]["mainContainer"]
        one["extraPodSpec"] = {"mainContainer": {**container, "image": image}}
        return [self._apply(f"gives {key} the image {image} in")]

    def set_variable(self):
        value = str(self.lots.randint(1, 3))
        self.manifest["spec"]["envs"] = [{"name": "LEVEL", "value": value}]
        return [self._apply(f"sets a variable of all services to {value} in")]

    def add(self):
        missing = [name for name in self.menu if name not in self._services]
        if not missing:
            return []
        key = self.lots.choice(missing)
        self._services[key] = dict(self.menu[key])
        return [self._apply(f"adds {key} to")]

    def remove(self):
        if len(self._services) < 2:
            return []
        key, _ = self._service()
        del self._services[key]
        return [self._apply(f"removes {key} from")]

    def spoil(self):
        """An edit that the API server takes and the hooks find invalid."""
        if self.invalid:
            return []
        _, one = self._service()
        self.invalid = True
        one["ingress"] = {"enabled": True}
        return [self._apply("makes invalid", careful=True)]

    def mend(self):
        self.invalid = False
        for one in self._services.values():
            one.pop("ingress", None)
        return [self._apply("mends", careful=True)]

    def span_nodes(self):
        key, one = self._service()
        if not self.multinode or key not in ("Worker", "Nodes"):
            return []
        if one.pop("multinode", None) is None:
            one["multinode"] = {"nodeCount": 2}
        return [self._apply(f"lets {key} {'span two nodes' if 'multinode' in one else 'run on single nodes'} in")]

    def demand(self):
        key, one = self._service()
        wanted, name = self.lots.randint(1, 4), self._component(key)
        steps = []
        if "autoscaling" not in one:
            one["autoscaling"] = SCALING
            steps.append(self._apply(f"lets {key} scale by itself in", careful=True))
        said = f"needs {wanted} of {self.namespace}/{name}"
        return [*steps, Step(said, lambda cluster: cluster.world.want(name, wanted, self.namespace), careful=True)]

    def by_hand(self):
        key, _ = self._service()
        kind = self.lots.choice(("Deployment", "Deployment", "Service", COMPONENT))
        if self.lots.random() < 0.7:
            return [delete(kind, self._component(key), self.namespace, careful=True)]
        change = lambda item: item["spec"].update(replicas=2)  # noqa: E731 - what it does is said beside it
        return [edit("scales to 2 by hand", "Deployment", self._component(key), self.namespace, change)]

    def lose_label(self):
        """Take from a child the label by which its parent knows it, and put it back: it is let go and adopted."""
        key, _ = self._service()
        name, kept = self._component(key), {}

        def lose(item):
            kept["uid"] = item["metadata"]["labels"].pop("controller-uid", None)

        def restore(item):
            if kept.get("uid"):
                item["metadata"]["labels"]["controller-uid"] = kept["uid"]

        return [
            edit("takes the label off", "Deployment", name, self.namespace, lose),
            edit("puts the label back on", "Deployment", name, self.namespace, restore),
        ]

    def conflict(self):
        """Have something of the user's in the way of a new service for a while."""
        if "Extra" in self._services:
            return []
        self._services["Extra"] = service(**SINGLE, **COMMAND)
        name = self._component("Extra")
        spec = {"ports": [{"port": 80}], "selector": {"app": "mine"}}
        metadata = {"name": name, "namespace": self.namespace}
        theirs = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
        return [
            apply(f"makes a Service {self.namespace}/{name} of their own", theirs, careful=True),
            self._apply("adds Extra, whose Service's name is taken, to", careful=True),
            delete("Service", name, self.namespace, careful=True),
        ]

    def go(self):
        how = self.lots.choice(("Background", "Background", "Foreground", "Orphan"))
        if how == "Orphan":
            self.wants_hands = sorted(self._component(key) for key in self._services)
            return [delete(GRAPH, self.name, self.namespace, how=how, careful=True)]
        self.manifest = None
        return [delete(GRAPH, self.name, self.namespace, how=how)]

    def hand_over(self):
        """Make the graph of orphaned components again, and give them to it."""
        orphaned, self.wants_hands = self.wants_hands, None

        def give(cluster):
            uid = cluster.get(GRAPH, self.name, self.namespace)["metadata"]["uid"]
            for name in orphaned:
                if cluster.find(COMPONENT, name, self.namespace):
                    cluster.edit(COMPONENT, name, partial(_label, uid=uid), self.namespace)

        said = f"labels {', '.join(orphaned)} so that {self.namespace}/{self.name} takes them over"
        return [self._apply("makes again", careful=True), Step(said, give, careful=True)]

    # Words

    @property
    def _services(self):
        return self.manifest["spec"]["services"]

    def _service(self):
        key = self.lots.choice(list(self._services))
        return key, self._services[key]

    def _component(self, key):
        return f"{self.name}-{key.lower()}"

    def _apply(self, said, *, careful=False):
        return apply(f"{said} {self.namespace}/{self.name}", self.manifest, careful=careful)


def _label(item, *, uid):
    item["metadata"].setdefault("labels", {})["controller-uid"] = uid
