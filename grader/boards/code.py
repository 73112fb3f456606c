"""A source text line by line for a page: highlighted as CUDA C++, with remarks at the lines they speak of.

It returns HTML that is escaped; what is remarked was decided before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from grader.boards.words import label, visible
from grader.report import Diagnostic, Report

LARGEST_HIGHLIGHTED = 200_000
"""Characters. A lexer needs seconds for more; such a text is shown in one colour."""


@dataclass(frozen=True)
class Remark:
    """A message at a line; `severity` is "error", "warning" or "note"."""

    severity: str
    text: str


@dataclass(frozen=True)
class CodeLine:
    """One line: its number from 1, its HTML, and the remarks below it. `pointer` stands below a column."""

    number: int
    html: Markup
    remarks: tuple[Remark, ...] = ()
    pointer: str | None = None

    @property
    def severity(self) -> str:
        """The worst severity of its remarks, or ""."""
        found = {remark.severity for remark in self.remarks}
        return next((word for word in ("error", "warning", "note") if word in found), "")


def listing(source: str, remarks: Mapping[int, Sequence[Remark]]) -> list[CodeLine]:
    """Every line of the source, with its remarks."""
    return [
        CodeLine(number, html, tuple(remarks.get(number, ()))) for number, html in enumerate(highlight(source), start=1)
    ]


def excerpt(lines: Sequence[CodeLine], source: str, diagnostic: Diagnostic, around: int = 2) -> list[CodeLine]:
    """The lines around a diagnostic out of the whole listing, with a pointer below its column."""
    if diagnostic.line is None or not 1 <= diagnostic.line <= len(lines):
        return []
    first, last = max(1, diagnostic.line - around), min(len(lines), diagnostic.line + around)
    text = split_lines(source)[diagnostic.line - 1]
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
    """What a report says of single lines: its fault, the line it names, and the compiler's diagnostics."""
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


def highlight(source: str) -> list[Markup]:
    """The source's lines as HTML with Pygments' classes."""
    lines = split_lines(source)
    if len(source) > LARGEST_HIGHLIGHTED:
        return [Markup(escape(line)) for line in lines]
    from pygments import highlight as render
    from pygments.formatters.html import HtmlFormatter
    from pygments.lexers.c_like import CudaLexer

    # Leading blank lines count, or every number below them would be off.
    lexer = CudaLexer(stripnl=False, ensurenl=False)
    html = render("\n".join(lines), lexer, HtmlFormatter(nowrap=True))
    marked = html.split("\n")[: len(lines)]
    return [Markup(line) for line in marked]


def split_lines(source: str) -> list[str]:
    """Lines as the compiler counts them, without the last one's end."""
    text = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return [visible(line) for line in text.removesuffix("\n").split("\n")]


def _pointer(line: str, column: int | None) -> str | None:
    """Blanks and a caret below a column, which counts bytes of UTF-8 from 1; tabs stay tabs."""
    if column is None:
        return None
    before = line.encode()[: max(0, column - 1)].decode(errors="ignore")
    return "".join("\t" if character == "\t" else " " for character in before) + "^"
