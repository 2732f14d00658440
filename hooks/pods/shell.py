"""Reading shell scripts: which commands they run, word by word, and where each stands.

tree-sitter's grammar of bash (github.com/tree-sitter/tree-sitter-bash) gives the structure: commands, quotes,
redirections, substitutions. What it cannot read without doubt is named, and callers then change nothing.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import tree_sitter
import tree_sitter_bash
from tree_sitter import Node

from hooks.pods.words import JOINED, UNKNOWN, Source, Word

_BASH = tree_sitter.Language(tree_sitter_bash.language())

_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_UNCERTAIN = _SUBSTITUTIONS | {
    "if_statement",
    "while_statement",
    "for_statement",
    "c_style_for_statement",
    "case_statement",
    "subshell",
    "pipeline",
    "function_definition",
}
"""Inside of these an assignment may not happen, or not last."""
_QUOTED = frozenset({"raw_string", "string", "ansi_c_string", "heredoc_body"})
_SPEAKERS = frozenset({"echo", "printf", ":"})
"""Commands whose words are never run."""
_NO_WORDS = frozenset({"variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect"})
_PARTS_OF_A_REDIRECTION = frozenset({"file_descriptor", "heredoc_start", "heredoc_body", "heredoc_end"})
_ENDED_BY_A_COMMAND = frozenset({"redirected_statement", "list", "pipeline", "negated_command"})
_BLANKS_OF_THE_GRAMMAR = "\r\f\v"
"""They separate words for the grammar, but not for a shell."""
_ESCAPED_BLANK = re.compile(r"\\[ \t]")
_CONTINUED_AT_THE_END = re.compile(r"(?<!\\)(?:\\\n|[ \t\n])+\Z")


@dataclass(frozen=True)
class Command:
    """A simple command: its words, and where it starts and ends (redirections behind it are not part of it)."""

    words: tuple[Word, ...]
    start: int
    end: int
    substituted: bool
    """Whether it runs inside `$( )` or `<( )`."""
    scattered: bool
    """Whether some of its words stand behind a redirection."""

    @property
    def program(self) -> str:
        """The name of what is run, without its folder; empty for a command of redirections alone."""
        return program_of(self.words[0].value) if self.words else ""

    @property
    def speaks(self) -> bool:
        """Whether it only prints its words."""
        return self.program in _SPEAKERS


@dataclass(frozen=True)
class Script:
    """A shell script that was read."""

    text: str
    commands: tuple[Command, ...]
    quoted: tuple[str, ...]
    """Quoted words and here-documents, which may be commands where they go. What is only printed is left out."""
    values: Mapping[str, str | None]
    """The variables at its end; None where the value is not known for sure."""
    doubt: str
    """A text in it that could not be read for sure; empty where everything could."""
    is_chain: bool
    """Whether it is one command or pipeline, or several joined by `&&`, so that `X && <script>` runs all or nothing."""


def read_script(text: str, values: Mapping[str, str | None]) -> Script:
    """Reads a script of sh or bash. `values` are the variables of its environment, None where unknown."""
    # A script may end in a continued line, which the grammar takes for an error.
    source = Source(_CONTINUED_AT_THE_END.sub("", text))
    root = tree_sitter.Parser(_BASH).parse(source.text.encode()).root_node
    reader = _Reader(source, values)
    reader.read(root)
    return Script(
        text=text,
        commands=tuple(reader.commands),
        quoted=tuple(reader.quoted),
        values=reader.values,
        doubt=next(filter(text.count, _BLANKS_OF_THE_GRAMMAR), "") or reader.doubt or _doubt(root, source),
        is_chain=_is_chain(root),
    )


def program_of(word: str) -> str:
    """The program that a command's word names, without its folder."""
    return word.rpartition("/")[2]


@dataclass(frozen=True)
class _Place:
    """A node and what is around it. (A node's own `parent` is looked for from the root, so it is remembered here.)."""

    node: Node
    parent: "_Place | None" = None
    certain: bool = True
    substituted: bool = False

    def below(self) -> list["_Place"]:
        certain = self.certain and self.node.type not in _UNCERTAIN
        if self.node.type == "list" and any(child.type == "||" for child in self.node.children):
            certain = False
        substituted = self.substituted or self.node.type in _SUBSTITUTIONS
        return [_Place(child, self, certain, substituted) for child in self.node.named_children]


