import pytest

from hooks.profiling.planner_arguments import without_namespace


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (["--backend=vllm", "--namespace=base", "--itl=20"], ["--backend=vllm", "--itl=20"]),
        (["--backend=vllm", "--namespace", "base", "--itl=20"], ["--backend=vllm", "--itl=20"]),
        (["--namespace"], []),
        (["--namespace="], []),
        (["--namespace=a b"], []),
        (["python3", "-m", "planner_sla"], ["python3", "-m", "planner_sla"]),
        (["--namespace-file=x", "--my--namespace=y"], ["--namespace-file=x", "--my--namespace=y"]),
        (["--prometheus=http://namespace"], ["--prometheus=http://namespace"]),
        ([5, {"a": "b"}, None], [5, {"a": "b"}, None]),
    ],
)
def test_the_flag_and_its_value_go_from_a_list(arguments, kept):
    assert without_namespace(arguments) == kept


@pytest.mark.parametrize(
    "flag",
    [
        "--namespace=base",
        "--namespace base",
        "--namespace   base",
        "--namespace='a b'",
        '--namespace "a b"',
        '"--namespace=a b"',
        "'--namespace=base'",
        "--namespace=${NAMESPACE}",
        "--namespace=$(cat /etc/name space)-x",
        '--namespace="${NAMESPACE:-a b}"',
        "--namespace=",
    ],
)
@pytest.mark.parametrize(
    "script",
    [
        "python3 -m planner_sla {} --itl=20",
        "python3 -m planner_sla --itl=20 {}",
        "exec python3 -m planner_sla \\\n  {} \\\n  --itl=20\n",
        "(python3 -m planner_sla --itl=20 {}); sleep 1",
    ],
)
def test_the_flag_and_its_value_go_from_a_script(flag, script):
    assert without_namespace(["-c", script.format(flag)]) == ["-c", script.format("")]


def test_a_script_without_the_flag_stays_as_it_is():
    script = "python3 -m planner_sla --namespaced --the--namespace=x"
    assert without_namespace([script]) == [script]


def test_an_argument_of_nothing_but_the_flag_goes():
    assert without_namespace(["--namespace base", "--itl=20"]) == ["--itl=20"]
