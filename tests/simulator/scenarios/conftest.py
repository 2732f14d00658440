"""Scenarios run under several orders of events, and on a real API server, where they have to come to the same.

One that fails shows what happened and how to see it again. One that is marked `long` takes hours of virtual time, and
runs in the embedded cluster alone. One that is marked `metacontroller` runs with a real Metacontroller, too, where
there is one.
"""

import pytest

from tests.real.both import EMBEDDED, METACONTROLLER, REAL, Outcome
from tests.real.metacontroller import metacontroller
from tests.simulator.scenarios.situations import Situation


def pytest_generate_tests(metafunc):
    if "seed" not in metafunc.fixturenames:
        return
    chosen = metafunc.config.getoption("--seed")
    orders = range(metafunc.config.getoption("--seeds")) if chosen is None else [chosen]
    if "store" not in metafunc.fixturenames:
        metafunc.parametrize("seed", orders)
        return
    runs = [pytest.param(seed, None, id=str(seed)) for seed in orders]
    if metafunc.definition.get_closest_marker("long") is None:
        runs[:1] = _compared(metafunc.definition, orders[0])
    metafunc.parametrize(("seed", "store"), runs)


def _compared(test, seed):
    """The runs that have to come to the same; one process has them all."""
    stores = [EMBEDDED, REAL]
    if metacontroller() and test.get_closest_marker("metacontroller") is not None:
        stores.append(METACONTROLLER)
    marks = [pytest.mark.real, pytest.mark.xdist_group(test.nodeid)]
    return [pytest.param(seed, store, marks=marks, id=store) for store in stores]


@pytest.fixture
def start_cluster(seed, store, request):
    """Starts the scenario's cluster: its events are shuffled and its caches lag, by the seed."""
    outcome = Outcome(request, store)

    def start(**options):
        request.node.cluster = outcome.cluster(seed=seed, lag=0.5, **options)
        return request.node.cluster

    yield start
    outcome.close()


@pytest.fixture
def cluster(start_cluster):
    return start_cluster(optional_apis=["LeaderWorkerSet"])


@pytest.fixture
def situation(cluster):
    made = Situation(cluster)
    yield made
    made.check_promises()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    cluster = getattr(item, "cluster", None)
    item.incomplete = getattr(item, "incomplete", False) or not report.passed
    if report.failed and cluster is not None:
        again = f"what happened; again with: pytest {item.location[0]} --seed {cluster.seed}"
        report.sections.append((again, str(cluster.trace)))
    return report
