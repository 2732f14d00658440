"""Scenarios run under several orders of events; one that fails shows what happened and how to see it again."""

import pytest

from hooks.simulator.cluster import Cluster
from tests.simulator.scenarios.situations import Situation


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--seed")
        metafunc.parametrize("seed", range(metafunc.config.getoption("--seeds")) if chosen is None else [chosen])


@pytest.fixture
def situation(seed, request):
    """A cluster whose events are shuffled and whose caches lag, by the seed."""
    made = Situation(Cluster(seed=seed, lag=0.5, optional_apis=["LeaderWorkerSet"]))
    request.node.situation = made
    yield made
    made.check_promises()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    situation = getattr(item, "situation", None)
    if report.failed and situation is not None:
        seed = situation.cluster.seed
        report.sections.append(
            (f"what happened; again with: pytest {item.location[0]} --seed {seed}", str(situation.trace()))
        )
    return report
