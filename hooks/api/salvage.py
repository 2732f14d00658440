"""What is left of a spec once the parts that have not the right shape are taken out.

All faults of a spec are told at once: those of the other parts too, which only a spec of the right shape shows.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pydantic

from hooks.api.common import Model
from hooks.errors import Fault, FaultyValue, faults_of

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
    """Names of the misshapen fields."""


def salvaged(model: type[AModel], spec: Any, *, within: str | None = None) -> Salvaged[AModel]:
    """Read a spec, without the fields that are misshapen; their faults are in the answer.

    Args:
        model: what the spec should be.
        spec: what it is.
        within: a field that is a map of which only the misshapen entries are taken out, such as `services`.
    """
    faults: list[Fault] = []
    taken: set[str] = set()
    left = spec
    while True:
        try:
            return Salvaged(model.model_validate(left), left, faults, taken)
        except pydantic.ValidationError as error:
            faults += faults_of(error, "spec")
            left, more = _without_misshapen(left, error, within)
            taken |= more


def _without_misshapen(
    spec: Any, error: pydantic.ValidationError, within: str | None
) -> tuple[dict[str, Any], set[str]]:
    left: dict[str, Any] = dict(spec) if isinstance(spec, dict) else {}
    taken: set[str] = set()
    for detail in error.errors(include_url=False, include_input=False):
        cause = detail.get("ctx", {}).get("error")
        steps = [str(step) for step in detail["loc"]]
        if not steps:  # of a rule about the whole: the fault says which field
            steps = _STEP.findall(cause.field)[:1] if isinstance(cause, FaultyValue) else []
        if steps[:1] == [within] and len(steps) > 1:
            left[steps[0]] = {key: entry for key, entry in left[steps[0]].items() if str(key) != steps[1]}
        else:
            taken.update(steps[:1] or map(str, left))
    return {key: entry for key, entry in left.items() if str(key) not in taken}, taken
