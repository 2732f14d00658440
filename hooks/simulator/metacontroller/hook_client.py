"""Calls the hooks through their WSGI application, and breaks them where a scenario wants that."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from wsgiref.types import WSGIApplication

import orjson
from werkzeug.test import Client

from hooks.protocol import Object
from hooks.simulator.clock import Clock
from hooks.simulator.metacontroller.failures import SyncFailed, TooManyRequests
from hooks.simulator.metacontroller.manifests import Webhook


class HookFailed(SyncFailed):
    """A hook did not answer, or not with 200."""


@dataclass(frozen=True)
class Outage:
    """A time in which the hooks fail: with an HTTP status, or without an answer where it is None."""

    until: datetime
    status: int | None = None
    retry_after: int = 0


class HookClient:
    """The hooks as Metacontroller reaches them.

    `calls` counts the calls by path, `token` is what they carry. A scenario breaks them with `fail`.
    """

    def __init__(self, application: WSGIApplication, clock: Clock, token: str | None = None) -> None:
        self.calls: dict[str, int] = {}
        self.token = token
        self._client = Client(application)
        self._clock = clock
        self._outage: Outage | None = None

    @property
    def application(self) -> WSGIApplication:
        """What answers."""
        return self._client.application

    def replace(self, application: WSGIApplication) -> None:
        """From now on, answer with another application."""
        self._client = Client(application)

    def fail(self, seconds: float, status: int | None = None, retry_after: int = 0) -> None:
        """From now on and for so many seconds, answer with `status`, or not at all (None)."""
        self._outage = Outage(self._clock.now() + timedelta(seconds=seconds), status, retry_after)

    def call(self, webhook: Webhook, request: Object) -> bytes:
        """POST a request to a hook; returns the body of its answer.

        Raises:
            HookFailed: there was no answer, or none with status 200.
            TooManyRequests: it answered 429.
        """
        path = webhook.path.partition("?")[0]
        self.calls[path] = self.calls.get(path, 0) + 1
        outage = self._outage
        if outage is not None and self._clock.now() < outage.until:
            return self._broken(webhook, outage)
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        body = orjson.dumps(request)
        response = self._client.post(webhook.path, data=body, content_type="application/json", headers=headers)
        answer = response.get_data()
        response.close()  # so it is recorded: a fault is shown
        if response.status_code == 429:
            raise TooManyRequests(response.headers.get("Retry-After", 0, type=int))
        if response.status_code != 200:
            raise HookFailed(f"{path} answered {response.status_code}: {answer.decode()}")
        return answer

    @staticmethod
    def _broken(webhook: Webhook, outage: Outage) -> bytes:
        path = webhook.path.partition("?")[0]
        if outage.status == 429:
            raise TooManyRequests(outage.retry_after)
        raise HookFailed(f"{path}: connection refused" if outage.status is None else f"{path} answered {outage.status}")
