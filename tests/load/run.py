"""A load test's two parts: the search for the highest rate, and calls at a share of it."""

import time
from itertools import cycle

import click

from tests.bench import resident
from tests.load.arithmetic import Pauses, Result, due_times
from tests.load.caller import AT_ONCE

WINDOWS, WINDOW = 5, 3.0
"""Of so many windows of so many seconds, the least rate counts: the others are not sustained."""
PERIODS = {"/readyz": 5.0, "/healthz": 10.0, "/metrics": 15.0}
"""Seconds between two calls of a probe, as in the chart, or of Prometheus."""
MEMORY = "memory"
"""Stands in the timetable for a reading of it."""
SAID_EACH = 10
"""Seconds between two lines that say how it goes."""


def highest_rate(caller, calls):
    """Calls a second, where each caller asks again as soon as it is answered.

    Args:
        caller: makes the calls.
        calls: hooks and messages; they are sent again from the first when all are through.
    """
    endless, rates = cycle(calls), []
    for _ in range(WINDOWS):
        began, ended = time.perf_counter(), 0
        while (goes_on := time.perf_counter() < began + WINDOW) or caller.under_way:
            while goes_on and caller.under_way < AT_ONCE:
                caller.start(*next(endless), time.perf_counter())
            for each in caller.wait(1.0):
                if each.error:
                    raise click.ClickException(f"{each.call}: {each.error}")
                ended += 1
        rates.append(ended / (time.perf_counter() - began))
        click.echo(f"  {rates[-1]:.0f} calls a second")
    return min(rates)


def open_loop(caller, calls, rate, seconds, process):
    """Each call at its time, and what came of it.

    Args:
        caller: makes the calls.
        calls: hooks and messages, as many as are due.
        rate: calls a second.
        seconds: how long.
        process: id of the service's master process, whose workers' memory is read each second.
    """
    latencies, errors, memory, pauses = [], [], [], Pauses()

    def take(ended):
        for each in ended:
            if each.error:
                errors.append(f"{each.call}: {each.error}")
            elif each.call not in PERIODS:
                latencies.append(each.latency)

    began = time.perf_counter()
    for at, call, message in timetable(caller, calls, rate, seconds):
        while (left := began + pauses.due(at) - time.perf_counter()) > 0:
            take(caller.wait(left))
        pauses.late(-left)
        if call == MEMORY:
            memory.append((at, max(resident(process))))
            if at % SAID_EACH == 0:
                click.echo(f"  {at:3.0f} s: {len(latencies)} calls, {len(errors)} errors, {memory[-1][1]:.1f} MB")
        else:
            caller.start(call, message, began + pauses.due(at))
    while caller.under_way:
        take(caller.wait(1.0))
    return Result(seconds + pauses.seconds, pauses.seconds, latencies, errors, memory)


def timetable(caller, calls, rate, seconds):
    """What is due when: hook calls, probes, and readings of the memory."""
    found = [(at, *call) for at, call in zip(due_times(rate, seconds), calls, strict=True)]
    for path, period in PERIODS.items():
        found += [(at, path, caller.message("GET", path)) for at in due_times(1 / period, seconds)]
    found += [(at, MEMORY, b"") for at in due_times(1.0, seconds + 1)]
    return sorted(found, key=lambda entry: entry[0])
