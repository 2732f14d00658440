import pytest

from hooks.errors import InvalidSpec
from hooks.pods import vllm
from hooks.pods.command import CommandLine
from hooks.pods.distribution import Node
from tests.pods.harness import LEADER, Call, nodes_of
from tests.pods.spellings import SH, SPELLINGS

MODULE = "dynamo.vllm"
SIZES = ("-tp", "16", "-pp", "1", "-dp", "1")
RAY = ["--distributed-executor-backend", "ray"]
HEAD = Call("ray", ("start", "--head", "--port=6379"))
JOIN = Call("ray", ("start", f"--address={LEADER}:6379", "--block"))
WAITED = Call("python3", ("wait-for", LEADER))


def distribute(line, node, env=None, *, balanced=True):
    return vllm.distribute(line, node, env or {}, hybrid_load_balancing=balanced)


def direct(flags):
    return CommandLine(("python3", "-m", MODULE), tuple(flags.split()))


def script(flags):
    return CommandLine(SH, (f"python3 -m {MODULE} {flags}",))


# Ray


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.reason)
def test_every_spelling_starts_ray_before_it_on_the_leader(spelling, container):
    line = spelling.line(MODULE, *SIZES)
    leader = distribute(line, Node("leader", 2, 8), spelling.env).line
    result = container.run(leader, spelling.env)
    assert result.calls[0] == HEAD
    assert result.engine(MODULE) == [[*SIZES, *spelling.words, *RAY]]
    assert result.code == container.run(line, spelling.env).code, result.output


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.reason)
def test_every_spelling_runs_nothing_when_ray_does_not_start(spelling, container):
    leader = distribute(spelling.line(MODULE, *SIZES), Node("leader", 2, 8), spelling.env).line
    result = container.run(leader, spelling.env | {"RAY_CODE": "5"})
    assert (result.calls, result.code) == ([HEAD], 5)


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.reason)
def test_every_spelling_joins_ray_instead_on_a_worker(spelling, container):
    line = spelling.line(MODULE, *SIZES)
    result = container.run(distribute(line, Node("worker", 2, 8), spelling.env).line, spelling.env, index=1)
    waited, joined = result.calls
    assert (waited.words, joined) == (WAITED.words, JOIN)
    assert result.code == container.run(line, spelling.env).code, result.output


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_worker_joins_the_one_leader(count, container):
    for index, node in enumerate(nodes_of(count, gpus=1)):
        line = distribute(direct(f"--tensor-parallel-size {count}"), node).line
        result = container.run(line, {}, index, count)
        assert [call for call in result.calls if call.program == "ray"] == [JOIN if index else HEAD]


@pytest.mark.parametrize(
    "flags",
    [
        "--tensor-parallel-size 2",
        "--tensor-parallel-size=2",
        "--tensor_parallel_size 2",
        "--tensor-parallel 2",
        "-tp 2",
        "-tp=2",
        "--pipeline-parallel-size 2",
        "-pp=2",
        "-tp 1 -pp 2 --model x",
        "-tp 8 -tp 2",
        "-tp 2 -dp 4",
    ],
)
@pytest.mark.parametrize("shape", [direct, script])
def test_ray_where_an_engine_needs_more_gpus_than_a_node_has(flags, shape, container):
    leader = container.run(distribute(shape(flags), Node("leader", 2, 1)).line)
    assert leader.calls == [HEAD, Call("python3", ("-m", MODULE, *flags.split(), *RAY))]
    assert container.run(distribute(shape(flags), Node("worker", 2, 1)).line, index=1).calls == [WAITED, JOIN]


@pytest.mark.parametrize(
    "flags",
    [
        "-tp '2'",
        '-tp "2"',
        "-tp=$TP",
        '--tensor-parallel-size "${TP}"',
        "--tensor-parallel-size=$(TP)",
        "$FLAGS",
        "-tp \\\n 2",
    ],
)
def test_sizes_are_read_as_a_shell_reads_them(flags, container):
    env = {"TP": "2", "FLAGS": "--enforce-eager -tp 2"}
    result = container.run(distribute(script(flags), Node("leader", 2, 1), env).line, env)
    assert result.calls[0] == HEAD


