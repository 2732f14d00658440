"""What is left of a spec once the parts that have not the right shape are taken out.

All faults of a spec are told at once: those of the other parts too, which only a spec of the right shape shows.
"""

import re
from typing import Any

import pydantic

from hooks.errors import FaultyValue

_STEP = re.compile(r"\w+")


def without_misshapen(spec: Any, error: pydantic.ValidationError, *, within: str | None = None) -> tuple[Any, set[str]]:
    """A copy of a spec without the fields that an error is about, and the names of those fields.

    Args:
        spec: what was validated.
        error: what came of it.
        within: a field that is a map of which only the entries with a fault are taken out, such as `services`.
    """
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
