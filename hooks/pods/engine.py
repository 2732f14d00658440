"""The call of an inference engine in a container's command: finding it, and changing it and nothing else."""

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hooks.api.component_deployment import Backend
from hooks.errors import Fault, InvalidSpec, shown
from hooks.pods.command import Argument, CommandLine, Environment, script_among
from hooks.pods.expansion import Unplaceable, expand, kept_from_kubelet
from hooks.pods.shell import Command, Script, program_of, read_script
from hooks.pods.words import UNKNOWN, Word

_BACKENDS: Mapping[str, Backend] = {"dynamo.vllm": "vllm", "dynamo.sglang": "sglang", "dynamo.trtllm": "trtllm"}
_PYTHON = re.compile(r"python(3(\.\d+)?)?")
_MODULE = re.compile(r"-[bBdEhiIOPqRsSuvVx]*m(.*)", re.DOTALL)
"""Python's options of one letter, `m` the last of them, with the module where it follows at once."""
_OPTIONS_WITH_A_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})
_MENTIONED = re.compile(r"-m[\s\"'\\]*dynamo\.(vllm|sglang|trtllm)(?![\w.])")
_REREADERS = frozenset({"eval", "parallel", "ssh", "watch", "xargs"})
"""Programs that read their words once more or add some: what is added might not arrive, or not in its place."""

_DEPTH = 4
"""How many scripts in scripts are read: with X set to `sh -c "$X"` there would be no end of them."""

_Splice = Callable[[int, int, str], CommandLine]
"""Replaces a range of a script's characters: gives the command line with the changed script."""


@dataclass(frozen=True, kw_only=True)
class EngineCall(ABC):
    """`python3 -m dynamo.<backend> <arguments>`, with what its command has in front, such as `env X=y`."""

    backend: Backend
    field: str
    """The field of the spec that holds it."""
    words: tuple[Word, ...]
    python_at: int
    arguments_at: int
    obstacle: str
    """Why nothing in it can be changed; empty where it can."""
    outer: tuple[Word, ...] = ()
    """The words in front of the script that it is in."""
    neighbours: tuple[Command, ...] = ()
    """All commands of the scripts around it, its own too; none for a direct call."""

    @property
    def arguments(self) -> tuple[Word, ...]:
        """The words behind the module's name."""
        return self.words[self.arguments_at :]

    @property
    def wrappers(self) -> tuple[str, ...]:
        """The words in front of Python, and those in front of the script that it is in."""
        return tuple(word.value for word in (*self.outer, *self.words[: self.python_at]))

    @property
    @abstractmethod
    def python(self) -> str:
        """Python's word, as a script writes it."""

    @abstractmethod
    def with_arguments(self, arguments: Sequence[Argument]) -> CommandLine:
        """The command line with more words at the end of this call."""

    @abstractmethod
    def launched_by(self, program: str) -> CommandLine:
        """The command line with a program in front of Python."""

    @abstractmethod
    def replaced_by(self, words: Sequence[Argument], after: str) -> CommandLine:
        """The command line with other words for this call, to run once the shell command `after` has succeeded."""


@dataclass(frozen=True, kw_only=True)
class _DirectCall(EngineCall):
    line: CommandLine

    @property
    def python(self) -> str:
        return shlex.quote(self.line.words[self.python_at])

    def with_arguments(self, arguments: Sequence[Argument]) -> CommandLine:
        words = [argument.direct for argument in arguments if argument.direct is not None]
        if len(words) == len(arguments):
            return self.line.with_more(words)
        return self.line.in_shell(" ".join(['exec "$@"', *(argument.script for argument in arguments)]))

    def launched_by(self, program: str) -> CommandLine:
        words = (*self.line.words[: self.python_at], program, *self.line.words[self.python_at :])
        place = len(self.line.command) + (self.python_at < len(self.line.command))
        return CommandLine(words[:place], words[place:])

    def replaced_by(self, words: Sequence[Argument], after: str) -> CommandLine:
        direct = [word.direct for word in words if word.direct is not None]
        line = CommandLine((*self.line.words[: self.python_at], *direct))
        return line.in_shell(f'{after} && exec "$@"')


