"""The structured log: one JSON object a line, on standard output.

No line ever holds a body, or anything of a Secret but its name.
"""

import sys
from typing import BinaryIO

import orjson
import structlog
from structlog.typing import FilteringBoundLogger

Log = FilteringBoundLogger


def open_log(stream: BinaryIO | None = None) -> Log:
    """A log that writes to `stream`, standard output where none is given."""
    log: Log = structlog.wrap_logger(
        structlog.BytesLogger(stream or sys.stdout.buffer),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(serializer=_serialized),
        ],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        cache_logger_on_first_use=True,
    ).bind()
    return log


def _serialized(event: object, **_: object) -> bytes:
    return orjson.dumps(event)
