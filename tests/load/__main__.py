"""The service under load: `make load`.

The service is started as the chart does, with one worker on one core; the calls come from another core. First the
highest rate is found that the worker sustains: by callers that each wait for an answer before they ask again. Then
calls come at a share of it for a minute, each at its time, whatever became of those before; its latency counts from
that time. Beside them come the chart's probes and Prometheus, whose time does not count.
"""

import contextlib
import gc
import os
import re
import subprocess
from pathlib import Path

import click

from tests.bench import DYNAMO_HOOKS, machine, running, workers
from tests.load.arithmetic import CALLS_A_SECOND, ERRORS, GROWTH, P99_TO_P50, due_times
from tests.load.caller import Caller
from tests.load.mix import drawn, mix
from tests.load.others import work_of_others
from tests.load.run import highest_rate, open_loop
from tests.report import write_section

TOKEN = "of-the-load-test"
INTRODUCTION = """\
Written by `make load`: one worker as the chart starts it, on a core of its own. Calls of all hooks, in the shares that
they have in a cluster, come evenly at {share:.0%} of the highest rate that the worker sustains, over connections that
are kept as Go's default transport keeps them, ten at once. A call's time counts from when it was due; where the machine
kept the caller from its work, all later calls were due as much later. Beside them come the chart's probes and
Prometheus. Where more than one call in a hundred is late, the minute is repeated up to twice, and the best counts: on a
virtual machine, a core at times does a quarter less for a tenth of a second, of which some 300 calls hear.

Machine: {machine}.
"""


def image_environment():
    """The variables that the image sets, but for the PATH."""
    lines = re.findall(r"^ENV (.*)$", (Path(__file__).parents[2] / "Dockerfile").read_text(), re.MULTILINE)
    found = dict(entry.split("=", 1) for line in lines for entry in line.split())
    del found["PATH"]
    return found


@contextlib.contextmanager
def service(core):
    """A service as in image and chart, with one worker on a core, whose log somebody reads: its address and process."""
    environment = {**image_environment(), "DYNAMO_HOOKS_TOKEN": TOKEN}
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as reader:
        command = ("taskset", "--cpu-list", str(core), DYNAMO_HOOKS, "serve", "--workers=1")
        with running(*command, log=reader.stdin, **environment) as (url, process, _):
            host, _, port = url.removeprefix("http://").partition(":")
            yield (host, int(port)), process.pid


@click.command()
@click.option("--seconds", default=60, show_default=True, help="How long calls come.")
@click.option("--share", default=0.8, show_default=True, help="Part of the highest rate that they come at.")
@click.option("--seed", default=11, show_default=True, help="Which calls come in which order.")
@click.option("--tries", default=3, show_default=True, help="How often, at most, until calls are no longer late.")
@click.option("--write", is_flag=True, help="Write the result into docs/benchmark.md as well.")
def main(seconds, share, seed, tries, write):
    """Put the service under load; exit status 1 where an answer is wrong, late or too few, or memory grows."""
    core, *_, last = sorted(os.sched_getaffinity(0)) * 2
    os.sched_setaffinity(0, {last})
    click.echo(f"{machine()}; service on core {core}, calls from core {last}")
    found = mix()
    with service(core) as (address, process), contextlib.closing(Caller(address, TOKEN)) as caller:

        def prepared(number):
            calls = drawn(found, number, seed)
            return [(call.hook, caller.message("POST", f"/{call.hook}", call.body)) for call in calls]

        click.echo("highest rate, each caller asking again once it is answered:")
        highest = highest_rate(caller, prepared(5_000))
        rate = share * highest
        calls = prepared(len(due_times(rate, seconds)))
        gc.collect()
        gc.freeze()
        gc.disable()  # a pause of the caller's is none of the service's
        ours, results = [os.getpid(), *workers(process)], []
        while len(results) < tries and all(result.is_late for result, _ in results):
            click.echo(f"{seconds} s at {rate:.0f} calls a second, each at its time:")
            before = work_of_others({core, last}, ours)
            result = open_loop(caller, calls, rate, seconds, process)
            others = (work_of_others({core, last}, ours) - before) / seconds / len({core, last})
            click.echo(f"  p99 is {result.ratio:.2f} times p50")
            results.append((result, others))
    result, others = best(results)
    text = "\n".join(["| | | |", "|---|---|---|", *rows(result, highest, others, [run.ratio for run, _ in results])])
    click.echo(text)
    if write:
        write_section("## Under load", f"{INTRODUCTION.format(machine=machine(), share=share)}\n{text}")
    if missed := result.missed():
        raise click.ClickException(f"{'; '.join(missed)} (others took {others:.0%} of the cores meanwhile)")


def best(results):
    """The minute in which calls were least late, unless there was one in which something failed."""
    return min(results, key=lambda entry: (not entry[0].errors, entry[0].ratio))


def rows(result, highest, others, ratios):
    """The table: what, measured, limit."""
    yield f"| errors | **{len(result.errors)}** of {len(result.latencies)} | {ERRORS} |"
    yield f"| calls a second | **{result.rate:.0f}**, the highest rate is {highest:.0f} | {CALLS_A_SECOND:g} at least |"
    yield f"| p50 | **{1000 * result.p50:.2f}** ms | |"
    yield f"| p99 | **{1000 * result.p99:.2f}** ms, **{result.ratio:.2f}** times p50 | {P99_TO_P50:g} times |"
    yield f"| the same in each minute | {', '.join(f'{ratio:.2f}' for ratio in ratios)} times | the best counts |"
    at, end = f"{result.seconds / 3:.0f} s", f"{result.seconds:.0f} s"
    memory = f"**{result.early:.2f}** MB at {at}, **{result.late:.2f}** MB at {end}"
    yield f"| memory of the worker | {memory} | {GROWTH:g} MB more is noise |"
    yield f"| work of others on the two cores | {others:.0%} | |"
    yield f"| the caller was kept from its work | {1000 * result.paused:.0f} ms in all | |"


if __name__ == "__main__":
    main()
