"""The planner's arguments, without the Dynamo namespace of the graph that the profiler started from.

The planner then reads DYN_NAMESPACE, which is that of its own graph.
"""

import re
from typing import Any

_FLAG = "--namespace"

_IN_SCRIPT = re.compile(
    r"""(?<![^\s"'(;&|])                            # the beginning of a word
        (?:
            "--namespace(?:=|\s+)[^"]*"             # the whole in quotes
          | '--namespace(?:=|\s+)[^']*'
          | --namespace(?:=|\s+)                    # or the value, if anything
            (?:"[^"]*"|'[^']*'|\$\([^)]*\)|[^\s"'();&|])*
        )""",
    re.VERBOSE,
)
"""The flag and its value in a script for a shell."""


def without_namespace(arguments: list[Any]) -> list[Any]:
    """A command or its arguments without `--namespace=x`, `--namespace x` and the same inside a shell's script."""
    kept: list[Any] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == _FLAG:
            next(rest, None)  # its value
        elif not isinstance(argument, str):
            kept.append(argument)
        elif not argument.startswith(f"{_FLAG}="):
            others = _IN_SCRIPT.sub("", argument)
            kept += [others] if others.strip() or argument == others else []
    return kept
