import pytest

from tests.simulator.workloads.below import Below


@pytest.fixture(params=[None, 1], ids=["in order", "shuffled"])
def below(request):
    return Below(request.param)
