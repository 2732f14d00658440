"""Where the time of a hook call goes: `make bench`.

The application is called in this process, as gunicorn calls it, and looked at 2,000 times a second: each time counts
for the innermost of our steps that is under way. What a step lets others do (orjson, pydantic, structlog) is its own.
"""

import collections
import gc
import io
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import click

from tests.bench_cases import FULL_NAMESPACE, GRAPH_OF_5, GRAPH_OF_25, cases
from tests.report import write_section

SHOWN = ("DCD", GRAPH_OF_5, GRAPH_OF_25, "DGDR, its graph of 8 services deployed", FULL_NAMESPACE)
"""The cases, by name, whose sync is looked at."""
EACH = 0.0005
"""Seconds between two looks."""
INTRODUCTION = """\
Written by `make bench`: the application's own time for a call, without gunicorn and the kernel. It is looked at 2,000
times a second, and each time counts for the innermost of these steps that is under way. The echo has the first and
the last of them.
"""
WARM_UP, ROUNDS = 50, 1000
REST = "Flask: routing, request, response; letting the body go"
STEPS = {
    "parse JSON": [("hooks/bodies.py", "read_json")],
    "read Metacontroller's envelope": [("hooks/protocol.py", "read_sync")],
    "validate (pydantic)": [("/pydantic/", ""), ("hooks/api/", "")],
    "find in the memo, by a hash of the spec": [("hooks/memo.py", "")],
    "status": [("hooks/status/", "")],
    "children, as others left them": [("hooks/controllers/", "")],
    "dump JSON": [("hooks/routes.py", "_json")],
    "log and metrics": [("hooks/calls.py", "")],
}
"""Step → files and functions that it is."""


def step_of(frame):
    """The innermost step that a frame is in."""
    while frame is not None:
        file, function = frame.f_code.co_filename, frame.f_code.co_name
        for step, places in STEPS.items():
            if any(part in file and wanted in ("", function) for part, wanted in places):
                return step
        frame = frame.f_back
    return REST


def profile(app, case):
    """Microseconds of a call of the application, by step."""
    seen = collections.Counter()
    for _ in range(WARM_UP):
        call(app, case)
    signal.signal(signal.SIGALRM, lambda _, frame: seen.update([step_of(frame)]))
    began = time.thread_time()
    signal.setitimer(signal.ITIMER_REAL, EACH, EACH)
    for _ in range(ROUNDS):
        call(app, case)
    signal.setitimer(signal.ITIMER_REAL, 0)
    each = 1e6 * (time.thread_time() - began) / ROUNDS
    return {step: each * seen[step] / seen.total() for step in (*STEPS, REST)}


def call(app, case):
    """Have the application answer, as gunicorn does."""
    environ = {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": case.path,
        "QUERY_STRING": "v=0123456789",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8080",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "127.0.0.1:8080",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(case.body)),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(case.body),
        "wsgi.errors": sys.stderr,
    }
    statuses = []
    answer = app(environ, lambda status, *_: statuses.append(status))
    size = sum(map(len, answer))
    answer.close()
    assert (statuses, size) == (["200 OK"], len(case.answer))


def table(columns):
    """Steps by case, in microseconds, as Markdown."""
    yield f"| microseconds | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for step in (*STEPS, REST):
        yield f"| {step} | {' | '.join(f'{found[step]:.0f}' for found in columns.values())} |"
    yield f"| all | {' | '.join(f'**{sum(found.values()):.0f}**' for found in columns.values())} |"


@click.command()
@click.option("--write", is_flag=True, help="Write the table into docs/benchmark.md as well.")
def main(write):
    """Print the table of steps."""
    folder = tempfile.mkdtemp(prefix="bench-", dir="/dev/shm")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
    try:
        from hooks.app import create_app  # noqa: PLC0415 - it imports the metrics, which look for that folder
        from hooks.log import open_log  # noqa: PLC0415

        with Path(os.devnull).open("wb", buffering=0) as stream:
            app = create_app(log=open_log(stream))
            by_name = {case.name: case for case in cases()}
            gc.freeze()  # as `hooks.server` does
            gc.set_threshold(20_000)
            text = "\n".join(table({name: profile(app, by_name[f"{name}: sync"]) for name in SHOWN}))
    finally:
        shutil.rmtree(folder)
    click.echo(text)
    if write:
        write_section("## Where the time goes", f"{INTRODUCTION}\n{text}")


if __name__ == "__main__":
    main()
