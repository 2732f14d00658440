"""The caller of the load test, against a service that does what ours must not do."""

import contextlib
import socket
import threading
import time

import pytest

from tests.load.caller import AT_ONCE, IDLE, Caller

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Scripted:
    """A server that reads a request and then sends the next of the given pieces, each by itself; None closes."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = self._listener.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while line := stream.readline():
                head = [line, *iter(stream.readline, b"\r\n")]
                size = next(int(field.split()[1]) for field in head if field.lower().startswith(b"content-length"))
                self.requests.append((line, stream.read(size)))
                for piece in self.answers.pop(0) if self.answers else [OK]:
                    if piece is None:
                        return
                    connection.sendall(piece)

    def close(self):
        self._listener.close()


@pytest.fixture
def served():
    """Makes calls to a scripted service, all due now: the service and what came of each."""
    with contextlib.ExitStack() as stack:

        def make(*answers, calls=1, body=b"{}"):
            server = stack.enter_context(contextlib.closing(Scripted(*answers)))
            caller = stack.enter_context(contextlib.closing(Caller(server.address, "token")))
            for number in range(calls):
                caller.start(number, caller.message("POST", "/hook", body), time.perf_counter())
            ended = []
            for _ in range(1000):
                if not caller.under_way:
                    return server, sorted(ended, key=lambda each: each.call)
                ended += caller.wait(1.0)
            raise AssertionError(f"{caller.under_way} calls do not end")

        yield make


@pytest.mark.parametrize("pieces", [[OK], [OK[:20], OK[20:]], [OK[:-1], OK[-1:]], [bytes([byte]) for byte in OK]])
def test_an_answer_is_read_to_its_end_in_whatever_pieces_it_comes(served, pieces):
    _, (first, second) = served(pieces, pieces, calls=2)
    assert (first.call, first.error, second.call, second.error) == (0, None, 1, None)


@pytest.mark.parametrize(
    ("pieces", "error"),
    [
        ([b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 1\r\n\r\nx"], "500 Internal Server Error"),
        ([b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n"], "429 Too Many Requests"),
        ([OK[:-1], None], "closed the connection"),
        ([None], "closed the connection"),
    ],
)
def test_whatever_is_no_whole_answer_is_an_error_of_its_call_alone(served, pieces, error):
    _, ended = served(pieces, calls=2)
    assert sorted(each.error is None for each in ended) == [False, True]
    assert error in next(each.error for each in ended if each.error)


def test_a_large_body_arrives_whole(served):
    body = b"x" * 20_000_000
    server, (ended,) = served(body=body)
    assert ended.error is None
    assert server.requests == [(b"POST /hook HTTP/1.1\r\n", body)]


def test_calls_beyond_those_at_once_wait_and_all_are_made(served):
    server, ended = served(calls=5 * AT_ONCE)
    assert [(each.call, each.error) for each in ended] == [(number, None) for number in range(5 * AT_ONCE)]
    assert IDLE < AT_ONCE <= server.connections < 5 * AT_ONCE
