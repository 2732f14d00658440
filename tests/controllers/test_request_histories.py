"""Random histories of requests: what must never happen, and what they must come to.

`--seeds N` decides how many: 200 histories for each seed.
"""

import random

from tests.controllers.request_world import World

HISTORIES = 200
"""Histories of one seed: 1,000 in `make test`, 10,000 in .ci/run."""
EVENTS = 30


def pytest_generate_tests(metafunc):
    chosen = metafunc.config.getoption("--seed")
    seeds = range(metafunc.config.getoption("--seeds")) if chosen is None else [chosen]
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", seeds)


FOLLOWING = {
    "": {"Pending", "Failed", "Profiling"},
    "Pending": {"Pending", "Failed", "Profiling", "Ready", "Deploying"},
    "Profiling": {"Profiling", "Failed", "Ready", "Deploying"},
    "Deploying": {"Deploying", "Ready", "Failed", "DeploymentDeleted"},
    "Ready": {"Ready", "DeploymentDeleted"},
    "DeploymentDeleted": {"DeploymentDeleted"},
}
"""State → the states that may follow. What follows `Failed` depends on how far the request was."""


def may_follow(before, after):
    if before.get("state", "") != "Failed":
        return after["state"] in FOLLOWING[before.get("state", "")]
    if "generatedDeployment" in before:
        return after["state"] in {"Failed", "Deploying", "Ready"}
    if any(found["type"] == "Profiling" for found in before["conditions"]):
        return after["state"] in {"Failed", "Ready", "Deploying", "Profiling"}
    return after["state"] in {"Failed", "Pending", "Profiling"}


def facts_are_kept(before, after):
    """Whether a status still knows what was known."""
    deployed = before.get("deployment", {}).get("created")
    return (
        before.get("generatedDeployment") in (None, after.get("generatedDeployment"))
        and (not deployed or after["deployment"]["created"])
        and ("Profiling" not in steps(before) or "Profiling" in steps(after))
    )


def steps(status):
    return {found["type"] for found in status.get("conditions", [])}


def asks_for_something_else(world):
    """Whether a user changed what is asked for just when the Job was made: then nobody sees what that is about."""
    today = world.request["spec"]
    same = today.get("autoApply") == world.spec().get("autoApply") and world.target(today) == world.target()
    return world.changed_behind_a_job and not same


def expected(world):
    """State and reason that the table gives to what is true, read once more from the specification."""
    spec, status, found = world.spec(), world.status, world.graph()
    auto, ours = spec.get("autoApply", False), world.is_ours(world.graph())
    created = status.get("deployment", {}).get("created") or status.get("state") == "DeploymentDeleted"
    if auto and ours:
        if found["status"]["state"] == "successful":
            return "Ready", "DeploymentReady"
        return ("Ready", "DeploymentDegraded") if status["state"] == "Ready" else ("Deploying", "DeploymentCreated")
    if auto and created:
        return "DeploymentDeleted", "DeploymentDeleted"
    output = world.find("ConfigMap", "dgdr-output-chat")
    data = output["data"] if output and output["metadata"]["annotations"]["dgdr.nvidia.com/uid"] == world.uid else {}
    text = data.get("config_with_planner.yaml")
    if status.get("generatedDeployment") or (text and text != "a: ["):
        if not auto:
            return "Ready", "SpecGenerated"
        return ("Failed", problem(world)) if problem(world) else ("Deploying", "DeploymentPending")
    return expected_of_profiling(world, text, data)


def expected_of_profiling(world, text, data):
    job = world.job()
    ended = {found["type"] for found in (job or {}).get("status", {}).get("conditions", [])}
    if text:
        return "Failed", "OutputInvalid"
    if "error" in data or "Failed" in ended:
        return "Failed", "ProfilingFailed"
    if "Complete" in ended:
        return "Failed", "OutputMissing"
    if job:
        return "Profiling", "ProfilingRunning"
    profiling = world.condition("Profiling")
    if profiling:
        return "Failed", profiling["reason"]
    return expected_before_profiling(world)


