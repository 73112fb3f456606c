"""Finds each `#include` that the compiler must not see: it would open any file of the machine, and quote it.

Compilers disagree on what is a directive: on trigraphs, on a backslash before blanks, on where a comment or literal
ends in malformed text. So no single reading is trusted: a `#` at the start of a line or after the end of a comment
starts a directive, unless all readings agree that it is inside a comment. This is the second barrier; the first is the
sandbox in which the compiler runs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path, PurePosixPath

from grader.compile.conditions import asks_beyond_macros
from grader.compile.headers import HEADERS
from grader.compile.lexical import pieces

COMPILER_FOLDER = Path("/")
"""The working directory of the compiler's process, to which relative paths refer."""

_TRIGRAPHS = dict(zip("=/'()!<>-", "#\\^[]|{}~", strict=True))
_TRIGRAPH = re.compile(r"\?\?([=/'()!<>-])")
_STRANGE = re.compile(r"[^\S\n\t\x0b\x0c ]|[\x00-\x08\x0e-\x1f\x7f\ufeff]")
"""Characters that some compilers treat as a blank or line end, and others do not."""
_BLANK = re.compile(r"[^\S\n]|[\x00-\x08\x0e-\x1f\x7f\ufeff]")
_SPLICE, _LOOSE_SPLICE = re.compile(r"\\\n"), re.compile(r"\\ *\n")

_DIRECTIVE = re.compile(r"(?:^|\*/) *(?:#|%:)", re.MULTILINE)
_IMPORT = re.compile(r"^ *(?:export +)?(?=import *[<\"])", re.MULTILINE)
_MOST_OF_A_LINE = 8
"""Directives that may be read into one line; each needs the end of a comment."""
_WORD = re.compile(r"[\w\\]+")
_NAMED = re.compile(r"<([^>\n]{1,200})>|\"([^\"\n]{1,200})\"")
_INCLUDING = frozenset({"include", "include_next", "import", "embed", "using"})
_FILES_OF_PRAGMAS = re.compile(r"\bGCC +dependency\b|\binclude_alias\b|\bpch_preprocess\b|\.incbin\b")
_HEADERS_MACRO = re.compile(r"__THRUST_\w+|CUDA_STD_HEADER")
"""Macros with which CUDA's own headers name a file to include."""
_ASKING = re.compile(r"\b(\w*has_(?:include|embed)\w*)", re.IGNORECASE)
_ASKED = re.compile(r" *\( *(?:<([^<>()\"\n]{1,200})>|\"([^\"\n]{1,200})\") *\)")
_ABOUT_ITSELF = re.compile(r"\bdefined *\(? *$")
_CONDITIONS = frozenset({"if", "elif"})
_ODD_IN_A_NAME = re.compile(r"//|/\*|[\\\"'<>]|\.\.")
_PLAIN = {
    "string": re.compile(r"(?!.*(?:/\*|\*/)).*", re.DOTALL),
    "char": re.compile(r"'(?:[^\\]|\\[^\n/*]{1,4})'"),
    "number": re.compile(r"[^']*"),
    **dict.fromkeys(("raw", "stray"), re.compile(r"(?!)")),
}
"""Literals on whose ends all compilers agree, and which none takes for the start or end of a comment."""


@dataclass(frozen=True)
class ForeignInclude:
    """An include of a file that is not CUDA's or kgrade's, or whose name only the preprocessor knows."""

    target: str
    line: int
    named: bool


