"""Ways in which users call an engine, and the words that reach Python, without `-m` and the module.

`ENGINE` stands for the module. `/stand-ins` is the folder of the programs that only record their words.
"""

from dataclasses import dataclass, field

from hooks.pods.command import CommandLine

SH = ("/bin/sh", "-c")
MODEL = ("--model", "Qwen/Qwen3-0.6B")


@dataclass(frozen=True)
class Spelling:
    reason: str
    command: tuple[str, ...]
    args: tuple[str, ...]
    words: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)

    def line(self, module, *flags):
        def filled(words):
            for word in words:
                yield from (
                    (module, *flags) if word == "ENGINE" else [word.replace("ENGINE", " ".join([module, *flags]))]
                )

        return CommandLine(tuple(filled(self.command)), tuple(filled(self.args)))


def script(reason, text, *words, env=None, shell=SH):
    return Spelling(reason, shell, (text,), words, env or {})


def direct(reason, *given, words, env=None, args=()):
    return Spelling(reason, given, tuple(args), tuple(words), env or {})


SPELLINGS = [
    # Direct calls
    direct("command and args", "python3", "-m", "ENGINE", args=MODEL, words=MODEL),
    direct("all in command", "python3", "-m", "ENGINE", *MODEL, words=MODEL),
    direct("the module among the args", "python3", args=("-m", "ENGINE", *MODEL), words=MODEL),
    direct("no entry point replaced", args=("python3", "-m", "ENGINE", *MODEL), words=MODEL),
    direct("python of a version, by path", "/stand-ins/python3.11", "-m", "ENGINE", *MODEL, words=MODEL),
    direct("plain python", "python", "-m", "ENGINE", words=()),
    direct("env in front", "env", "A=b", "python3", "-m", "ENGINE", *MODEL, words=MODEL),
    direct("env by path finds python", "/usr/bin/env", "python3", "-m", "ENGINE", *MODEL, words=MODEL),
    direct("an init in front", "tini", "--", "python3", "-m", "ENGINE", *MODEL, words=MODEL),
    direct("JSON", "python3", "-m", "ENGINE", args=("--j", '{"a": 1}'), words=("--j", '{"a": 1}')),
    direct("quotes are plain text", "python3", "-m", "ENGINE", args=("it's", '"a"'), words=("it's", '"a"')),
    direct(
        "a dollar is plain text",
        "python3",
        "-m",
        "ENGINE",
        args=("$HOME", "${A}", "`x`"),
        words=("$HOME", "${A}", "`x`"),
    ),
    direct(
        "blanks, newlines and nothing", "python3", "-m", "ENGINE", args=("a  b", "c\nd", ""), words=("a  b", "c\nd", "")
    ),
    direct(
        "operators are plain text",
        "python3",
        "-m",
        "ENGINE",
        args=("&&", "|", ";", "#", ">x"),
        words=("&&", "|", ";", "#", ">x"),
    ),
    direct("unicode", "python3", "-m", "ENGINE", args=("--name", "模型 é 🚀"), words=("--name", "模型 é 🚀")),
    direct(
        "the kubelet fills in",
        "python3",
        "-m",
        "ENGINE",
        args=("--m", "$(MODEL)"),
        words=("--m", 'it\'s "a" $x'),
        env={"MODEL": 'it\'s "a" $x'},
    ),
    direct("the kubelet does not know it", "python3", "-m", "ENGINE", args=("$(NOBODY)",), words=("$(NOBODY)",)),
    direct(
        "a kept reference",
        "python3",
        "-m",
        "ENGINE",
        args=("$$(MODEL)", "$$5"),
        words=("$(MODEL)", "$5"),
        env={"MODEL": "m"},
    ),
    # One line for a shell
    script("sh -c", "python3 -m ENGINE --model Qwen/Qwen3-0.6B", *MODEL),
    script("bash -c", "python3 -m ENGINE --model Qwen/Qwen3-0.6B", *MODEL, shell=("bash", "-c")),
    script("bash by path", "python3 -m ENGINE --model Qwen/Qwen3-0.6B", *MODEL, shell=("/bin/bash", "-c")),
    script("a login shell", "python3 -m ENGINE a", "a", shell=("/bin/bash", "-lc")),
    script("options in one word", "python3 -m ENGINE a", "a", shell=("/bin/sh", "-ec")),
    script("options in two words", "python3 -m ENGINE a", "a", shell=("bash", "-eu", "-c")),
    script("an option with a word", "python3 -m ENGINE a", "a", shell=("bash", "-euo", "pipefail", "-c")),
    script("-c first", "python3 -m ENGINE a", "a", shell=("bash", "-c", "-e", "--")),
    Spelling("words behind the script", ("/bin/sh", "-c"), ('python3 -m ENGINE "$1"', "name", "a b"), ("a b",)),
    Spelling("all in command", ("/bin/sh", "-c", "python3 -m ENGINE a"), (), ("a",)),
    Spelling("all in args", (), ("/bin/sh", "-c", "python3 -m ENGINE a"), ("a",)),
    Spelling("an init, then a shell", ("tini", "--", "bash", "-c"), ("python3 -m ENGINE a",), ("a",)),
    script("python by path", "/stand-ins/python3.11 -m ENGINE a", "a"),
    script("python's own options", "python3 -u -X dev -m ENGINE a", "a"),
    script("exec", "exec python3 -m ENGINE a", "a"),
    script("an assignment in front", "A=b python3 -m ENGINE a", "a"),
    script("exec and env", "exec env A=b C='d e' python3 -m ENGINE a", "a"),
    script("a wrapper", "numactl --interleave=all python3 -m ENGINE a", "a"),
    script("nohup", "nohup python3 -m ENGINE a", "a"),
    script("single quotes", "python3 -m ENGINE --j '{\"a\": [1, 2]}'", "--j", '{"a": [1, 2]}'),
    script("double quotes", 'python3 -m ENGINE --j "{\\"a\\": \\"b c\\"}"', "--j", '{"a": "b c"}'),
    script("quotes in a word", "python3 -m ENGINE --n=a' b'\"c\"\\ d", "--n=a bc d"),
    script("a quoted quote", "python3 -m ENGINE 'it'\\''s' \"it's\"", "it's", "it's"),
    script(
        "quoted operators", "python3 -m ENGINE 'a && b' \"c | d; e\" f\\;g '# h'", "a && b", "c | d; e", "f;g", "# h"
    ),
    script("an empty word", "python3 -m ENGINE '' \"\" a", "", "", "a"),
    script("a newline in quotes", "python3 -m ENGINE 'a\nb' c", "a\nb", "c"),
    script("unicode", "python3 -m ENGINE --name '模型 é' 🚀 && echo é", "--name", "模型 é", "🚀"),
    script("a hash in a word", "python3 -m ENGINE a#b --c=#d", "a#b", "--c=#d"),
    script("brackets and braces", "python3 -m ENGINE {a} [b] --x=[1,2] !", "{a}", "[b]", "--x=[1,2]", "!"),
    script("words of the shell's", "python3 -m ENGINE if do done { } case", "if", "do", "done", "{", "}", "case"),
    script("assignments behind", "python3 -m ENGINE a=b =c", "a=b", "=c"),
    # Variables
    script("a variable", "python3 -m ENGINE --m $MODEL", "--m", "m", env={"MODEL": "m"}),
    script(
        "in braces and quotes", "python3 -m ENGINE \"${MODEL}/x\" '$MODEL'", "a b/x", "$MODEL", env={"MODEL": "a b"}
    ),
    script("set by the script", "MODEL=m\nexport N='n o'\npython3 -m ENGINE $MODEL \"$N\"", "m", "n o"),
    script("a default", 'python3 -m ENGINE ${NOBODY:-x y} "${NOBODY:-a b}"', "x", "y", "a b"),
    script("a command's output", 'python3 -m ENGINE "$(echo a b)" `echo c`', "a b", "c"),
    script("arithmetic", 'python3 -m ENGINE $((2 * 3)) "$(( 1 + 1 ))"', "6", "2"),
    script("the kubelet fills in", "python3 -m ENGINE $(MODEL) '$(MODEL)'", "m", "m", env={"MODEL": "m"}),
    script("the kubelet's escape", "python3 -m ENGINE $$(echo a) '$$5'", "a", "$5", env={"echo a": "never"}),
    # What ends the call
    script("and", "python3 -m ENGINE a && echo done", "a"),
    script("without blanks", "python3 -m ENGINE a&&echo done", "a"),
    script("or", "python3 -m ENGINE a || exit 3", "a"),
    script("a semicolon", "python3 -m ENGINE a; echo done", "a"),
    script("a pipe", "python3 -m ENGINE a | cat", "a"),
    script("a redirection", "python3 -m ENGINE a >log", "a"),
    script("several", "python3 -m ENGINE a 2>&1 >/dev/null </dev/null | tee log", "a"),
    script("a redirection in front", ">log python3 -m ENGINE a", "a"),
    script("the background", "python3 -m ENGINE a & wait", "a"),
    script("a comment", "python3 -m ENGINE a # --not-this", "a"),
    script("an older call in a comment", "# python3 -m ENGINE old\npython3 -m ENGINE a", "a"),
    script("parentheses", "(cd / && python3 -m ENGINE a)", "a"),
    script("braces", "{ python3 -m ENGINE a; }", "a"),
    # Several lines
    script("continued lines", "python3 -m ENGINE \\\n  --model Qwen/Qwen3-0.6B \\\n  --x\n", *MODEL, "--x"),
    script("a word over two lines", "python3 -m ENGINE --model=\\\nx\\\ny", "--model=xy"),
    script("a last line that goes on", "python3 -m ENGINE a \\\n", "a"),
    script("exports before it", "export A=b\nexport PATH=$PATH:/x\ntrue\npython3 -m ENGINE a\n", "a"),
    script("options of the shell before it", "set -eu\npython3 -m ENGINE a\n", "a"),
    script("lines behind it", "python3 -m ENGINE a\necho done", "a"),
    script("a chain before it", "cd / && true && python3 -m ENGINE a", "a"),
    script("talk about it", 'echo "python3 -m ENGINE starts"; echo python3 -m ENGINE; python3 -m ENGINE a', "a"),
    script(
        "a here-document before it", "cat >c.yaml <<END\na: $HOME\nEND\npython3 -m ENGINE --c c.yaml", "--c", "c.yaml"
    ),
    script("a here-document for it", "python3 -m ENGINE a <<END\nb\nEND\n", "a"),
    script("a condition around it", 'if [ -n "$HOME" ]; then\n  python3 -m ENGINE a\nfi', "a"),
    script("a loop around it", "for x in 1; do python3 -m ENGINE $x; done", "1"),
    script("a function", 'run() { python3 -m ENGINE "$@"; }\nrun a "b c"', "a", "b c"),
    # A shell in the shell
    script("in single quotes", "bash -c 'python3 -m ENGINE \"a b\"'", "a b"),
    script("in double quotes", "exec bash -ec \"python3 -m ENGINE 'a b'\"", "a b"),
    script("with a variable", 'sh -c "python3 -m ENGINE --m $MODEL" && true', "--m", "m", env={"MODEL": "m"}),
    script("twice", "sh -c 'sh -c \"python3 -m ENGINE a\"'", "a"),
]
