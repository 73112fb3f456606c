"""Parses the compiler's log into Diagnostics: each remark with its line and column in the submitted file.

hints.py adds advice. No text of files other than the submission and CUDA's own headers is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath

from grader.compile.headers import HEADERS
from grader.compile.paths import without_paths
from grader.compile.template_names import shorten
from grader.core.report import Diagnostic

MOST = 20
"""Remarks shown in a report; later ones are mostly consequences of the first."""

MOST_READ = 500
"""Remarks of a log that are read."""

LINE_LIMIT = 2000
"""Characters kept of a log's line."""

_HEAD = re.compile(
    r"^(?:(?P<file>\S.*?)\((?P<line>[0-9]{1,9})\)|At end of source): "
    r"(?P<severity>catastrophic error|error|warning|note|remark)(?: #(?P<number>[0-9]{1,9})(?:-D)?)?: "
    r"(?P<message>.*)$"
)
_CARET = re.compile(r"^\s*\^\s*$")
_CONTEXT = re.compile(r"\S.* at line (?P<line>[0-9]{1,9})(?: of (?P<file>\S.*))?$")
_INCLUDE = re.compile(r"\s*#\s*include\b")
_SEVERITIES = {"catastrophic error": "error", "remark": "note"}
# "parsing restarts here", and "function X does not match because …" for each overload that exists.
_NOISE = frozenset({"12", "3326", "3327"})
# A variable that is never used, or set but never used: with errors in the file, mostly because of them.
_UNUSED = frozenset({"177", "550"})


@dataclass
class Remark:
    """One remark as the compiler wrote it. `file` is empty for a remark at the end of the source."""

    severity: str
    message: str
    file: str
    line: int | None
    number: str = ""
    rest: list[str] = field(default_factory=list)


def read_remarks(log: str) -> list[Remark]:
    """Splits a log of NVRTC (or nvcc, which has the same front end) into remarks."""
    remarks: list[Remark] = []
    open_block = False
    for text in (line[:LINE_LIMIT] for line in log.split("\n")):
        match = _HEAD.match(text)
        if match and len(remarks) == MOST_READ:
            break
        if match:
            severity = _SEVERITIES.get(match["severity"], match["severity"])
            line = int(match["line"]) if match["line"] else None
            file = match["file"] or ""
            remarks.append(Remark(severity, match["message"], file, line, match["number"] or ""))
            open_block = True
        elif not text.startswith(" ") and text:
            open_block = False
        elif open_block and text.strip():
            remarks[-1].rest.append(text)
    return remarks


def read_log(log: str, source: str, file: str, includes: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
    """Returns the remarks about `source`, compiled under the name `file`: errors first, each with its notes.

    `includes` are the folders of CUDA's headers, remarks about which may be quoted.
    """
    reader = _Reader(source.split("\n"), file, tuple(includes))
    groups: list[list[Diagnostic]] = []
    seen: set[Diagnostic] = set()
    remarks = read_remarks(log)
    noise = _NOISE | _UNUSED if any(remark.severity == "error" for remark in remarks) else _NOISE
    for remark in remarks:
        if remark.number in noise:
            continue
        diagnostic = reader.read(remark)
        if diagnostic is None or diagnostic in seen:
            continue
        seen.add(diagnostic)
        if diagnostic.severity == "note" and groups:
            groups[-1].append(diagnostic)
        else:
            groups.append([diagnostic])
    groups.sort(key=lambda group: group[0].severity != "error")
    return cap([diagnostic for group in groups for diagnostic in group])


def cap(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Cuts diagnostics to MOST, adding a note with the number of those left out."""
    shown = tuple(replace(one, message=without_paths(one.message)) for one in diagnostics[:MOST])
    if len(diagnostics) <= MOST:
        return shown
    more = Diagnostic("note", f"and {len(diagnostics) - MOST} more remarks of the compiler")
    return (*shown, more)


@dataclass(frozen=True)
class _Reader:
    lines: list[str]
    file: str
    includes: tuple[str, ...]

    def read(self, remark: Remark) -> Diagnostic | None:
        if not remark.file:
            return Diagnostic(remark.severity, shorten(remark.message), self._last_line())
        if not self._is_submission(remark.file):
            return self._elsewhere(remark)
        line = remark.line if remark.line and remark.line <= len(self.lines) else None
        caret = next((i for i, text in enumerate(remark.rest) if _CARET.match(text)), None)
        message = remark.message
        if caret is not None:
            message = " ".join([message, *(text.strip() for text in remark.rest[: max(0, caret - 1)])])
        column = self._column(line, remark.rest[caret - 1], remark.rest[caret]) if caret else None
        callers = [n for n in self._context_lines(remark, self.file) if n != line]
        if callers:
            message += f" (instantiated from line {callers[-1]})"
        return Diagnostic(remark.severity, shorten(message), line, column)

    def _elsewhere(self, remark: Remark) -> Diagnostic | None:
        """A remark in another file, reported at the line of the submission that led there."""
        if remark.severity != "error":
            return None
        name = PurePosixPath(remark.file).name
        callers = list(self._context_lines(remark, remark.file))
        line = callers[-1] if callers else self._including_line(remark.file)
        if remark.file in HEADERS or any(remark.file.startswith(folder) for folder in self.includes):
            return Diagnostic("error", f"in {name}, line {remark.line}: {shorten(remark.message)}", line)
        # A file that is not the compiler's: quoting it could reveal what the submitter may not read.
        return Diagnostic("error", f"the included file {name} can't be used: a submission is one file", line)

    def _context_lines(self, remark: Remark, default: str) -> Iterator[int]:
        """Yields the submission's lines among those that the compiler lists under "detected during"."""
        for text in remark.rest:
            match = _CONTEXT.match(text.strip())
            if match and self._is_submission(match["file"] or default) and int(match["line"]) <= len(self.lines):
                yield int(match["line"])

    def _including_line(self, file: str) -> int | None:
        direct = (i for i, text in self._included if PurePosixPath(file).name in text)
        return next(direct, next((i for i, _ in self._included), None))

    @cached_property
    def _included(self) -> list[tuple[int, str]]:
        return [(i, text) for i, text in enumerate(self.lines, 1) if _INCLUDE.match(text[:LINE_LIMIT])]

    def _column(self, line: int | None, excerpt: str, caret: str) -> int | None:
        """The column that a caret points to. The excerpt is the line or its beginning, indented by two spaces; the
        caret counts bytes.
        """
        if line is None or not self.lines[line - 1].startswith(excerpt[2:].rstrip()):
            return None
        before = self.lines[line - 1].encode()[: caret.index("^") - 2]
        return len(before.decode(errors="ignore")) + 1

    def _is_submission(self, file: str) -> bool:
        return file == self.file

    def _last_line(self) -> int:
        return next((i for i in range(len(self.lines), 0, -1) if self.lines[i - 1].strip()), 1)
