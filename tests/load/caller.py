"""HTTP calls as Metacontroller makes them: many at once, over connections that are kept.

One thread and one `select`, which waits for microseconds where epoll waits for milliseconds: what is measured is the
service, and not the threads of its caller.
"""

import contextlib
import selectors
import socket
import time
from collections import deque
from dataclasses import dataclass

AT_ONCE = 10
"""Calls that are under way at most, as docs/install.md has it (--workers): others wait for their turn, as in
Metacontroller's queue."""
IDLE = 2
"""Connections that Go's default transport keeps when nobody uses them; the others are closed."""
TIMEOUT = 10.0
"""Seconds that Metacontroller waits for an answer."""


@dataclass(eq=False)
class _Connection:
    """A connection, and the call that is under way on it."""

    socket: socket.socket
    unsent: memoryview | None = None
    received: bytes = b""
    size: int | None = None
    """Bytes of head and body, once the head is there."""
    call: object = None
    due: float = 0.0
    sent: float = 0.0


@dataclass(frozen=True)
class Ended:
    """A call that is over."""

    call: object
    latency: float
    """Seconds since it was due."""
    error: str | None


class Caller:
    """Makes calls to one address.

    Args:
        address: host and port.
        token: what each call carries as its bearer token.
    """

    def __init__(self, address, token):
        self._address = address
        host = ":".join(map(str, address))
        self._head = (
            f"Host: {host}\r\nUser-Agent: Go-http-client/1.1\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {token}\r\nAccept-Encoding: gzip\r\n"
        )
        self._selector = selectors.SelectSelector()
        self._idle = []
        self._busy = set()
        self._waiting = deque()

    def message(self, method, path, body=b""):
        """The bytes of a request."""
        return f"{method} {path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    def start(self, call, message, due):
        """Send a request as soon as fewer than `AT_ONCE` calls are under way.

        Args:
            call: what the caller knows it by.
            message: its bytes.
            due: when it should be sent, as a reading of `time.perf_counter`.
        """
        self._waiting.append((call, message, due))
        self._start_waiting()

    @property
    def under_way(self):
        """How many calls are not over, those that wait for their turn among them."""
        return len(self._busy) + len(self._waiting)

    def wait(self, seconds):
        """The calls that end meanwhile; no longer than for the first."""
        ended = []
        for key, events in self._selector.select(max(0.0, seconds)):
            connection = key.data
            try:
                if events & selectors.EVENT_WRITE:
                    self._send(connection)
                if events & selectors.EVENT_READ and self._receive(connection):
                    ended.append(self._end(connection))
            except OSError as error:
                ended += self._lost(connection, str(error))
        now = time.perf_counter()
        for connection in [found for found in self._busy if now - found.sent > TIMEOUT]:
            ended += self._lost(connection, f"no answer in {TIMEOUT:g} s")
        self._start_waiting()
        return ended

    def close(self):
        """Close every connection."""
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()

    def _start_waiting(self):
        while self._waiting and len(self._busy) < AT_ONCE:
            call, message, due = self._waiting.popleft()
            connection = self._idle.pop() if self._idle else self._connect()
            connection.call, connection.due, connection.sent = call, due, time.perf_counter()
            connection.unsent, connection.received, connection.size = memoryview(message), b"", None
            self._busy.add(connection)
            self._send(connection)

    def _connect(self):
        connection = _Connection(socket.create_connection(self._address, TIMEOUT))
        connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.socket.setblocking(False)
        self._selector.register(connection.socket, selectors.EVENT_READ, connection)
        return connection

    def _send(self, connection):
        with contextlib.suppress(BlockingIOError):
            connection.unsent = connection.unsent[connection.socket.send(connection.unsent) :]
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.unsent else 0)
        if self._selector.get_key(connection.socket).events != events:
            self._selector.modify(connection.socket, events, connection)

    def _receive(self, connection):
        """Whether the answer is complete."""
        received = connection.socket.recv(1 << 20)
        if not received:
            raise ConnectionError("the service closed the connection")
        connection.received += received
        if connection.size is None and (end := connection.received.find(b"\r\n\r\n")) >= 0:
            length = connection.received[:end].lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            connection.size = end + 4 + int(length)
        return connection.size is not None and len(connection.received) >= connection.size

    def _end(self, connection):
        error = None if connection.received.startswith(b"HTTP/1.1 200 ") else repr(connection.received[:300])
        self._busy.remove(connection)
        if len(self._idle) < IDLE:
            self._idle.append(connection)
        else:
            self._drop(connection)
        return Ended(connection.call, time.perf_counter() - connection.due, error)

    def _lost(self, connection, why):
        """The call that is lost with a connection, if there is one."""
        self._drop(connection)
        if connection not in self._busy:
            self._idle.remove(connection)
            return []
        self._busy.remove(connection)
        return [Ended(connection.call, time.perf_counter() - connection.due, why)]

    def _drop(self, connection):
        self._selector.unregister(connection.socket)
        connection.socket.close()
