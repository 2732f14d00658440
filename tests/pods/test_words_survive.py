"""Whatever the words of a call are, they reach Python unchanged; what is added stands behind them."""

import shlex

from hypothesis import example, given
from hypothesis import strategies as st

from hooks.pods.command import CommandLine, literal, product, run_first
from hooks.pods.distribution import WORKER_INDEX
from hooks.pods.engine import engine_call

MODULE = "dynamo.vllm"
PYTHON = ("python3", "-m", MODULE)
ENV = {"V": 'it\'s "a" $x `b`; (c) \\'}

ODD = st.sampled_from(
    [*list("$()`'\"\\ \n\t&|;#{}[]*?!~=<>-+@%^,:/éß模🚀"), "$(", "$(V)", "$$", "$V", "${V}", "&&", "\\\n"]
)
texts = st.lists(
    st.one_of(ODD, st.characters(exclude_characters="\0\r\f\v", exclude_categories=["Cs"])), max_size=8
).map("".join)
argument_vectors = st.lists(texts, max_size=5)


def escaped(text):
    """Each character behind a backslash, but for blanks, which may be refused so."""
    return "".join(f"'{character}'" if character in "\n \t" else f"\\{character}" for character in text) or "''"


def double_quoted(text):
    return '"' + "".join(f"\\{character}" if character in '$`"\\' else character for character in text) + '"'


def quoted(text):
    """In quotes where it needs some; the grammar has its own ideas of a bare `==`, which may be refused."""
    return double_quoted(text) if text in ("==", "=~") else shlex.quote(text)


QUOTINGS = [quoted, escaped, double_quoted, lambda text: shlex.quote(text[:2]) + double_quoted(text[2:])]
quoted_words = st.lists(st.tuples(texts, st.sampled_from(QUOTINGS)), max_size=5)
separators = st.sampled_from([" ", "  ", "\t", " \\\n ", "\\\n "])
surroundings = st.sampled_from(
    [
        ("", ""),
        ("", " # $( ' \""),
        ("", " && true"),
        ("", ";true"),
        ("", "|cat"),
        ("", " >/dev/null 2>&1"),
        ("", " &\nwait"),
        ("", "\n"),
        ("", " \\\n"),
        ("exec ", ""),
        ("A=b exec env C='d \"e' ", "\n"),
        ('set -eu\nexport A="é $HOME" # é \'\ntrue && ', " || exit 1\n"),
        ("if true; then ", "; fi"),
        ("(cd / && ", ")"),
        ("{ ", "; }"),
        ("cat >/dev/null <<'END'\n$$( ' \" ` é\nEND\n", ""),
        ("x=$$(echo \"$$(echo ')')\"); case a in a) ", ";; esac"),
        ("f() { true; }; f && ", ""),
    ]
)
shells = st.sampled_from([("/bin/sh", "-c"), ("bash", "-ec"), ("env", "A=b", "/bin/bash", "-c")])


@given(argument_vectors, argument_vectors)
@example(["$(V)", "'$(V)'", "a'b"], ["$(V)"])
def test_words_of_a_direct_call_survive_whatever_is_added(container, words, added):
    line = CommandLine(PYTHON, tuple(words))
    arrived = container.run(line, ENV).engine(MODULE)[0]
    call = engine_call(line, "vllm", ENV)
    plain = [literal(word) for word in added]
    reckoned = [*plain, product(8, WORKER_INDEX)]
    assert container.run(call.with_arguments(plain), ENV).engine(MODULE) == [[*arrived, *added]]
    assert container.run(call.with_arguments(reckoned), ENV, index=3).engine(MODULE) == [[*arrived, *added, "24"]]
    result = container.run(run_first(call.with_arguments(plain), "setup --a", ENV), ENV)
    assert [call.program for call in result.calls] == ["setup", "python3"]
    assert result.engine(MODULE) == [[*arrived, *added]]


@given(quoted_words, separators, surroundings, shells, argument_vectors)
def test_words_of_a_script_survive_whatever_is_added(container, words, separator, around, shell, added):
    written = separator.join([*PYTHON, *(quote(text) for text, quote in words)]).replace("$", "$$")
    before, behind = around
    line = CommandLine(shell, (before + written + behind,))
    expected = [text for text, _ in words]
    assert container.run(line, ENV).engine(MODULE) == [expected]
    call = engine_call(line, "vllm", ENV)
    assert [word.value for word in call.arguments] == expected
    more = call.with_arguments([*(literal(word) for word in added), product(8, WORKER_INDEX)])
    assert container.run(more, ENV, index=2).engine(MODULE) == [[*expected, *added, "16"]]
    result = container.run(run_first(more, "setup --a", ENV), ENV)
    assert [call.program for call in result.calls][:1] == ["setup"]
    assert result.engine(MODULE) == [[*expected, *added, "0"]]


@given(quoted_words, st.sampled_from([quoted, double_quoted]), argument_vectors)
def test_words_of_a_script_in_a_script_survive_whatever_is_added(container, words, quote_script, added):
    inner = " ".join([*PYTHON, *(quote(text) for text, quote in words)])
    line = CommandLine(("/bin/sh", "-c"), (f"true && bash -c {quote_script(inner)}".replace("$", "$$"),))
    expected = [text for text, _ in words]
    assert container.run(line, ENV).engine(MODULE) == [expected]
    more = engine_call(line, "vllm", ENV).with_arguments([*(literal(word) for word in added), product(8, WORKER_INDEX)])
    assert container.run(more, ENV, index=2).engine(MODULE) == [[*expected, *added, "16"]]


@given(argument_vectors)
def test_what_replaces_a_call_gets_its_own_words(container, words):
    line = CommandLine(("env", "A=b", *PYTHON), ("--x", "1"))
    replaced = engine_call(line, "vllm", ENV).replaced_by([literal("ray"), *map(literal, words)], after="setup")
    result = container.run(replaced, ENV)
    assert [(call.program, list(call.words)) for call in result.calls] == [("setup", []), ("ray", words)]
