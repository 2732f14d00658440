import os
import subprocess
import threading

import pytest

from hooks.api_server import ApiServer
from hooks.copy_output import Copy, copy_output
from tests.conftest import DYNAMO_HOOKS
from tests.copier.fake_api_server import OUTPUT, FakeApiServer, FakeTime


@pytest.fixture
def api():
    with FakeApiServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def clock():
    return FakeTime()


@pytest.fixture
def account(tmp_path):
    folder = tmp_path / "account"
    folder.mkdir()
    (folder / "token").write_text("first\n")
    (folder / "ca.crt").write_text("")
    return folder


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "data"
    path.mkdir()
    return path


@pytest.fixture
def copied(api, clock, account, folder):
    """Copies, and gives the ConfigMap's data."""

    def run():
        copy = Copy("chat", "4711", "inference", "prod", "profile-chat-x", folder)
        server = ApiServer(api.url, account / "token", account / "ca.crt")
        key = copy_output(copy, server, clock, lambda line: None)
        data = api.config_maps[OUTPUT]["data"]
        assert list(data) == [key]
        return data

    return run


@pytest.fixture
def command(account, folder):
    """Starts the command; it ends with the test, whatever becomes of that."""
    started = []

    def start(*more, **environment):
        started.append(_start(account, folder, *more, **environment))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def _start(account, folder, *more, **environment):
    return subprocess.Popen(
        [
            str(DYNAMO_HOOKS),
            "copy-output",
            "--request=chat",
            "--uid=4711",
            "--target-namespace=prod",
            f"--folder={folder}",
            f"--account={account}",
            *more,
        ],
        env={**os.environ, "POD_NAME": "profile-chat-x", "POD_NAMESPACE": "inference", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
