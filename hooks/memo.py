"""What a pure function came to for inputs of late, so that an unchanged resource is not worked out anew.

Nearly every sync of a resource at rest asks for what the last one asked for. A memo is no state: what it holds follows
from the inputs alone, so a process that starts with an empty one, or forgets it at any moment, gives the same answers
and takes longer. It is bounded in bytes, and it holds JSON, so that no two answers share anything.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any

import orjson

_OVERHEAD = 200
"""Bytes that an entry takes beside its JSON."""


class Memo:
    """Results of one function. Results and inputs are JSON.

    Args:
        limit: bytes that it may hold; the results that were asked for longest ago go first.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._results: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = Lock()

    def __call__(self, inputs: Any, function: Callable[[], Any]) -> Any:
        """What `function` gives, which must follow from `inputs` alone. What it raises is not kept."""
        try:
            key = hashlib.sha256(orjson.dumps(inputs)).digest()
        except TypeError:  # a number that orjson does not write, as a manifest in YAML may have
            return function()
        with self._lock:
            known = self._results.get(key)
            if known is not None:
                self._results.move_to_end(key)
        if known is not None:
            return orjson.loads(known)
        result = function()
        self._keep(key, orjson.dumps(result))
        return result

    def forget(self) -> None:
        """Hold nothing any more."""
        with self._lock:
            self._results.clear()
            self._held = 0

    def _keep(self, key: bytes, result: bytes) -> None:
        with self._lock:
            if key not in self._results:
                self._held += len(result) + _OVERHEAD
            self._results[key] = result
            while self._held > self._limit:
                _, dropped = self._results.popitem(last=False)
                self._held -= len(dropped) + _OVERHEAD
