"""The SSH between the nodes of TensorRT-LLM, with Debian's OpenSSH on loopback: a leader runs a command on a worker.

Stand-ins are only mpirun, which starts its helper by SSH as the real one does, and names: each host is this machine.
HOME is another folder than the account's, as it is for many images.
"""

import fcntl
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from hooks.pods import trtllm
from hooks.pods.command import CommandLine
from hooks.pods.distribution import Node
from tests.pods.harness import kubelet

SSHD = Path("/usr/sbin/sshd")
ACCOUNT = "dynamo-hooks-test"
LINE = CommandLine(("python3", "-m", "dynamo.trtllm"), ("--x", "it's"))

pytestmark = pytest.mark.skipif(not SSHD.exists(), reason="needs OpenSSH's server: run .ci/install-debian")


@pytest.fixture(scope="module", autouse=True)
def _only_one_on_port_2222():
    with Path(tempfile.gettempdir(), "dynamo-hooks-port-2222").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(params=["root", "another user"])
def account(request):
    if request.param == "root":
        if os.getuid() != 0:
            pytest.skip("needs root")
        yield pwd.getpwuid(0)
    elif os.getuid() != 0:
        yield pwd.getpwuid(os.getuid())
    else:
        subprocess.run(["useradd", "--no-create-home", "--shell", "/bin/sh", ACCOUNT], check=True, capture_output=True)
        try:
            yield pwd.getpwnam(ACCOUNT)
        finally:
            subprocess.run(["userdel", ACCOUNT], check=True, capture_output=True)


class Pods:
    """A leader and a worker on this machine, each with a home of its own and the keys of one secret."""

    def __init__(self, folder, account):
        self.folder, self.account, self.processes = folder, account, []
        self.bin, self.keys = folder / "bin", folder / "ssh-pk"
        for made in (self.bin, self.keys, folder / "leader", folder / "worker"):
            made.mkdir()
        for home in ("leader", "worker"):
            os.chown(folder / home, account.pw_uid, account.pw_gid)
        key = self.keys / "private.key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        for mounted in self.keys.iterdir():
            mounted.chmod(0o644)
        self.write("ssh", 'exec /usr/bin/ssh -o HostName=127.0.0.1 -o UserKnownHostsFile=/dev/null "$@"')
        # Open MPI's helper is found by the PATH of the worker's container, and gets nothing else of it.
        self.write("orted", 'echo "orted of $(id -un) with $*"')
        mpirun = """
            while [ "$1" != bash ]; do
              case $1 in
                -H) hosts=$2; shift;;
                plm_rsh_args) ssh_options=$2; shift;;
              esac
              shift
            done
            for host in $(echo "${hosts#*,}" | tr , ' '); do ssh $ssh_options "$host" orted "$host" </dev/null; done
            printf '<%s>' "$@"
        """
        self.write("mpirun", mpirun)

    def write(self, name, text):
        (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.bin / name).chmod(0o755)

    def start(self, role):
        line = trtllm.distribute(LINE, Node(role, 2, 4), {}, secret_name="keys").line
        group = {"LWS_LEADER_ADDRESS": "lws-0.lws.team", "LWS_WORKER_INDEX": str(int(role == "worker"))}
        words = [kubelet(word, group).replace("/ssh-pk", str(self.keys)) for word in line.words]
        process = subprocess.Popen(
            words,
            env=group | {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder / role), "USER": "not-told"},
            cwd=self.folder / role,
            user=self.account.pw_uid,
            group=self.account.pw_gid,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.processes.append(process)
        return process


@pytest.fixture
def pods(account):
    folder = Path(tempfile.mkdtemp(prefix="dynamo-hooks-"))
    folder.chmod(0o755)
    pods = Pods(folder, account)
    yield pods
    for process in pods.processes:
        process.terminate()
        process.communicate(timeout=60)
    shutil.rmtree(folder)


def test_the_leader_waits_for_a_worker_and_then_runs_commands_there(pods, account):
    with pytest.raises(ConnectionRefusedError):  # nothing else of this machine's answers in the worker's stead
        socket.create_connection(("127.0.0.1", 2222), timeout=5)
    leader = pods.start("leader")
    lines = [leader.stdout.readline(), leader.stdout.readline()]
    assert lines == [
        "ssh: connect to host 127.0.0.1 port 2222: Connection refused\n",
        "waiting for lws-0-1.lws.team port 2222\n",
    ]
    worker = pods.start("worker")
    output, _ = leader.communicate(timeout=120)
    told = output.splitlines()
    assert f"orted of {account.pw_name} with lws-0-1.lws.team" in told, output
    bash = ["bash", "-c", 'trtllm-llmapi-launch "$@"', "bash", "python3", "-m", "dynamo.trtllm", "--x", "it's"]
    assert told[-1] == "".join(f"<{word}>" for word in bash)
    assert leader.returncode == 0
    assert worker.poll() is None
    modes = {path.name: oct(path.stat().st_mode)[-3:] for path in (pods.folder / "worker" / ".ssh").iterdir()}
    assert modes == {"id_rsa": "600", "id_rsa.pub": "600", "authorized_keys": "600"}


def test_nobody_gets_in_without_the_key_of_the_secret(pods, account):
    worker = pods.start("worker")
    for line in worker.stdout:
        if "Server listening on 0.0.0.0 port 2222" in line:
            break
    stranger = pods.folder / "stranger"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", stranger], check=True)
    options = ["-F", "/dev/null", "-p", "2222", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
    for key, code in ((stranger, 255), (pods.keys / "private.key", 0)):
        own = pods.folder / "own"
        own.write_bytes(key.read_bytes())
        own.chmod(0o600)
        login = ["ssh", *options, "-o", "IdentitiesOnly=yes", "-i", own, f"{account.pw_name}@127.0.0.1", "true"]
        tried = subprocess.run(
            [*login], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60
        )
        assert tried.returncode == code, tried.stderr
