"""A source text line by line for a page: highlighted in its language, with remarks at their lines.

It returns escaped HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from grader.boards.words import label, visible
from grader.core.report import Diagnostic, Report
from grader.core.verdict import LanguageName
from grader.languages.registry import find_language

LARGEST_HIGHLIGHTED = 200_000
"""Characters. A page with more elements would be slow to show, so a longer text is shown without colours."""
LARGEST_COLOURS = 200_000
"""Characters of `colours_of`, some ten thousand words. Readable code does not need more."""
MOST_LINES = 1_000
"""Rows of a listing made by a server; all further lines form one more row."""
_RUN = re.compile(r"([a-z0-9]{0,3})\.([0-9]{1,6})")


@dataclass(frozen=True)
class Remark:
    """A message at a line; `severity` is "error", "warning" or "note"."""

    severity: str
    text: str


@dataclass(frozen=True)
class CodeLine:
    """One line: its number from 1, its HTML, and the remarks below it. `pointer` marks a column."""

    number: int
    html: Markup
    remarks: tuple[Remark, ...] = ()
    pointer: str | None = None

    @property
    def severity(self) -> str:
        """The worst severity of its remarks, or ""."""
        found = {remark.severity for remark in self.remarks}
        return next((word for word in ("error", "warning", "note") if word in found), "")


def listing(lines: Sequence[Markup], remarks: Mapping[int, Sequence[Remark]]) -> list[CodeLine]:
    """Every line of a source, given as HTML, with its remarks."""
    return [CodeLine(number, html, tuple(remarks.get(number, ()))) for number, html in enumerate(lines, start=1)]


def excerpt(lines: Sequence[CodeLine], source: str, diagnostic: Diagnostic, around: int = 2) -> list[CodeLine]:
    """The lines of the listing around a diagnostic, with a pointer below its column."""
    if diagnostic.line is None or not 1 <= diagnostic.line <= len(lines):
        return []
    first, last = max(1, diagnostic.line - around), min(len(lines), diagnostic.line + around)
    text = visible(source.split("\n", diagnostic.line)[diagnostic.line - 1])
    remark = (Remark(diagnostic.severity, ""),)
    return [
        CodeLine(
            line.number,
            line.html,
            remark if line.number == diagnostic.line else (),
            _pointer(text, diagnostic.column) if line.number == diagnostic.line else None,
        )
        for line in lines[first - 1 : last]
    ]


def remarks_of(report: Report) -> dict[int, list[Remark]]:
    """A report's remarks by line: its fault, the line it names, and the compiler's diagnostics."""
    remarks: dict[int, list[Remark]] = {}
    for line, remark in _all_remarks(report):
        own = remarks.setdefault(line, [])
        if remark not in own:
            own.append(remark)
    return remarks


def _all_remarks(report: Report) -> Iterator[tuple[int, Remark]]:
    fault = report.fault
    if fault is not None and fault.line is not None:
        yield fault.line, Remark("error", fault.message or label(fault.fault))
    for diagnostic in report.diagnostics:
        if diagnostic.line is not None:
            yield diagnostic.line, Remark(diagnostic.severity, diagnostic.message)
    told = {fault.line if fault else None} | {diagnostic.line for diagnostic in report.diagnostics}
    if report.line is not None and report.line not in told:
        yield report.line, Remark("error", report.headline)


def highlight(source: str, language: LanguageName) -> list[Markup]:
    """The source's lines as HTML with Pygments' classes; without colours if highlighting took too long."""
    return colour_lines(source, colours_of(source, language))


def colours_of(source: str, language: LanguageName) -> str | None:
    """The colouring of the source for `colour_lines`: one word with class and length for each piece.

    None if the source is too long or highlighting took too long.
    """
    if len(source) > LARGEST_HIGHLIGHTED:
        return None
    lines = find_language(language).highlight("\n".join(split_lines(source)))
    if lines is None:
        return None
    words = " .1 ".join(" ".join(f"{kind}.{len(piece)}" for kind, piece in line) for line in lines)
    return words if len(words) <= LARGEST_COLOURS else None


def colour_lines(source: str, colours: str | None, most_lines: int | None = None) -> list[Markup]:
    """The source's lines as HTML, coloured by the result of `colours_of`; plain if that is missing or does not fit.

    The text itself is not lexed. With more than `most_lines` lines, one more element holds all the rest.
    """
    few = most_lines is None or source.count("\n") <= most_lines
    whole = "\n".join(split_lines(source)) if few else visible(source)
    runs = [(name, int(length)) for name, length in _RUN.findall(colours or "")]
    if sum(length for _, length in runs) != len(whole):
        runs = [("", len(whole))]
    html, at = [], 0
    for name, length in runs:
        text = escape(whole[at : at + length])
        parts = text.split("\n") if name else ()
        html.append("\n".join(part and f'<span class="{name}">{part}</span>' for part in parts) if name else text)
        at += length
    return [Markup(line) for line in "".join(html).split("\n", -1 if most_lines is None else most_lines)]


def split_lines(source: str) -> list[str]:
    """The lines of the source as the compiler counts them, with invisible characters spelled out."""
    text = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return [visible(line) for line in text.removesuffix("\n").split("\n")]


def _pointer(line: str, column: int | None) -> str | None:
    """Blanks and a caret below a column, given in UTF-8 bytes from 1; tabs stay tabs."""
    if column is None:
        return None
    before = line.encode()[: max(0, column - 1)].decode(errors="ignore")
    return "".join("\t" if character == "\t" else " " for character in before) + "^"
