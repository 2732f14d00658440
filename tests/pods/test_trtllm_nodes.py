import shlex

import pytest

from hooks.errors import InvalidSpec
from hooks.pods import trtllm
from hooks.pods.command import CommandLine
from hooks.pods.distribution import Node
from tests.pods.harness import nodes_of
from tests.pods.spellings import SH, SPELLINGS

MODULE = "dynamo.trtllm"
HOSTS = ["g-decode-lws-0.g-decode-lws.team", "g-decode-lws-0-1.g-decode-lws.team"]
HOSTS += ["g-decode-lws-0-2.g-decode-lws.team", "g-decode-lws-0-3.g-decode-lws.team"]
EXPORTED = """
CPATH CUDA_VISIBLE_DEVICES HF_DATASETS_CACHE HF_ENDPOINT HF_HOME HF_TOKEN HOME HUGGING_FACE_HUB_TOKEN LD_LIBRARY_PATH
MODEL_PATH NCCL_DEBUG NCCL_IB_DISABLE NCCL_P2P_DISABLE OMPI_MCA_orte_keep_fqdn_hostnames PATH PYTHONPATH
TENSORRT_LLM_CACHE_DIR TOKENIZERS_PARALLELISM TRANSFORMERS_CACHE TRITON_PTXAS_PATH TRTLLM_USE_UCX_KVCACHE USER
"""


def distribute(line, node, env=None):
    return trtllm.distribute(line, node, env or {}, secret_name="keys")


def direct(*words):
    return CommandLine(("python3", "-m", MODULE), words)


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.reason)
def test_every_spelling_is_launched_by_mpirun(spelling, container):
    line = spelling.line(MODULE)
    result = container.run(distribute(line, Node("leader", 2, 4), spelling.env).line, spelling.env)
    assert [call.program for call in result.calls][:3] == ["ssh", "mpirun", "trtllm-llmapi-launch"], result.output
    (launched,) = result.of("trtllm-llmapi-launch")
    assert launched[0].rpartition("/")[2] in ("python", "python3", "python3.11")
    assert result.engine(MODULE) == [list(spelling.words)]
    assert result.code == container.run(line, spelling.env).code, result.output


@pytest.mark.parametrize("count", [2, 3, 4])
def test_mpirun_starts_a_process_for_each_gpu_on_the_hosts_of_the_group(count, container):
    env = {"MINE": "x", "HF_TOKEN": None, "OMPI_MCA_orte_keep_fqdn_hostnames": "0"}
    leader = distribute(CommandLine(SH, (f"python3 -m {MODULE} --x '{{\"a\": 1}}'",)), Node("leader", count, 4), env)
    result = container.run(leader.line, {"MINE": "x"}, 0, count)
    exports = [word for name in sorted([*EXPORTED.split(), "MINE"]) for word in ("-x", name)]
    rsh = f"-p 2222 -o StrictHostKeyChecking=no -i {container.home}/.ssh/id_rsa"
    assert result.of("mpirun") == [
        [
            *("--allow-run-as-root", "--oversubscribe", "-n", str(4 * count), "-H", ",".join(HOSTS[:count])),
            *("--mca", "pml", "ob1", "--mca", "plm_rsh_args", rsh, *exports),
            *("bash", "-c", f"trtllm-llmapi-launch python3 -m {MODULE} --x '{{\"a\": 1}}'"),
        ]
    ]
    assert [words[-2:] for words in result.of("ssh")] == [[host, "true"] for host in HOSTS[1:count]]


def test_a_direct_call_is_launched_word_by_word(container):
    result = container.run(distribute(direct("it's", "a b"), Node("leader", 2, 4)).line)
    bash = ["bash", "-c", 'trtllm-llmapi-launch "$@"', "bash", "python3", "-m", MODULE, "it's", "a b"]
    assert result.of("mpirun")[0][-len(bash) :] == bash


@pytest.mark.parametrize(
    ("line", "launched"),
    [
        (
            CommandLine(("/bin/bash", "-lec"), (f"python3 -m {MODULE}",)),
            ["bash", "-lec", f"trtllm-llmapi-launch python3 -m {MODULE}"],
        ),
        (
            CommandLine(("env", "A=b", "python3", "-m"), (MODULE,)),
            ["bash", "-c", '"$@"', "bash", "env", "A=b", "trtllm-llmapi-launch", "python3", "-m", MODULE],
        ),
        (
            CommandLine(("trtllm-llmapi-launch", "python3", "-m", MODULE)),
            ["bash", "-c", '"$@"', "bash", "trtllm-llmapi-launch", "python3", "-m", MODULE],
        ),
        (
            CommandLine(SH, (f"exec trtllm-llmapi-launch python3 -m {MODULE}",)),
            ["bash", "-c", f"exec trtllm-llmapi-launch python3 -m {MODULE}"],
        ),
    ],
)
def test_the_launcher_stands_in_front_of_python_once(line, launched, container):
    result = container.run(distribute(line, Node("leader", 2, 4)).line)
    assert result.of("mpirun")[0][-len(launched) :] == launched


