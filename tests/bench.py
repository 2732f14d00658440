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

from hooks.server import listen, serve
from hooks.settings import ServerSettings
from tests.bench_cases import FULL_NAMESPACE, GRAPH_OF_5, GRAPH_OF_25, cases
from tests.report import write_section

DYNAMO_HOOKS = Path(sys.executable).with_name("dynamo-hooks")
WARM_UP = 50
STARTS = 5
MARGIN = 1.1
"""Of a limit: by so much a ratio may be over it, since ratios differ from run to run."""
INTRODUCTION = """\
Written by `make bench`: {rounds} calls of each hook, for resources that are rolled out, with all that Metacontroller
sends. The echo is Flask and orjson under the same gunicorn; it parses the same body and answers with stored bytes of
the size of our answer. A call is timed as a caller with `requests` sees it, by which the limits are, and once more
through a bare socket. Times are medians with quartiles, in milliseconds.

Resources at rest are what nearly all calls are about, and what their specs become is remembered from the call before
(`hooks/memo.py`). The first call for a spec works it out.

Machine: {machine}.
"""


@dataclass
class Timing:
    """Times of a case in seconds, seen through one client."""

    ours: list[float] = field(default_factory=list)
    echo: list[float] = field(default_factory=list)

    @property
    def ratio(self):
        return statistics.median(self.ours) / statistics.median(self.echo)


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
def running(*command, log=subprocess.DEVNULL, **environment):
    """A service in a process of its own: its URL, process and seconds from its start to its first answer."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("DYNAMO_HOOKS_")}
    listener = listen("127.0.0.1", 0)
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    listener.close()
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--bind", address], stdout=log, stderr=subprocess.DEVNULL, env=inherited | environment
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


def workers(pid):
    """The worker processes of a service's master process."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def resident(pid):
    """Resident memory of each worker process, in MB (10⁶ bytes)."""
    statuses = [Path(f"/proc/{worker}/status").read_text() for worker in workers(pid)]
    return [int(status.partition("VmRSS:")[2].split()[0]) * 1024 / 1e6 for status in statuses]


def start_times():
    """Seconds from the start of `serve` to its first answer."""
    times = []
    for _ in range(STARTS):
        with running(DYNAMO_HOOKS, "serve") as (_, _, duration):
            times.append(duration)
    return times


@dataclass(frozen=True)
class Figure:
    """One measured number, and what it may be."""

    name: str
    value: float
    limit: float
    unit: str = ""
    spread: str = ""

    @property
    def missed(self):
        """Whether it is clearly over its limit."""
        return self.value > self.limit * MARGIN

    def row(self):
        return f"| {self.name} | **{self.value:.2f}**{self.unit}{self.spread} | {self.limit:g} |"


def call_table(cases, timings):
    """A row for each case: what both clients saw."""
    yield "| call | in, out (kB) | `requests`: hooks | echo | ratio | at most | bare socket: hooks | echo | ratio |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for case in cases:
        seen, bare = (timings[case.name, name] for name in CLIENTS)
        sizes = f"{len(case.body) / 1e3:.1f}, {len(case.answer) / 1e3:.1f}"
        yield (
            f"| {case.name} | {sizes} | {_spread(seen.ours)} | {_spread(seen.echo)} | **{seen.ratio:.2f}** "
            f"| {case.limit:g} | {_spread(bare.ours)} | {_spread(bare.echo)} | {bare.ratio:.2f} |"
        )


def further_figures(cases, timings, starts, memory):
    """What else has a limit."""
    bare = {case.name: statistics.median(timings[case.name, "bare socket"].ours) for case in cases}
    small, large, full = (bare[f"{name}: sync"] for name in (GRAPH_OF_5, GRAPH_OF_25, FULL_NAMESPACE))
    yield Figure(f"{GRAPH_OF_25} against 5, bare socket", large / small, 5.5, " times")
    yield Figure(f"{FULL_NAMESPACE}, bare socket", 1000 * full, 20, " ms")
    best = f", the best of {len(starts)}; the worst {max(starts):.2f}"
    yield Figure("`serve`, start to first answer", min(starts), 1.0, " s", best)
    yield Figure("resident memory of a worker", max(memory), 90, " MB")


def _spread(times):
    low, middle, high = (1000 * time for time in statistics.quantiles(times, n=4))
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def machine():
    """The machine in a line, and what else it had to do."""
    described = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in described if line.startswith("model name")]
    load = f"{os.getloadavg()[0]:.1f} processes wanted to run of late"
    python = f"Python {platform.python_version()}"
    return f"{os.cpu_count()} x {models[0] if models else platform.machine()}, {python}; {load}"


@click.command()
@click.option("--rounds", default=400, show_default=True, help="Measured calls of each case.")
@click.option("--write", is_flag=True, help="Write the tables into docs/benchmark.md as well.")
@click.option("--echo", "sizes", hidden=True)
@click.option("--bind", hidden=True)
def main(rounds, write, sizes, bind):
    """Measure the hooks against an echo, and print tables (Markdown); exit status 1 where a limit is not kept."""
    if sizes:
        host, _, port = bind.partition(":")
        serve(lambda: echo(map(int, sizes.split(","))), ServerSettings(), listen(host, int(port)))
    introduction = INTRODUCTION.format(machine=machine(), rounds=rounds)
    measured_cases = cases()
    timings, memory = measure(measured_cases, rounds)
    further = list(further_figures(measured_cases, timings, start_times(), memory))
    table = [*call_table(measured_cases, timings), "", "| | | at most |", "|---|---|---|"]
    text = "\n".join([introduction, *table, *(figure.row() for figure in further)])
    click.echo(text)
    if write:
        write_section("# What a hook call costs", text)
    ratios = [Figure(case.name, timings[case.name, "requests"].ratio, case.limit) for case in measured_cases]
    if missed := [figure for figure in [*ratios, *further] if figure.missed]:
        told = "; ".join(f"{each.name}: {each.value:.2f}, {each.limit:g} at most" for each in missed)
        raise click.ClickException(f"{told} (on {machine()}: others make ratios larger, too)")


if __name__ == "__main__":
    main()
