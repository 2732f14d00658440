"""Events."""

from collections.abc import Sequence

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator.builtin.ways import BuiltIn
from hooks.simulator.errors import FieldError, invalid_value


class EventWays(BuiltIn):
    """Events, which lie in the namespace of what they are about."""

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        del known
        about = item["involvedObject"].get("namespace", "")
        if (about or "default") != item["metadata"].get("namespace"):
            return [invalid_value("involvedObject.namespace", about, "does not match event.namespace")]
        return []
