"""The service under load: `make load`.

The service is started as the chart does, with one worker on one core; the calls come from another core. First the
highest rate is found that the worker sustains: by callers that each wait for an answer before they ask again. Then
calls come at a share of it for a minute, each at its time, whatever became of those before; its latency counts from
that time. Beside them come the chart's probes and Prometheus, whose time does not count.
"""

import contextlib
import gc
import os
import subprocess

import click

from tests.bench import DYNAMO_HOOKS, machine, running
from tests.load.arithmetic import due_times
from tests.load.caller import Caller
from tests.load.mix import drawn, mix
from tests.load.run import highest_rate, open_loop

TOKEN = "of-the-load-test"


@contextlib.contextmanager
def service(core):
    """A service as in the chart, with one worker on a core, whose log somebody reads: its address and process."""
    environment = {"DYNAMO_HOOKS_TOKEN": TOKEN, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as reader:
        command = ("taskset", "--cpu-list", str(core), DYNAMO_HOOKS, "serve", "--workers=1")
        with running(*command, log=reader.stdin, **environment) as (url, process, _):
            host, _, port = url.removeprefix("http://").partition(":")
            yield (host, int(port)), process.pid


@click.command()
@click.option("--seconds", default=60, show_default=True, help="How long calls come.")
@click.option("--share", default=0.8, show_default=True, help="Part of the highest rate that they come at.")
@click.option("--seed", default=11, show_default=True, help="Which calls come in which order.")
def main(seconds, share, seed):
    """Put the service under load; exit status 1 where an answer is wrong, late or too few, or memory grows."""
    core, *_, last = sorted(os.sched_getaffinity(0)) * 2
    os.sched_setaffinity(0, {last})
    click.echo(f"{machine()}; service on core {core}, calls from core {last}")
    found = mix()
    with service(core) as (address, process), contextlib.closing(Caller(address, TOKEN)) as caller:

        def prepared(number):
            return [
                (call.hook, caller.message("POST", f"/{call.hook}", call.body)) for call in drawn(found, number, seed)
            ]

        click.echo("highest rate, each caller asking again once it is answered:")
        rate = share * highest_rate(caller, prepared(5_000))
        click.echo(f"{seconds} s at {rate:.0f} calls a second, each at its time:")
        calls = prepared(len(due_times(rate, seconds)))
        gc.collect()
        gc.freeze()
        gc.disable()  # a pause of the caller's is none of the service's
        result = open_loop(caller, calls, rate, seconds, process)
    click.echo(
        f"{len(result.errors)} errors, {result.rate:.0f} calls/s, p50 {1000 * result.p50:.2f} ms, "
        f"p99 {1000 * result.p99:.2f} ms, p99/p50 {result.p99 / result.p50:.2f}, "
        f"{result.early:.2f} MB at {seconds / 3:.0f} s, {result.late:.2f} MB at {seconds} s"
    )
    if missed := result.missed():
        raise click.ClickException("; ".join(missed))


if __name__ == "__main__":
    main()
