"""The only outgoing calls of the service: LoRA adapters on the workers of a model.

Only addresses taken from EndpointSlices are called, without any credential, proxy or redirect. Every call ends within
15 seconds and every task within 45, whatever a worker does; a body is read up to a bound.

Source: spec page "DynamoModel".
"""

import json
import random
import socket
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from http import HTTPStatus
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import quote

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool

from hooks.adapters import Outcome, Outcomes, Task, Worker

AT_A_TIME = 10
"""Workers that a task asks at the same time."""
CALL_SECONDS = 15.0
TASK_SECONDS = 45.0
LARGEST_BODY = 1 << 20
"""Bytes of an answer that are read: a list of ten thousand adapters is smaller."""
_SHOWN = 200
"""Characters of a worker's answer that a message shows."""

_NO_LIST = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})
"""What a worker answers that cannot list its adapters."""


class Workers:
    """Carries tasks out on one pool of connections. Nothing else is kept between tasks.

    Args:
        call_seconds: time of one call.
        task_seconds: time of a task, all its workers together.
    """

    def __init__(self, call_seconds: float = CALL_SECONDS, task_seconds: float = TASK_SECONDS) -> None:
        self._call_seconds = call_seconds
        self._task_seconds = task_seconds
        self._unfinished = f"could not be finished with in the {task_seconds:g} s that all of them have"
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy, no .netrc
        self._session.cookies.set_policy(
            DefaultCookiePolicy(allowed_domains=())
        )  # the next pod of an address is another
        self._session.headers = CaseInsensitiveDict({"User-Agent": "dynamo-hooks", "Accept-Encoding": "identity"})
        self._session.mount("http://", _Adapter(pool_connections=64, pool_maxsize=AT_A_TIME))

    def __call__(self, task: Task) -> Outcomes:
        """Ask every worker of the task."""
        if not task.workers:
            return Outcomes()
        ends = time.monotonic() + self._task_seconds
        pool = ThreadPoolExecutor(min(AT_A_TIME, len(task.workers)), thread_name_prefix="workers")
        # Each time in another order: workers that hang could take all the time before the same others, again and again.
        workers = random.sample(task.workers, len(task.workers))
        asked: dict[Future[Outcome], Worker] = {
            pool.submit(self._ask, task, worker, ends): worker for worker in workers
        }
        try:
            done, unfinished = wait(asked, timeout=self._task_seconds)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        outcomes = {asked[future].address: future.result() for future in done}
        for worker in (asked[future] for future in unfinished):
            outcomes[worker.address] = Outcome(worker.loaded, "unfinished", self._unfinished, settled=False)
        return Outcomes(outcomes)

    def _ask(self, task: Task, worker: Worker, ends: float) -> Outcome:
        try:
            return self._unload(task, worker, ends) if task.unload else self._load(task, worker, ends)
        except _Refused as refusal:
            return Outcome(task.unload and worker.loaded, "failed", str(refusal), settled=False)

    def _load(self, task: Task, worker: Worker, ends: float) -> Outcome:
        try:
            status, body = self._call("GET", f"{worker.address}/v1/loras", ends)
        except _Refused as refusal:
            return Outcome(worker.loaded, "failed", str(refusal), settled=False)
        if status == HTTPStatus.OK:
            names = listed_names(body)
            if names is None:
                message = "lists its adapters in a way that is not understood"
                return Outcome(worker.loaded, "failed", message, settled=False)
            if task.adapter in names:
                return Outcome(has_adapter=True, result="listed")
        elif status not in _NO_LIST:
            return Outcome(worker.loaded, "failed", f"answers {status} when asked for its adapters", settled=False)
        elif worker.loaded:
            return Outcome(has_adapter=True, result="listed")
        return self._post(task, worker, ends)

    def _post(self, task: Task, worker: Worker, ends: float) -> Outcome:
        adapter = {"lora_name": task.adapter, "source": {"uri": task.uri}}
        try:
            status, body = self._call("POST", f"{worker.address}/v1/loras", ends, adapter)
        except _TimedOut:
            return Outcome(has_adapter=False, result="loading", message="is still loading", settled=False)
        if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            return Outcome(has_adapter=True, result="loaded")
        return Outcome(False, "failed", _said(status, body), settled=False)

    def _unload(self, task: Task, worker: Worker, ends: float) -> Outcome:
        status, body = self._call("DELETE", f"{worker.address}/v1/loras/{quote(task.adapter, safe='')}", ends)
        if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES or status == HTTPStatus.NOT_FOUND:
            return Outcome(has_adapter=False, result="unloaded")
        return Outcome(worker.loaded, "failed", _said(status, body), settled=False)

    def _call(self, method: str, url: str, ends: float, content: Any = None) -> tuple[int, bytes]:
        """Status and body of an answer, the body up to a bound.

        Raises:
            _TimedOut: it took too long.
            _Refused: there was none.
        """
        left = ends - time.monotonic()
        seconds = min(self._call_seconds, left)
        late = _TimedOut(f"gives no answer within {self._call_seconds:g} s")
        if left < self._call_seconds:
            late = _TimedOut(self._unfinished)
        if seconds <= 0:
            raise late
        _this_thread.deadline = time.monotonic() + seconds
        try:
            with self._session.request(
                method, url, json=content, timeout=seconds, allow_redirects=False, stream=True
            ) as answer:
                return answer.status_code, _bounded(answer)
        except requests.ConnectTimeout:
            raise _Refused(f"takes no connection within {self._call_seconds:g} s") from None
        except (requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError):
            raise late from None
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise (late if _timed_out(error) else _Refused(_why(error))) from None


