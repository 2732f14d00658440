import pytest

from hooks.errors import InvalidSpec
from hooks.pods.backend import backend_of
from hooks.pods.command import CommandLine, literal
from hooks.pods.engine import engine_call, find_calls
from tests.pods.spellings import SH, SPELLINGS

CALL = "python3 -m dynamo.vllm"
ARGS = "spec.extraPodSpec.mainContainer.args"


def script(text):
    return CommandLine(SH, (text,))


# Finding


@pytest.mark.parametrize("backend", ["vllm", "sglang", "trtllm"])
@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.reason)
def test_the_backend_is_told_by_the_call_however_it_is_spelled(backend, spelling):
    line = spelling.line(f"dynamo.{backend}")
    for declared in (None, backend):
        assert backend_of(line, declared, spelling.env, multinode=True) == backend


@pytest.mark.parametrize(
    "line",
    [
        CommandLine(("python3", "my_worker.py")),
        CommandLine(("python3", "-m", "dynamo.frontend")),
        CommandLine(("python3", "-m", "dynamo.vllm_omni")),
        CommandLine(("python3", "-m", "dynamo.vllm.tools")),
        CommandLine(("dynamo.vllm",)),
        CommandLine(("mypython3x", "-m", "dynamo.vllm")),
        CommandLine(("bash", "/run.sh", "python", "-m")),
        CommandLine(SH, ("python3 worker.py --engine dynamo.vllm",)),
        CommandLine(SH, (f"# {CALL}\npython3 worker.py",)),
        CommandLine(SH, (f"echo {CALL}; printf '{CALL}'; python3 worker.py",)),
        CommandLine(SH, ("",)),
        CommandLine(SH, ()),
        CommandLine(),
    ],
    ids=lambda line: " ".join(line.words),
)
def test_without_a_call_nothing_is_special(line):
    assert backend_of(line, None, {}, multinode=True) is None
    assert backend_of(line, "sglang", {}, multinode=True) == "sglang"


def test_a_command_made_of_variables_is_found():
    line = script("$PY -m dynamo.$ENGINE --x")
    assert [call.backend for call in find_calls(line, {"PY": "/opt/bin/python3", "ENGINE": "vllm"})] == ["vllm"]


def test_a_variable_that_refers_to_itself_is_read_to_an_end():
    assert find_calls(script('sh -c "$X"'), {"X": 'sh -c "$X"'}) == ()


def test_a_long_script_is_read():
    chain = " && ".join(["true"] * 3000)
    (call,) = find_calls(script(f"{chain} && {CALL} x"), {})
    assert call.with_arguments([literal("--y")]).args == (f"{chain} && {CALL} x --y",)


# Two that disagree


@pytest.mark.parametrize("multinode", [False, True])
def test_a_declared_backend_that_is_not_the_called_one_is_a_fault(multinode):
    with pytest.raises(InvalidSpec) as raised:
        backend_of(script(CALL), "sglang", {}, multinode=multinode)
    assert str(raised.value) == (
        "spec.backendFramework: is sglang, but extraPodSpec.mainContainer.args[0] calls python3 -m dynamo.vllm; "
        "write vllm, or call python3 -m dynamo.sglang"
    )


@pytest.mark.parametrize("multinode", [False, True])
def test_two_backends_in_one_command_are_a_fault(multinode):
    line = script(f"{CALL} & exec python3 -m dynamo.sglang")
    with pytest.raises(InvalidSpec) as raised:
        backend_of(line, None, {}, multinode=multinode)
    assert str(raised.value) == (
        f"{ARGS}[0]: calls python3 -m dynamo.sglang and python3 -m dynamo.vllm; call one engine in a component"
    )


# Where nothing can be changed for sure

