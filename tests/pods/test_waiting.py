"""A worker that joins Ray waits for its leader for as long as it takes, with the real Python."""

import os
import socket
import sys

import pytest

from hooks.pods import vllm
from hooks.pods.command import CommandLine
from hooks.pods.distribution import Node
from tests.pods.harness import Call
from tests.pods.spellings import SH

MODULE = "dynamo.vllm"
LINES = {
    "direct": CommandLine((sys.executable, "-m", MODULE), ("-tp", "2")),
    "script": CommandLine(SH, (f"set -e\n{sys.executable} -m {MODULE} -tp 2",)),
}


@pytest.fixture(params=sorted(LINES))
def line(request):
    return vllm.distribute(LINES[request.param], Node("worker", 2, 1), {}, hybrid_load_balancing=True).line


@pytest.fixture
def started(container):
    processes = []

    def start(line, address):
        processes.append(container.start(line, {"LWS_LEADER_ADDRESS": address}, index=1))
        return processes[-1]

    yield start
    for process in processes:
        container.stop(process)


def test_a_worker_waits_while_its_leaders_name_does_not_resolve(container, line, started):
    process = started(line, "lws-0.lws.invalid")
    assert process.stdout.readline().startswith("waiting for lws-0.lws.invalid port 6379: ")
    assert process.poll() is None
    assert container.calls() == []


def test_a_worker_joins_once_its_leader_listens(container, line, started):
    # An address of this test's own: all of 127.0.0.0/8 is this machine.
    address = f"127.{os.getpid() >> 16 & 0x7F | 0x80}.{os.getpid() >> 8 & 0xFF}.{os.getpid() & 0xFF}"
    process = started(line, address)
    assert process.stdout.readline() == f"waiting for {address} port 6379: [Errno 111] Connection refused\n"
    with socket.create_server((address, 6379)):
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert container.calls() == [Call("ray", ("start", f"--address={address}:6379", "--block"))]
