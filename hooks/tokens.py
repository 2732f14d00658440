"""The bearer tokens that calls carry.

Several may be accepted: the old and the new one while a token is changed.
"""

import hmac
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from hooks.configuration import TOKEN_FILE_VARIABLE, TOKEN_VARIABLE, SettingsError

_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
"""What a bearer token may be made of. Source: RFC 6750, section 2.1."""


class Tokens:
    """The accepted tokens. With none, no token is needed, and it is false."""

    def __init__(self, accepted: Iterable[str] = ()) -> None:
        self.texts = tuple(accepted)
        self._accepted = tuple(token.encode() for token in self.texts)

    def __bool__(self) -> bool:
        return bool(self._accepted)

    def accept(self, authorization: str) -> bool:
        """Whether an Authorization header carries one of the tokens; takes the same time for every wrong one."""
        scheme, _, token = authorization.partition(" ")
        sent = token.strip().encode()
        same = [hmac.compare_digest(sent, accepted) for accepted in self._accepted]  # no short cut through any()
        return scheme.lower() == "bearer" and any(same)


def tokens_from(environment: Mapping[str, str]) -> Tokens:
    """The tokens in DYNAMO_HOOKS_TOKEN and in the file that DYNAMO_HOOKS_TOKEN_FILE names, separated by white space.

    Raises:
        SettingsError: there is none where one is announced, or it is none that a header can carry. Whoever configures
            a token must never get a service that asks for none.
    """
    tokens: list[str] = []
    lines: list[str] = []
    if TOKEN_VARIABLE in environment:
        _read(environment[TOKEN_VARIABLE], TOKEN_VARIABLE, tokens, lines)
    if TOKEN_FILE_VARIABLE in environment:
        file = Path(environment[TOKEN_FILE_VARIABLE])
        source = f"{TOKEN_FILE_VARIABLE}={file}"
        try:
            _read(file.read_text(encoding="utf-8"), source, tokens, lines)
        except OSError as error:
            lines.append(f"{source}: cannot be read: {error.strerror}")
        except UnicodeDecodeError:
            lines.append(f"{source}: cannot be read: is not UTF-8")
    if lines:
        raise SettingsError(lines)
    return Tokens(tokens)


def _read(text: str, source: str, tokens: list[str], lines: list[str]) -> None:
    words = text.split()
    if not words:
        lines.append(f"{source}: holds no token; write one, or leave the variable unset to go without")
    if not all(map(_TOKEN.fullmatch, words)):  # the token itself must not show up in a log
        lines.append(f"{source}: holds a token with characters other than A-Z a-z 0-9 . _ ~ + / - and = at its end")
    tokens += words
