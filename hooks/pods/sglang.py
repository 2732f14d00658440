"""SGLang over several nodes: each runs the command, told where its leader is and which node it is itself.

Source: SGLang documentation, "Multi-node deployment" (docs.sglang.ai).
"""

from hooks.pods.command import CommandLine, Environment, literal, variable
from hooks.pods.distribution import LEADER_ADDRESS, NO_PROBES, WORKER_INDEX, Distribution, Node
from hooks.pods.engine import engine_call
from hooks.pods.flags import Flag, is_set

PORT = 29500
"""Where the leader's processes meet the others'."""

_ADDRESS = Flag("--dist-init-addr", ("--nccl-init-addr",), shortest="--dist-i")
_NODES = Flag("--nnodes", shortest="--nn")
_RANK = Flag("--node-rank", shortest="--node-r")


def distribute(line: CommandLine, node: Node, env: Environment) -> Distribution:
    """SGLang's flags for one role; those that the user set stay the user's.

    Raises:
        InvalidSpec: the command has no place for them.
    """
    probes = {} if node.is_leader else NO_PROBES
    if not node.gpus:
        return Distribution(line, probes)
    call = engine_call(line, "sglang", env)
    wanted = (
        (_ADDRESS, variable(LEADER_ADDRESS, f":{PORT}")),
        (_NODES, literal(str(node.count))),
        (_RANK, literal("0") if node.is_leader else variable(WORKER_INDEX)),
    )
    missing = [(literal(flag.name), value) for flag, value in wanted if not is_set(flag, call)]
    return Distribution(call.with_arguments([word for pair in missing for word in pair]), probes)
