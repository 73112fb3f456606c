"""Finds comments and literals in C++ text with one forward scan, in time linear in the text's length.

All Python code that has to tell a submission's code from comments uses this.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

LITERALS = frozenset({"string", "char", "raw", "stray"})

_TOKEN = re.compile(
    r'(?P<raw>\b(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\()'
    r"|(?P<number>\.?[0-9](?:[\w.]|'(?=\w))*)"
    r"|(?P<word>\w+)"
    r"|(?P<comment>/[/*])"
    r"|(?P<quote>[\"'])"
)
_CLOSED = {
    '"': re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"', re.DOTALL),
    "'": re.compile(r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'", re.DOTALL),
}
_BLANK = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))


@dataclass(frozen=True)
class Piece:
    """A comment, a literal or a number of the text. A quote that is not closed in its line is "stray"."""

    kind: str
    start: int
    end: int


def pieces(text: str) -> Iterator[Piece]:
    """Yields the comments ("line", "block"), literals ("string", "char", "raw", "stray") and numbers, in order.

    An unterminated block comment or raw string extends to the end of the text.
    """
    at = 0
    while match := _TOKEN.search(text, at):
        kind, end = match.lastgroup or "", match.end()
        if match["mark"] is not None:
            kind, end = "raw", _behind(text, f'){match["mark"]}"', end)
        elif kind == "comment":
            block = match[0] == "/*"
            kind, end = ("block", _behind(text, "*/", end)) if block else ("line", _line_end(text, end))
        elif kind == "quote":
            closed = _CLOSED[match[0]].match(text, match.start())
            kind = "stray" if closed is None else "string" if match[0] == '"' else "char"
            end = _behind(text, "\n", end) if closed is None else closed.end()
        if kind != "word":
            yield Piece(kind, match.start(), end)
        at = end


def without_comments(text: str) -> bytes:
    """The text in UTF-8 with comments replaced by blanks, so that every byte and line keeps its position.

    Lines of a multi-line comment end in a backslash, so that a directive around it stays one directive.
    """
    kept, at = [], 0
    for piece in pieces(text):
        if piece.kind in ("line", "block"):
            blank = _encoded(text[piece.start : piece.end]).translate(_BLANK)
            kept += [_encoded(text[at : piece.start]), blank.replace(b" \n", b"\\\n")]
            at = piece.end
    return b"".join([*kept, _encoded(text[at:])])


def code_only(text: str, blanked: Collection[str] = LITERALS) -> str:
    """The text with comments and literals replaced by blanks, so that every character and line keeps its position."""
    kept, at = [], 0
    for piece in pieces(text):
        if piece.kind in blanked or piece.kind in ("line", "block"):
            kept += [text[at : piece.start], re.sub(r"[^\n]", " ", text[piece.start : piece.end])]
            at = piece.end
    return "".join([*kept, text[at:]])


def _behind(text: str, mark: str, start: int) -> int:
    place = text.find(mark, start)
    return len(text) if place < 0 else place + len(mark)


def _line_end(text: str, start: int) -> int:
    """The end of a line, continued after each backslash at its end."""
    end = text.find("\n", start)
    while end > start and text[end - 1] == "\\":
        end = text.find("\n", end + 1)
    return len(text) if end < 0 else end


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")
