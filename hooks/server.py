"""gunicorn around the application: green threads in a few worker processes that share one set of metrics.

Native threads that each wait for the interpreter's lock on one core let a call wait for 4 to 18 ms that needs 0.4 ms.
Green threads (gevent) take turns where they wait for the network, and only there: calls end in the order in which they
came, and those that wait for a model's workers cost the others nothing.
"""

import gc
import os
import shutil
import socket
import ssl
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gevent
from gevent import monkey
from gunicorn.app.base import BaseApplication
from gunicorn.workers.ggevent import GeventWorker

from hooks.settings import ServerSettings

if TYPE_CHECKING:
    from gunicorn.arbiter import Arbiter
    from gunicorn.workers.base import Worker

_KEEPALIVE = 120
"""Seconds that an idle connection is kept. Metacontroller drops its own after 90 s (Go's default transport): as long as
it is the first to do so, it never sends a request into a connection that is just being closed."""
_GRACE = 20
"""Seconds that running calls get to end after SIGTERM: twice the time that Metacontroller waits for an answer."""
SILENCE = 30.0
"""Seconds that a call goes on while its caller neither sends the rest of it nor takes the answer: one that is gone
together with its node says nothing, and would keep what it has for ever."""
_BACKLOG = 2048
_GARBAGE = 20_000
"""Containers made until garbage is looked for, whoever waits: more than a call makes, so that none does."""
_LEFT_BY_CALLS = 1_000
"""Containers left by calls until garbage is looked for after an answer. Each leaves a cycle of eight (Werkzeug's
routing): 20,000 of them at once take 3 ms, for which ten calls would wait."""
_YOUNGER = 10
"""Collections of a generation until the next older one is looked through as well, as is Python's own habit."""
_MEMORY = Path("/dev/shm")  # noqa: S108 - mkdtemp makes names there that nobody can guess


@dataclass(frozen=True)
class Certificate:
    """A server certificate with its chain, and the key of it, as PEM files."""

    certfile: Path
    keyfile: Path


def listen(host: str, port: int) -> socket.socket:
    """A listening TCP socket; `::` listens for IPv4 as well where the machine can do that.

    Raises:
        OSError: the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = host == "::" and socket.has_dualstack_ipv6()
    return socket.create_server((host, port), family=family, backlog=_BACKLOG, dualstack_ipv6=both)


def check_certificate(certificate: Certificate) -> None:
    """Load a certificate as the workers will.

    Raises:
        OSError: one of the files cannot be read, or (ssl.SSLError) they are no certificate and its key.
    """
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate.certfile, certificate.keyfile)


def serve(
    load: Callable[[], Any],
    settings: ServerSettings,
    listener: socket.socket,
    certificate: Certificate | None = None,
    when_ready: Callable[[], None] = lambda: None,
) -> None:
    """Answer calls until SIGTERM or SIGINT; then running calls are finished, and the process exits.

    Args:
        load: makes the WSGI application. It must be what imports `hooks.metrics`, which looks for the folder of the
            shared numbers when it is imported, and `hooks.endpoints`, whose sockets must be gevent's.
        settings: number of workers.
        listener: where calls come in; it is taken over.
        certificate: with one, calls come over TLS.
        when_ready: called once, in the master process, before the first worker starts; calls wait for it.
    """
    monkey.patch_all()  # gunicorn does so as well, but in the workers, when the application is already there
    folder = tempfile.mkdtemp(prefix="dynamo-hooks-", dir=_memory_folder())
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder

    def ready(_: "Arbiter") -> None:
        gc.freeze()  # what the master has loaded is shared by the workers as long as no garbage collection touches it
        gc.set_threshold(_GARBAGE)
        when_ready()

    options = {
        "bind": f"fd://{listener.detach()}",
        "workers": settings.workers,
        "certfile": certificate and str(certificate.certfile),
        "keyfile": certificate and str(certificate.keyfile),
        "when_ready": ready,
        "post_request": collect_garbage,
        "on_exit": lambda _: shutil.rmtree(folder, ignore_errors=True),
    }
    _Gunicorn(load, options).run()


def collect_garbage(
    _worker: object = None, _request: object = None, _environ: object = None, _answer: object = None
) -> None:
    """Look for garbage between calls, if there is enough of it. The arguments are gunicorn's `post_request`."""
    young, middle, old = gc.get_count()
    if young > _LEFT_BY_CALLS:
        gc.collect(2 if old > _YOUNGER else 1 if middle > _YOUNGER else 0)


class _Worker(GeventWorker):
    """gunicorn's gevent worker, but one that does not wait for the next call of a connection when it is to end."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._closing: set[Callable[[], object]] = set()
        """What closes each of the connections that wait for a call."""

    @contextmanager
    def timeout_ctx(self) -> Iterator[None]:  # type: ignore[override]
        """In it, a connection waits for its next call. It is closed when the time is over."""
        with gevent.Timeout(_KEEPALIVE, False) as over:  # type: ignore[arg-type]
            close = partial(gevent.getcurrent().throw, over)
            self._closing.add(close)
            try:
                gevent.sleep()  # the others' turn: the next call may be there already, and the next after it
                yield
            finally:
                self._closing.remove(close)

    def handle_request(self, listener_name: Any, req: Any, sock: socket.socket, addr: Any) -> bool:
        """Answer a call, unless its caller falls silent."""
        sock.settimeout(SILENCE)
        try:
            return super().handle_request(listener_name, req, sock, addr)
        except TimeoutError:
            raise StopIteration from None  # which closes the connection without a word in the log
        finally:
            sock.settimeout(None)

    def notify(self) -> None:
        """Is called each second, also while running calls are waited for."""
        super().notify()
        if not self.alive:
            gevent.get_hub().loop.run_callback(self._close)

    def _close(self) -> None:
        for close in tuple(self._closing):
            close()


class _Gunicorn(BaseApplication):
    """gunicorn, configured by a dict instead of its own command line and environment."""

    def __init__(self, load: Callable[[], Any], options: Mapping[str, Any]) -> None:
        self._load, self._options = load, options
        super().__init__()

    def load_config(self) -> None:
        for name, value in {**_OPTIONS, **self._options}.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return self._load()


def _forget_worker(_: "Arbiter", worker: "Worker") -> None:
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415 - as `load` says

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def _memory_folder() -> str | None:
    """A folder in memory: the root file system of a container may be read-only, and slow. None is tempfile's choice."""
    return str(_MEMORY) if os.access(_MEMORY, os.W_OK | os.X_OK) else None


_OPTIONS = {
    "worker_class": _Worker,
    "worker_tmp_dir": _memory_folder(),
    "preload_app": True,
    "keepalive": _KEEPALIVE,
    "graceful_timeout": _GRACE,
    "backlog": _BACKLOG,
    "loglevel": "warning",
    "control_socket_disable": True,
    "proc_name": "dynamo-hooks",
    "child_exit": _forget_worker,
}
