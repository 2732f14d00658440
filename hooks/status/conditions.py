"""Conditions, written so that an answer does not change from call to call.

Source: Kubernetes API conventions, "Typical status properties".
"""

from datetime import UTC, datetime

from hooks.errors import Fault
from hooks.protocol import Object, entries, part

MESSAGE_LENGTH = 32768
"""Longest message of a condition (metav1.Condition)."""

INVALID_SPEC = "InvalidSpec"
NAME_CONFLICT = "NameConflict"

_FAULTS_SHOWN = 20


class Conditions:
    """The conditions of a parent's next status, with the previous ones in sight.

    `lastTransitionTime` moves only when a condition's `status` does.
    """

    def __init__(self, parent: Object, now: datetime) -> None:
        self._previous = _previous(parent)
        self._generation = parent["metadata"].get("generation")
        self._now = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._written: dict[str, Object] = {}

    def write(self, kind: str, *, holds: bool | None, reason: str, message: str) -> None:
        """Add a condition; None is for what is not known. `message` is cut at 32768 characters."""
        status = {True: "True", False: "False", None: "Unknown"}[holds]
        previous = self._previous.get(kind, {})
        since = previous.get("lastTransitionTime") if previous.get("status") == status else None
        condition: Object = {
            "type": kind,
            "status": status,
            "reason": reason,
            "message": shortened(message),
            "lastTransitionTime": since if isinstance(since, str) else self._now,
        }
        if isinstance(self._generation, int):
            condition["observedGeneration"] = self._generation
        self._written[kind] = condition

    def written(self) -> list[Object]:
        """The conditions, sorted by type."""
        return [self._written[kind] for kind in sorted(self._written)]


def find_condition(item: Object, kind: str) -> Object:
    """The condition of that type in an object's status; Unknown where there is none, or one that does not say."""
    unknown = {"type": kind, "status": "Unknown", "reason": "", "message": ""}
    for condition in entries(part(item, "status"), "conditions"):
        if condition.get("type") == kind:
            return unknown | {
                key: value for key, value in condition.items() if key not in unknown or isinstance(value, str)
            }
    return unknown


def faults_message(faults: tuple[Fault, ...]) -> str:
    """All faults in one message; beyond 20 it says how many more there are."""
    shown = ". ".join(map(str, faults[:_FAULTS_SHOWN]))
    more = len(faults) - _FAULTS_SHOWN
    return f"{shown}. And {more} more" if more > 0 else shown


def shortened(message: str) -> str:
    """A message no longer than a condition's may be."""
    return message if len(message) <= MESSAGE_LENGTH else f"{message[: MESSAGE_LENGTH - 1]}…"


def _previous(parent: Object) -> dict[str, Object]:
    conditions = entries(part(parent, "status"), "conditions")
    return {entry["type"]: entry for entry in conditions if isinstance(entry.get("type"), str)}
