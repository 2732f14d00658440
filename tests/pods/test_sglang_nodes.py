import pytest

from hooks.pods import sglang
from hooks.pods.command import CommandLine
from hooks.pods.distribution import Node
from tests.pods.harness import LEADER, nodes_of
from tests.pods.spellings import SPELLINGS

MODULE = "dynamo.sglang"
CALL = CommandLine(("python3", "-m", MODULE))


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.reason)
def test_every_spelling_reaches_python_with_the_flags_of_its_node_behind(spelling, container):
    line = spelling.line(MODULE)
    written = container.run(line, spelling.env)
    assert written.engine(MODULE) == [list(spelling.words)]
    for index, node in enumerate(nodes_of(3, gpus=8)):
        result = container.run(sglang.distribute(line, node, spelling.env).line, spelling.env, index, node.count)
        flags = ["--dist-init-addr", f"{LEADER}:29500", "--nnodes", "3", "--node-rank", str(index)]
        assert result.engine(MODULE) == [[*spelling.words, *flags]], result.output
        assert result.code == written.code, result.output


@pytest.mark.parametrize("count", [2, 3, 4])
def test_ranks_count_up_from_the_leader(count, container):
    ranks = []
    for index, node in enumerate(nodes_of(count, gpus=8)):
        (words,) = container.run(sglang.distribute(CALL, node, {}).line, {}, index, count).engine(MODULE)
        assert words[words.index("--nnodes") + 1] == str(count)
        ranks.append(words[words.index("--node-rank") + 1])
    assert ranks == [str(index) for index in range(count)]


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ("--dist-init-addr x:1", ["--nnodes", "2", "--node-rank", "0"]),
        ("--nccl-init-addr=x:1", ["--nnodes", "2", "--node-rank", "0"]),
        ("--nnodes=2 --node_rank 1", ["--dist-init-addr", "$(LWS_LEADER_ADDRESS):29500"]),
        ("--dist-init x:1 --nn 2 --node-r 1", []),
    ],
)
def test_a_flag_of_the_users_is_not_set_again(given, added):
    line = CommandLine(("python3", "-m", MODULE), tuple(given.split()))
    leader = sglang.distribute(line, Node("leader", 2, 8), {})
    assert leader.line.args == (*given.split(), *added)


def test_no_flags_without_gpus():
    assert sglang.distribute(CALL, Node("worker", 2, 0), {}).line == CALL


def test_only_the_leader_keeps_its_probes():
    assert sglang.distribute(CALL, Node("leader", 2, 8), {}).probes == {}
    gone = {"livenessProbe": None, "readinessProbe": None, "startupProbe": None}
    assert sglang.distribute(CALL, Node("worker", 2, 8), {}).probes == gone