PLAIN = "write python3 -m dynamo.vllm ... as a plain command of the container or of its shell script"
MENTIONS = (
    "mentions python3 -m dynamo.vllm where it is no command of its own: in a string, a here-document, a variable, or "
    "behind the script of a shell"
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"eval {CALL}", f"has eval in front of {CALL}"),
        (f"echo x | xargs {CALL}", f"has xargs in front of {CALL}"),
        (f"ssh host bash -c '{CALL}'", f"has ssh in front of {CALL}"),
        (f"x=$({CALL})", f"has, inside of $( ), a call of {CALL}"),
        (f"x=`{CALL}`", f"has, inside of $( ), a call of {CALL}"),
        (f"cat <({CALL})", f"has, inside of $( ), a call of {CALL}"),
        (f"{CALL} >log --tp 2", f"has a redirection amid the words of {CALL}"),
        (f"true && {CALL} 2>&1 --tp 2", f"has a redirection amid the words of {CALL}"),
        (f"{CALL} <<END --tp 2\nx\nEND", f"has a redirection amid the words of {CALL}"),
        (f"{CALL} 'a", f'has "\'a", which cannot be read for sure, in a script that calls {CALL}'),
        (f"{CALL} \\", f"has '\\\\', which cannot be read for sure, in a script that calls {CALL}"),
        (f"{CALL} a \\ b", f"has '\\\\ ', which cannot be read for sure, in a script that calls {CALL}"),
        (f"{CALL}\r\n", f"has '\\r', which cannot be read for sure, in a script that calls {CALL}"),
        (f"{CALL} --help; {CALL} a", f"calls {CALL} 2 times, and what a node of several gets belongs to one of them"),
        (
            f"if x; then {CALL} a; else {CALL} b; fi",
            f"calls {CALL} 2 times, and what a node of several gets belongs to one of them",
        ),
        (f"eval '{CALL}'", MENTIONS),
        (f"sh <<END\n{CALL}\nEND", MENTIONS),
        (f"cat >run.sh <<'END'\nexec {CALL}\nEND\nsh run.sh", MENTIONS),
        (f'CMD="$X {CALL}"; $CMD', MENTIONS),
        (f"su user -c '{CALL}'", MENTIONS),
        (f"sh -c $'{CALL}'", MENTIONS),
        (
            "exec python3 worker.py",
            "does not call python3 -m dynamo.vllm, and backendFramework asks for it to be spread over nodes",
        ),
    ],
)
def test_what_cannot_be_placed_for_sure_is_a_fault_with_a_cure(text, problem):
    with pytest.raises(InvalidSpec) as raised:
        engine_call(script(text), "vllm", {})
    (fault,) = raised.value.faults
    assert (fault.field, fault.problem) == (f"{ARGS}[0]", problem)
    cures = {
        "calls": "choose its arguments first, in variables, and call it once",
        "does": "write the call as python3 -m dynamo.vllm",
    }
    assert fault.cure.startswith(cures.get(problem.split()[0], PLAIN))


@pytest.mark.parametrize(
    "line",
    [
        CommandLine(("su", "-c", CALL)),
        CommandLine(("/bin/zsh", "-c"), (CALL,)),
        CommandLine(SH, tuple(CALL.split())),
        CommandLine(SH, ('exec "$@"', "sh", *CALL.split())),
        script(f"sh <<END\n{CALL}\nEND"),
    ],
    ids=lambda line: " ".join(line.words),
)
def test_a_hidden_call_stops_a_component_of_several_nodes_only(line):
    with pytest.raises(InvalidSpec, match="mentions"):
        backend_of(line, None, {}, multinode=True)
    assert backend_of(line, None, {}, multinode=False) is None


@pytest.mark.parametrize(
    ("text", "env"),
    [
        ("sh -c \"python3 -m 'dynamo.vllm'\"", {}),
        ('sh -c "$RUN"', {"RUN": CALL}),
        ("$RUN", {"RUN": CALL}),
        ("$(RUN)", {"RUN": CALL}),
        ("sh -c '$(RUN)'", {"RUN": CALL}),
    ],
)
def test_words_are_added_behind_a_value(text, env, container):
    changed = engine_call(script(text), "vllm", env).with_arguments([literal("--x")])
    assert container.run(changed, env).engine("dynamo.vllm") == [["--x"]]


@pytest.mark.parametrize(
    ("text", "env"),
    [
        ('sh -c "$RUN"', {"RUN": f"{CALL}; true"}),
        ("$(RUN)", {"RUN": f"{CALL}; true"}),
        (f"sh -c {CALL.replace(' ', chr(92) + ' ')}", {}),
    ],
)
def test_no_words_are_added_inside_of_a_value(text, env):
    with pytest.raises(InvalidSpec, match="inside of a variable's value or of mixed quotes"):
        engine_call(script(text), "vllm", env).with_arguments([literal("--x")])


def test_nested_quotes_are_written_as_their_place_asks():
    line = script('bash -c \'bash -c "python3 -m dynamo.vllm \\"a b\\""\'')
    changed = engine_call(line, "vllm", {}).with_arguments([literal("it's $5")])
    (call,) = find_calls(changed, {})
    assert [word.value for word in call.arguments] == ["a b", "it's $5"]
