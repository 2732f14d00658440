import pytest
from hypothesis import HealthCheck, settings

# A slow machine is no fault of the code: what is tested is what comes out, not when.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write the golden answers; read the diff")


@pytest.fixture
def update_golden(request):
    return request.config.getoption("--update-golden")