@dataclass(frozen=True, kw_only=True)
class _ScriptCall(EngineCall):
    text: str
    command: Command
    splice: _Splice

    @property
    def python(self) -> str:
        word = self.words[self.python_at]
        return word.source if UNKNOWN in word.value else shlex.quote(word.value)

    def with_arguments(self, arguments: Sequence[Argument]) -> CommandLine:
        end = self.command.end
        return self._edited(end, end, "".join(f" {argument.script}" for argument in arguments))

    def launched_by(self, program: str) -> CommandLine:
        start = self.words[self.python_at].start
        return self._edited(start, start, f"{program} ")

    def replaced_by(self, words: Sequence[Argument], after: str) -> CommandLine:
        in_front = self.text[self.command.start : self.words[self.python_at].start]
        new = " ".join(word.script for word in words)
        return self._edited(self.command.start, self.command.end, f"{{ {after} && {in_front}{new}; }}")

    def _edited(self, start: int, end: int, text: str) -> CommandLine:
        try:
            return self.splice(start, end, text)
        except Unplaceable:
            problem = f"calls python -m dynamo.{self.backend} inside of a variable's value or of mixed quotes"
            raise InvalidSpec([Fault(self.field, problem, _cure(self.backend))]) from None


def find_calls(line: CommandLine, env: Environment) -> tuple[EngineCall, ...]:
    """The calls of engines in a command line, whatever the shape: direct, in a shell's script, in a script's script."""
    words = tuple(Word(expand(word, env), index, index + 1, word) for index, word in enumerate(line.words))
    parts, script = _parts(words), script_among([word.value for word in words])
    if parts is not None and (script is None or parts[0] < script):
        python, arguments, backend = parts
        call = _DirectCall(
            backend=backend,
            field=line.field(),
            words=words,
            python_at=python,
            arguments_at=arguments,
            obstacle=_obstacle_in_front(words[:python]),
            line=line,
        )
        return (call,)
    if script is None:
        return ()

    def splice(start: int, end: int, text: str) -> CommandLine:
        source = line.words[script]
        first, last, written = words[script].traced.edited(start, end, text)
        return line.with_word(script, source[:first] + kept_from_kubelet(written) + source[last:])

    frame = _Frame(line.field(script), words[:script], splice)
    return tuple(_calls_in(words[script].traced.text, env, frame))


def engine_call(line: CommandLine, backend: Backend, env: Environment) -> EngineCall:
    """The one call of an engine, in a place where it can be changed.

    Raises:
        InvalidSpec: there is none, there are several, or it stands where no change to it is sure to arrive.
    """
    calls = find_calls(line, env)
    module = f"python3 -m dynamo.{backend}"
    if len(calls) == 1 and not calls[0].obstacle:
        return calls[0]
    if len(calls) > 1:
        problem = f"calls {module} {len(calls)} times, and what a node of several gets belongs to one of them"
        cure = "choose its arguments first, in variables, and call it once"
        raise InvalidSpec([Fault(calls[0].field, problem, cure)])
    if calls:
        raise InvalidSpec([Fault(calls[0].field, f"{calls[0].obstacle} {module}", _cure(backend))])
    hidden = hidden_calls(line, env)
    if hidden:
        raise InvalidSpec(hidden)
    cure = (
        f"write the call as {module} ..., or leave backendFramework out: then nothing is added, and the command finds "
        "its group in LWS_LEADER_ADDRESS, LWS_GROUP_SIZE and LWS_WORKER_INDEX"
    )
    problem = f"does not call {module}, and backendFramework asks for it to be spread over nodes"
    raise InvalidSpec([Fault(line.field(line.script), problem, cure)])


