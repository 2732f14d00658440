"""What a component's pods get when they span nodes, whatever the engine."""

from hooks.api.component_deployment import Backend
from hooks.errors import Fault, InvalidSpec
from hooks.pods import sglang, trtllm, vllm
from hooks.pods.command import CommandLine, Environment
from hooks.pods.distribution import GROUP_SIZE, OF_THE_GROUP, Distribution, Node
from hooks.settings import Settings


def distribute(
    backend: Backend | None, line: CommandLine, node: Node, env: Environment, settings: Settings
) -> Distribution:
    """The changes to the pods of one role.

    Args:
        backend: the engine, as `backend_of` tells it; without one, each node runs the command as it is.
        line: command and args of the main container, with the defaults filled in.
        node: the role, the number of nodes, and the GPUs that the main container has on each.
        env: the main container's environment as it will be.
        settings: the platform's.

    Raises:
        InvalidSpec: the engine's flags cannot be placed or read, or the user sets what tells a pod its place.
    """
    found = _of_engine(backend, line, node, env, settings)
    if found.line != line and (own := OF_THE_GROUP & env.keys()):
        # Scripts reckon with them, and bash runs what stands in a subscript of what it reckons with.
        problem = "is what each pod of a group is told by LeaderWorkerSet"
        raise InvalidSpec([Fault(f"spec.envs[{name}]", problem, "leave it out") for name in own])
    return found


def _of_engine(
    backend: Backend | None, line: CommandLine, node: Node, env: Environment, settings: Settings
) -> Distribution:
    known = {GROUP_SIZE: str(node.count), **env}
    if backend == "vllm":
        balanced = settings.multinode.vllm_hybrid_load_balancing
        return vllm.distribute(line, node, known, hybrid_load_balancing=balanced)
    if backend == "sglang":
        return sglang.distribute(line, node, known)
    if backend == "trtllm":
        return trtllm.distribute(line, node, env, secret_name=settings.mpi_run.secret_name)
    return Distribution(line)
