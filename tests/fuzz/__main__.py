"""`make fuzz`: sends odd requests to all hooks, and says what breaks a law."""

import random
import sys
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from heapq import nlargest
from multiprocessing import Pool

import click

from tests.fuzz.corpus import bases
from tests.fuzz.mutation import request_of
from tests.fuzz.oracle import Broken, check
from tests.fuzz.shrinking import shown, shrunk

_CHUNK = 200
"""Requests that a process is given at once."""
_THOROUGH = 8
"""Of so many requests one is held to the laws that cost most, too."""
_PROGRESS = 5.0
"""Seconds between two lines of progress."""
_SLOWEST = 5


@dataclass
class Findings:
    """What came of some requests."""

    count: int = 0
    faults: list[tuple[int, str, str]] = field(default_factory=list)
    """Number of the request, kind of the fault, details."""
    slowest: list[tuple[float, int]] = field(default_factory=list)
    """Processor time in seconds, and number of the request."""

    def add(self, other):
        self.count += other.count
        self.faults += other.faults
        self.slowest = nlargest(_SLOWEST, self.slowest + other.slowest)


def request_number(seed, number):
    """The request of that number: the same in every run with the seed."""
    return request_of(random.Random(f"{seed}:{number}"))


def fault_of(request, *, thorough=True):
    """What a request breaks, as kind and details; None where it breaks nothing."""
    try:
        check(request, thorough=thorough)
    except Broken as broken:
        return broken.kind, broken.detail
    except Exception as error:  # noqa: BLE001 - whatever the laws or the core raise is a finding
        frame = error.__traceback__
        while frame.tb_next is not None:
            frame = frame.tb_next
        place = f"{frame.tb_frame.f_code.co_filename.rpartition('/')[2]}:{frame.tb_lineno}"
        return f"raised {type(error).__name__} at {place}", str(error)
    return None


def examine(seed, numbers):
    """Send the requests of these numbers."""
    findings = Findings()
    for number in numbers:
        request = request_number(seed, number)
        started = time.process_time()
        fault = fault_of(request, thorough=number % _THOROUGH == 0)
        findings.add(Findings(1, [(number, *fault)] if fault else [], [(time.process_time() - started, number)]))
    return findings


class Report:
    """Says what happens while it happens, on standard error, and keeps what was found."""

    def __init__(self, seed, count):
        self.seed, self.count = seed, count
        self.found = Findings()
        self.kinds = Counter()
        self.smallest = {}
        self._started = self._said = time.monotonic()

    def add(self, findings):
        self.found.add(findings)
        for number, kind, detail in findings.faults:
            self.kinds[kind] += 1
            if self.kinds[kind] == 1:
                self._describe(number, kind, detail)
        if time.monotonic() - self._said > _PROGRESS:
            self._said = time.monotonic()
            self._say(f"{self.found.count}/{self.count} requests, {self.rate:.0f} a second, {len(self.kinds)} faults")

    @property
    def seconds(self):
        return time.monotonic() - self._started

    @property
    def rate(self):
        return self.found.count / max(self.seconds, 1e-9)

    def _describe(self, number, kind, detail):
        request = request_number(self.seed, number)
        self._say(f"\nrequest {number} ({request.base.name}): {kind}\n{detail[:2000]}")
        small = shrunk(request, lambda candidate: (fault_of(candidate) or ("",))[0] == kind)
        self.smallest[kind] = small
        self._say(f"the smallest request that shows it:\n{shown(small)}\n")

    def _say(self, text):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def end(self):
        self._say(f"{self.found.count} requests in {self.seconds:.0f} s, {self.rate:.0f} a second")
        self._say("the slowest, in processor time with all laws:")
        for seconds, number in self.found.slowest:
            request = request_number(self.seed, number)
            size = len(request.data)
            self._say(f"  {seconds * 1000:6.1f} ms  {number} ({request.base.name}, {request.hook}, {size} bytes)")
        for kind, count in self.kinds.most_common():
            self._say(f"{count} requests: {kind}; the smallest:\n{shown(self.smallest[kind])}")
        if not self.kinds:
            self._say("no fault")


@click.command(context_settings={"show_default": True})
@click.option("--count", default=100_000, help="How many requests.")
@click.option("--seed", default=1, help="Decides them all.")
@click.option("--seconds", type=float, help="End after so much time, whatever the count.")
@click.option("--processes", default=1, help="How many processes send them.")
@click.option("--only", type=int, metavar="N", help="Send request N alone, and show it.")
def main(count, seed, seconds, processes, only):
    """Send odd requests to all hooks, and see that every answer keeps every law. Exit status 1: one did not."""
    bases()
    if only is not None:
        request = request_number(seed, only)
        click.echo(f"{request.base.name}\n{shown(request)}")
        fault = fault_of(request)
        click.echo("no fault" if fault is None else "\n".join(fault))
        sys.exit(fault is not None)
    report = Report(seed, count)
    chunks = [range(start, min(start + _CHUNK, count)) for start in range(0, count, _CHUNK)]
    with Pool(processes) if processes > 1 else nullcontext() as pool:
        for findings in pool.imap(partial(examine, seed), chunks) if pool else map(partial(examine, seed), chunks):
            report.add(findings)
            if seconds is not None and report.seconds > seconds:
                break
    report.end()
    sys.exit(bool(report.kinds))


if __name__ == "__main__":
    main()