def find_foreign_include(text: str, folders: Sequence[Path]) -> ForeignInclude | None:
    """Returns the first such include, or query for such a file; `folders` contain CUDA's headers."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    strange = _STRANGE.search(text) is not None
    text = _BLANK.sub(" ", text)
    for trigraphs, splice in product((False, True), (_LOOSE_SPLICE, _SPLICE)):
        plain = _TRIGRAPH.sub(lambda match: _TRIGRAPHS[match[1]], text) if trigraphs else text
        if (trigraphs and plain == text) or (splice is _SPLICE and "\\ " not in plain):
            continue
        found = _Reading(plain, splice, strange, tuple(folders)).find()
        if found is not None:
            return found
    return None


@dataclass(frozen=True)
class _Directive:
    """A directive: its word, and the rest of its line. `at` is the position of the `#`."""

    at: int
    word: str
    rest: str


@dataclass(frozen=True)
class _Reading:
    """A text as one kind of compiler reads it, after joining lines."""

    source: str
    splice: re.Pattern[str]
    strange: bool
    folders: tuple[Path, ...]
    known: dict[str, bool] = field(default_factory=dict)

    @cached_property
    def splices(self) -> list[tuple[int, int]]:
        """(position in the joined text, line of the source) after each splice."""
        found, removed, line, at = [(0, 1)], 0, 1, 0
        for match in self.splice.finditer(self.source):
            line += self.source.count("\n", at, match.end())
            at = match.end()
            removed += len(match[0])
            found.append((at - removed, line))
        return found

    @cached_property
    def text(self) -> str:
        return self.splice.sub("", self.source)

    def find(self) -> ForeignInclude | None:
        macros: dict[str, list[str]] = {}
        conditions: list[_Directive] = []
        for directive in self._directives():
            if directive.word in _INCLUDING or "\\" in directive.word:
                found = self._included(directive)
            else:
                found = self._defined(directive, macros) if directive.word in ("define", "undef") else None
                conditions += [directive] * (directive.word in _CONDITIONS)
            if found is not None:
                return found
        return self._asked(conditions, macros) or self._by_other_means()

    def _directives(self) -> Iterator[_Directive]:
        comments = self._certain_comments()
        starts = [start for start, _ in comments]
        for pattern in (_DIRECTIVE, _IMPORT):
            end, count = -1, 0
            for match in pattern.finditer(self.text):
                inside = bisect_right(starts, match.end() - 1) - 1
                if inside >= 0 and match.end() <= comments[inside][1]:
                    continue
                if match.end() > end:
                    end, count = self._line_end(match.end()), 0
                count += 1
                yield self._directive(match.end(), end, suspicious=count > _MOST_OF_A_LINE)

    def _directive(self, start: int, end: int, suspicious: bool) -> _Directive:
        at = self._skip(start, end)
        word = _WORD.match(self.text, at)
        if suspicious or self.text.startswith("/*", at):
            # A directive that continues after a multi-line comment is never written by accident.
            return _Directive(start - 1, "\\", "")
        behind = self._skip(word.end(), end) if word else end
        return _Directive(start - 1, word[0] if word else "", self.text[behind:end])

    def _certain_comments(self) -> list[tuple[int, int]]:
        """The ranges of comments; empty if compilers may disagree on them."""
        if self.strange:
            return []
        comments = []
        for piece in pieces(self.text):
            literal = self.text[piece.start : piece.end]
            if piece.kind in ("line", "block"):
                comments.append((piece.start, piece.end))
            elif not _PLAIN[piece.kind].fullmatch(literal):
                return []
        return comments

    def _skip(self, at: int, end: int) -> int:
        """The position after the blanks and comments at `at`, in a line that ends at `end`."""
        while True:
            while self.text.startswith(" ", at):
                at += 1
            closed = self.text.find("*/", at + 2, end) if self.text.startswith("/*", at) else -1
            if closed < 0:
                return at
            at = closed + 2

    def _line_end(self, at: int) -> int:
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def _included(self, directive: _Directive) -> ForeignInclude | None:
        name = _NAMED.match(directive.rest)
        if name is None or "\\" in directive.word:
            return self._foreign(directive.rest.strip()[:80], directive.at, named=False)
        if self._is_foreign(name[1] or name[2]):
            return self._foreign(name[0], directive.at)
        return None

    def _defined(self, directive: _Directive, macros: dict[str, list[str]]) -> ForeignInclude | None:
        word = _WORD.match(directive.rest)
        if word is None:
            return None
        body = directive.rest[word.end() :]
        if directive.word == "define":
            macros.setdefault(word[0], []).append(body)
        if _HEADERS_MACRO.fullmatch(word[0]) or _ASKING.search(body):
            return self._foreign(word[0], directive.at, named=False)
        return None

    def _asked(self, conditions: Sequence[_Directive], macros: dict[str, list[str]]) -> ForeignInclude | None:
        """Finds a condition that queries a foreign file, or that could do so through macros."""
        left = []
        for directive in conditions:
            rest, at = [], 0
            for match in _ASKING.finditer(directive.rest):
                asked = _ASKED.match(directive.rest, match.end())
                if asked is None or self._is_foreign(asked[1] or asked[2]):
                    if _ABOUT_ITSELF.search(directive.rest[max(0, match.start() - 40) : match.start()]):
                        continue
                    return self._foreign(asked[0].strip(" ()") if asked else match[1], directive.at, named=bool(asked))
                rest.append(directive.rest[at : match.start()])
                at = asked.end()
            left.append("".join([*rest, directive.rest[at:]]))
        number = asks_beyond_macros(left, macros)
        if number is None:
            return None
        return self._foreign(conditions[number].rest.strip()[:80], conditions[number].at, named=False)

    def _by_other_means(self) -> ForeignInclude | None:
        match = _FILES_OF_PRAGMAS.search(self.text)
        return None if match is None else self._foreign(match[0], match.start())

    def _foreign(self, target: str, at: int, named: bool = True) -> ForeignInclude:
        place, line = self.splices[bisect_right(self.splices, (at, len(self.source) + 2)) - 1]
        return ForeignInclude(target, line + self.text.count("\n", place, at), named)

    def _is_foreign(self, path: str) -> bool:
        if path not in self.known:
            self.known[path] = _is_foreign(path, self.folders)
        return self.known[path]


def _is_foreign(path: str, folders: Sequence[Path]) -> bool:
    """Whether a path leads, or could be read to lead, out of CUDA's folders. It does not reveal which files exist."""
    if path.startswith("/") or _ODD_IN_A_NAME.search(path):
        return True
    if path in HEADERS or any((folder / path).is_file() for folder in folders):
        return False
    # A file that does not exist is left to the compiler, which gets hints for misspelt names.
    first = next(iter(PurePosixPath(path).parts), "")
    return (COMPILER_FOLDER / first).exists()
