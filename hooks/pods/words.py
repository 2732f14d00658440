"""The words of a shell command: quotes and backslashes read, variables of known value filled in."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tree_sitter import Node

from hooks.pods.expansion import Piece, Traced, spread

UNKNOWN = "\ue000"
"""Stands in a word for text that is known only when the script runs, such as `$(date)`. No character of anybody's."""

_BARE = "\\"
"""In place of the quotes around a character: there are none, so that a blank there separates words."""
_ESCAPED = "\\\\"
"""Likewise: the character stands behind a backslash of its own."""

JOINED = re.compile(r"(\\[ \t\n])*")
"""What may stand between the parts of one word: escaped blanks, which belong to it, and a line that goes on at once."""
_QUOTES = frozenset({"string", "raw_string"})
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ALL_OF_THEM = re.compile(r"\$[@*]|\[@\]")


@dataclass(frozen=True)
class Word:
    """A word as its command gets it, and where it stands in the script.

    `several` tells that it may become any number of words: an unquoted variable of unknown value, or `"$@"`.
    """

    traced: Traced
    start: int
    end: int
    source: str
    """It as the user wrote it."""
    several: bool = False

    @property
    def value(self) -> str:
        """The word without its quotes, with the values of variables that are known, else UNKNOWN in their place."""
        return self.traced.text


class Source:
    """A script's text, read by the nodes of its tree. `values` are the variables that are known at that point."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._characters = None if text.isascii() else _characters_of(text)

    def span(self, node: Node) -> tuple[int, int]:
        """First character of a node, and the one behind its last; the tree itself counts bytes."""
        if self._characters is None:
            return node.start_byte, node.end_byte
        return self._characters[node.start_byte], self._characters[node.end_byte]

    def of(self, node: Node) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def words(self, nodes: Iterable[Node], values: Mapping[str, str | None]) -> Iterator[Word]:
        """The words that nodes make: those that touch are one word; an unquoted value with blanks is several."""
        groups: list[list[Node]] = []
        for node in nodes:
            if groups and JOINED.fullmatch(self.text, self.span(groups[-1][-1])[1], self.span(node)[0]):
                groups[-1].append(node)
            else:
                groups.append([node])
        for group in groups:
            start, end = self.span(group[0])[0], self.span(group[-1])[1]
            source = self.text[start:end]
            plain = self._plain(group)
            if plain is not None:
                yield Word(Traced(plain, partial(self._joined, group, values)), start, end, source)
                continue
            pieces = list(self._joined(group, values))
            several = any(piece.character == UNKNOWN and piece.quote == _BARE for piece in pieces)
            several = several or _ALL_OF_THEM.search(source) is not None
            quoted = any(part.type in _QUOTES for node in group for part in (node, *node.children))
            for part in _fields(pieces) or [()] * quoted:
                text = "".join(piece.character for piece in part)
                yield Word(Traced(text, partial(iter, part)), start, end, source, several)

    def _plain(self, group: Sequence[Node]) -> str | None:
        """The text of a word that needs no reading: without variables, backslashes and several parts; else None."""
        node = group[0]
        if node.type == "command_name" and node.child_count == 1:
            node = node.children[0]
        text = self.of(node)
        if len(group) > 1 or (node.type == "raw_string" and len(text) < 2):
            return None
        if node.type == "raw_string":
            return text[1:-1]
        if "\\" in text:
            return None
        if node.type == "string" and all(child.type == "string_content" for child in node.named_children):
            return text[1:-1]
        is_one_word = node.type in ("word", "number") and not any(blank in text for blank in " \t\n")
        return text if is_one_word else None

    def _joined(self, nodes: Iterable[Node], values: Mapping[str, str | None]) -> Iterator[Piece]:
        at = None
        for node in nodes:
            start, end = self.span(node)
            yield from self._literal(start if at is None else at, start, _BARE)
            yield from self.pieces(node, values)
            at = end

    def pieces(self, node: Node, values: Mapping[str, str | None]) -> Iterator[Piece]:
        """What a node becomes, character by character."""
        start, end = self.span(node)
        if node.type == "raw_string":
            yield from (Piece(self.text[at], at, at + 1, "'") for at in range(start + 1, end - 1))
        elif node.type == "string":
            yield from self._composed(node, start + 1, end - 1, '"', values)
        elif node.type in ("concatenation", "command_name"):
            yield from self._composed(node, start, end, _BARE, values)
        elif node.type in ("word", "number", "string_content") or not node.is_named:
            yield from self._literal(start, end, _BARE)
        else:
            yield from self._substituted(node, _BARE, values)

    def _composed(
        self, node: Node, start: int, end: int, quote: str, values: Mapping[str, str | None]
    ) -> Iterator[Piece]:
        """The parts of a string, or of a word of several parts. What lies between named parts is literal."""
        at = start
        for child in node.named_children:
            before, behind = self.span(child)
            yield from self._literal(at, before, quote)
            if child.type == "string_content":
                yield from self._literal(before, behind, quote)
            elif quote == _BARE:
                yield from self.pieces(child, values)
            else:
                yield from self._substituted(child, quote, values)
            at = behind
        yield from self._literal(at, end, quote)

    def _literal(self, start: int, end: int, quote: str) -> Iterator[Piece]:
        """Text without expansions, bare or in double quotes: backslashes are read, all else stays."""
        at = start
        while at < end:
            character, following = self.text[at], self.text[at + 1 : min(at + 2, end)]
            if character == "\\" and following == "\n":
                at += 2
            elif character == "\\" and following and (quote == _BARE or following in '$`"\\'):
                yield Piece(following, at, at + 2, _ESCAPED if quote == _BARE else quote)
                at += 2
            else:
                yield Piece(character, at, at + 1, quote)
                at += 1

    def _substituted(self, node: Node, quote: str, values: Mapping[str, str | None]) -> Iterator[Piece]:
        """A variable's value where it is known, else UNKNOWN."""
        start, end = self.span(node)
        name = self.text[start:end].removeprefix("$").removeprefix("{").removesuffix("}")
        value = values.get(name) if _IDENTIFIER.fullmatch(name) else None
        yield from spread(UNKNOWN if value is None else value, start, end, quote)


def _fields(pieces: Iterable[Piece]) -> list[tuple[Piece, ...]]:
    """A word split at its bare blanks: those of a variable's value, by the shell's usual IFS."""
    parts: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.quote == _BARE and piece.character in " \t\n":
            parts.append([])
        else:
            parts[-1].append(piece)
    return [tuple(part) for part in parts if part]


def _characters_of(text: str) -> list[int]:
    """Byte offset in UTF-8 → character offset, for every byte and for the end."""
    sizes = [len(character.encode()) for character in text]
    return [index for index, size in enumerate(sizes) for _ in range(size)] + [len(text)]
