"""The parts of a cluster that chaos breaks, each as its real counterpart breaks."""

from datetime import timedelta

from hooks.simulator.errors import ApiError
from hooks.simulator.metacontroller.failures import TooManyRequests
from hooks.simulator.metacontroller.hook_client import HookFailed

DEEPEST = 3
"""Calls of hooks that are waited for at the same time: Metacontroller has several workers."""
TIMEOUT = 10.0
"""Seconds after which Metacontroller gives a hook up."""
TOUCH = "chaos.example/touched"
"""Annotation by which somebody else changes an object, so that a write of an older version is a real conflict."""


class EngineGone(Exception):  # noqa: N818 - what happened
    """A process of Metacontroller has ended: what it was doing stops where it stands, and nothing is cleaned up."""

    def __init__(self, process):
        self.process = process
        super().__init__()


class Process:
    """One process of Metacontroller."""

    def __init__(self):
        self.alive = self.leads = True
        self.engine = None

    def retire(self):
        """Begin nothing any more."""
        self.leads = False
        self.engine.stop()

    def end(self):
        """Do nothing any more, wherever it stands."""
        self.retire()
        self.alive = False

    def check(self):
        if not self.alive:
            raise EngineGone(self)


class BrokenStore:
    """The API server as a process of Metacontroller reaches it."""

    def __init__(self, store, clock, process, faults):
        self._store, self.clock = store, clock
        self._process, self._faults = process, faults

    def __getattr__(self, name):
        return getattr(self._store, name)

    def get(self, kind, name, namespace=""):
        return self._request("get", lambda: self._store.get(kind, name, namespace))

    def create(self, item):
        return self._request("create", lambda: self._store.create(item), item)

    def update(self, item):
        return self._request("update", lambda: self._store.update(item), item)

    def update_status(self, item):
        return self._request("update_status", lambda: self._store.update_status(item), item)

    def delete(self, kind, name, namespace="", **options):
        return self._request("delete", lambda: self._store.delete(kind, name, namespace, **options))

    def _request(self, verb, do, item=None):
        self._process.check()
        fault = self._faults.of_request(verb, item)
        if fault == "refused":
            raise ApiError(500, "InternalError", "an error on the server has prevented the request from succeeding")
        if fault == "unreachable":
            raise ApiError(503, "ServiceUnavailable", "connection refused")
        if fault == "timeout":
            raise ApiError(504, "Timeout", "the server was unable to return a response in the time allotted")
        if fault == "crash":
            self._faults.crash(self._process)
        if fault == "conflict":
            self._touch(item)
        done = do()
        if fault == "timeout, but done":
            raise ApiError(504, "Timeout", "the server was unable to return a response in the time allotted")
        if fault == "crash, once done":
            self._faults.crash(self._process)
        self._process.check()
        return done

    def _touch(self, item):
        """Let somebody change an object between our reading and our writing it."""
        metadata = item["metadata"]
        kind = self._store.resource(item["kind"], item["apiVersion"]).kind
        try:
            live = self._store.get(kind, metadata["name"], metadata.get("namespace", ""))
        except ApiError:
            return  # it is gone: that is refused anyway
        annotations = live["metadata"].setdefault("annotations", {})
        annotations[TOUCH] = str(int(annotations.get(TOUCH, "0")) + 1)
        with self._store.acting("somebody"):
            self._store.update(live)


class BrokenHooks:
    """The hooks as a process of Metacontroller reaches them."""

    def __init__(self, client, cluster, process):
        self._client, self._cluster, self._process = client, cluster, process
        self._faults = cluster.faults

    def call(self, webhook, request):
        self._process.check()
        fault, seconds = self._faults.of_call(webhook.path)
        if fault == "refused":
            raise HookFailed("connection refused")
        if fault == "answers 500":
            raise HookFailed("answered 500: broken")
        if fault == "answers 429":
            raise TooManyRequests(seconds)
        answer = self._client.call(webhook, request)
        if fault == "answer lost":
            raise HookFailed("connection reset by peer")
        if fault == "answer cut off":
            return answer[: len(answer) // 2]
        if fault == "times out":
            self._wait(TIMEOUT)
            raise HookFailed("context deadline exceeded")
        if fault == "slow":
            self._wait(seconds)
        return answer

    def _wait(self, seconds):
        """Let the world go on while an answer is awaited."""
        clock = self._cluster.clock
        end = clock.now() + timedelta(seconds=seconds)
        with self._faults.waiting() as depth:
            while depth <= DEEPEST:
                try:
                    clock.run_until(end)
                    break
                except EngineGone as gone:
                    if gone.process is self._process:
                        raise
        self._process.check()


class SkewedClock:
    """The clock of the hooks' machine."""

    def __init__(self, clock, faults):
        self._clock, self._faults = clock, faults

    def now(self):
        return self._clock.now() + timedelta(seconds=self._faults.skew)


class PausableClock:
    """A clock whose actions wait while those who would act are away: controllers, collectors and kubelets."""

    def __init__(self, clock):
        self._clock = clock
        self.away_until = clock.now()

    def now(self):
        return self._clock.now()

    def call_later(self, seconds, action, *, background=False):
        return _Deferred(self, self._clock, seconds, action, background)


class _Deferred:
    """An action that is put off as long as its actor is away."""

    def __init__(self, owner, clock, seconds, action, background):
        self._owner, self._clock, self._action, self.background = owner, clock, action, background
        self._event = clock.call_later(seconds, self._due, background=background)

    def cancel(self):
        self._event.cancel()

    def _due(self):
        left = (self._owner.away_until - self._clock.now()).total_seconds()
        if left > 0:
            self._event = self._clock.call_later(left, self._due)
        else:
            self._action()
