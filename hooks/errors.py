"""What can be wrong with a request, in the words that its sender needs.

Two kinds: what is wrong inside a custom resource's `spec` is an answer (`InvalidSpec`, all faults at once); what is
wrong with the envelope around it is no answer but an HTTP problem (`MalformedRequest`, `UnprocessableRequest`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import orjson
import pydantic
import pydantic_core

_SHOWN = 80
"""Characters of an offending value that a message shows: enough to find it, too little to flood an event."""


@dataclass(frozen=True, order=True)
class Fault:
    """One thing wrong in a spec: which field, what is wrong with its value, and what to write instead."""

    field: str
    problem: str
    cure: str

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}; {self.cure}"


class InvalidSpec(Exception):  # noqa: N818 - it is the reason that the status shows
    """A custom resource's spec cannot be carried out. Carries every fault found, never just the first.

    They are sorted by field, so that the order of keys in the spec does not matter: the spec's own first, then those of
    what is made of it.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults), key=lambda fault: (not fault.field.startswith("spec"), fault)))
        super().__init__("\n".join(map(str, self.faults)))


class MalformedRequest(Exception):  # noqa: N818 - named as HTTP's problem types are
    """The body is no hook request at all: HTTP 400. `where` is a JSON path into the body."""

    def __init__(self, where: str, problem: str) -> None:
        self.where = where
        super().__init__(f"{where}: {problem}")


class UnprocessableRequest(MalformedRequest):
    """A well-formed request that this hook cannot answer without harm, as one for another kind: HTTP 422."""


def shown(value: object) -> str:
    """An offending value as a message shows it: text in quotes, anything else as JSON; shortened to 80 characters."""
    if isinstance(value, str):
        return repr(_shortened(value))
    try:
        return _shortened(orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode())
    except TypeError:  # no JSON, as a date in YAML or a number beyond 64 bits
        return _shortened(repr(value))


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def problem_faults(field: str, value: object, problem: str | None, cure: str = "write another one") -> list[Fault]:
    """The fault of a value whose `problem` is known, in the words of `hooks.names`; none where there is none."""
    return [Fault(field, f"{shown(value)} {problem}", cure)] if problem else []


_CURES = {
    "bool_type": "write true or false, without quotes",
    "dict_type": "write an object (key: value)",
    "int_type": "write a whole number, without quotes",
    "list_type": "write a list",
    "missing": "add it",
    "model_type": "write an object (key: value)",
    "string_type": "write a string, in quotes",
}
"""Pydantic's error types (docs.pydantic.dev, "Validation errors") → what to do. Others say it in their own message."""


def faults_of(error: pydantic.ValidationError, prefix: str) -> list[Fault]:
    """Pydantic's errors as faults of the fields below `prefix` (such as `spec`)."""
    return [_fault_of(detail, prefix) for detail in error.errors(include_url=False)]


def _fault_of(detail: pydantic_core.ErrorDetails, prefix: str) -> Fault:
    field = prefix
    for part in detail["loc"]:
        field += f"[{part}]" if isinstance(part, int) else f".{part}"
    context = detail.get("ctx", {})
    if detail["type"] == "missing":
        return Fault(field, "is required", _CURES["missing"])
    if isinstance(context.get("error"), FaultyValue):
        faulty = context["error"]
        return Fault(f"{field}.{faulty.field}" if faulty.field else field, faulty.problem, faulty.cure)
    cure = _CURES.get(detail["type"]) or detail["msg"].replace("Input should", "it should")
    return Fault(field, f"has the value {shown(detail['input'])}", cure)


class FaultyValue(ValueError):  # noqa: N818 - named as Fault is
    """Raised by a model's own validator: names the field below it, the problem and the cure."""

    def __init__(self, field: str, problem: str, cure: str) -> None:
        self.field, self.problem, self.cure = field, problem, cure
        super().__init__(f"{problem}; {cure}")
