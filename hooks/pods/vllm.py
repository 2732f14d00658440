"""vLLM over several nodes: one engine by Ray where it needs more GPUs than a node has, else data parallelism.

Sources: vLLM documentation, "Parallelism and Scaling" and "Data Parallel Deployment" (docs.vllm.ai); the flags' other
names, vllm/engine/arg_utils.py; Ray documentation, "ray start".
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hooks.pods.command import (
    Argument,
    CommandLine,
    Environment,
    literal,
    option,
    product,
    run_first,
    variable,
)
from hooks.pods.distribution import LEADER, LEADER_ADDRESS, NO_PROBES, WORKER_INDEX, Distribution, Node
from hooks.pods.engine import EngineCall, engine_call
from hooks.pods.flags import Flag, is_set, numbers_of, value_of

RAY_PORT = 6379
DATA_PARALLEL_RPC_PORT = 13445

_SIZES: Mapping[str, Flag] = {
    "tensor": Flag("--tensor-parallel-size", ("-tp",), shortest="--tensor-"),
    "pipeline": Flag("--pipeline-parallel-size", ("-pp",), shortest="--pipeline-"),
    "data": Flag("--data-parallel-size", ("-dp",)),
}
_LOCAL = Flag("--data-parallel-size-local", ("-dpl",), shortest="--data-parallel-size-")
_EXECUTOR = Flag("--distributed-executor-backend", shortest="--distributed-executor-")
_ADDRESS = Flag("--data-parallel-address", ("-dpa",), shortest="--data-parallel-a")
_RPC_PORT = Flag("--data-parallel-rpc-port", ("-dpp",), shortest="--data-parallel-rp")
_START_RANK = Flag("--data-parallel-start-rank", ("-dpr",), shortest="--data-parallel-st")
_HYBRID = Flag("--data-parallel-hybrid-lb", ("-dph", "--no-data-parallel-hybrid-lb"), shortest="--data-parallel-h")
_EXTERNAL = Flag("--data-parallel-external-lb", ("-dpe",), shortest="--data-parallel-e")

_OWN = (
    Flag("--nnodes", ("-n",), shortest="--nn"),
    Flag("--node-rank", ("-r",), shortest="--node-"),
    Flag("--data-parallel-rank", ("-dpn",), shortest="--data-parallel-ra"),
)
"""Flags by which the user tells each node its part himself."""

_WAIT = """{python} -c '
import socket, sys, time
while True:
    try:
        socket.create_connection((sys.argv[1], {port}), 5).close()
        break
    except OSError as error:
        print("waiting for", sys.argv[1], "port {port}:", error, flush=True)
        time.sleep(5)
' {address}"""
"""Python is in every image of vLLM; netcat, getent and bash's /dev/tcp may not be."""


@dataclass(frozen=True)
class _Sizes:
    """How many GPUs an engine takes, as far as its flags say."""

    tensor: int
    pipeline: int
    data: int

    @property
    def world(self) -> int:
        """GPUs of one data-parallel rank."""
        return self.tensor * self.pipeline

    def __str__(self) -> str:
        return f"tensor {self.tensor} * pipeline {self.pipeline} * data parallel {self.data}"


def distribute(line: CommandLine, node: Node, env: Environment, *, hybrid_load_balancing: bool) -> Distribution:
    """What vLLM gets for one role. Workers have no probes: they serve nothing.

    Raises:
        InvalidSpec: the command has no place for flags, or its own cannot be read.
    """
    probes = {} if node.is_leader else NO_PROBES
    if not node.gpus:
        return Distribution(line, probes)
    call = engine_call(line, "vllm", env)
    own = next((flag.name for flag in _OWN if is_set(flag, call)), None)
    if own:
        note = f"Nothing of Ray was added, nor of data parallelism: the command sets {own}."
        return Distribution(line, probes, note=note)
    sizes = _sizes(call)
    if sizes.world > node.gpus:
        reason = _without_ray(call)
        if reason:
            return Distribution(line, probes, note=f"Nothing of Ray was added: {reason}.")
        return Distribution(_with_ray(call, node, env), probes, note=_shortage(sizes, node))
    if sizes.world * sizes.data > node.gpus:
        local = numbers_of({"local": _LOCAL}, call)["local"] or node.gpus // sizes.world
        line = _data_parallel(call, node, local, balanced=hybrid_load_balancing)
        return Distribution(line, probes, note=_uneven(sizes, node, local))
    note = f"Each of the {node.count} nodes runs vLLM by itself: {sizes} fits into the {node.gpus} GPUs of one."
    return Distribution(line, probes, note=note)


def _sizes(call: EngineCall) -> _Sizes:
    numbers = numbers_of(_SIZES, call)
    return _Sizes(
        tensor=numbers["tensor"] or 1,
        pipeline=numbers["pipeline"] or 1,
        data=numbers["data"] or 1,
    )


def _without_ray(call: EngineCall) -> str:
    executor = value_of(_EXECUTOR, call)
    if executor not in (None, "ray"):
        return f"the command asks for {_EXECUTOR.name} {executor}"
    starts_ray = any([word.value for word in command.words[:2]] == ["ray", "start"] for command in call.neighbours)
    return "the command starts Ray itself" if starts_ray else ""


def _shortage(sizes: _Sizes, node: Node) -> str:
    total = node.count * node.gpus
    return f"vLLM asks for {sizes.world} GPUs, the group has {total}." if sizes.world > total else ""


def _uneven(sizes: _Sizes, node: Node, local: int) -> str:
    ranks = node.count * local
    if ranks == sizes.data:
        return ""
    return f"{_SIZES['data'].name} is {sizes.data}, but {node.count} nodes of {local} ranks make {ranks}."


def _with_ray(call: EngineCall, node: Node, env: Environment) -> CommandLine:
    if node.is_leader:
        executor = () if is_set(_EXECUTOR, call) else (literal(_EXECUTOR.name), literal("ray"))
        return run_first(call.with_arguments(executor), f"ray start --head --port={RAY_PORT}", env)
    wait = _WAIT.format(python=call.python, port=RAY_PORT, address=LEADER.script)
    address = variable(LEADER_ADDRESS, f":{RAY_PORT}")
    join = (literal("ray"), literal("start"), option("--address", address), literal("--block"))
    return call.replaced_by(join, after=wait)


def _data_parallel(call: EngineCall, node: Node, local: int, *, balanced: bool) -> CommandLine:
    rank = literal("0") if node.is_leader else product(local, WORKER_INDEX)
    wanted: tuple[tuple[Flag, Argument], ...] = (
        (_ADDRESS, LEADER),
        (_LOCAL, literal(str(local))),
        (_RPC_PORT, literal(str(DATA_PARALLEL_RPC_PORT))),
        (_START_RANK, rank),
    )
    chosen = is_set(_HYBRID, call) or is_set(_EXTERNAL, call)
    arguments = [literal(_HYBRID.name)] if balanced and not chosen else []
    for flag, value in wanted:
        arguments += [] if is_set(flag, call) else [literal(flag.name), value]
    return call.with_arguments(arguments)