def test_a_variable_that_the_script_sets_counts_as_it_sets_it(container):
    line = CommandLine(SH, (f"TP=2\nexport TP\nTP=9 python3 -m {MODULE} -tp $TP",))
    result = container.run(distribute(line, Node("leader", 2, 1), {"TP": "1"}).line, {"TP": "1"})
    assert result.calls == [HEAD, Call("python3", ("-m", MODULE, "-tp", "2", *RAY))]


def test_a_direct_call_reads_what_the_kubelet_fills_in():
    assert distribute(direct("-tp $(TP)"), Node("leader", 2, 1), {"TP": "2"}).line.args[0].startswith("ray start")


def test_ray_named_by_the_user_is_not_named_again(container):
    line = direct("-tp 2 --distributed-executor-backend=ray")
    result = container.run(distribute(line, Node("leader", 2, 1)).line)
    assert result.engine(MODULE) == [["-tp", "2", "--distributed-executor-backend=ray"]]


@pytest.mark.parametrize("role", ["leader", "worker"])
@pytest.mark.parametrize(
    ("line", "note"),
    [
        (
            direct("-tp 2 --distributed-executor-backend mp"),
            "Nothing of Ray was added: the command asks for --distributed-executor-backend mp.",
        ),
        (
            CommandLine(SH, (f"ray start --head && python3 -m {MODULE} -tp 2",)),
            "Nothing of Ray was added: the command starts Ray itself.",
        ),
        (
            CommandLine(SH, (f"ray start --head && bash -c 'python3 -m {MODULE} -tp 2'",)),
            "Nothing of Ray was added: the command starts Ray itself.",
        ),
    ],
)
def test_no_ray_where_the_user_distributes_otherwise(role, line, note):
    distribution = distribute(line, Node(role, 2, 1))
    assert (distribution.line, distribution.note) == (line, note)


@pytest.mark.parametrize("role", ["leader", "worker"])
@pytest.mark.parametrize(
    ("flags", "flag"),
    [
        ("-tp 16 --nnodes 2 --node-rank $LWS_WORKER_INDEX --master-addr $LWS_LEADER_ADDRESS", "--nnodes"),
        ("-tp 16 -n 2 -r $LWS_WORKER_INDEX", "--nnodes"),
        ("-tp 16 --node_rank=$LWS_WORKER_INDEX", "--node-rank"),
        ("-tp $TP --nnodes=2", "--nnodes"),
        ("-dp 16 --data-parallel-rank $LWS_WORKER_INDEX", "--data-parallel-rank"),
        ("-dp 16 -dpn 1", "--data-parallel-rank"),
        ("-tp 8 --nnodes 2", "--nnodes"),
    ],
)
def test_nothing_is_added_where_the_user_tells_each_node_its_part(role, flags, flag):
    line = script(flags)
    distribution = distribute(line, Node(role, 2, 8))
    assert distribution.line == line
    assert distribution.note == f"Nothing of Ray was added, nor of data parallelism: the command sets {flag}."


def test_a_script_stays_one_script():
    line = CommandLine(SH, (f"python3 -m {MODULE} -pp 2 | tee log",))
    leader = distribute(line, Node("leader", 2, 1)).line
    script = f"ray start --head --port=6379 && python3 -m {MODULE} -pp 2 --distributed-executor-backend ray | tee log"
    assert leader == CommandLine(SH, (script,))


def test_a_worker_prepares_what_the_script_prepares(container):
    line = CommandLine(SH, (f"export A=b\nsetup --it\nexec env C=d python3 -m {MODULE} -tp 2 2>&1 | cat",))
    result = container.run(distribute(line, Node("worker", 2, 1)).line, index=1)
    assert result.calls == [Call("setup", ("--it",)), WAITED, JOIN]


# Data parallelism


