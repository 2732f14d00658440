"""The hooks against an echo, as ratios: `make bench`.

The echo is a Flask application under the same gunicorn with the same settings, which parses each body and answers with
stored bytes of the size of our answer: what remains is what our part of a call costs. Calls go one after the other
over kept-alive connections, ours and the echo's in turn, so that a busy machine slows both. Times are what a caller
sees, once with `requests`, by whose ratios the limits are, and once with a bare socket, which leaves the client out.
"""

import contextlib
import os
import platform
import socket
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import click
import orjson
import requests
from flask import Flask, Response, request

from hooks.controllers.registry import controllers
from hooks.kinds import COMPONENT_DEPLOYMENT
from hooks.server import listen, serve
from hooks.settings import ServerSettings
from tests.steady import graph, namespace_request, steady_request

DYNAMO_HOOKS = Path(sys.executable).with_name("dynamo-hooks")
WARM_UP = 50
STARTS = 5
INTRODUCTION = """# What a hook call costs

The last result of `make bench`: {rounds} calls of each case, for resources that are rolled out, with all that
Metacontroller sends. The echo is Flask and orjson under the same gunicorn; it parses the body and answers with stored
bytes of the same size. A call is timed as a caller with `requests` sees it, and once more through a bare socket.

Resources at rest are what nearly all calls are about, and what their specs become is remembered from the call before
(`hooks/memo.py`). The first call for a spec works it out: for a component it takes about 1.7 times an echo's time, for
25 services about 2.0 times.

Machine: {machine}.
"""


@dataclass(frozen=True)
class Case:
    """A hook call, and how many times an echo's time it may take."""

    name: str
    path: str
    body: bytes
    answer: bytes
    limit: float | None = None


@dataclass
class Timing:
    """Times of a case in seconds, seen through one client."""

    ours: list[float] = field(default_factory=list)
    echo: list[float] = field(default_factory=list)

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
        _case("Namespace without a resource of Dynamo's", *namespace_request(0), limit=1.5),
        _case("Namespace of 100 DGDs of 4 services", *namespace_request(100), limit=2.0),
    ]


def _case(name, body, answer, limit=None):
    kind = body.get("parent", body.get("object"))["kind"]
    route = next(each.route for each in controllers().values() if each.parent.kind == kind)
    return Case(name, f"/{route}/sync", orjson.dumps(body), orjson.dumps(answer), limit)


class Requests:
    """A session of `requests`."""

    def __init__(self, url):
        self._session, self._url = requests.Session(), url

    def post(self, path, body):
        """The size of the answer, and the seconds that it took."""
        started = time.perf_counter()
        answer = self._session.post(self._url + path, data=body, headers={"Content-Type": "application/json"})
        size = len(answer.content)
        duration = time.perf_counter() - started
        assert answer.status_code == 200, answer.text
        return size, duration


class Bare:
    """An HTTP connection that is kept, reduced to what a call needs."""

    def __init__(self, url):
        host, _, port = url.removeprefix("http://").partition(":")
        self._connection = socket.create_connection((host, int(port)), timeout=60)
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, path, body):
        """As of `Requests`."""
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        sent = head.encode() + b"\r\n\r\n" + body
        started = time.perf_counter()
        self._connection.sendall(sent)
        received = self._connection.recv(1 << 20)
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self._connection.recv(1 << 20)
        head = received[:end].lower()
        size = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        missing = size - len(received) + end + 4
        while missing > 0:
            missing -= len(self._connection.recv(1 << 20))
        duration = time.perf_counter() - started
        assert head.startswith(b"http/1.1 200"), received
        return size, duration


