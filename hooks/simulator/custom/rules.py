"""CEL rules of CustomResourceDefinitions.

Source: Kubernetes, "Validation rules" and "CEL options, language functions and libraries". What the library `cel` lacks
of Kubernetes' own functions makes a rule fail as it is evaluated, with the function's name in the message.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hooks.simulator.errors import FieldError, invalid_value

if TYPE_CHECKING:
    import cel

_KINDS = {
    "FieldValueInvalid": "Invalid value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueRequired": "Required value",
    "FieldValueDuplicate": "Duplicate value",
}
_RESERVED = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
_SIGNS = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_JSON_TYPES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
_FAILURES = (ValueError, TypeError, RuntimeError, LookupError, ArithmeticError)
"""What the library raises for an expression that cannot be evaluated."""
ABSENT: Any = object()
"""No old value: what is new, or cannot be told from what was there before."""


@dataclass(frozen=True)
class Rule:
    """One rule of a node: an expression over `self` and, for a transition, `oldSelf`."""

    source: str
    program: "cel.Program"
    said: str
    message: "cel.Program | None"
    problem: str
    path: str
    transition: bool
    optional: bool
    """Whether it is asked of new values too, with `oldSelf` as an optional."""

    def fault(self, value: Any, old: Any, where: str) -> FieldError | None:
        """What the rule finds wrong with a value, None where it is content or has nothing to compare with."""
        if self.transition and old is ABSENT and not self.optional:
            return None
        context = self._context(value, old)
        try:
            content = self.program.execute(context)
        except _FAILURES as error:
            kind = _JSON_TYPES.get(type(value), "null")
            why = f"no such key: {error.args[0]}" if isinstance(error, KeyError) else str(error)
            return invalid_value(where, kind, f"{why} evaluating rule: {self.said}")
        if content is True:
            return None
        place = where + self.path if where else self.path.removeprefix(".")
        return _found(self.problem, place, value if not self.path else {}, self._text(context))

    def _context(self, value: Any, old: Any) -> "cel.Context":
        import cel  # noqa: PLC0415 - as in _compiled
        from cel.stdlib import add_stdlib_to_context  # noqa: PLC0415

        variables = {"self": _escaped(value) if "__" in self.source else value}
        if self.transition:
            before = _escaped(old) if "__" in self.source and old is not ABSENT else old
            if self.optional:
                before = cel.OptionalValue.none() if old is ABSENT else cel.OptionalValue.of(before)
            variables["oldSelf"] = before
        context = cel.Context(variables=variables)
        add_stdlib_to_context(context)
        return context

    def _text(self, context: "cel.Context") -> str:
        if self.message is None:
            return self.said
        try:
            return str(self.message.execute(context))
        except _FAILURES:
            return self.said


def compiled_rules(rules: Iterable[Mapping[str, Any]]) -> list[Rule]:
    """The rules of a node.

    Raises:
        ValueError: a rule is no CEL.
    """
    return [_compiled(rule) for rule in rules]


def _compiled(rule: Mapping[str, Any]) -> Rule:
    import cel  # noqa: PLC0415 - brings a whole terminal along, which takes longer than most objects need it for

    source, expression = rule["rule"], rule.get("messageExpression")
    program = cel.compile(source)
    message = cel.compile(expression) if expression else None
    named = program.variables() + (message.variables() if message else [])
    return Rule(
        source=source,
        program=program,
        said=rule.get("message") or f"failed rule: {source.strip()}",
        message=message,
        problem=_KINDS[rule.get("reason", "FieldValueInvalid")],
        path=rule.get("fieldPath", ""),
        transition="oldSelf" in named,
        optional=bool(rule.get("optionalOldSelf")),
    )


def _found(problem: str, where: str, value: Any, text: str) -> FieldError:
    if problem == "Invalid value" and not isinstance(value, (dict, list)):
        return invalid_value(where, value, text)
    return FieldError(where, problem, detail=text)


def _escaped(value: Any) -> Any:
    """A value whose keys are spelt as CEL can read them: `namespace` is `__namespace__`, a dash is `__dash__`."""
    if isinstance(value, dict):
        return {_escaped_key(key): _escaped(entry) for key, entry in value.items()}
    return [_escaped(entry) for entry in value] if isinstance(value, list) else value


def _escaped_key(key: str) -> str:
    if key in _RESERVED:
        return f"__{key}__"
    return re.sub(r"__|[.\-/]", lambda found: _SIGNS[found[0]], key)