class _Refused(Exception):  # noqa: N818 - what a worker did, no error of ours
    """A worker gave no usable answer; the text says why, in the same words each time."""


class _TimedOut(_Refused):
    """A worker took too long."""


_this_thread = threading.local()
"""`deadline`: the reading of the monotonic clock at which this thread's call must have ended."""


class _DeadlineSocket(socket.socket):
    """A socket that waits no longer than the deadline of the thread that reads, however slowly bytes come in."""

    def recv_into(self, *arguments: Any, **options: Any) -> int:
        left = _this_thread.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.settimeout(left)
        return super().recv_into(*arguments, **options)


class _Connection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        made = super()._new_conn()
        timeout = made.gettimeout()
        kept = _DeadlineSocket(fileno=made.detach())
        kept.settimeout(timeout)
        return kept


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool}


def listed_names(body: bytes) -> set[str] | None:
    """The names of the adapters in a worker's list, in the shapes that runtimes write it; None where it is none.

    They are a list, or an object whose `loras` or `data` is the list or maps names to something; an entry of a list is
    the name, or an object with `lora_name`, `name` or `id`.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict):
        found = next((found[key] for key in ("loras", "data") if key in found), None)
    if isinstance(found, dict):
        return set(found)
    if not isinstance(found, list):
        return None
    return {name for entry in found for name in _names_of(entry)}


def _names_of(entry: Any) -> Iterable[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        yield from (entry[key] for key in ("lora_name", "name", "id") if isinstance(entry.get(key), str))


def _bounded(answer: requests.Response) -> bytes:
    """The body as far as it is needed; that of a success says nothing that its status does not, but for a list."""
    method = answer.request.method
    body = b""
    try:
        for chunk in answer.iter_content(1 << 14):
            body += chunk
            if len(body) >= LARGEST_BODY or (method != "GET" and len(body) >= _SHOWN):
                break
    except (requests.RequestException, urllib3.exceptions.HTTPError, OSError):
        if method == "GET":
            raise
    return body[:LARGEST_BODY]


def _said(status: int, body: bytes) -> str:
    """A failure in the worker's words, on one line."""
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return f"answers {status}: redirects are not followed"
    words = " ".join(body.decode(errors="replace").split())
    shown = words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"
    return f"answers {status}: {shown}" if shown else f"answers {status}"


def _why(error: BaseException) -> str:
    """Why there was no answer, without what differs from call to call, as ports and objects' addresses."""
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.strerror:
            return f"cannot be reached: {cause.strerror}"
    return "gives no usable HTTP answer"


def _timed_out(error: BaseException) -> bool:
    """Whether it took too long; `requests` says so only while it waits for the headers."""
    return any(isinstance(cause, TimeoutError | urllib3.exceptions.ReadTimeoutError) for cause in _causes(error))


def _causes(error: BaseException) -> Iterable[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
