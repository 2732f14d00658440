"""TensorRT-LLM over several nodes: MPI, whose leader starts the other nodes' processes over SSH.

Sources: TensorRT-LLM documentation, "trtllm-llmapi-launch"; Open MPI 4, mpirun(1), and its FAQ on rsh/ssh; OpenSSH,
sshd_config(5) and ssh_config(5). What else decides the scripts' words: sshd and ssh take `~` from the password
database, whatever HOME says, so every path is absolute; a session of sshd knows nothing of the container's
environment, so sshd hands on the PATH in which mpirun's helper is found; and a shell that is process 1 ends at a
SIGTERM only where it was told to.
"""

import shlex
from typing import Any

from hooks import names
from hooks.errors import Fault, InvalidSpec
from hooks.pods.command import CommandLine, Environment
from hooks.pods.distribution import LEADER_ADDRESS, Distribution, Node
from hooks.pods.engine import EngineCall, engine_call
from hooks.pods.shell import program_of

SSH_PORT = 2222
KEYS = "/ssh-pk"
"""Where the key pair of the secret is mounted: `private.key` and `private.key.pub`."""

_LAUNCHER = "trtllm-llmapi-launch"
_RUNNERS = frozenset({"mpirun", "mpiexec", "srun"})
_ENV = {"OMPI_MCA_orte_keep_fqdn_hostnames": "1"}
"""Open MPI is to compare whole host names: those of a group differ in their first part only by a number."""

_EXPORTED = frozenset(
    {
        "CPATH",
        "CUDA_VISIBLE_DEVICES",
        "HF_DATASETS_CACHE",
        "HF_ENDPOINT",
        "HF_HOME",
        "HF_TOKEN",
        "HOME",
        "HUGGING_FACE_HUB_TOKEN",
        "LD_LIBRARY_PATH",
        "MODEL_PATH",
        "NCCL_DEBUG",
        "NCCL_IB_DISABLE",
        "NCCL_P2P_DISABLE",
        "PATH",
        "PYTHONPATH",
        "TENSORRT_LLM_CACHE_DIR",
        "TOKENIZERS_PARALLELISM",
        "TRANSFORMERS_CACHE",
        "TRITON_PTXAS_PATH",
        "TRTLLM_USE_UCX_KVCACHE",
        "USER",
    }
)
"""Variables that every process gets from the leader, besides those of its container."""

_READY_WHEN_SSH_ANSWERS: dict[str, Any] = {
    "tcpSocket": {"port": SSH_PORT},
    "initialDelaySeconds": 20,
    "periodSeconds": 20,
    "timeoutSeconds": 5,
    "failureThreshold": 10,
}
"""Source: seed, "Multinode Deployment Probe Modifications"."""

_WORKER_PROBES: dict[str, dict[str, Any] | None] = {
    "livenessProbe": None,
    "readinessProbe": _READY_WHEN_SSH_ANSWERS,
    "startupProbe": None,
}

_PREPARE_KEYS = f"""\
set -e
mkdir -p -m 700 "$HOME/.ssh"
install -m 600 {KEYS}/private.key "$HOME/.ssh/id_rsa"
install -m 600 {KEYS}/private.key.pub "$HOME/.ssh/id_rsa.pub"
install -m 600 {KEYS}/private.key.pub "$HOME/.ssh/authorized_keys"
"""

_SERVE = f"""\
{_PREPARE_KEYS}\
sshd_dir=$(mktemp -d)
for key_type in rsa ecdsa ed25519; do
  ssh-keygen -q -t $key_type -N '' -f "$sshd_dir/$key_type"
done
cat >"$sshd_dir/config" <<END
Port {SSH_PORT}
HostKey $sshd_dir/rsa
HostKey $sshd_dir/ecdsa
HostKey $sshd_dir/ed25519
PidFile $sshd_dir/pid
AuthorizedKeysFile "$HOME/.ssh/authorized_keys"
AuthenticationMethods publickey
StrictModes no
SetEnv PATH="$PATH" LD_LIBRARY_PATH="$LD_LIBRARY_PATH"
END
if [ "$(id -u)" = 0 ]; then mkdir -p -m 755 /run/sshd; fi
exec /usr/sbin/sshd -D -f "$sshd_dir/config" -e
"""

_LEAD = f"""\
{_PREPARE_KEYS}\
cat >"$HOME/.ssh/config" <<END
Host *
  IdentityFile "$HOME/.ssh/id_rsa"
  Port {SSH_PORT}
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
END
chmod 600 "$HOME/.ssh/config"
trap 'exit 143' TERM
mpi_hosts=${LEADER_ADDRESS}
mpi_node=1
while [ $mpi_node -lt {{nodes}} ]; do
  mpi_host=${{{{{LEADER_ADDRESS}%%.*}}}}-$mpi_node.${{{{{LEADER_ADDRESS}#*.}}}}
  until ssh -n -F "$HOME/.ssh/config" -o BatchMode=yes -o ConnectTimeout=5 "$mpi_host" true; do
    echo "waiting for $mpi_host port {SSH_PORT}"
    sleep 5
  done
  mpi_hosts=$mpi_hosts,$mpi_host
  mpi_node=$((mpi_node + 1))
done
exec mpirun --allow-run-as-root --oversubscribe -n {{processes}} -H "$mpi_hosts" --mca pml ob1 \\
  --mca plm_rsh_args "-p {SSH_PORT} -o StrictHostKeyChecking=no -i $HOME/.ssh/id_rsa" \\
  {{exports}} "$@"
"""


def distribute(line: CommandLine, node: Node, env: Environment, *, secret_name: str) -> Distribution:
    """What TensorRT-LLM gets for one role: the leader runs the command by mpirun on all nodes, workers run sshd.

    Raises:
        InvalidSpec: the command has no place for the launcher, or runs MPI itself.
    """
    if not node.gpus:
        return Distribution(line)
    call = engine_call(line, "trtllm", env)
    _refuse_own_mpi(call)
    return Distribution(
        line=_leading(line, call, node, env) if node.is_leader else line.in_shell(_SERVE, ()),
        probes={} if node.is_leader else _WORKER_PROBES,
        env=_ENV,
        volumes=({"name": names.MPI_KEYS, "secret": {"secretName": secret_name, "defaultMode": 0o644}},),
        mounts=({"name": names.MPI_KEYS, "mountPath": KEYS, "readOnly": True},),
    )


def _refuse_own_mpi(call: EngineCall) -> None:
    for word in call.wrappers:
        if program_of(word) in _RUNNERS:
            cure = f"leave {word} and its flags out: they are added, with SSH between the nodes"
            raise InvalidSpec([Fault(call.field, f"runs {word} itself", cure)])


def _leading(line: CommandLine, call: EngineCall, node: Node, env: Environment) -> CommandLine:
    exports = " ".join(f"-x {shlex.quote(name)}" for name in sorted(_EXPORTED | _ENV.keys() | env.keys()))
    script = _LEAD.format(nodes=node.count, processes=node.count * node.gpus, exports=exports)
    return line.in_shell(script, _launched(line, call))


def _launched(line: CommandLine, call: EngineCall) -> tuple[str, ...]:
    """The words that mpirun starts as each process: a bash with the user's script or words, launcher included."""
    if line.script is None and not call.wrappers:
        return ("bash", "-c", f'{_LAUNCHER} "$@"', "bash", *line.words)
    if _LAUNCHER not in map(program_of, call.wrappers):
        line = call.launched_by(_LAUNCHER)
    return ("bash", *line.words[1:]) if line.is_shell else ("bash", "-c", '"$@"', "bash", *line.words)