def data_parallel(start_rank, *, local="8", balanced=True):
    flags = ["--data-parallel-hybrid-lb"] * balanced + ["--data-parallel-address", LEADER]
    flags += ["--data-parallel-size-local", local] if local else []
    return [*flags, "--data-parallel-rpc-port", "13445", "--data-parallel-start-rank", str(start_rank)]


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.reason)
def test_every_spelling_gets_the_ranks_of_its_node(spelling, container):
    sizes = ("-tp", "1", "-pp", "1", "-dp", "16", "-dpl", "8")
    line = spelling.line(MODULE, *sizes)
    for index, node in enumerate(nodes_of(2, gpus=8)):
        result = container.run(distribute(line, node, spelling.env).line, spelling.env, index)
        assert result.engine(MODULE) == [[*sizes, *spelling.words, *data_parallel(8 * index, local="")]]


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize(
    ("flags", "local"), [("-dp {}", 8), ("-tp 2 --data-parallel-size={}", 4), ("-dp {} -tp 2 -pp 4", 1)]
)
@pytest.mark.parametrize("shape", [direct, script])
def test_the_ranks_of_all_nodes_join_up(count, flags, local, shape, container):
    flags = flags.format(count * local)
    for index, node in enumerate(nodes_of(count, gpus=8)):
        distribution = distribute(shape(flags), node)
        result = container.run(distribution.line, {}, index, count)
        assert result.engine(MODULE) == [[*flags.split(), *data_parallel(index * local, local=str(local))]]
        assert distribution.note == ""


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("--data-parallel-hybrid-lb", "--data-parallel-hybrid-lb"),
        ("--no-data-parallel-hybrid-lb", "--data-parallel-hybrid-lb"),
        ("-dph", "--data-parallel-hybrid-lb"),
        ("--data-parallel-external-lb", "--data-parallel-hybrid-lb"),
        ("--data-parallel-address x", "--data-parallel-address $(LWS_LEADER_ADDRESS)"),
        ("-dpa=x", "--data-parallel-address $(LWS_LEADER_ADDRESS)"),
        ("--data-parallel-rpc-port 1", "--data-parallel-rpc-port 13445"),
        ("-dpp 1", "--data-parallel-rpc-port 13445"),
        ("--data-parallel-start-rank 3", "--data-parallel-start-rank 0"),
        ("-dpr 3", "--data-parallel-start-rank 0"),
        ("--data-parallel-size-local 8", "--data-parallel-size-local 8"),
        ("--data_parallel_size_local=8", "--data-parallel-size-local 8"),
    ],
)
def test_a_flag_of_the_users_is_not_set_again(given, missing):
    all_of_them = (
        "--data-parallel-hybrid-lb --data-parallel-address $(LWS_LEADER_ADDRESS) --data-parallel-size-local 8 "
        "--data-parallel-rpc-port 13445 --data-parallel-start-rank 0"
    )
    leader = distribute(direct(f"-dp 16 {given}"), Node("leader", 2, 8)).line
    assert " ".join(leader.args) == f"-dp 16 {given} {all_of_them.replace(missing, '').replace('  ', ' ').strip()}"


def test_the_platform_may_do_without_hybrid_load_balancing(container):
    line = distribute(direct("-dp 16"), Node("worker", 2, 8), balanced=False).line
    expected = [["-dp", "16", *data_parallel(8, balanced=False)]]
    assert container.run(line, {}, 1).engine(MODULE) == expected


def test_ranks_that_do_not_add_up_are_told():
    note = distribute(direct("-dp 12"), Node("leader", 2, 8)).note
    assert note == "--data-parallel-size is 12, but 2 nodes of 8 ranks make 16."


def test_an_engine_too_large_for_the_group_is_told():
    assert distribute(direct("-tp 8"), Node("leader", 2, 2)).note == "vLLM asks for 8 GPUs, the group has 4."


# Neither


