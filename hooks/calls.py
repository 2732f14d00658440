"""What is recorded of each call: a line of the log, and the metrics."""

import contextlib
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, g, request

from hooks import metrics
from hooks.adapters import Outcome
from hooks.log import Log
from hooks.protocol import Object
from hooks.status.summary import summary

_OUTCOMES: dict[int, str] = {
    HTTPStatus.OK: "ok",
    HTTPStatus.BAD_REQUEST: "malformed",
    HTTPStatus.UNAUTHORIZED: "unauthorized",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too_large",
    HTTPStatus.TOO_MANY_REQUESTS: "too_many",
    HTTPStatus.UNPROCESSABLE_ENTITY: "unprocessable",
}
_LEVELS = {2: logging.INFO, 4: logging.WARNING, 5: logging.ERROR}
"""First digit of a status → level of its line."""
_LONGEST = 253
"""Characters of the longest name there is in Kubernetes; of what is longer, no more is logged."""
_MADE = ("children", "attachments", "items")
"""Where an answer lists what is to be: that of a hook, of a decorator's, and of a manifest that was rendered."""
_WHY = ("problem", "fault_id", "fault")


@dataclass(slots=True)
class Call:
    """One call, filled in while it is answered."""

    controller: str
    hook: str
    path: str
    started: float
    """Reading of a monotonic clock, in seconds."""
    size: int = 0
    """Bytes of the body."""
    body: Any = None
    """What the body holds. Kept until the call is recorded, since freeing it takes a while, too."""
    parent: Object | None = None
    answer: Object | None = None
    workers: Mapping[str, Outcome] = field(default_factory=dict)
    """What came of the controller's task, by the workers' addresses."""
    problem: str | None = None
    """Why a call was refused."""
    fault_id: str | None = None
    fault: str | None = None
    """What failed in us, with its traceback."""


def record_calls(app: Flask, log: Log, unrecorded: frozenset[str]) -> None:
    """Record each call to the app, but for those to the `unrecorded` endpoints.

    Args:
        app: the application; `g.call` is the call.
        log: where to write the lines.
        unrecorded: endpoints that are asked every few seconds, such as `/healthz`.
    """

    def begin() -> None:
        # A hook's endpoint is "hooks.<controller>/<hook>". What has none counts as "none", however its path reads.
        controller, _, hook = (request.endpoint or "none").rpartition(".")[2].partition("/")
        size = request.content_length or 0
        g.call = Call(controller, hook or controller, request.path[:_LONGEST], time.perf_counter(), size)

    def end(response: Response) -> Response:
        if request.endpoint not in unrecorded:
            response.call_on_close(partial(_record, g.call, response.status_code, log))  # so that nobody waits for it
        return response

    app.before_request(begin)
    app.after_request(end)


def _record(call: Call, status: int, log: Log) -> None:
    duration = time.perf_counter() - call.started
    outcome = _OUTCOMES.get(status, "error")
    _calls(call.controller, call.hook, outcome).inc()
    _duration(call.controller, call.hook).observe(duration)
    _request_size(call.controller, call.hook).observe(call.size)
    state = _state(call.parent, call.answer) if call.parent and call.answer else None
    if state and call.parent:
        _answers(call.parent["kind"], state).inc()
    for outcome_of_worker in call.workers.values():
        metrics.ADAPTER_CALLS.labels(outcome_of_worker.result).inc()
    with contextlib.suppress(OSError):  # a log that nobody can read must not cost the answer
        log.log(_LEVELS[status // 100], "call", **_line(call, outcome, state), duration_seconds=round(duration, 6))
    call.body = call.parent = call.answer = None


def _line(call: Call, outcome: str, state: str | None) -> dict[str, Any]:
    line: dict[str, Any] = {"controller": call.controller, "hook": call.hook, "outcome": outcome}
    if call.parent is None:
        line["path"] = call.path
    else:
        metadata = call.parent["metadata"]
        line["kind"] = call.parent["kind"]
        line |= {key: _short(metadata.get(key)) for key in ("namespace", "name", "uid", "generation")}
    if call.answer is not None:
        line["state"] = state
        line["children"] = len(next((call.answer[key] for key in _MADE if key in call.answer), ()))
    failed = [f"{address} {found.message}" for address, found in sorted(call.workers.items()) if found.message]
    if failed:
        line["workers"] = failed
    return line | {key: value for key in _WHY if (value := getattr(call, key)) is not None}


def _short(value: Any) -> str | int | None:
    """A value of somebody's metadata, if it is one that belongs there."""
    return value[:_LONGEST] if isinstance(value, str) else value if isinstance(value, int) else None


def _state(parent: Object, answer: Object) -> str | None:
    """The status that is answered, in one word: its `state`, or the status of the condition that sums it up."""
    status = answer.get("status")
    if not isinstance(status, dict):
        return None
    if status.get("state"):
        return str(status["state"])
    summed_up = summary({"kind": parent["kind"], "status": status})
    return str(summed_up["status"]) if summed_up else None


# Looking a child up by its labels costs more than counting does, and there are few of them.
_calls = cache(metrics.CALLS.labels)
_duration = cache(metrics.DURATION.labels)
_request_size = cache(metrics.REQUEST_SIZE.labels)
_answers = cache(metrics.ANSWERS.labels)
