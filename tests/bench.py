"""The hooks against an echo, as ratios: `make bench`.

The echo is a Flask application under the same gunicorn with the same settings, which parses each body and answers with
stored bytes of the size of our answer: what remains is what our part of a call costs. Calls go one after the other
over kept-alive connections, ours and the echo's in turn, through a client that costs next to nothing, so that neither
the client nor a busy machine makes the ratios look better or worse than they are.
"""

import contextlib
import os
import platform
import socket
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import click
import orjson
from flask import Flask, Response, request

from hooks.controllers.registry import controllers
from hooks.kinds import COMPONENT_DEPLOYMENT
from hooks.server import listen, serve
from hooks.settings import ServerSettings
from tests.steady import graph, steady_request

DYNAMO_HOOKS = Path(sys.executable).with_name("dynamo-hooks")
WARM_UP = 50
STARTS = 5


@dataclass(frozen=True)
class Case:
    """A hook call, and how many times an echo's time it may take."""

    name: str
    path: str
    body: bytes
    answer: bytes
    limit: float | None = None


@dataclass(frozen=True)
class Timing:
    """Times of a case, in seconds."""

    case: Case
    ours: list[float]
    echo: list[float]

    @property
    def ratio(self):
        return statistics.median(self.ours) / statistics.median(self.echo)


def cases():
    """Calls for resources that are rolled out, which is what nearly all calls of a cluster are."""
    small, large = (steady_request(graph(services)) for services in (5, 25))
    component = next(
        child
        for child in large[0]["children"][COMPONENT_DEPLOYMENT.key].values()
        if child["spec"]["componentType"] == "worker"
    )
    return [
        _case("DCD", *steady_request(component), limit=1.5),
        _case("DGD of 5 services", *small),
        _case("DGD of 25 services", *large, limit=2.0),
    ]


def _case(name, body, answer, limit=None):
    plural = next(each.route for each in controllers().values() if each.parent.kind == body["parent"]["kind"])
    return Case(name, f"/{plural}/sync", orjson.dumps(body), orjson.dumps(answer), limit)


class Client:
    """An HTTP connection that is kept, reduced to what a call needs."""

    def __init__(self, url):
        host, _, port = url.removeprefix("http://").partition(":")
        self._connection = socket.create_connection((host, int(port)), timeout=60)
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, path, body):
        """The answer's body, and the seconds that it took."""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        sent = head.encode() + body
        started = time.perf_counter()
        self._connection.sendall(sent)
        received = self._connection.recv(1 << 20)
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self._connection.recv(1 << 20)
        head = received[:end].lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        answer = received[end + 4 :]
        while len(answer) < length:
            answer += self._connection.recv(1 << 20)
        duration = time.perf_counter() - started
        assert head.startswith(b"http/1.1 200"), answer
        return answer, duration


def echo(sizes):
    """An application that parses a body and answers with so many stored bytes, at /0, /1, …"""
    app = Flask("echo", static_folder=None)

    def view(stored):
        def answer():
            orjson.loads(request.get_data())
            return Response(stored, content_type="application/json")

        return answer

    for number, size in enumerate(sizes):
        app.add_url_rule(f"/{number}", f"echo-{number}", view(b"x" * size), methods=["POST"])
    return app


