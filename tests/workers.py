"""Workers as a model's pods run them: small WSGI applications on addresses of the loopback, port 9090."""

import json
import os
import threading
import time
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

PORT = 9090

_NETWORK = f"127.{os.getpid() // 250 % 250 + 1}.{os.getpid() % 250 + 1}"
"""A part of the loopback for each process, since the port is the same for all."""


def host(number):
    """An address of the loopback that no other process of the tests uses."""
    return f"{_NETWORK}.{number}"


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 32


class _Silent(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


class Worker:
    """A worker. `answers` says for a method what it answers instead: a status and a body, or a function of the two."""

    def __init__(self, host, **answers):
        self.host = host
        self.address = f"http://{host}:{PORT}"
        self.answers = answers
        self.loaded = set()
        self.calls = []
        self.headers = []
        self._server = make_server(host, PORT, self._app, server_class=_Server, handler_class=_Silent)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def end(self):
        self._server.shutdown()
        self._server.server_close()

    def _app(self, environ, start_response):
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        self.calls.append((method, path, json.loads(body) if body else None))
        self.headers.append({name: value for name, value in environ.items() if name.startswith("HTTP_")})
        answer = self.answers.get(method)
        if callable(answer):
            return answer(environ, start_response)
        if answer is None:
            answer = getattr(self, f"_{method.lower()}")(path, body)
        status, content = answer
        start_response(f"{status} X", [("Content-Type", "application/json")])
        return [content if isinstance(content, bytes) else json.dumps(content).encode()]

    def _get(self, path, body):
        return 200, {"status": "success", "loras": dict.fromkeys(self.loaded, 1)}

    def _post(self, path, body):
        self.loaded.add(json.loads(body)["lora_name"])
        return 200, {"status": "success"}

    def _delete(self, path, body):
        name = path.removeprefix("/v1/loras/")
        if name not in self.loaded:
            return 404, {}
        self.loaded.discard(name)
        return 200, {}


def hangs(seconds):
    """An answer that takes its time."""

    def answer(environ, start_response):
        time.sleep(seconds)
        start_response("200 OK", [])
        return [b"[]"]

    return answer


def drips(seconds):
    """A body that comes byte by byte and never ends."""

    def answer(environ, start_response):
        start_response("200 OK", [("Content-Type", "application/json")])
        ends = time.monotonic() + seconds

        def body():
            while time.monotonic() < ends:
                yield b" "
                time.sleep(0.05)

        return body()

    return answer


def redirects(target):
    def answer(environ, start_response):
        start_response("307 Temporary Redirect", [("Location", target)])
        return [b""]

    return answer


@contextmanager
def running(*workers):
    try:
        yield workers
    finally:
        for worker in workers:
            worker.end()
