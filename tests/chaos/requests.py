"""What users do with a request, and what its profiler comes to."""

from hooks.simulator.workloads import Profile
from tests.chaos.steps import Step, apply, attempt, delete
from tests.simulator.scenarios.requested import FOUND, OUTPUT, REQUEST, users_graph
from tests.simulator.scenarios.situations import GRAPH

NAMESPACE = "inference"
OTHER = "prod"
PROFILES = (FOUND, FOUND, FOUND, Profile(output=OUTPUT), Profile(exit_code=3, message="no GPU"), Profile(output="a: ["))
PROFILE_SECONDS = 90.0


class Request:
    """One request and its user."""

    def __init__(self, lots, number, *, multinode):
        self.lots, self.name = lots, f"quick{number}"
        self.manifest = None
        self.known = False

    def next_steps(self):
        """What the user, or the profiler, does next."""
        if self.manifest is None:
            return self.create()
        steps = [self.profile, self.profile, self.consent, self.lose_job, self.lose_output, self.delete_graph]
        return self.lots.choice([*steps, self.change, self.scale, self.in_the_way, self.go])()

    def last_steps(self):
        """How the user takes everything away: the graph outlives its request."""
        steps = [delete(GRAPH, self.name, place, careful=True) for place in (NAMESPACE, OTHER)]
        if self.manifest is not None:
            steps.insert(self.lots.randint(0, 2), self._delete())
        return steps

    def create(self):
        overrides = {"deploymentOverrides": {"namespace": OTHER}} if self.lots.random() < 0.4 else {}
        profiling = {"profilerImage": "registry.example/runtime:1", "config": {}}
        spec = {"model": "Qwen/Qwen3-0.6B", "backend": "vllm", "profilingConfig": profiling, **overrides}
        self.manifest = {
            "apiVersion": "nvidia.com/v1alpha1",
            "kind": REQUEST,
            "metadata": {"name": self.name, "namespace": NAMESPACE},
            "spec": {**spec, "autoApply": self.lots.random() < 0.8},
        }
        said = f"requests {self.name}{' for ' + OTHER if overrides else ''}"
        steps = [apply(said, self.manifest, careful=True)]
        if not self.known and self.lots.random() < 0.5:
            steps = [*self.profile(), *steps]
        return steps

    def profile(self):
        self.known = True
        profile = self.lots.choice(PROFILES)
        return [Step(f"the profiler comes to {_said(profile)}", lambda cluster: cluster.world.profiled(profile), True)]

    def consent(self):
        value = self.lots.choice((NAMESPACE, NAMESPACE, "others"))
        annotations = {"nvidia.com/allow-deployments-from": value}
        consenting = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": OTHER, "annotations": annotations}}
        return [apply(f"lets {value} deploy to {OTHER}", consenting, careful=True)]

    def lose_job(self):
        return [delete("Job", f"profile-{self.name}", NAMESPACE, careful=True)]

    def lose_output(self):
        return [delete("ConfigMap", f"dgdr-output-{self.name}", NAMESPACE, careful=True)]

    def delete_graph(self):
        return [delete(GRAPH, self.name, self.lots.choice((NAMESPACE, OTHER)), careful=True)]

    def change(self):
        """Change the spec, which the API server refuses once profiling has started."""
        change = lambda item: item["spec"].update(autoApply=not item["spec"]["autoApply"])  # noqa: E731
        said = f"changes autoApply of {self.name}"
        return [attempt(said, lambda cluster: cluster.edit(REQUEST, self.name, change, NAMESPACE))]

    def scale(self):
        def change(item):
            for service in item["spec"]["services"].values():
                service["replicas"] = 3

        def act(cluster):
            if cluster.find(GRAPH, self.name, NAMESPACE):
                cluster.edit(GRAPH, self.name, change, NAMESPACE)

        return [Step(f"scales the graph of {self.name} to 3", act, careful=True)]

    def in_the_way(self):
        """A graph of the user's of that name, where there is none yet."""

        def act(cluster):
            if not cluster.find(GRAPH, self.name, NAMESPACE):
                cluster.apply(users_graph(NAMESPACE, self.name))

        return [Step(f"makes graph {NAMESPACE}/{self.name} by hand if it is not there", act, careful=True)]

    def go(self):
        steps = [self._delete()]
        self.manifest = None
        return steps

    def _delete(self):
        how = self.lots.choice(("Background", "Background", "Foreground"))
        return delete(REQUEST, self.name, NAMESPACE, how=how, careful=True)


def _said(profile):
    if profile.exit_code:
        return f"exit code {profile.exit_code}"
    return f"an output of {len(profile.output)} characters"
