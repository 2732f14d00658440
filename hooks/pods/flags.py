"""Reading an engine's flags, in every spelling that Python's argparse takes.

Source: docs.python.org, argparse: `--flag value`, `--flag=value`, an unambiguous beginning of a long flag; of a flag
given twice the last counts. vLLM takes underscores for the dashes too (vllm/utils/argparse_utils.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hooks.errors import Fault, InvalidSpec, shown
from hooks.pods.engine import EngineCall
from hooks.pods.words import UNKNOWN, Word


@dataclass(frozen=True)
class Flag:
    """A flag by its long name, its other names, and the shortest beginning of the long one that means no other."""

    name: str
    others: tuple[str, ...] = ()
    shortest: str = ""

    def matches(self, word: str) -> bool:
        """Whether a word, without `=value`, is this flag."""
        long = "--" + word[2:].replace("_", "-") if word.startswith("--") else word
        shortened = bool(self.shortest) and long.startswith(self.shortest) and self.name.startswith(long)
        return long == self.name or long in self.others or shortened


def is_set(flag: Flag, call: EngineCall) -> bool:
    """Whether the user set a flag."""
    return any(flag.matches(word.value.partition("=")[0]) for word in call.arguments)


def value_of(flag: Flag, call: EngineCall) -> str | None:
    """A flag's value, None where it is not set.

    Raises:
        InvalidSpec: the value cannot be read.
    """
    setting = _last(flag, call)
    if setting and UNKNOWN in setting.value:
        cure = "write the value, or a variable that has it as its value in envs"
        raise InvalidSpec([Fault(call.field, f"has {setting.source}, which is known only when it runs", cure)])
    return setting.value if setting else None


def numbers_of(flags: Mapping[str, Flag], call: EngineCall) -> dict[str, int | None]:
    """The whole numbers that flags have; None for a flag that is not set.

    Raises:
        InvalidSpec: a flag's number cannot be read, or a flag may hide in a variable.
    """
    settings = {key: _last(flag, call) for key, flag in flags.items()}
    numbers = {key: setting.number if setting else None for key, setting in settings.items()}
    faults = [
        Fault(
            call.field,
            f"has {setting.source or flags[key].name}, whose number cannot be known before it runs",
            f"write a whole number behind {flags[key].name}, or a variable that has one as its value in envs",
        )
        for key, setting in settings.items()
        if setting and setting.number is None
    ]
    hidden = _hidden_words(call.arguments)
    if hidden and None in numbers.values() and not faults:
        names = ", ".join(flags[key].name for key, number in numbers.items() if number is None)
        problem = f"has {shown(hidden[0].source)}, which is known only when it runs and may hold {names}"
        faults.append(Fault(call.field, problem, "write these flags out, or give the variable its value in envs"))
    if faults:
        raise InvalidSpec(faults)
    return numbers


@dataclass(frozen=True)
class _Setting:
    value: str
    source: str

    @property
    def number(self) -> int | None:
        digits = self.value.strip()
        is_count = digits.isascii() and digits.isdecimal() and len(digits) < 10 and int(digits) > 0
        return int(digits) if is_count else None


def _last(flag: Flag, call: EngineCall) -> _Setting | None:
    """The last setting of a flag, which is the one that counts."""
    last = None
    for index, word in enumerate(call.arguments):
        name, equals, attached = word.value.partition("=")
        if flag.matches(name) and equals:
            last = _Setting(attached, word.source)
        elif flag.matches(name):
            behind = call.arguments[index + 1 : index + 2]
            value = "".join(word.value for word in behind)
            last = _Setting(value, " ".join([word.source, *(word.source for word in behind)]))
    return last


def _hidden_words(words: Sequence[Word]) -> list[Word]:
    """Words that may become flags: of unknown value, unquoted, and not the value of the flag in front of them."""
    hidden = []
    for index, word in enumerate(words):
        in_front = words[index - 1].value if index else ""
        is_value = in_front.startswith("-") and "=" not in in_front
        if word.several and not is_value and not word.value.startswith("-"):
            hidden.append(word)
    return hidden