def hidden_calls(line: CommandLine, env: Environment) -> tuple[Fault, ...]:
    """Where a command line that calls no engine seems to call one nevertheless: in a string, in a here-document."""
    if line.script is None:
        texts: Sequence[str] = line.words
    else:
        script = read_script(expand(line.words[line.script], env).text, env)
        behind = " ".join(line.words[line.script + 1 :])
        texts = (behind, script.text) if script.doubt else (behind, *script.quoted)
    found = sorted({mention[1] for text in texts for mention in _MENTIONED.finditer(text)})
    problem = (
        "mentions python3 -m dynamo.{} where it is no command of its own: in a string, a here-document, a variable, or "
        "behind the script of a shell"
    )
    return tuple(
        Fault(line.field(line.script), problem.format(name), _cure(_BACKENDS[f"dynamo.{name}"])) for name in found
    )


def _cure(backend: Backend) -> str:
    return (
        f"write python3 -m dynamo.{backend} ... as a plain command of the container or of its shell script, "
        "with its redirections last"
    )


@dataclass(frozen=True)
class _Frame:
    """Where a script stands: in which field, behind which words, and how it is changed."""

    field: str
    outer: tuple[Word, ...]
    splice: _Splice
    neighbours: tuple[Command, ...] = ()
    depth: int = 0

    def inside(self, script: Script, command: Command, index: int) -> "_Frame":
        """The frame of the script that a command of this script has as a word."""
        word = command.words[index]

        def splice(start: int, end: int, text: str) -> CommandLine:
            return self.splice(*word.traced.edited(start, end, text))

        outer, neighbours = (*self.outer, *command.words[:index]), (*self.neighbours, *script.commands)
        return _Frame(self.field, outer, splice, neighbours, self.depth + 1)


def _calls_in(text: str, env: Environment, frame: _Frame) -> Iterator[EngineCall]:
    script = read_script(text, env)
    doubt = f"has {shown(script.doubt)}, which cannot be read for sure, in a script that calls" if script.doubt else ""
    for command in script.commands:
        parts, inner = _parts(command.words), script_among([word.value for word in command.words])
        if command.speaks or frame.depth > _DEPTH:
            continue
        if inner is not None and (parts is None or inner < parts[0]):
            # What the outer script sets may not reach the inner one.
            inherited = {name: value for name, value in env.items() if script.values.get(name) == value}
            yield from _calls_in(command.words[inner].value, inherited, frame.inside(script, command, inner))
        elif parts is not None:
            python, arguments, backend = parts
            in_front = (*frame.outer, *command.words[:python])
            yield _ScriptCall(
                backend=backend,
                field=frame.field,
                words=command.words,
                python_at=python,
                arguments_at=arguments,
                obstacle=doubt or _obstacle_around(command) or _obstacle_in_front(in_front),
                outer=frame.outer,
                neighbours=(*frame.neighbours, *script.commands),
                text=text,
                command=command,
                splice=frame.splice,
            )


def _parts(words: Sequence[Word]) -> tuple[int, int, Backend] | None:
    """Where Python stands among words, where its module's arguments begin, and which engine the module is."""
    python = None
    for index, word in enumerate(words):
        option = _MODULE.fullmatch(word.value)
        if _PYTHON.fullmatch(program_of(word.value)):
            python = index
        elif option and python is not None:
            attached = bool(option[1])
            following = words[index + 1].value if index + 1 < len(words) else ""
            backend = _BACKENDS.get(option[1] or following)
            if backend is not None:
                return python, index + (1 if attached else 2), backend
        elif not word.value.startswith("-") and words[index - 1].value not in _OPTIONS_WITH_A_VALUE:
            python = None  # it runs this script: what follows are the script's arguments
    return None


def _obstacle_around(command: Command) -> str:
    if command.substituted:
        return "has, inside of $( ), a call of"
    return "has a redirection amid the words of" if command.scattered else ""


def _obstacle_in_front(words: Sequence[Word]) -> str:
    programs = [program_of(word.value) for word in words if UNKNOWN not in word.value]
    return next((f"has {program} in front of" for program in programs if program in _REREADERS), "")
