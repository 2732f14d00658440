"""How many calls of a process are under way at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import BoundedSemaphore

from flask import Response
from werkzeug.exceptions import TooManyRequests

_RETRY_AFTER = 5
"""Seconds after which Metacontroller sends a call again that had to be refused for the time being."""


class Turns:
    """So many calls have one at once, which bounds the bodies that are kept at a time; others wait until one is over.

    A call that waits for a model's workers gives its turn to another. As many may do so as there are turns.
    """

    def __init__(self, number: int) -> None:
        self._free = BoundedSemaphore(number)
        self._given_away = BoundedSemaphore(number)

    def taken_by(self, view: Callable[[], Response]) -> Callable[[], Response]:
        """The view, which takes a turn before it reads the body."""

        @wraps(view)
        def taken() -> Response:
            with self._free:
                return view()

        return taken

    @contextmanager
    def given_away(self) -> Iterator[None]:
        """Let other calls go on meanwhile.

        Raises:
            TooManyRequests: as many calls as may do so.
        """
        if not self._given_away.acquire(blocking=False):
            raise TooManyRequests("as many calls as may wait for workers are waiting", retry_after=_RETRY_AFTER)
        try:
            self._free.release()
            try:
                yield
            finally:
                self._free.acquire()
        finally:
            self._given_away.release()