@contextlib.contextmanager
def running(*command):
    """A service in a process of its own: its URL, process and seconds from its start to its first answer."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DYNAMO_HOOKS_")}
    listener = listen("127.0.0.1", 0)
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    listener.close()
    started = time.perf_counter()
    process = subprocess.Popen([*command, "--bind", address], stdout=subprocess.DEVNULL, env=environment)
    try:
        yield f"http://{address}", process, _first_answer(address, process) - started
    finally:
        process.terminate()
        process.wait(60)


def _first_answer(address, process):
    host, _, port = address.partition(":")
    for _ in range(12_000):
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection((host, int(port)), 60) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 ")
            return time.perf_counter()
        assert process.poll() is None, "the service has ended"
        time.sleep(0.005)
    raise AssertionError("no answer in a minute")


def measure(cases, rounds):
    """Times of all cases, ours and the echo's in turn."""
    sizes = [str(len(case.answer)) for case in cases]
    with (
        running(DYNAMO_HOOKS, "serve") as (ours, process, _),
        running(sys.executable, "-m", "tests.bench", "--echo", ",".join(sizes)) as (theirs, _, _),
    ):
        clients = Client(ours), Client(theirs)
        timings = [Timing(case, [], []) for case in cases]
        for turn in range(-WARM_UP, rounds):
            for number, timing in enumerate(timings):
                case = timing.case
                answer, duration = clients[0].post(case.path, case.body)
                _, echoed = clients[1].post(f"/{number}", case.body)
                assert len(answer) == len(case.answer), f"{case.name}: another answer than that of the core"
                if turn >= 0:
                    timing.ours.append(duration)
                    timing.echo.append(echoed)
        return timings, resident(process.pid)


def resident(pid):
    """Resident memory of each worker process, in MB (10⁶ bytes)."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    statuses = [Path(f"/proc/{child}/status").read_text() for child in children]
    return [int(status.partition("VmRSS:")[2].split()[0]) * 1024 / 1e6 for status in statuses]


def start_times():
    """Seconds from the start of `serve` to its first answer."""
    times = []
    for _ in range(STARTS):
        with running(DYNAMO_HOOKS, "serve") as (_, _, duration):
            times.append(duration)
    return times


def rows(timings, starts, memory):
    """The table: what, measured, limit, whether it is kept."""
    for timing in timings:
        case = timing.case
        yield (
            f"{case.name} sync ({len(case.body) / 1e3:.0f} kB in, {len(case.answer) / 1e3:.0f} kB out)",
            f"{_spread(timing.ours)} against {_spread(timing.echo)}, ratio {timing.ratio:.2f}",
            timing.ratio,
            case.limit,
        )
    small, large = (statistics.median(timing.ours) for timing in timings[1:])
    yield "25 services against 5", f"{large / small:.2f} times", large / small, 5.5
    start = statistics.median(starts)
    yield "start to first answer", f"{start:.2f} s ({min(starts):.2f} to {max(starts):.2f})", start, 1.0
    yield "resident memory of a worker", f"{max(memory):.0f} MB", max(memory), 90


def _spread(times):
    low, middle, high = (1000 * time for time in statistics.quantiles(times, n=4))
    return f"{middle:.2f} ms ({low:.2f} to {high:.2f})"


def machine():
    """The machine in a line."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    return f"{os.cpu_count()} x {model}, Linux {platform.release()}, Python {platform.python_version()}"


@click.command()
@click.option("--rounds", default=400, show_default=True, help="Measured calls of each case.")
@click.option("--echo", "sizes", hidden=True)
@click.option("--bind", hidden=True)
def main(rounds, sizes, bind):
    """Measure the hooks against an echo, and print a table (Markdown); exit status 1 where a limit is not kept."""
    if sizes:
        host, _, port = bind.partition(":")
        serve(lambda: echo(map(int, sizes.split(","))), ServerSettings(), listen(host, int(port)))
    timings, memory = measure(cases(), rounds)
    table = list(rows(timings, start_times(), memory))
    click.echo(f"{machine()}. Medians and quartiles of {rounds} calls, the hooks against the echo.\n")
    click.echo("| | measured | at most |\n|---|---|---|")
    for name, measured, _, limit in table:
        click.echo(f"| {name} | {measured} | {'' if limit is None else f'{limit:g}'} |")
    if missed := [name for name, _, value, limit in table if limit is not None and value > limit]:
        raise click.ClickException(f"over its limit: {', '.join(missed)}")


if __name__ == "__main__":
    main()
