"""How the API server treats built-in objects: read by their published schema, judged by the rules of their kind."""

from collections.abc import Sequence

from typing_extensions import override

from hooks.protocol import Kind, Object
from hooks.simulator.builtin.decoding import reader
from hooks.simulator.builtin.schemas import published_name
from hooks.simulator.builtin.values import Findings, Unreadable
from hooks.simulator.errors import FieldError, unreadable
from hooks.simulator.resources import Reading, Ways


class BuiltIn(Ways):
    """A built-in kind without rules of its own; the others derive from it."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._read = reader(published_name(kind))

    @override
    def read(self, item: Object) -> Reading:
        """Read it as its Go type does."""
        findings = Findings()
        try:
            read = self._read(item, findings)
        except Unreadable as problem:
            raise unreadable(self._kind, str(problem)) from None
        self.complete(read)
        return Reading(read, findings.warnings, findings.faults)

    def complete(self, item: Object) -> None:
        """Fill in, in place, the defaults that depend on the whole object."""

    @override
    def faults(self, item: Object, old: Object | None, known: Sequence[FieldError]) -> Sequence[FieldError]:
        """What was found as it was read, and what `judge` and `compare` find."""
        found = [*known, *self.judge(item, known)]
        return found if old is None else [*found, *self.compare(item, old)]

    @override
    def with_status(self, old: Object, given: Object) -> Object:
        return {**super().with_status(old, given), "metadata": given["metadata"]}

    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        """Everything wrong with the object by itself; `known` was found as it was read."""
        del item, known
        return ()

    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        """Everything that an update may not change."""
        del item, old
        return ()


def immutable(where: str, value: object) -> FieldError:
    """A field that stays as it was made."""
    return FieldError(where, "Invalid value", value, "field is immutable")
