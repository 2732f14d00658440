"""When calls are due, and what their times and the service's memory come to. No clock is read here."""

import math
import statistics
from dataclasses import dataclass

ERRORS = 0
P99_TO_P50 = 3.0
CALLS_A_SECOND = 200.0
ON_TIME = 0.0005
"""Seconds by which the caller may be late with a call: what it does for one takes 0.1 ms."""
GROWTH = 0.5
"""MB by which memory may be larger at the end than when a third of the time was over: pages that allocators come by.
Seen were 0.1 MB. A leak of 16 bytes a call would be more, at 800 calls a second."""


def due_times(rate, seconds):
    """When calls are due, in seconds from the start, whatever became of those before.

    They are evenly spaced: calls that come at random queue for each other at four fifths of the highest rate, p99 is
    then five times p50 however even their own times are, and nothing would be learned about the service.

    Args:
        rate: calls a second.
        seconds: how long they come.
    """
    return [number / rate for number in range(int(rate * seconds))]


class Pauses:
    """When the machine kept the caller from its work: no call came, and all that follow are due as much later.

    If they came at once, they would queue for each other, and nothing would be learned about the service.
    """

    def __init__(self):
        self.seconds = 0.0

    def due(self, at):
        """When a call is due that would be at `at` without pauses."""
        return at + self.seconds

    def late(self, seconds):
        """The caller comes to a call so many seconds after it was due. Up to `ON_TIME` that is no pause."""
        if seconds > ON_TIME:
            self.seconds += seconds


def percentile(values, percent):
    """The smallest of the values that so many percent of them do not exceed (the nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def reading_at(memory, second):
    """Memory around a second: the median of the readings up to two seconds before and after.

    Args:
        memory: readings as (second, MB).
        second: the second.
    """
    return statistics.median(megabytes for at, megabytes in memory if abs(at - second) <= 2)


@dataclass(frozen=True)
class Result:
    """What a run came to."""

    seconds: float
    """How long calls came."""
    paused: float
    """How many of these seconds the machine kept the caller from its work."""
    latencies: list[float]
    """Seconds from when a hook call was due to the end of its answer."""
    errors: list[str]
    memory: list[tuple[float, float]]
    """Readings of the service's memory: seconds since the start, MB."""

    @property
    def rate(self):
        return len(self.latencies) / self.seconds

    @property
    def early(self):
        """Memory when a third of the time was over."""
        return reading_at(self.memory, self.seconds / 3)

    @property
    def late(self):
        """Memory at the end."""
        return reading_at(self.memory, self.seconds)

    @property
    def p50(self):
        return percentile(self.latencies, 50)

    @property
    def p99(self):
        return percentile(self.latencies, 99)

    @property
    def ratio(self):
        """p99 in p50s."""
        return self.p99 / self.p50

    @property
    def is_late(self):
        """Whether calls were late, and nothing worse."""
        return self.ratio > P99_TO_P50 and not self.errors

    def missed(self):
        """What is not as it must be, in words; nothing where all is."""
        found = {
            f"{len(self.errors)} errors, such as: {'; '.join(self.errors[:3])}": len(self.errors) > ERRORS,
            f"p99 is {self.ratio:.2f} times p50, {P99_TO_P50:g} at most": self.ratio > P99_TO_P50,
            f"{self.rate:.0f} calls a second, {CALLS_A_SECOND:g} at least": self.rate < CALLS_A_SECOND,
            f"memory grew by {self.late - self.early:.2f} MB, {GROWTH:g} is noise": self.late - self.early > GROWTH,
        }
        return [words for words, holds in found.items() if holds]
