"""Making an input that shows a fault as small as it gets, greedily: what is not needed for the fault goes."""

import contextlib
from dataclasses import replace

import orjson

from tests.fuzz.values import RAW

_TRIES = 1500
"""Requests that are sent at most to make one smaller."""


def shrunk(request, still_breaks):
    """The smallest request that was found for which `still_breaks` is true, as it is for the given one."""
    left = _TRIES

    def breaks(candidate):
        nonlocal left
        left -= 1
        return still_breaks(candidate)

    if request.cut is not None and breaks(whole := replace(request, cut=None)):
        request = whole
    smaller = True
    while smaller and left > 0:
        smaller = False
        for path in _places(request.body):
            for body in _simpler(request.body, path):
                if left <= 0:
                    break
                if breaks(candidate := replace(request, body=body)):
                    request, smaller = candidate, True
                    break
            if smaller and path == ():
                break
    return request


def _places(value, path=()):
    """Every path, those of large parts first."""
    found, level = [], [(path, value)]
    while level:
        found += [path for path, _ in level]
        level = [
            ((*path, key), item)
            for path, container in level
            if isinstance(container, dict | list)
            for key, item in (container.items() if isinstance(container, dict) else reversed([*enumerate(container)]))
        ]
    return found


def _simpler(body, path):
    """Bodies with less in a place; none where the place is gone by now."""
    try:
        value = _at(body, path)
    except (LookupError, TypeError):
        return
    if path:
        yield _changed(body, path, remove=True)
    for simple in _simpler_values(value):
        yield _changed(body, path, simple)


def _simpler_values(value):
    if isinstance(value, dict | list) and len(value) > 1:
        items = list(value.items()) if isinstance(value, dict) else value
        for half in (items[: len(items) // 2], items[len(items) // 2 :]):
            yield type(value)(half)
    if isinstance(value, dict | list):
        yield from value.values() if isinstance(value, dict) else value
    elif isinstance(value, str) and len(value) > 1 and not value.startswith(RAW):
        yield from ("x", value[: len(value) // 2], value[len(value) // 2 :], value[1:], value[:-1])
    elif isinstance(value, float) or (isinstance(value, int) and abs(value) > 1):
        yield 1


def _at(value, path):
    for step in path:
        if not isinstance(value, dict | list):
            raise TypeError(step)
        value = value[step]
    return value


def _changed(body, path, value=None, *, remove=False):
    """A copy of a body with another value in a place, or without it; what is not on the way there is shared."""
    if not path:
        return value
    copy = list(body) if isinstance(body, list) else dict(body)
    if len(path) > 1:
        copy[path[0]] = _changed(body[path[0]], path[1:], value, remove=remove)
    elif remove:
        del copy[path[0]]
    else:
        copy[path[0]] = value
    return copy


def shown(request):
    """A request as somebody can read it and send it again."""
    text = request.data.decode(errors="backslashreplace")
    with contextlib.suppress(orjson.JSONDecodeError, orjson.JSONEncodeError):
        text = orjson.dumps(orjson.loads(request.data), option=orjson.OPT_INDENT_2).decode()
    return f"POST {request.path}\n{text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}"


_SHOWN = 4000
"""Characters of a body that are shown."""