CLIENTS = {"requests": Requests, "bare socket": Bare}


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
    process = subprocess.Popen(
        [*command, "--bind", address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    try:
        yield f"http://{address}", process, _first_answer(address, process) - started
    finally:
        process.terminate()
        process.wait(60)


def _first_answer(address, process):
    host, _, port = address.partition(":")
    for _ in range(12_000):  # a minute
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection((host, int(port)), 60) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 ")
            return time.perf_counter()
        assert process.poll() is None, "the service has ended"
        time.sleep(0.005)
    raise AssertionError("no answer in a minute")


def measure(cases, rounds):
    """Times by case and client, ours and the echo's in turn; and the workers' memory."""
    sizes = ",".join(str(len(case.answer)) for case in cases)
    with (
        running(DYNAMO_HOOKS, "serve") as (ours, process, _),
        running(sys.executable, "-m", "tests.bench", "--echo", sizes) as (theirs, _, _),
    ):
        clients = {name: (client(ours), client(theirs)) for name, client in CLIENTS.items()}
        timings = {(case.name, name): Timing() for case in cases for name in CLIENTS}
        for turn in range(-WARM_UP, rounds):
            for number, case in enumerate(cases):
                for name, (to_us, to_echo) in clients.items():
                    size, duration = to_us.post(case.path, case.body)
                    _, echoed = to_echo.post(f"/{number}", case.body)
                    assert size == len(case.answer), f"{case.name}: another answer than that of the core"
                    if turn >= 0:
                        timings[case.name, name].ours.append(duration)
                        timings[case.name, name].echo.append(echoed)
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


def rows(cases, timings, starts, memory):
    """The table: what, measured, limit, value."""
    for case in cases:
        seen, bare = (timings[case.name, name] for name in CLIENTS)
        what = f"{case.name}: sync, {len(case.body) / 1e3:.0f} kB in, {len(case.answer) / 1e3:.0f} kB out"
        times = f"{_spread(seen.ours)} against {_spread(seen.echo)}: **{seen.ratio:.2f}**"
        bare_times = f"{_spread(bare.ours)} against {_spread(bare.echo)}: {bare.ratio:.2f}"
        yield what, f"{times}; bare socket {bare_times}", case.limit, seen.ratio
    small, large = (statistics.median(timings[case.name, "bare socket"].ours) for case in cases[1:3])
    yield "DGD of 25 services against 5, bare socket", f"**{large / small:.2f}** times", 5.5, large / small
    *_, full = cases
    milliseconds = 1000 * statistics.median(timings[full.name, "bare socket"].ours)
    yield f"{full.name}, bare socket", f"**{milliseconds:.2f}** ms", 20, milliseconds
    start = statistics.median(starts)
    yield "`serve`, start to first answer", f"**{start:.2f}** s ({min(starts):.2f} to {max(starts):.2f})", 1.0, start
    yield "resident memory of a worker", f"**{max(memory):.0f}** MB", 90, max(memory)


def _spread(times):
    low, middle, high = (1000 * time for time in statistics.quantiles(times, n=4))
    return f"{middle:.2f} ms ({low:.2f} to {high:.2f})"


def machine():
    """The machine in a line, and what else it had to do."""
    described = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in described if line.startswith("model name")]
    load = f"{os.getloadavg()[0]:.1f} processes wanted to run before the measurement"
    python = f"Python {platform.python_version()}"
    return f"{os.cpu_count()} x {models[0] if models else platform.machine()}, {python}; {load}"


@click.command()
@click.option("--rounds", default=400, show_default=True, help="Measured calls of each case.")
@click.option("--output", type=click.Path(path_type=Path), help="Where to write the table as well, with the machine.")
@click.option("--echo", "sizes", hidden=True)
@click.option("--bind", hidden=True)
def main(rounds, output, sizes, bind):
    """Measure the hooks against an echo, and print a table (Markdown); exit status 1 where a limit is not kept."""
    if sizes:
        host, _, port = bind.partition(":")
        serve(lambda: echo(map(int, sizes.split(","))), ServerSettings(), listen(host, int(port)))
    introduction = INTRODUCTION.format(machine=machine(), rounds=rounds)
    measured_cases = cases()
    timings, memory = measure(measured_cases, rounds)
    table = list(rows(measured_cases, timings, start_times(), memory))
    lines = ["| | median and quartiles, hooks against echo: ratio | at most |", "|---|---|---|"]
    lines += [
        f"| {name} | {measured} | {'' if limit is None else f'{limit:g}'} |" for name, measured, limit, _ in table
    ]
    text = "\n".join(lines)
    click.echo(text)
    if output:
        output.write_text(f"{introduction}\n{text}\n")
    if missed := [name for name, _, limit, value in table if limit is not None and value > limit]:
        raise click.ClickException(f"over its limit: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
