from itertools import pairwise

import pytest

from hooks.controllers.registry import controllers
from tests.load.__main__ import best
from tests.load.arithmetic import Pauses, Result, due_times, percentile, reading_at
from tests.load.mix import WEIGHTS, drawn, mix

FLAT = [(float(second), 63.0) for second in range(61)]


def result(latencies=(0.001,) * 15_000, errors=(), memory=FLAT):
    return Result(60, 0.0, list(latencies), list(errors), memory)


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([7], 50, 7),
        ([7], 99, 7),
        ([3, 1, 2], 50, 2),
        ([4, 3, 2, 1], 50, 2),
        (range(1, 101), 50, 50),
        (range(1, 101), 99, 99),
        (range(1, 201), 99, 198),
        ([1] * 98 + [9, 9], 99, 9),
        ([1] * 99 + [9], 99, 1),
        ([1] * 99 + [9], 100, 9),
    ],
)
def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed(values, percent, expected):
    assert percentile(values, percent) == expected


@pytest.mark.parametrize(("rate", "seconds", "number"), [(200, 60, 12_000), (0.1, 60, 6), (333.3, 3, 999)])
def test_calls_are_due_evenly_from_the_start_until_the_time_is_over(rate, seconds, number):
    due = due_times(rate, seconds)
    assert (len(due), due[0]) == (number, 0)
    assert due[-1] < seconds
    assert {round(later - earlier, 9) for earlier, later in pairwise(due)} == {round(1 / rate, 9)}


def test_what_follows_a_pause_of_the_caller_is_due_as_much_later():
    pauses = Pauses()
    for at, late in [(0.001, 0.0004), (0.002, 0.003), (0.003, 0.0), (0.004, -0.001), (0.005, 0.001)]:
        pauses.late(late)
        assert pauses.due(at) == pytest.approx(at + pauses.seconds)
    assert pauses.seconds == pytest.approx(0.004)


def test_one_reading_of_the_memory_that_stands_out_does_not_count():
    assert reading_at([(18, 60), (19, 60), (20, 90), (21, 61), (22, 60), (23, 99)], 20) == 60


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"latencies": [0.001] * 14_800 + [0.003] * 200}, []),
        ({"latencies": [0.001] * 14_851 + [0.0031] * 149}, []),
        ({"latencies": [0.001] * 14_800 + [0.0031] * 200}, ["p99 is 3.10 times p50, 3 at most"]),
        ({"latencies": [0.001] * 11_940}, ["199 calls a second, 200 at least"]),
        ({"errors": ["secrets/sync: closed"]}, ["1 errors, such as: secrets/sync: closed"]),
        ({"memory": [(at, 63 + at / 100) for at, _ in FLAT]}, []),
        ({"memory": [(at, 63 + at / 70) for at, _ in FLAT]}, ["memory grew by 0.56 MB, 0.5 is noise"]),
        ({"memory": [(at, max(66 - at / 5, 62)) for at, _ in FLAT]}, []),
        ({"memory": [(at, min(60 + at / 4, 65)) for at, _ in FLAT]}, []),
    ],
)
def test_a_run_misses_what_it_says(changes, expected):
    assert result(**changes).missed() == expected


def test_latencies_and_memory_are_those_of_the_run():
    found = result(latencies=[0.001] * 6_000 + [0.002] * 6_000, memory=[(at, 60 + at) for at, _ in FLAT])
    assert (found.rate, found.p50, found.p99, found.early, found.late) == (200, 0.001, 0.002, 80, 119)


def test_the_mix_has_every_hook_and_is_the_same_for_the_same_seed():
    found = mix()
    asked = {
        f"{route}/{hook}"
        for route, controller in controllers().items()
        for hook, there_is in (("sync", True), ("customize", controller.customize), ("finalize", controller.finalize))
        if there_is
    }
    assert {hook for hook, _ in WEIGHTS} == asked
    assert found.keys() == WEIGHTS.keys()
    assert sum(WEIGHTS.values()) == 1000
    calls = drawn(found, 2_000, seed=1)
    assert calls == drawn(found, 2_000, seed=1) != drawn(found, 2_000, seed=2)
    assert {call.hook for call in calls} == asked


def test_of_several_minutes_the_best_counts_but_a_failure_always():
    good, late = result(), result(latencies=[0.001] * 14_800 + [0.0041] * 200)
    failed = result(errors=["secrets/sync: closed"])
    failed_late = result(latencies=late.latencies, errors=failed.errors)
    assert [each.is_late for each in (good, late, failed, failed_late)] == [False, True, False, False]
    assert best([(late, 0), (good, 1)]) == (good, 1)
    assert best([(late, 0), (failed_late, 1)]) == (failed_late, 1)
