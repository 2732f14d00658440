"""A worker that joins Ray waits for its leader as long as it takes, and a leader of MPI for its workers."""

import os
import socket
import sys

import pytest

from hooks.pods import trtllm, vllm
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
        processes.append(container.start(line, {"LWS_LEADER_ADDRESS": address, "SSH_CODE": "255"}, index=1))
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


def test_a_leader_waits_for_workers_that_do_not_answer_and_ends_when_it_is_told_to(container, started):
    line = CommandLine(("python3", "-m", "dynamo.trtllm"))
    leader = trtllm.distribute(line, Node("leader", 2, 1), {}, secret_name="keys").line
    process = started(leader, "lws-0.lws.team")
    assert process.stdout.readline() == "waiting for lws-0-1.lws.team port 2222\n"
    assert process.poll() is None
    process.terminate()
    assert process.wait(timeout=60) == 143
    assert {call.program for call in container.calls()} == {"ssh"}
