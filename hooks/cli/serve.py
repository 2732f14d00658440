"""`dynamo-hooks serve`: the hooks over HTTP."""

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hooks import __version__
from hooks.cli.options import effective_settings, settings_option
from hooks.configuration import SettingsError, settings_of
from hooks.server import Certificate, check_certificate, listen, serve
from hooks.tokens import tokens_from

if TYPE_CHECKING:
    from flask import Flask  # at run time after gevent: what is imported first goes last, and Flask's log needs gevent


class _Address(click.ParamType[tuple[str, int]]):
    """HOST:PORT, an IPv6 address in brackets."""

    name = "HOST:PORT"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        host, _, port = value.rpartition(":")
        bare = host.removeprefix("[").removesuffix("]")
        if not bare or (":" in bare) != host.startswith("[") or not port.isdecimal() or int(port) >= 1 << 16:
            self.fail(f"{value!r} is not HOST:PORT, such as 127.0.0.1:8080 or [::]:8080", param, ctx)
        return bare, int(port)


@click.command("serve")
@click.option(
    "--bind", type=_Address(), metavar="HOST:PORT", default="127.0.0.1:8080", show_default=True, help="Where."
)
@settings_option
@click.option("--workers", type=click.IntRange(min=1), help="Worker processes, instead of the setting server.workers.")
@click.option("--threads", type=click.IntRange(min=1), help="Calls at once in each, instead of server.threads.")
@click.option("--certfile", type=click.Path(path_type=Path), help="Certificate chain (PEM), to serve over TLS.")
@click.option("--keyfile", type=click.Path(path_type=Path), help="Key of the certificate (PEM).")
def command(
    bind: tuple[str, int],
    settings_file: Path | None,
    workers: int | None,
    threads: int | None,
    certfile: Path | None,
    keyfile: Path | None,
) -> None:
    """Answer Metacontroller's hook calls over HTTP, until SIGTERM or Ctrl-C.

    Calls must carry a token (Authorization: Bearer …) where DYNAMO_HOOKS_TOKEN or the file that DYNAMO_HOOKS_TOKEN_FILE
    names holds one or several, separated by white space. /healthz, /readyz and /metrics never need one.

    \b
    Examples:
      dynamo-hooks serve
      dynamo-hooks serve --bind 0.0.0.0:8080 --settings settings.yaml
      DYNAMO_HOOKS_TOKEN_FILE=/etc/dynamo-hooks/token dynamo-hooks serve --certfile tls.crt --keyfile tls.key
    """
    changes = {"workers": workers, "threads": threads}
    server = {"server": {name: number for name, number in changes.items() if number}}
    settings = settings_of(server, effective_settings(settings_file))
    try:
        tokens = tokens_from(os.environ)
    except SettingsError as error:
        raise click.ClickException(str(error)) from error
    certificate = _certificate(certfile, keyfile)
    listener = _listener(*bind)
    host, port = listener.getsockname()[:2]
    url = f"{'https' if certificate else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"

    def announce() -> None:
        click.echo(f"dynamo-hooks {__version__} listens on {url}", err=True)
        if not tokens:
            click.echo("calls need no token; DYNAMO_HOOKS_TOKEN sets one", err=True)

    def load() -> "Flask":
        from hooks.app import create_app  # noqa: PLC0415 - `hooks.server.serve` says why

        return create_app(settings, tokens=tokens)

    serve(load, settings.server, listener, certificate, announce)


def _certificate(certfile: Path | None, keyfile: Path | None) -> Certificate | None:
    if certfile is None and keyfile is None:
        return None
    if certfile is None or keyfile is None:
        raise click.UsageError("--certfile and --keyfile go together: give both, or none")
    certificate = Certificate(certfile, keyfile)
    try:
        check_certificate(certificate)
    except OSError as error:
        reason = error.strerror or str(error)
        raise click.ClickException(f"{certfile} and {keyfile} are no certificate and its key: {reason}") from error
    return certificate


def _listener(host: str, port: int) -> socket.socket:
    try:
        return listen(host, port)
    except OSError as error:
        reason = str(error.strerror).partition(" (while ")[0]  # Python adds the address
        raise click.ClickException(f"cannot listen on {host}:{port}: {reason}; --bind names another") from error
