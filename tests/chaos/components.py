"""What users do with a component of its own."""

from tests.chaos.graphs import IMAGES
from tests.chaos.steps import apply, delete
from tests.simulator.scenarios.situations import COMPONENT
from tests.simulator.scenarios.test_multinode import COMMAND, SINGLE
from tests.simulator.scenarios.test_namespaces import QWEN, component


class Alone:
    """One component without a graph, and its user."""

    def __init__(self, lots, number, *, multinode):
        self.lots, self.name, self.multinode = lots, f"alone{number}", multinode
        self.manifest = None

    def next_steps(self):
        """What the user does next."""
        if self.manifest is None:
            self.manifest = component(self.name, **self.lots.choice((QWEN, COMMAND)), **SINGLE)
            return [self._apply("creates")]
        spec = self.manifest["spec"]
        chosen = self.lots.choice(("scale", "image", "nodes", "invalid", "mend", "go"))
        if chosen == "scale":
            spec["replicas"] = self.lots.randint(0, 3)
            return [self._apply(f"scales to {spec['replicas']}")]
        if chosen == "image":
            container = spec["extraPodSpec"]["mainContainer"]
            spec["extraPodSpec"] = {"mainContainer": {**container, "image": self.lots.choice(IMAGES)}}
            return [self._apply("gives another image to")]
        if chosen == "nodes" and self.multinode and "modelRef" not in spec:
            spec["multinode"] = {"nodeCount": self.lots.randint(2, 3)}
            return [self._apply(f"spreads over {spec['multinode']['nodeCount']} nodes")]
        if chosen == "invalid":
            spec["ingress"] = {"enabled": True}
            return [self._apply("makes invalid", careful=True)]
        if chosen == "mend" and spec.pop("ingress", None):
            return [self._apply("mends", careful=True)]
        return self.last_steps() if chosen == "go" else []

    def last_steps(self):
        """How the user takes it away."""
        if self.manifest is None:
            return []
        self.manifest = None
        return [delete(COMPONENT, self.name, how=self.lots.choice(("Background", "Foreground")))]

    def _apply(self, said, *, careful=False):
        return apply(f"{said} component default/{self.name}", self.manifest, careful=careful)