class _Reader:
    """Goes through a script's tree in the order of the text, and keeps what it finds."""

    def __init__(self, source: Source, values: Mapping[str, str | None]) -> None:
        self.source = source
        self.values = dict(values)
        self.commands: list[Command] = []
        self.quoted: list[str] = []
        self.doubt = ""

    def read(self, root: Node) -> None:
        places = [_Place(root)]
        while places:  # no recursion: a chain of a thousand `&&` is a tree as deep
            place = places.pop()
            node = place.node
            if node.type == "command":
                command = self._command(place)
                self.commands.append(command)
                if command.program == "read":
                    self._forget(word.value for word in command.words[1:])
                if command.speaks:
                    continue
            elif node.type == "variable_assignment":
                self._assign(place)
            elif node.type in ("for_statement", "unset_command"):
                self._forget(self.source.of(child) for child in node.named_children if child.type == "variable_name")
            elif node.type in _QUOTED:
                self.quoted.append(self.source.of(node))
            places += reversed(place.below())

    def _forget(self, names: Iterable[str]) -> None:
        self.values.update(dict.fromkeys(names))

    def _assign(self, place: _Place) -> None:
        node = place.node
        if place.parent is not None and place.parent.node.type == "command":
            return  # set for that command alone, whose own words the shell fills in before
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return
        text = "".join(piece.character for piece in self.source.pieces(value, self.values)) if value else ""
        known = place.certain and UNKNOWN not in text and any(child.type == "=" for child in node.children)
        self.values[self.source.of(name)] = text if known else None

    def _command(self, place: _Place) -> Command:
        node = place.node
        own = [child for child in node.children if child.type not in _NO_WORDS]
        words = list(self.source.words(own, self.values))
        behind = list(self.source.words(_behind_redirections(place), self.values))
        start, end = self.source.span(node)
        self._doubt_escaped_blanks(node, start, end)
        return Command((*words, *behind), start, end, substituted=place.substituted, scattered=bool(behind))

    def _doubt_escaped_blanks(self, command: Node, start: int, end: int) -> None:
        """The grammar passes over a word that begins with an escaped blank, as if it were not there."""
        ends = [start, *(self.source.span(child)[1] for child in command.children)]
        starts = [*(self.source.span(child)[0] for child in command.children), end]
        text = self.source.text
        gaps = [text[behind:before] for behind, before in zip(ends, starts, strict=True)]
        gaps = [gap for gap in gaps if not JOINED.fullmatch(gap)]
        for gap in (text[max(0, start - 2) : start], *gaps, text[end : end + 80].lstrip(" \t")[:2]):
            self.doubt = self.doubt or "".join(_ESCAPED_BLANK.findall(gap)[:1])


def _behind_redirections(command: _Place) -> list[Node]:
    """Words of a command that stand behind a redirection of it, as `--b` in `x >log --b`.

    The grammar hangs a redirection on the whole chain or pipeline that its command ends.
    """
    behind: list[Node] = []
    node, around = command.node, command.parent
    while around is not None and around.node.type in _ENDED_BY_A_COMMAND:
        if around.node.type == "redirected_statement":
            for redirection in around.node.children_by_field_name("redirect"):
                parts = [child for child in redirection.named_children if child.type not in _PARTS_OF_A_REDIRECTION]
                behind += parts if redirection.type == "heredoc_redirect" else parts[1:]
        elif around.node.named_children[-1] != node:
            break
        node, around = around.node, around.parent
    return behind


def _doubt(root: Node, source: Source) -> str:
    places = [root] if root.has_error else []
    while places:
        node = places.pop()
        if node.is_error or node.is_missing:
            return source.of(node).strip() or source.text[-20:]
        places += [child for child in reversed(node.children) if child.has_error or child.is_missing]
    return ""


def _is_chain(root: Node) -> bool:
    statements = [node for node in root.children if node.type != "comment"]
    if len(statements) != 1:
        return False
    node = statements[0]
    while node.type in ("list", "redirected_statement") and node.children:
        if any(child.type == "||" for child in node.children):
            return False
        node = node.children[0]
    return True
