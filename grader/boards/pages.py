"""The report page: one self-contained HTML file that shows a whole Report.

It prepares the report's data for the template.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from grader.boards import code, errormap, roofline, timing
from grader.boards.faults import read_fault, word_of
from grader.boards.files import write_files
from grader.boards.replay import failure_view
from grader.boards.templating import pages
from grader.boards.words import repeat_command
from grader.core.errors import WorkspaceError
from grader.core.report import CaseResult, Diagnostic, Measurement, OutputCheck, Report, SizeMeasurement
from grader.core.verdict import LanguageName, Verdict
from grader.measure.overall import overall_score
from grader.store.entry import parse_utc

TEMPLATE = "report.html"
MOST_DIAGNOSTICS = 20
MOST_ELEMENTS = 8


@dataclass(frozen=True)
class Links:
    """Links of a page of the site, relative to itself. A standalone report page has none."""

    home: str
    board: str


@dataclass(frozen=True)
class WrongOutput:
    """An output that is wrong in one case, with the picture of its wrong elements."""

    case: CaseResult
    output: OutputCheck
    picture: errormap.MapPicture | None


@dataclass(frozen=True)
class CaseRow:
    """A case in the table; `worst` is its largest error in units of the tolerance, None if nothing was compared."""

    case: CaseResult
    worst: float | None
    wrong: int
    total: int


@dataclass(frozen=True)
class DiagnosticView:
    diagnostic: Diagnostic
    lines: Sequence[code.CodeLine]


Beside = Sequence[tuple[str, Measurement]]
"""Names and measurements of the best entries, for the roofline."""


def load_report_page(template_folders: Sequence[Path] = ()) -> None:
    """Loads template and highlighter in advance. A mistake in the template is reported when the page is written."""
    code.highlight("int i;", LanguageName.CUDA)
    with suppress(WorkspaceError):
        pages(tuple(template_folders)).load(TEMPLATE)


def write_report(report: Report, path: Path, template_folders: Sequence[Path] = (), *, beside: Beside = ()) -> None:
    """Writes the report's page to `path`. Raises WorkspaceError if it can't be written."""
    text = render_report(report, template_folders, beside=beside)
    write_files(path.parent, [(path.name, text)])


def render_report(
    report: Report,
    template_folders: Sequence[Path] = (),
    *,
    number: int | None = None,
    links: Links | None = None,
    stamp: str = "",
    beside: Beside = (),
) -> str:
    """The report's page as HTML. `number` is the submission's; `stamp` lets the site see whether it is up to date."""
    values = report_values(report, beside=beside)
    return pages(tuple(template_folders)).render(
        TEMPLATE, layout="base.html", number=number, links=links, stamp=stamp, **values
    )


def report_values(report: Report, *, beside: Beside = (), lines: Sequence[Markup] | None = None) -> dict[str, Any]:
    """What the template shows of a report, whatever page it stands in.

    `lines` is the source as HTML lines; without it, the source is highlighted here.
    """
    measurement = report.measurement
    known = code.highlight(report.source, report.language) if lines is None else lines
    listed = code.listing(known, code.remarks_of(report))
    ordered = sorted(report.diagnostics, key=lambda diagnostic: diagnostic.severity != "error")
    return {
        "report": report,
        "submitted": parse_utc(report.submitted),
        "accepted": report.verdict is Verdict.ACCEPTED,
        "about": read_fault(word) if (word := word_of(report)) else None,
        "lines": listed,
        "diagnostics": [
            DiagnosticView(diagnostic, code.excerpt(listed, report.source, diagnostic))
            for diagnostic in ordered[:MOST_DIAGNOSTICS]
        ],
        "more_diagnostics": max(0, len(ordered) - MOST_DIAGNOSTICS),
        "wrong": list(wrong_outputs(report)),
        "most_elements": MOST_ELEMENTS,
        "size_names": list(report.cases[0].sizes) if report.cases else [],
        "cases": [case_row(case) for case in report.cases],
        "measured": list(measured_rows(measurement)) if measurement else [],
        "score": overall_score(measurement) if measurement else None,
        "timing_remarks": list(timing.remarks(measurement)) if measurement else [],
        "roofline": roofline.draw(measurement, beside) if measurement else None,
        "passed": sum(case.verdict is Verdict.ACCEPTED for case in report.cases),
        # A contest with hidden cases hides their seed, without which only the compiler says the same again.
        "repeatable": report.seed >= 0 or report.verdict is Verdict.COMPILE_ERROR,
        "player": None if report.replay is None else failure_view(report.replay),
        "repeat": repeat_command(report),
        "repeat_smallest": repeat_command(report, report.smallest) if report.smallest else "",
    }


def measured_rows(measurement: Measurement) -> Iterator[tuple[SizeMeasurement, str]]:
    """Yields each size with its limit at the speed of light."""
    for size in measurement.sizes:
        yield size, roofline.limit(size, measurement.ceilings)


def wrong_outputs(report: Report) -> Iterator[WrongOutput]:
    """Yields the wrong outputs of the failing case with the largest output, then those of the smallest failing case.

    The largest map shows where a kernel goes wrong, the smallest sizes show when.
    """
    failing = [case for case in report.cases if any(output.wrong for output in case.outputs)]
    chosen = [max(failing, key=lambda case: max(o.total for o in case.outputs))] if failing else []
    if report.smallest is not None and all(case.sizes != report.smallest.sizes for case in chosen):
        chosen.append(report.smallest)
    for case in chosen:
        for output in case.outputs:
            if output.wrong or output.kind is not None:
                yield WrongOutput(case, output, errormap.draw(output, report.launch))


def case_row(case: CaseResult) -> CaseRow:
    errors = [output.worst for output in case.outputs]
    worst = next((error for error in errors if math.isnan(error)), max(errors, default=None))
    return CaseRow(case, worst, sum(output.wrong for output in case.outputs), sum(o.total for o in case.outputs))
