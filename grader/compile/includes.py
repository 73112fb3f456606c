"""Which `#include` of a submission the compiler must not see: it would open any file of the machine, and quote it.

Reads the text line by line as the preprocessor would, splices and digraphs included; what a header holds, and
whether one that is missing matters, is the compiler's to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.compile.headers import HEADERS

_DIRECTIVE = re.compile(r"(?:.*\*/)?\s*(?:#|%:)(?P<rest>.*)", re.DOTALL)
_INCLUDE = re.compile(r"\s*(?:include|include_next|import|embed)\b\s*(?P<target>.*)", re.DOTALL)
_NAMED = re.compile(r"<([^>]+)>|\"([^\"]+)\"")
_SPLICE = re.compile(r"\\[ \t\f\v]*$")

COMPILER_FOLDER = Path("/")
"""Where the compiler's process runs: what it would take a relative path from."""


@dataclass(frozen=True)
class ForeignInclude:
    """An include of a file that is not CUDA's or kgrade's, or of one that only the preprocessor could name."""

    target: str
    line: int
    named: bool


def find_foreign_include(text: str, folders: Sequence[Path]) -> ForeignInclude | None:
    """The first such include of a submission; `folders` are where CUDA's headers lie."""
    for number, line in _logical_lines(text):
        match = _DIRECTIVE.match(line)
        if match is None:
            continue
        rest = _without_comments(match["rest"]).lstrip()
        if rest.startswith("/*"):
            # A directive that goes on behind a comment of several lines: nobody writes one without a reason.
            return ForeignInclude(rest.strip(), number, named=False)
        include = _INCLUDE.match(rest)
        if include is None:
            continue
        target = include["target"].strip()
        name = _NAMED.match(target)
        if name is None:
            return ForeignInclude(target, number, named=False)
        if _is_foreign(name[1] or name[2], folders):
            return ForeignInclude(name[0], number, named=True)
    return None


def _is_foreign(path: str, folders: Sequence[Path]) -> bool:
    if path.startswith("/") or ".." in path:
        return True
    if path in HEADERS or any((folder / path).is_file() for folder in folders):
        return False
    # One that does not exist either way is left to the compiler, which has hints for misspelt names.
    return (COMPILER_FOLDER / path).exists()


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """(number of its first line, text) of each line, with those joined that end in a backslash."""
    parts: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        splice = _SPLICE.search(line)
        parts.append(line[: splice.start()] if splice else line)
        if splice is None:
            yield number - len(parts) + 1, "".join(parts)
            parts = []
    if parts:
        yield text.count("\n") + 2 - len(parts), "".join(parts)


def _without_comments(text: str) -> str:
    """The text with each comment that ends in it as a space."""
    kept, at = [], 0
    while (start := text.find("/*", at)) >= 0 and (end := text.find("*/", start + 2)) >= 0:
        kept += [text[at:start], " "]
        at = end + 2
    return "".join([*kept, text[at:]])
