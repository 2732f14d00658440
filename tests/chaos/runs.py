"""Runs a life cycle undisturbed and disturbed, says what went wrong, and finds the fewest disturbances that do it."""

import random
from dataclasses import dataclass, field

from hooks.simulator.cluster import HOUR, ClusterProblem, NeverReached
from hooks.simulator.errors import ApiError
from hooks.simulator.workloads import PodFault
from tests.chaos import disturbances, life_cycles
from tests.chaos.cluster import ChaosCluster
from tests.chaos.comparison import differences, orphans, state
from tests.chaos.graphs import BROKEN
from tests.chaos.history import History, worse
from tests.chaos.requests import PROFILE_SECONDS

WAIT = 2 * HOUR
"""How long a user waits for a deletion to end."""
MOST_LINES = 60
"""Lines of differences that are shown of each rest."""


@dataclass
class Run:
    """What came of a life cycle: how things were at each rest, what became of each object, and what happened when."""

    cluster: ChaosCluster
    history: History
    rests: dict = field(default_factory=dict)
    told: list = field(default_factory=list)
    problem: str = ""


@dataclass(frozen=True)
class Verdict:
    """`faults` are lines that say what is wrong, none where all is well; `told` is the story.

    `disturbances` could befall it, and of these `happened` did.
    """

    number: int
    faults: tuple = ()
    told: tuple = ()
    disturbances: tuple = ()
    happened: tuple = ()


def drawn(seed, number):
    """Life cycle and disturbances of a number."""
    lots = random.Random(f"{seed}/{number}")
    cycle = life_cycles.draw(lots)
    return cycle, disturbances.draw(lots, len(cycle.steps))


def judge(seed, number, chosen=None, **planted):
    """Run a life cycle both ways, with some of its disturbances where they are given."""
    cycle, befalling = drawn(seed, number)
    return compare(cycle, number, befalling if chosen is None else chosen, **planted)


def compare(cycle, number, befalling, **planted):
    """Run a life cycle undisturbed, and once more with disturbances and whatever is `planted`."""
    undisturbed = run(cycle, number, (), patient=True)
    if undisturbed.problem:
        faults = (f"undisturbed: {undisturbed.problem}",)
        return Verdict(number, faults, tuple(undisturbed.told))
    return against(undisturbed, cycle, number, befalling, **planted)


def against(undisturbed, cycle, number, befalling, **planted):
    """Run a life cycle with disturbances and whatever is `planted`, and hold it against an undisturbed run."""
    disturbed = run(cycle, number, befalling, **planted)
    faults = _worse(undisturbed, disturbed)
    happened = tuple(disturbed.cluster.faults.kinds)
    return Verdict(number, tuple(faults), tuple(disturbed.told), befalling, happened)


def shrink(seed, verdict, **planted):
    """The same with as few disturbances as still go wrong, by leaving out one after the other."""
    for one in verdict.disturbances:
        rest = tuple(other for other in verdict.disturbances if other is not one)
        smaller = judge(seed, verdict.number, rest, **planted)
        if smaller.faults:
            verdict = smaller
    return verdict


def run(cycle, seed, befalling, *, patient=False, **planted):
    """One run. A patient user waits after each step until everything is at rest."""
    cluster = ChaosCluster(seed, cycle.optional_apis, **planted)
    cluster.world.profile_seconds = PROFILE_SECONDS
    cluster.world.spoil(BROKEN, PodFault.IMAGE_PULL)
    cluster.rest()
    made = Run(cluster, History(cluster))
    try:
        _live(made, cycle, befalling, patient=patient)
    except (ClusterProblem, ApiError) as error:
        made.problem = f"{type(error).__name__}: {error}"
    return made


def _live(made, cycle, befalling, *, patient):
    cluster = made.cluster
    for number, step in enumerate(cycle.steps):
        made.told.append((cluster.clock.now(), f"step {number}: the user {step.said}"))
        step.act(cluster)
        for disturbance in befalling:
            if disturbance.step == number:
                cluster.faults.arm(disturbance)
        if step.awaited and not cluster.until(lambda step=step: step.awaited(cluster), WAIT):
            raise NeverReached(f"what the user {step.said} never goes")
        if not patient and number in cycle.hurried:
            cluster.pass_by(number % 4 + 0.1)
            continue
        cluster.rest()
        made.rests[number] = state(cluster, made.history)
    errors = _sync_errors(cluster)
    cluster.check_fixed_point()
    if _sync_errors(cluster) != errors:
        made.history.broken.append(f"a sync still fails at rest: {list(cluster.events)[-1]}")
    made.history.broken += orphans(cluster)


def _sync_errors(cluster):
    return sum(event.count for event in cluster.events if event.reason == "SyncError")


def _worse(undisturbed, disturbed):
    faults = [disturbed.problem] if disturbed.problem else []
    for number, found in disturbed.rests.items():
        lines = differences(undisturbed.rests[number], found)
        if lines:
            faults += [f"after step {number} it comes to rest otherwise:", *lines[:MOST_LINES]]
            break
    told = [(at, f"  {words}") for at, words in disturbed.cluster.faults.happened]
    disturbed.told = sorted([*disturbed.told, *told], key=lambda entry: entry[0])
    return faults + worse(undisturbed.history, disturbed.history)
