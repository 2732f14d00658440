import functools
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.real.control_plane import assets, start_control_plane

# A slow machine is no fault of the code: what is tested is what comes out, not when.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("many", settings.get_profile("untimed"), max_examples=1000)  # --hypothesis-profile=many
settings.load_profile("untimed")


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write the golden answers; read the diff")
    parser.addoption("--seeds", type=int, default=5, metavar="N", help="run each scenario under N orders of events")
    parser.addoption("--require-real", action="store_true", help="fail where a test on a real API server cannot run")
    parser.addoption("--seed", type=int, metavar="N", help="run each scenario under the order of that number alone")


@pytest.fixture
def update_golden(request):
    return request.config.getoption("--update-golden")


@pytest.fixture(scope="session")
def start_plane(request):
    """Starts a real control plane in a folder; who asks for it is skipped where its programs are missing."""
    programs, problem = assets()
    if programs is None:
        (pytest.fail if request.config.getoption("--require-real") else pytest.skip)(problem)
    return functools.partial(start_control_plane, programs)


@pytest.fixture(scope="session")
def control_plane(start_plane, tmp_path_factory):
    """A real control plane with our CustomResourceDefinitions, for all tests together."""
    with start_plane(tmp_path_factory.mktemp("control-plane")) as running:
        yield running


DYNAMO_HOOKS = Path(sys.executable).with_name("dynamo-hooks")
FAKE_HOOKS = Path(__file__).with_name("fake_hooks.py")


class Service:
    """A service in a process of its own, with its output in files."""

    def __init__(self, command, environment, folder):
        self.stdout, self.stderr = folder / "stdout", folder / "stderr"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("DYNAMO_HOOKS_")}
        with self.stdout.open("wb") as stdout, self.stderr.open("wb") as stderr:
            self.process = subprocess.Popen(command, stdout=stdout, stderr=stderr, env=inherited | environment)

    def wait_until_it_listens(self):
        for _ in range(600):
            words = self.stderr.read_text().partition("\n")[0].split()
            if words and "://" in words[-1]:
                self.url = words[-1]
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"{self.process.args} does not listen: {self.stderr.read_text()}")

    def connect(self):
        """A connection to it, for what no HTTP client sends."""
        host, _, port = self.url.removeprefix("http://").partition(":")
        return socket.create_connection((host, int(port)), timeout=60)

    def workers(self):
        """The worker processes' ids (on Linux)."""
        pid = self.process.pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def end(self):
        """Ends it as Kubernetes does, and gives its exit status."""
        self.process.terminate()
        try:
            return self.process.wait(60)
        finally:
            self.process.kill()


@pytest.fixture(scope="session")
def start_service(tmp_path_factory):
    """Starts services: `start_service("serve", "--bind", …)`, or a fake one with `program=FAKE_HOOKS`."""
    services = []

    def start(*arguments, program=None, **environment):
        command = [str(DYNAMO_HOOKS)] if program is None else [sys.executable, str(program)]
        service = Service([*command, *map(str, arguments)], environment, tmp_path_factory.mktemp("service"))
        services.append(service)
        return service.wait_until_it_listens()

    yield start
    for service in services:
        service.end()


@pytest.fixture(scope="session")
def service(start_service):
    """`dynamo-hooks serve` on a free port of the loopback, with its defaults."""
    return start_service("serve", "--bind", "127.0.0.1:0")
