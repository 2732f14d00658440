"""What is wrong with a cluster just now, and what is about to go wrong at the n-th request or call from now."""

from contextlib import contextmanager
from datetime import timedelta

from tests.chaos.broken import EngineGone

WRITES = ("create", "update", "update_status", "delete")
UPDATES = ("update", "update_status")


class Armed:
    """A disturbance that waits for its turn, `left` requests or calls from now, and then happens `times` times."""

    def __init__(self, disturbance):
        self.disturbance = disturbance
        self.left, self.times = disturbance.count, disturbance.times

    def comes_up(self):
        """Whether it is its turn."""
        self.left -= 1
        if self.left > 0 or self.times == 0:
            return False
        self.times -= 1
        return True


class Faults:
    """`happened` is the log of it, as (time, words); `kinds` what it was."""

    def __init__(self):
        self.cluster = None
        self.happened, self.kinds = [], []
        self.skew = 0.0
        self._armed = []
        self._depth = 0
        self._away = 0.0
        self._api_away_until = self._late_until = None
        self._late = 0.0
        self._since_rest = False

    # What is about to happen

    def arm(self, disturbance):
        """Let a disturbance happen when its time comes."""
        if disturbance.seconds is None:
            self._armed.append(Armed(disturbance))
        else:
            self.cluster.clock.call_later(disturbance.seconds, lambda: self._happen(disturbance))

    def end(self):
        """Let everything be well again; returns whether anything was not."""
        self._armed.clear()
        self.skew = 0.0
        self.cluster.adapter_workers.failing = {}
        disturbed, self._since_rest = self._since_rest, False
        return disturbed

    def say(self, disturbance, about=""):
        """Write down what happens now."""
        self._since_rest = True
        self.happened.append((self.cluster.clock.now(), f"{disturbance}{about}"))
        self.kinds.append(f"{disturbance.where}: {disturbance.what}")

    def _happen(self, disturbance):
        self.say(disturbance)
        disturbance.befall(self.cluster)

    # What goes wrong with a request

    def of_request(self, verb, item):
        """What is wrong with a request to the API server."""
        if self._api_away_until is not None and self.cluster.clock.now() < self._api_away_until:
            return "unreachable"
        for armed in self._armed:
            disturbance = armed.disturbance
            if disturbance.where == "store" and verb in disturbance.verbs and armed.comes_up():
                self.say(disturbance, f": {verb} {_named(item)}")
                self._away = disturbance.lasting
                return disturbance.what
        return None

    def of_call(self, path):
        """What is wrong with a call of a hook, and for how many seconds."""
        for armed in self._armed:
            disturbance = armed.disturbance
            if disturbance.where == "hooks" and armed.comes_up():
                self.say(disturbance, f": {path.partition('?')[0]}")
                return disturbance.what, disturbance.lasting
        return None, 0.0

    def crash(self, process):
        """End a process of Metacontroller in the middle of what it is doing.

        Raises:
            EngineGone: always.
        """
        self.cluster.end_process(process, self._away)
        raise EngineGone(process)

    @contextmanager
    def waiting(self):
        """How many calls are being waited for, this one among them."""
        self._depth += 1
        try:
            yield self._depth
        finally:
            self._depth -= 1

    # What is wrong for a while

    def api_away(self, seconds):
        """Let no request of Metacontroller arrive, and no event reach it."""
        self._api_away_until = self.cluster.clock.now() + timedelta(seconds=seconds)
        self.floor_away(seconds)

    def floor_away(self, seconds):
        """Stop the controllers below, the collectors and the kubelets."""
        self.cluster.floor_clock.away_until = self.cluster.clock.now() + timedelta(seconds=seconds)

    def events_late(self, seconds, late):
        """Let events of the watches come up to `late` seconds late."""
        self._late_until, self._late = self.cluster.clock.now() + timedelta(seconds=seconds), late

    def lag(self, now, lots):
        """How many seconds an event of now takes to arrive."""
        late = lots.uniform(0, self._late) if self._late_until is not None and now < self._late_until else 0.0
        away = (self._api_away_until - now).total_seconds() if self._api_away_until is not None else 0.0
        return max(late, away)


def _named(item):
    return "an object" if item is None else f"{item['kind']} {item['metadata'].get('name')}"
