"""Life cycles: what users do, one step after the other, drawn by a seed."""

import random
from dataclasses import dataclass
from itertools import pairwise

from hooks.simulator.optional_apis import OPTIONAL_APIS
from tests.chaos.components import Alone
from tests.chaos.graphs import Graph
from tests.chaos.others import Model, PullSecret, Team
from tests.chaos.requests import Request

LEADER_WORKER_SET = "LeaderWorkerSet"
assert LEADER_WORKER_SET in OPTIONAL_APIS


@dataclass(frozen=True)
class LifeCycle:
    """Steps, and what the cluster has for them.

    `hurried` holds the numbers of the steps after which the user does not wait until everything is at rest.
    """

    steps: tuple
    hurried: frozenset
    optional_apis: tuple


def draw(lots: random.Random):
    """A life cycle of one to three resources."""
    multinode = lots.random() < 0.7
    authors = [_author(lots, number, multinode=multinode) for number in range(lots.choice((1, 1, 2, 2, 3)))]
    steps = []
    for _ in range(lots.randint(4, 11)):
        steps += lots.choice(authors).next_steps()
    if lots.random() < 0.5:
        lots.shuffle(authors)
        for author in authors:
            steps += author.last_steps()
    hurried = {
        number
        for number, (step, following) in enumerate(pairwise(steps))
        if not step.careful and not following.careful and lots.random() < 0.5
    }
    return LifeCycle(tuple(steps), frozenset(hurried), (LEADER_WORKER_SET,) if multinode else ())


def _author(lots, number, *, multinode):
    """Whoever writes one resource; the first has the request, since all requests share one profiler."""
    kinds = {Graph: 5, Alone: 1, Model: 2, PullSecret: 1, Team: 1} | ({Request: 5} if number == 0 else {})
    chosen = lots.choices(list(kinds), list(kinds.values()))[0]
    return chosen(lots, number, multinode=multinode)
