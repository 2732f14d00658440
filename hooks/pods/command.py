"""A container's `command` and `args`, and the words that can be added to them."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hooks.pods.expansion import expand, kept_from_kubelet
from hooks.pods.shell import program_of, read_script

CONTAINER = "spec.extraPodSpec.mainContainer"
"""The field of a component that holds its command, as faults name it."""

Environment = Mapping[str, str | None]
"""A container's variables by name; None for one whose value comes from elsewhere, as from a Secret."""

SHELLS = frozenset({"sh", "bash", "dash", "ash"})
_OPTIONS_WITH_A_WORD = frozenset({"--rcfile", "--init-file"})


@dataclass(frozen=True)
class Argument:
    """A word to add: as a shell reads it in a script, and as a direct call has it; None there if it takes a shell."""

    script: str
    direct: str | None


def literal(text: str) -> Argument:
    """A word that arrives as it is."""
    return Argument(shlex.quote(text), kept_from_kubelet(text))


def variable(name: str, behind: str = "") -> Argument:
    """The value of an environment variable of the container, and plain text behind it.

    A direct call has it filled in by the kubelet. A script never does: the kubelet's `$(NAME)` would be read as a
    command inside of `$( )`, and its value as part of the script.
    """
    return Argument(f'"${{{name}}}{behind}"' if behind else f'"${name}"', f"$({name}){behind}")


def option(name: str, value: Argument) -> Argument:
    """A flag and its value in one word, as in `--flag=value`."""
    return Argument(f"{name}={value.script}", None if value.direct is None else f"{name}={value.direct}")


def product(factor: int, name: str) -> Argument:
    """A number times an environment variable, which only a shell can work out."""
    return Argument(f"$(( {factor} * {name} ))", None)


@dataclass(frozen=True)
class CommandLine:
    """What a container runs: `command`, then `args`. Without a `command` the image's entry point gets the args."""

    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """All of it."""
        return (*self.command, *self.args)

    @property
    def script(self) -> int | None:
        """The index in `words` of the script that a shell is given by `-c`, if one is."""
        return script_among(self.words)

    @property
    def is_shell(self) -> bool:
        """Whether a shell with a script comes first of all."""
        return self.script is not None and program_of(self.words[0]) in SHELLS

    def field(self, index: int | None = None) -> str:
        """The field that holds a word; without an index, the one that holds the last words."""
        if index is None:
            return f"{CONTAINER}.{'args' if self.args else 'command'}"
        inside = index < len(self.command)
        return f"{CONTAINER}.{f'command[{index}]' if inside else f'args[{index - len(self.command)}]'}"

    def with_word(self, index: int, word: str) -> "CommandLine":
        """This line with another word at an index."""
        words = (*self.words[:index], word, *self.words[index + 1 :])
        return CommandLine(words[: len(self.command)], words[len(self.command) :])

    def with_more(self, words: Sequence[str]) -> "CommandLine":
        """This line with words at its end."""
        if self.args:
            return replace(self, args=(*self.args, *words))
        return replace(self, command=(*self.command, *words))

    def in_shell(self, script: str, words: Sequence[str] | None = None) -> "CommandLine":
        """A script that is given words, or else this line's words, as `"$@"`.

        They reach it unchanged: no quotes are put around them, which a `$(NAME)` of the kubelet's could break.
        """
        given = self.words if words is None else words
        kept = kept_from_kubelet(script)
        named = (kept, "sh", *given) if given else (kept,)
        if self.command:
            return CommandLine(("/bin/sh", "-c"), named)
        return CommandLine((), ("/bin/sh", "-c", *named))


def run_first(line: CommandLine, program: str, env: Environment) -> CommandLine:
    """A line that runs a program, and then what it ran before if that succeeds. A script stays one script."""
    if line.script is None:
        return line.in_shell(f'{program} && exec "$@"')
    script = line.words[line.script]
    if read_script(expand(script, env).text, env).is_chain:
        return line.with_word(line.script, f"{program} && {script}")
    return line.with_word(line.script, f"{program} && {{\n{script}\n}}")


def script_among(words: Sequence[str]) -> int | None:
    """The index of a shell's script among words such as `env X=y bash -l -c <script>`, if there is one."""
    for index, word in enumerate(words):
        if program_of(word) in SHELLS:
            return _script_behind(words, index + 1)
    return None


def _script_behind(words: Sequence[str], index: int) -> int | None:
    """Reads a shell's options as bash and dash do: those of one letter in clusters, the script behind all of them."""
    asked = False
    while index < len(words) and words[index][:1] in ("-", "+") and words[index] not in ("-", "+"):
        option = words[index]
        index += 1
        if option == "--":
            break
        if option.startswith("--"):
            index += option in _OPTIONS_WITH_A_WORD
            continue
        asked = asked or (option[0] == "-" and "c" in option)
        index += option.count("o") + option.count("O")  # each takes a word, such as `pipefail`
    return index if asked and index < len(words) else None
