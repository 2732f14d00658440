"""What the API server answers when it refuses, in its words.

Source: k8s.io/apimachinery, packages `api/errors` and `util/validation/field`, as seen on a server of version 1.36.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from hooks.protocol import Kind

_NOTHING: Any = object()


class ApiError(Exception):
    """A refused request: HTTP code, machine-readable reason, a message for people, and the single faults in it."""

    def __init__(self, status: int, reason: str, message: str, causes: Sequence["FieldError"] = ()) -> None:
        self.status, self.reason, self.message = status, reason, message
        self.causes = tuple(causes)
        super().__init__(message)

    def __repr__(self) -> str:
        return f"ApiError({self.status}, {self.reason!r}, {self.message!r})"


@dataclass(frozen=True)
class FieldError:
    """One thing wrong with a field."""

    field: str
    problem: str
    value: Any = _NOTHING
    detail: str = ""

    def __str__(self) -> str:
        parts = [self.field, self.problem]
        if self.value is not _NOTHING:
            parts.append(_shown(self.value))
        return ": ".join([*parts, self.detail] if self.detail else parts)


def required(field: str, detail: str = "") -> FieldError:
    """A value that is missing."""
    return FieldError(field, "Required value", detail=detail)


def invalid_value(field: str, value: Any, detail: str) -> FieldError:
    """A value that is wrong."""
    return FieldError(field, "Invalid value", value, detail)


def unsupported(field: str, value: Any, supported: Iterable[Any]) -> FieldError:
    """A value that is none of those that exist."""
    return FieldError(field, "Unsupported value", value, "supported values: " + ", ".join(map(_shown, supported)))


def duplicate(field: str, value: Any) -> FieldError:
    """A value that another entry of the list has already."""
    return FieldError(field, "Duplicate value", value)


def missing_reference(field: str, value: Any, detail: str = "") -> FieldError:
    """A value that names something which is not there."""
    return FieldError(field, "Not found", value, detail)


def forbidden_field(field: str, detail: str) -> FieldError:
    """A value that must not be set here."""
    return FieldError(field, "Forbidden", detail=detail)


def too_long(field: str, limit: int, unit: str = "bytes") -> FieldError:
    """A value with more than `limit` bytes (or characters)."""
    return FieldError(field, "Too long", detail=f"may not be more than {limit} {unit}")


def too_many(field: str, found: int, limit: int) -> FieldError:
    """A list with more than `limit` entries."""
    return FieldError(field, "Too many", found, f"must have at most {limit} items")


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return orjson.dumps(value).decode()
    if value is None or isinstance(value, (dict, list, bool)):
        return orjson.dumps(value).decode()
    return str(value)


def resource_name(kind: Kind) -> str:
    """A kind's resource as messages name it: `deployments.apps`, `pods`."""
    group = kind.api_version.rpartition("/")[0]
    return f"{kind.plural}.{group}" if group else kind.plural


def kind_name(kind: Kind) -> str:
    """A kind as messages name it: `Deployment.apps`, `Pod`."""
    group = kind.api_version.rpartition("/")[0]
    return f"{kind.kind}.{group}" if group else kind.kind


def not_found(kind: Kind, name: str) -> ApiError:
    """There is no such object."""
    return ApiError(404, "NotFound", f'{resource_name(kind)} "{name}" not found')


def no_such_kind(kind: str, api_version: str) -> ApiError:
    """The cluster has no such kind."""
    return ApiError(404, "NotFound", f"the server could not find the requested resource ({kind} of {api_version})")


def already_exists(kind: Kind, name: str) -> ApiError:
    """The name is taken."""
    return ApiError(409, "AlreadyExists", f'{resource_name(kind)} "{name}" already exists')


def conflict(kind: Kind, name: str, why: str = "") -> ApiError:
    """Somebody else was faster, or `why`."""
    why = why or "the object has been modified; please apply your changes to the latest version and try again"
    return ApiError(409, "Conflict", f'Operation cannot be fulfilled on {resource_name(kind)} "{name}": {why}')


def invalid(kind: Kind, name: str, errors: Sequence[FieldError]) -> ApiError:
    """Fields are wrong."""
    said = list(dict.fromkeys(map(str, errors)))
    listed = said[0] if len(said) == 1 else f"[{', '.join(said)}]"
    return ApiError(422, "Invalid", f'{kind_name(kind)} "{name}" is invalid: {listed}', errors)


def unreadable(kind: Kind, problem: str) -> ApiError:
    """The body is no object of its kind."""
    version = kind.api_version.rpartition("/")[2]
    return bad_request(f'{kind.kind} in version "{version}" cannot be handled as a {kind.kind}: {problem}')


def bad_request(message: str) -> ApiError:
    """The body is not what the server can read."""
    return ApiError(400, "BadRequest", message)


def forbidden(kind: Kind, name: str, why: str) -> ApiError:
    """An admission plugin says no."""
    return ApiError(403, "Forbidden", f'{resource_name(kind)} "{name}" is forbidden: {why}')
