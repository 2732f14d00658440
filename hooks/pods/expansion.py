"""Texts that know where their characters came from, and the kubelet's `$(NAME)`, the first to rewrite a command.

What a program is given has been rewritten: by the kubelet, then by a shell, or by two. To change what arrives, the
text that a user wrote is changed at the place that it came from; everything else stays to the letter.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

NOWHERE = -1
"""In place of a position: inside the value of a variable, where nothing can be written."""

_MEANT_FOR_THE_KUBELET = re.compile(r"\$(?=[$(])")


class Unplaceable(Exception):  # noqa: N818 - no error of the program: the caller turns it into a fault of the spec
    """An edit would fall where the source has no text of its own, as inside a variable's value."""


class Piece(NamedTuple):
    """A character, the source positions before and behind it, and the quotes that it stands in there (or none)."""

    character: str
    start: int
    end: int
    quote: str = ""


class Traced:
    """A text as its reader sees it; each of its characters knows the place in the source that it was made from.

    Most texts are read and never edited, so `trace` tells the places only when they are asked for. A text without one
    is its own source.
    """

    def __init__(self, text: str, trace: Callable[[], Iterable[Piece]] | None = None) -> None:
        self.text = text
        self._trace = trace

    @cached_property
    def pieces(self) -> Sequence[Piece]:
        """Its characters."""
        return tuple(self._trace() if self._trace else _verbatim(self.text, 0, len(self.text)))

    def edited(self, start: int, end: int, text: str) -> tuple[int, int, str]:
        """The edit of the source that replaces characters `start` to `end` of this text: where, and by what.

        Raises:
            Unplaceable: the source has no such place, or quotes open or close inside it.
        """
        affected = self.pieces[start:end] or self.pieces[start - 1 : start] or self.pieces[:1]
        quotes = {piece.quote for piece in affected}
        if not affected or len(quotes) > 1:
            raise Unplaceable
        first, last = affected[0].start, affected[-1].end
        if start == end:
            first = last = affected[0].end if start > 0 else affected[0].start
        if NOWHERE in (first, last):
            raise Unplaceable
        return first, last, _written_in(quotes.pop(), text)


def _written_in(quote: str, text: str) -> str:
    if quote == "'":
        return text.replace("'", r"'\''")
    if quote == '"':
        return re.sub(r'([\\"$`])', r"\\\1", text)
    if quote:
        raise Unplaceable
    return text


def spread(value: str, start: int, end: int, quote: str = "") -> Iterator[Piece]:
    """The characters of a value that stands at `start` to `end` in the source as something else, such as `$NAME`."""
    for index, character in enumerate(value):
        before = start if index == 0 else NOWHERE
        behind = end if index == len(value) - 1 else NOWHERE
        yield Piece(character, before, behind, quote)


def expand(source: str, values: Mapping[str, str | None]) -> Traced:
    """What the kubelet makes of a word of `command` or `args`.

    `$(NAME)` becomes the value, `$$` becomes `$`, and a reference to anything else stays as it is, like every other
    `$`. A name whose value is None (it comes from a Secret, say) stays too: nobody knows it here.

    Source: Kubernetes, API reference of Container, `command`; third_party/forked/golang/expansion, from which: a name
    is everything up to the first `)`, and an unclosed reference is plain text.
    """
    if "$(" not in source and "$$" not in source:
        return Traced(source)
    pieces = tuple(_expanded(source, values))
    return Traced("".join(piece.character for piece in pieces), lambda: pieces)


def _expanded(source: str, values: Mapping[str, str | None]) -> Iterator[Piece]:
    position = 0
    while position < len(source):
        start, following = position, source[position + 1 : position + 2]
        closing = source.find(")", position + 2)
        if source[position] == "$" and following == "$":
            position += 2
            yield Piece("$", start, position)
        elif source[position] == "$" and following == "(" and closing >= 0:
            position = closing + 1
            value = values.get(source[start + 2 : closing])
            yield from _verbatim(source, start, position) if value is None else spread(value, start, position)
        else:
            # The kubelet copies what follows a `$` unread: in `$x` and in an unclosed `$(`.
            position += 2 if source[position] == "$" and following else 1
            yield from _verbatim(source, start, position)


def _verbatim(source: str, start: int, end: int) -> Iterator[Piece]:
    return (Piece(source[index], index, index + 1) for index in range(start, end))


def kept_from_kubelet(text: str) -> str:
    """A text written so that the kubelet hands it on as it is: with `$$` for each `$` that means something to it.

    Even `$(date -u)` and `$((1 + 2))` may name a variable: since Kubernetes 1.34 a name may have any printable ASCII
    but `=`, and the value of such a one would become part of a script.
    """
    return _MEANT_FOR_THE_KUBELET.sub("$$", text)
