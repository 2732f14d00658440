"""References between environment variables (`$(NAME)`), made independent of the order of the list.

The kubelet replaces `$(NAME)` in a value if NAME stands earlier in the list, but Metacontroller merges lists in the
order it observes, with new entries behind. So a value is put where its name was. Rules of the expansion: Kubernetes
documentation, "Define Dependent Environment Variables", and the field `value` of `EnvVar` in the API reference.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

_REFERENCE = re.compile(r"\$\$|\$\((?P<name>[^)]*)\)")
"""An escaped dollar sign, or a reference. Every other dollar sign stands for itself."""

_LONGEST = 32 * 1024
"""Characters up to which values are put together: those that double one another would grow beyond all bounds."""


def resolve_references(environment: list[dict[str, Any]], *, complete: bool = True) -> list[dict[str, Any]]:
    """The same environment with the values of earlier variables in place of references to them.

    Its meaning is what the kubelet makes of the list in the given order. A reference stays where the value is not in
    the list: to a variable with `valueFrom`, and to a name that a Service may supply. A reference to a variable that
    stands later is mere text for the kubelet, and is escaped (`$$(NAME)`) so that it is text in every order.

    Args:
        environment: entries of a container's `env`, each name once.
        complete: whether these are all of a container's variables. If not, a reference to a later variable is left
            alone, for what is put in front of this part may supply it.
    """
    later = {variable["name"] for variable in environment}
    earlier: dict[str, str | None] = {}
    resolved = []
    for variable in environment:
        name, value = variable["name"], variable.get("value")
        later.discard(name)
        if variable.get("valueFrom") is not None or not value:
            earlier[name] = "" if variable.get("valueFrom") is None else None
            resolved.append(variable)
            continue
        text, earlier[name] = _resolve(value, name, earlier, later, complete=complete)
        resolved.append(variable if text == value else {**variable, "value": text})
    return resolved


def referred_to(variable: Mapping[str, Any]) -> list[str]:
    """The names that a variable's value refers to."""
    value = variable.get("value")
    if variable.get("valueFrom") is not None or not isinstance(value, str):
        return []
    return [found["name"] for found in _REFERENCE.finditer(value) if found["name"] is not None]


def with_sources_in_front(environment: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same entries, those with `valueFrom` in front of the first one that refers to them.

    For an environment whose references are all meant, and that a merge may have put in another order.
    """
    by_name = {variable["name"]: variable for variable in environment}
    ordered: dict[str, dict[str, Any]] = {}
    for variable in environment:
        for name in referred_to(variable):
            source = by_name.get(name, {})
            if source.get("valueFrom") is not None:
                ordered.setdefault(name, source)
        ordered.setdefault(variable["name"], variable)
    return list(ordered.values())


def _resolve(
    value: str, own_name: str, earlier: Mapping[str, str | None], later: Collection[str], *, complete: bool
) -> tuple[str, str | None]:
    """A value without references to earlier variables, and what to put where it is referred to.

    The two differ in dollar signs: where the value is put, each that is text is escaped, so that it means nothing
    together with what stands beside it. None is for a value that must be referred to by its name.
    """
    text = inserted = ""
    end = 0
    by_name = False
    for found in _REFERENCE.finditer(value):
        before, reference, name = value[end : found.start()], found[0], found["name"]
        end = found.end()
        text += before
        inserted += _escaped(before)
        known = earlier.get(name)
        if known is not None and len(text) + len(known) <= _LONGEST:
            text += known
            inserted += known
        elif name == own_name:
            text += reference
            inserted += _escaped(reference)
        elif name in later and complete:
            text += _escaped(reference)
            inserted += _escaped(reference)
        else:
            by_name = by_name or name in later
            text += reference
            inserted += reference
    return text + value[end:], None if by_name else inserted + _escaped(value[end:])


def _escaped(text: str) -> str:
    return text.replace("$", "$$")