@pytest.mark.parametrize(
    ("line", "runner"),
    [
        (CommandLine(("mpirun", "-n", "8", "python3", "-m", MODULE)), "mpirun"),
        (CommandLine(SH, (f"/opt/mpi/bin/mpirun -n 8 bash -c 'python3 -m {MODULE}'",)), "/opt/mpi/bin/mpirun"),
        (CommandLine(SH, (f"sleep 60; mpiexec -H $LWS_WORKER_1_ADDRESS python3 -m {MODULE}",)), "mpiexec"),
    ],
)
def test_mpi_of_the_users_own_is_refused(line, runner):
    for role in ("leader", "worker"):
        with pytest.raises(InvalidSpec, match=f"runs {runner} itself; leave {runner} and its flags out"):
            distribute(line, Node(role, 2, 4))


@pytest.mark.parametrize("count", [2, 4])
def test_workers_serve_ssh_with_the_keys_of_the_secret(count, container):
    for index, node in list(enumerate(nodes_of(count, gpus=4)))[1:]:
        result = container.run(distribute(direct("--x"), node).line, {}, index, count)
        *generated, sshd = result.calls
        assert [call.words[:3] for call in generated] == [("-q", "-t", kind) for kind in ("rsa", "ecdsa", "ed25519")]
        assert (sshd.program, sshd.words[:2], sshd.words[3:]) == ("sshd", ("-D", "-f"), ("-e",))
    ssh = container.home / ".ssh"
    assert {path.name: path.read_text() for path in ssh.glob("id_rsa*")} == {
        "id_rsa": "private\n",
        "id_rsa.pub": "public\n",
    }
    assert (ssh / "authorized_keys").read_text() == "public\n"
    assert {oct(path.stat().st_mode)[-3:] for path in ssh.glob("[ai]*")} == {"600"}


def test_scripts_are_plain_posix(container):
    for role in ("leader", "worker"):
        line = distribute(direct("--x"), Node(role, 4, 8)).line
        assert line.command == ("/bin/sh", "-c")
        assert not any(word in line.args[0] for word in ("[[", "==", "<(", "/dev/tcp", "getent", "function ", "~"))
        assert len(line.args[0].splitlines()) < 32


@pytest.mark.parametrize("role", ["leader", "worker"])
def test_both_roles_mount_the_key_secret(role):
    distribution = distribute(direct(), Node(role, 2, 4))
    assert distribution.volumes == ({"name": "mpi-ssh-keys", "secret": {"secretName": "keys", "defaultMode": 0o644}},)
    assert distribution.mounts == ({"name": "mpi-ssh-keys", "mountPath": "/ssh-pk", "readOnly": True},)
    assert distribution.env == {"OMPI_MCA_orte_keep_fqdn_hostnames": "1"}


def test_the_leader_keeps_its_probes_and_a_worker_is_ready_when_ssh_answers():
    assert distribute(direct(), Node("leader", 2, 4)).probes == {}
    times = {"initialDelaySeconds": 20, "periodSeconds": 20, "timeoutSeconds": 5, "failureThreshold": 10}
    answers = {"tcpSocket": {"port": 2222}, **times}
    gone = {"livenessProbe": None, "readinessProbe": answers, "startupProbe": None}
    assert distribute(direct(), Node("worker", 2, 4)).probes == gone


@pytest.mark.parametrize("role", ["leader", "worker"])
def test_without_gpus_each_node_is_left_as_it_is(role):
    distribution = distribute(direct(), Node(role, 2, 0))
    assert (distribution.line, distribution.probes, distribution.volumes) == (direct(), {}, ())


def test_odd_names_of_variables_are_quoted(container):
    line = distribute(direct(), Node("leader", 2, 1), {"a b": "", "x;y": ""}).line
    (words,) = container.run(line).of("mpirun")
    assert [words[index + 1] for index, word in enumerate(words) if word == "-x"][-3:] == ["USER", "a b", "x;y"]
    assert shlex.quote("x;y") in line.args[0]


def test_an_image_with_an_entry_point_keeps_it():
    line = CommandLine((), ("python3", "-m", MODULE))
    for role in ("leader", "worker"):
        distributed = distribute(line, Node(role, 2, 1)).line
        assert (distributed.command, distributed.args[:2]) == ((), SH)
