"""What is left of a spec once the parts that have not the right shape are taken out.

All faults of a spec are told at once: those of the other parts too, which only a spec of the right shape shows.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import orjson
import pydantic
import pydantic_core

from hooks.api.common import Model
from hooks.errors import Fault, FaultyValue, InvalidSpec, faults_of

_STEP = re.compile(r"\w+")

AModel = TypeVar("AModel", bound=Model)


@dataclass
class Salvaged(Generic[AModel]):
    """A spec, read as far as it has the right shape."""

    model: AModel
    raw: dict[str, Any]
    """What the model was read from, without the misshapen fields."""
    faults: list[Fault] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    """Names of the spec's fields that are misshapen or hold what is."""


def salvaged(model: type[AModel], spec: Any) -> Salvaged[AModel]:
    """Read a spec, without the innermost fields that are misshapen; their faults are in the answer.

    Raises:
        InvalidSpec: nothing can be taken out that would mend it.
    """
    faults: list[Fault] = []
    taken: set[str] = set()
    left: Any = spec
    while True:
        try:
            return Salvaged(model.model_validate(left), left, faults, taken)
        except pydantic.ValidationError as error:
            faults += [fault for fault in faults_of(error, "spec") if not _is_echo(fault, faults)]
            before, left = left, _copy(left) if isinstance(left, dict) else {}
            for steps in map(_steps, error.errors(include_url=False, include_input=False)):
                taken.update(map(str, steps[:1] or left))
                _take_out(left, steps)
            if left == before:
                raise InvalidSpec(faults) from None


def _copy(value: Any) -> Any:
    """A copy in which nothing is there twice: what an alias in YAML stands for is taken out of one place alone."""
    return orjson.loads(orjson.dumps(value))


def _is_echo(fault: Fault, told: list[Fault]) -> bool:
    """Whether a fault is of a part of which something was taken out: it may follow from that."""
    part = fault.field.rpartition(".")[0]
    return any(
        f"{earlier.field}.".startswith((f"{fault.field}.", f"{fault.field}[", f"{part}."))
        or fault.field.startswith((f"{earlier.field}.", f"{earlier.field}["))
        for earlier in told
    )


def _steps(detail: pydantic_core.ErrorDetails) -> list[str | int]:
    """The way to what is misshapen: keys and indices."""
    cause = detail.get("ctx", {}).get("error")
    found = list(detail["loc"])
    if isinstance(cause, FaultyValue):
        found += [int(step) if step.isdecimal() else step for step in _STEP.findall(cause.field)]
    return found


def _take_out(value: Any, steps: list[str | int]) -> None:
    """Take the innermost field out that is there. Items of lists stay, so that the others keep their indices."""
    innermost: tuple[dict[Any, Any], Any] | None = None
    for step in steps:
        if isinstance(value, dict):
            key = next((key for key in value if str(key) == str(step)), None)
            if key is None:
                break
            innermost = value, key
            value = value[key]
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            break
    if innermost:
        del innermost[0][innermost[1]]
