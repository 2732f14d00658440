"""The HTTP application."""

import os
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus

from flask import Flask, Response, request

from hooks import routes
from hooks.adapters import Perform
from hooks.calls import record_calls
from hooks.configuration import load_settings
from hooks.controllers.registry import Controller
from hooks.controllers.registry import controllers as registered
from hooks.endpoints import Workers
from hooks.log import Log, open_log
from hooks.problems import answer_problems, problem
from hooks.settings import Settings
from hooks.tokens import Tokens, tokens_from
from hooks.turns import Turns


def utc_now() -> datetime:
    """The time now."""
    return datetime.now(UTC)


def create_app(  # noqa: PLR0913, PLR0917 - each is one thing that the application gets from outside
    settings: Settings | None = None,
    controllers: Mapping[str, Controller] | None = None,
    clock: routes.Clock = utc_now,
    tokens: Tokens | None = None,
    log: Log | None = None,
    randomness: routes.Randomness = secrets.token_bytes,
    perform: Perform | None = None,
) -> Flask:
    """The WSGI application. What is not given comes from the environment, the registry and standard output.

    Raises:
        SettingsError: settings or tokens of the environment are wrong.
    """
    settings = load_settings(None, os.environ) if settings is None else settings
    controllers = registered() if controllers is None else controllers
    tokens = tokens_from(os.environ) if tokens is None else tokens
    app = Flask("hooks", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.server.max_body_mib << 20
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = False  # //healthz is no path of ours, not a redirect to one
    sources = routes.Sources(clock, randomness, perform or Workers(), Turns(settings.server.threads))
    app.register_blueprint(routes.hooks(controllers, settings, sources))
    app.register_blueprint(routes.manifests(settings, sources))
    app.register_blueprint(routes.probes())
    record_calls(app, log or open_log(), unrecorded=frozenset({"probes.healthy", "probes.numbers"}))
    require_token(app, tokens)
    answer_problems(app, controllers)
    return app


def require_token(app: Flask, tokens: Tokens) -> None:
    """Refuse each call without one of the tokens, but for the probes."""

    def check() -> Response | None:
        if request.blueprint == "probes" or tokens.accept(request.headers.get("Authorization", "")):
            return None
        refusal = problem(HTTPStatus.UNAUTHORIZED, "send the service's token in the header Authorization: Bearer …")
        refusal.headers["WWW-Authenticate"] = 'Bearer realm="dynamo-hooks"'
        return refusal

    if tokens:
        app.before_request(check)
