"""What goes wrong with a call, as a problem document. Source: RFC 9457."""

import functools
import secrets
import traceback
from collections.abc import Collection
from http import HTTPStatus
from typing import Any

import orjson
from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge

from hooks.bodies import check_depth
from hooks.errors import MalformedRequest, UnprocessableRequest

PLURALS = ("dynamographdeployments", "dynamocomponentdeployments", "dynamographdeploymentrequests", "dynamomodels")
"""The custom resources, whether or not this version has their controller."""
_SHOWN = 1000
"""Characters of a detail: Metacontroller puts the document into an event, which holds 1024."""
_DISCARDED = 1 << 30
"""Bytes of a body over the limit that are read and thrown away, so that its sender gets to see the answer."""
_FRAMES = 40
"""Innermost frames of a traceback that the log shows; a recursion has a thousand."""
_HARMLESS = (AttributeError, LookupError, NameError, RecursionError, TypeError)
"""Faults whose message names attributes, keys and types. That of another one may hold a value, even of a Secret."""
_OF_SECRETS = "secrets"
"""The controller that is sent Secrets: of a fault in it the log shows no message at all."""


def problem(status: int, detail: str, **members: Any) -> Response:
    """A problem document; `members` are further ones of it."""
    title = HTTPStatus(status).phrase
    document = {"type": "about:blank", "title": title, "status": status, "detail": detail[:_SHOWN], **members}
    text = orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)  # people read it in a terminal, too
    return Response(text, status, content_type="application/problem+json")


def answer_problems(app: Flask, controllers: Collection[str]) -> None:
    """Make each exception that ends a call a problem document.

    Args:
        app: the application.
        controllers: routes of the controllers there are, for whoever asks for another one.
    """
    app.register_error_handler(MalformedRequest, _malformed)
    app.register_error_handler(RequestEntityTooLarge, _too_large)
    app.register_error_handler(NotFound, functools.partial(_not_found, controllers))
    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(Exception, _failed)


def _malformed(error: MalformedRequest) -> Response:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if isinstance(error, UnprocessableRequest) else HTTPStatus.BAD_REQUEST
    g.call.problem = str(error)[:_SHOWN]
    return problem(status, str(error), where=error.where[:_SHOWN])


def _too_large(error: RequestEntityTooLarge) -> Response:
    left = _DISCARDED
    while left > 0 and (chunk := request.environ["wsgi.input"].read(1 << 16)):
        left -= len(chunk)
    limit = (request.max_content_length or 0) >> 20
    return problem(error.code, f"the body has more than {limit} MiB; the setting server.maxBodyMiB raises the limit")


def _not_found(controllers: Collection[str], _: NotFound) -> Response:
    first = request.path.split("/")[1]
    if first in PLURALS and first not in controllers:
        detail = f"this version has no controller for {first}; it has {', '.join(controllers) or 'none'}"
    else:
        paths = sorted(rule.rule for rule in current_app.url_map.iter_rules())
        detail = f"there is no {request.path[:100]}; there are {', '.join(paths)}"
    return problem(HTTPStatus.NOT_FOUND, detail)


def _refused(error: HTTPException) -> Response:
    detail = error.description or ""
    if isinstance(error, MethodNotAllowed):
        detail = f"{request.path[:100]} answers {' and '.join(sorted(error.valid_methods or ()))}, not {request.method}"
    answer = problem(error.code or HTTPStatus.INTERNAL_SERVER_ERROR, detail)
    for name, value in error.get_headers(request.environ):
        if name in ("Allow", "Retry-After"):
            answer.headers.add(name, value)
    return answer


def _failed(error: Exception) -> Response:
    try:
        check_depth(g.call.body, "$")
    except MalformedRequest as too_deep:  # the fault is the body's: somewhere a recursion ended
        return _malformed(too_deep)
    g.call.fault_id = secrets.token_hex(8)
    g.call.fault = described(error, () if g.call.controller == _OF_SECRETS else _HARMLESS)
    detail = f"a fault in dynamo-hooks, nothing was changed; its log has the details under the id {g.call.fault_id}"
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail, id=g.call.fault_id)


def described(error: BaseException, harmless: tuple[type[BaseException], ...] = _HARMLESS) -> str:
    """A fault with its traceback and causes as the log may show it: without a message that could hold a value.

    Args:
        error: what was raised.
        harmless: the types whose message is shown.
    """
    parts: list[str] = []
    chain: BaseException | None = error
    while chain is not None:
        message = f": {chain}" if isinstance(chain, harmless) else ""
        parts.append("".join(traceback.format_tb(chain.__traceback__, -_FRAMES)) + type(chain).__qualname__ + message)
        chain = chain.__cause__ or chain.__context__
    return "\ncaused by\n".join(parts)