@pytest.mark.parametrize("role", ["leader", "worker"])
@pytest.mark.parametrize(
    ("flags", "count", "gpus"),
    [("", 2, 1), ("--tensor-parallel-size 2", 2, 2), ("--data-parallel-size 8", 8, 8), ("-tp 2 -pp 2 -dp 2", 2, 8)],
)
def test_nothing_is_added_where_one_node_has_gpus_enough(role, flags, count, gpus):
    distribution = distribute(direct(flags), Node(role, count, gpus))
    assert distribution.line == direct(flags)
    assert f"Each of the {count} nodes runs vLLM by itself" in distribution.note


@pytest.mark.parametrize("role", ["leader", "worker"])
def test_nothing_is_added_without_gpus(role):
    assert distribute(direct("-tp 2"), Node(role, 2, 0)).line == direct("-tp 2")


@pytest.mark.parametrize("flags", ["-tp 2", "-dp 2", ""])
def test_only_the_leader_keeps_its_probes(flags):
    assert distribute(direct(flags), Node("leader", 2, 1)).probes == {}
    gone = {"livenessProbe": None, "readinessProbe": None, "startupProbe": None}
    assert distribute(direct(flags), Node("worker", 2, 1)).probes == gone


# What cannot be read


ARGS = "spec.extraPodSpec.mainContainer.args"
A_NUMBER = "whose number cannot be known before it runs; write a whole number behind"


@pytest.mark.parametrize(
    ("line", "env", "complaint"),
    [
        (script("-tp $TP"), {}, f"{ARGS}[0]: has -tp $TP, {A_NUMBER} --tensor-parallel-size"),
        (script("-tp $TP"), {"TP": None}, f"{ARGS}[0]: has -tp $TP, {A_NUMBER} --tensor-parallel-size"),
        (script("-pp=$((1 + 1))"), {}, f"{ARGS}[0]: has -pp=$((1 + 1)), {A_NUMBER} --pipeline-parallel-size"),
        (script("-dp 'two'"), {}, f"{ARGS}[0]: has -dp 'two', {A_NUMBER} --data-parallel-size"),
        (direct("-tp $TP"), {"TP": "2"}, f"{ARGS}: has -tp $TP, {A_NUMBER} --tensor-parallel-size"),
        (direct("-tp $(TP)"), {}, f"{ARGS}: has -tp $(TP), {A_NUMBER} --tensor-parallel-size"),
        (direct("-tp"), {}, f"{ARGS}: has -tp, {A_NUMBER} --tensor-parallel-size"),
        (direct("-tp 0"), {}, f"{ARGS}: has -tp 0, {A_NUMBER} --tensor-parallel-size"),
        (direct("-dp 16 -dpl x"), {}, f"{ARGS}: has -dpl x, {A_NUMBER} --data-parallel-size-local"),
        (
            script("--model m $MORE"),
            {},
            (
                f"{ARGS}[0]: has '$MORE', which is known only when it runs and may hold --tensor-parallel-size, "
                "--pipeline-parallel-size, --data-parallel-size; write these flags out, or give the variable its value"
            ),
        ),
        (
            script("-tp 4 --distributed-executor-backend $E"),
            {},
            f"{ARGS}[0]: has --distributed-executor-backend $E, which is known only when it runs; write the value",
        ),
    ],
)
def test_sizes_that_cannot_be_known_are_faults_with_a_cure(line, env, complaint):
    for role in ("leader", "worker"):
        with pytest.raises(InvalidSpec) as raised:
            distribute(line, Node(role, 2, 2), env)
        assert str(raised.value).startswith(complaint)


def test_all_faults_are_told_at_once():
    with pytest.raises(InvalidSpec) as raised:
        distribute(script("-tp $TP -pp $PP"), Node("leader", 2, 2))
    assert [fault.cure.split()[5] for fault in raised.value.faults] == [
        "--pipeline-parallel-size,",
        "--tensor-parallel-size,",
    ]


def test_a_value_may_be_unknown_where_no_size_hides_in_it():
    assert distribute(script("--model $MODEL -tp 4"), Node("leader", 2, 2)).line.args[0].startswith("ray start")