def expected_before_profiling(world):
    spec = world.spec()
    if world.find("Job", "profile-chat"):
        return "Pending", "NameConflict"
    if spec.get("deploymentOverrides", {}).get("name") == "No Name":
        return "Failed", "InvalidSpec"
    if "configMapRef" in spec["profilingConfig"] and not world.find("ConfigMap", "base"):
        return "Pending", "ConfigMapNotFound"
    if spec.get("autoApply") and problem(world):
        return "Pending", problem(world)
    return "Pending", "SpecValid"


def problem(world):
    """Why the graph cannot be made where it is to go."""
    place, _ = world.target()
    if place == "prod":
        target = world.find("Namespace", "prod", "")
        if target is None:
            return "NamespaceNotFound"
        consents = target["metadata"].get("annotations", {}).get("nvidia.com/allow-deployments-from")
        if consents not in ("inference", "*"):
            return "NamespaceNotAllowed"
    return "NameConflict" if world.graph() is not None and not world.is_ours(world.graph()) else None


def reasons(status):
    return {found["reason"] for found in status["conditions"]}


class CheckedWorld(World):
    """Sees to it that a Job is made only where the table says so, as far as nothing is hidden."""

    def children_are_applied(self, seen, desired, asking):
        makes_job = any("spec" in child for child in desired)
        if makes_job and asking is self.request and self.seen == self.objects:
            assert expected(self) == ("Pending", "SpecValid")
        super().children_are_applied(seen, desired, asking)


def run(seed):
    world = CheckedWorld(random.Random(seed))
    for _ in range(EVENTS):
        world.random.choice(World.EVENTS)(world)
        for _ in range(world.random.randrange(3)):
            world.controller_syncs()
        if world.random.random() < 0.3:
            world.namespace_syncs()
    return world


def settle(world):
    """Nothing happens any more and all caches catch up; everybody is asked until the answers are equal."""
    world.time_passes()
    for _ in range(10):
        world.everything_is_seen()
        before = world.request
        world.now = world.now.replace(year=world.now.year + 1)
        world.controller_syncs()
        world.namespace_syncs()
        if before.get("status") == world.status and world.seen == world.objects:
            return
    raise AssertionError(f"the status never comes to rest: {before['status']} and {world.status}")


def check(world):
    assert set(world.made_jobs.values()) <= {1}, world.made_jobs
    assert set(world.made_graphs.values()) <= {1}, world.made_graphs
    previous = {}
    for uid, status in world.history:
        before = previous.get(uid, {})
        assert may_follow(before, status), (before, status)
        assert facts_are_kept(before, status), (before, status)
        previous[uid] = status


def test_no_history_makes_a_second_job_or_graph_and_each_comes_to_what_the_table_says(seed):
    for number in range(seed * HISTORIES, (seed + 1) * HISTORIES):
        world = run(number)
        settle(world)
        check(world)
        if asks_for_something_else(world):
            continue
        state, reason = expected(world)
        assert (world.status["state"], reason in reasons(world.status)) == (state, True), (
            number,
            state,
            reason,
            world.status,
        )


def test_the_histories_reach_everything_that_they_are_about():
    worlds = [run(number) for number in range(300)]
    said = {(status["state"], reason) for world in worlds for _, status in world.history for reason in reasons(status)}
    assert {
        ("Pending", "SpecValid"),
        ("Pending", "NameConflict"),
        ("Pending", "NamespaceNotFound"),
        ("Pending", "NamespaceNotAllowed"),
        ("Pending", "ConfigMapNotFound"),
        ("Profiling", "ProfilingRunning"),
        ("Profiling", "SpecChangeRejected"),
        ("Deploying", "DeploymentPending"),
        ("Deploying", "DeploymentCreated"),
        ("Ready", "DeploymentReady"),
        ("Ready", "DeploymentDegraded"),
        ("Ready", "SpecGenerated"),
        ("DeploymentDeleted", "DeploymentDeleted"),
        ("Failed", "InvalidSpec"),
        ("Failed", "OutputInvalid"),
        ("Failed", "ProfilingFailed"),
        ("Failed", "OutputMissing"),
        ("Failed", "ProfilingJobLost"),
        ("Failed", "NameConflict"),
    } <= said
    assert any(world.made_graphs for world in worlds)
