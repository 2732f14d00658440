import pytest

from tests.pods.harness import SHELLS, Container


@pytest.fixture(scope="session", params=sorted(SHELLS))
def container(request, tmp_path_factory):
    return Container(tmp_path_factory.mktemp("container"), request.param)
