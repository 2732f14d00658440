"""What can befall a cluster, drawn at random: a disturbance is plain data, so that it can be replayed and left out."""

import math
from dataclasses import dataclass

from hooks.adapters import Outcome
from tests.chaos.faults import UPDATES, WRITES

STORE = ("refused", "timeout", "timeout, but done", "conflict", "crash", "crash, once done")
HOOKS = ("refused", "answers 500", "answers 429", "answer lost", "answer cut off", "times out", "slow")
ELSEWHERE = (
    "Metacontroller is away",
    "the hooks are away",
    "the hooks answer 500",
    "the API server is away",
    "events come late",
    "the controllers below are away",
    "another leader takes over",
    "the hooks' clock jumps",
    "workers refuse adapters",
)
LATE = 20.0
"""Seconds that events may come late. With the skew and what else is slow it has to stay below 60 s, after which a
request that waits for its output gives up, and may."""
SKEW = 30.0
"""Seconds that the hooks' clock may jump."""


@dataclass(frozen=True)
class Disturbance:
    """Something that goes wrong after a step of a life cycle.

    With the `count`-th request to the API server or call of a hook from then, `times` times; or after `seconds`.
    """

    step: int
    where: str
    what: str
    count: int = 0
    times: int = 1
    seconds: float | None = None
    lasting: float = 0.0

    def __str__(self):
        lasting = f" ({self.lasting:.3g} s)" if self.lasting else ""
        if self.where == "elsewhere":
            return f"{self.what}{lasting}"
        whose = "request" if self.where == "store" else "call of a hook"
        return f"{whose} {self.count}: {self.what}{lasting}"

    @property
    def verbs(self):
        """The requests that it counts."""
        if self.what == "conflict":
            return UPDATES
        return WRITES if "crash" in self.what else ("get", *WRITES)

    def befall(self, cluster):
        """Let it happen now, where it is one that lasts."""
        faults, seconds = cluster.faults, self.lasting
        {
            "Metacontroller is away": lambda: cluster.end_metacontroller(seconds),
            "the hooks are away": lambda: cluster.hooks.fail(seconds),
            "the hooks answer 500": lambda: cluster.hooks.fail(seconds, 500),
            "the API server is away": lambda: faults.api_away(seconds),
            "events come late": lambda: faults.events_late(seconds, LATE),
            "the controllers below are away": lambda: faults.floor_away(seconds),
            "another leader takes over": lambda: cluster.change_leader(seconds),
            "the hooks' clock jumps": lambda: setattr(faults, "skew", math.copysign(SKEW, self.count)),
            "workers refuse adapters": lambda: _refuse_adapters(cluster, seconds),
        }[self.what]()


def draw(lots, steps):
    """Some disturbances of a life cycle with so many steps."""
    return tuple(_one(lots, lots.randrange(steps)) for _ in range(lots.randint(1, 20)))


def _one(lots, step):
    where = lots.choices(("store", "hooks", "elsewhere"), (4, 3, 3))[0]
    if where == "elsewhere":
        what, sign = lots.choice(ELSEWHERE), lots.choice((-1, 1))
        lasting = _spread(lots, 0.1, 600 if "hooks" in what or "Meta" in what else 60)
        return Disturbance(step, where, what, sign, seconds=_spread(lots, 0.01, 60), lasting=lasting)
    what = lots.choice(STORE if where == "store" else HOOKS)
    longest = 9.5 if where == "hooks" else 30
    needed = "crash" in what or what in ("slow", "answers 429")
    return Disturbance(
        step,
        where,
        what,
        count=int(_spread(lots, 1, 60)),
        times=1 if "crash" in what else lots.choice((1, 1, 2, 5)),
        lasting=round(_spread(lots, 0.05, longest), 2) if needed else 0.0,
    )


def _spread(lots, least, most):
    """A number between two, as likely small as large."""
    return round(math.exp(lots.uniform(math.log(least), math.log(most))), 3)


class _Everywhere(dict):
    """The same outcome on every worker."""

    def __contains__(self, address):
        return True

    def __getitem__(self, address):
        return Outcome(done=False, result="failed", message="answers 500", settled=False)


def _refuse_adapters(cluster, seconds):
    cluster.adapter_workers.failing = _Everywhere()
    cluster.clock.call_later(seconds, lambda: setattr(cluster.adapter_workers, "failing", {}))
