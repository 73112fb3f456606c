"""Turns a Report into findings: each a message at a line of a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.boards.words import visible
from grader.core.report import Diagnostic, Report
from grader.core.verdict import Verdict, Word

REMARK = "remark"
"""The rule of what the compiler or kgrade remarks on a file that it accepts."""
NOT_GRADED = "not_graded"
"""The rule of a file that can't be graded: it is missing, too large, or for no known problem."""


class Level(Word):
    """How grave a finding is, by the words that SARIF and GitHub share."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Finding:
    """One message at a line of a file.

    `path` is relative to the working folder where the file is below it. `rule` is the verdict, the fault or the kind of
    wrong answer. `message` is one line; `details` are more, each of them a line too.
    """

    path: str
    line: int
    level: Level
    rule: str
    message: str
    details: tuple[str, ...] = ()
    column: int | None = None


def findings_of(report: Report, file: Path) -> list[Finding]:
    """What is wrong with `file`; of an accepted one the compiler's warnings. An error always has at least one."""
    path = shown_path(file)
    errors = [_remark(one, path, report.verdict) for one in report.diagnostics if one.severity == "error"]
    warnings = [_remark(one, path, REMARK, Level.WARNING) for one in report.diagnostics if one.severity == "warning"]
    if report.verdict is Verdict.ACCEPTED:
        return warnings
    if report.verdict is Verdict.COMPILE_ERROR and errors:
        return errors + warnings
    return [_verdict(report, path), *warnings]


def not_graded(file: Path, message: str, hint: str) -> Finding:
    """The finding of a file that can't be graded."""
    return Finding(shown_path(file), 1, Level.ERROR, NOT_GRADED, one_line("; ".join(filter(None, (message, hint)))))


def shown_path(file: Path) -> str:
    """The path from the working folder, with / between its parts; an absolute one if the file is elsewhere."""
    absolute, here = file.absolute(), Path.cwd()
    return (absolute.relative_to(here) if absolute.is_relative_to(here) else absolute).as_posix()


def one_line(text: str) -> str:
    """`text` as a line that shows what a terminal would not: a submission chose part of its words."""
    return visible(" ".join(text.split()))


def _verdict(report: Report, path: str) -> Finding:
    fault = report.fault
    rule = fault.fault if fault else report.kind or report.verdict
    line = report.line or (fault.line if fault else None) or 1
    message = report.headline.rstrip(".") + (f"; {report.pattern}" if report.pattern else "")
    details = tuple(_lines(report.explanation))
    return Finding(path, line, Level.ERROR, str(rule), one_line(message), details)


def _remark(remark: Diagnostic, path: str, rule: str, level: Level = Level.ERROR) -> Finding:
    details = tuple(_lines((remark.hint,)))
    return Finding(path, remark.line or 1, level, str(rule), one_line(remark.message), details, remark.column)


def _lines(texts: tuple[str, ...]) -> Iterator[str]:
    for text in texts:
        yield from filter(None, map(one_line, text.splitlines()))
