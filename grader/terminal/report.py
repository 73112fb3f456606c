"""Prints a Report for a terminal of 80 columns: the verdict, the line at fault, what is wrong and where.

The HTML page and the JSON object show the same report.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.boards import timing
from grader.boards.faults import word_of
from grader.boards.words import (
    above_light,
    debug_command,
    element,
    language,
    mend,
    model_board,
    number,
    plain,
    repeat_command,
    score,
    several,
    sizes,
    triple,
    units,
)
from grader.core.report import (
    CaseResult,
    Diagnostic,
    ElementError,
    FaultReport,
    Measurement,
    Modelled,
    OutputCheck,
    Report,
)
from grader.core.verdict import Tone, Verdict
from grader.terminal import error_map, times
from grader.terminal.console import is_unicode, safe
from grader.terminal.excerpt import excerpt
from grader.terminal.table import plain_table

_DIAGNOSTICS, _ELEMENTS, _CASES, _PRINTED_LINES = 5, 4, 4, 10
_SEVERITY_STYLE = {"error": "bold red", "warning": "bold yellow"}

_COLOURS = {Tone.GOOD: "green", Tone.WARN: "yellow", Tone.BAD: "red"}


def print_report(report: Report, console: Console, *, submission: int | None = None, page: Path | None = None) -> None:
    """Prints `report`; `submission` and `page` are its number and its HTML page, if it was recorded."""
    view = _View(report, console)
    for position, section in enumerate(view.sections()):
        if position:
            console.print()
        console.print(section)
    if footer := view.footer(submission, page):
        console.print()
        # Lines meant to be copied stay whole, however narrow the terminal.
        console.print(footer, soft_wrap=True)


@dataclass(frozen=True)
class _View:
    report: Report
    console: Console

    @property
    def unicode(self) -> bool:
        return is_unicode(self.console)

    def sections(self) -> Iterator[RenderableType]:
        report = self.report
        yield self.headline()
        if errors := self.diagnostics_of("error"):
            yield errors
        if report.fault is not None:
            yield self.fault(report.fault)
        elif report.line is not None and not any(d.line == report.line for d in report.diagnostics):
            yield self.source(report.line)
        if report.verdict is Verdict.WRONG_ANSWER and (case := self.telling_case()) is not None:
            yield self.wrong_case(case)
        if report.explanation:
            yield Group(*(self.paragraph(plain(sentence)) for sentence in report.explanation))
        # With a compile error, most warnings follow from the error.
        if report.verdict is not Verdict.COMPILE_ERROR and (warnings := self.diagnostics_of("warning")):
            yield warnings
        if report.measurement is not None:
            yield self.times(report.measurement)
        if report.model is not None:
            yield self.model_times(report.model)
        if report.printed:
            yield self.printed()
        if report.cases:
            yield self.cases()

    def headline(self) -> Group:
        report = self.report
        tone = report.verdict.facts.tone
        good = tone is Tone.GOOD
        mark = ("✓" if good else "✗") if self.unicode else ("ok" if good else "--")
        style = f"bold {_COLOURS[tone]}"
        text = Text()
        text.append(f"{mark} {report.verdict}", style=style)
        if detail := report.fault.fault if report.fault else report.kind:
            text.append(f" / {detail}", style=style)
        text.append(
            f"   {safe(report.title or report.problem)}, {language(report.language)}, {report.device}", style="dim"
        )
        return Group(text, self.paragraph(plain(report.headline), style="bold"))

    def paragraph(self, text: str, style: str = "", more: str = "  ") -> Text:
        """Wraps and indents a text, without the trailing blanks that rich adds to wrapped lines.

        `more` is the indentation of the second and all further lines.
        """
        wrap = partial(textwrap.wrap, width=self.console.width, initial_indent="  ", subsequent_indent=more)
        lines = [line for part in safe(text).splitlines() for line in wrap(part)]
        return Text("\n".join(lines), style=style)

    def source(self, line: int, column: int | None = None) -> Text:
        return excerpt(self.report.source, line, column, width=self.console.width, unicode=self.unicode)

    def diagnostics_of(self, severity: str) -> Group | None:
        """The first diagnostics of this severity, each with its excerpt of the source."""
        found = [remark for remark in self.report.diagnostics if remark.severity == severity]
        parts: list[RenderableType] = []
        for remark in found[:_DIAGNOSTICS]:
            parts += [*[""] * bool(parts), self.diagnostic(remark)]
        if len(found) > _DIAGNOSTICS:
            parts.append(Text(f"  and {len(found) - _DIAGNOSTICS} more", style="dim"))
        return Group(*parts) if parts else None

    def diagnostic(self, remark: Diagnostic) -> Group:
        title = self.paragraph(f"{remark.severity}: {remark.message}")
        title.stylize(_SEVERITY_STYLE[remark.severity], 2, 2 + len(remark.severity))
        parts: list[RenderableType] = [title]
        if remark.line is not None:
            place = ":".join(str(part) for part in (remark.line, remark.column) if part is not None)
            # Editors and terminals turn such a line into a link, so it stays whole.
            where = f"  {safe(self.report.file)}:{place}"
            parts.append(Text(where, style="dim", no_wrap=True, overflow="ignore"))
            parts.append(self.source(remark.line, remark.column))
        if remark.hint:
            parts.append(self.paragraph(f"hint: {remark.hint}", style="cyan", more="    "))
        return Group(*parts)

    def fault(self, fault: FaultReport) -> Group:
        parts: list[RenderableType] = []
        if fault.line is not None:
            parts.append(self.source(fault.line))
        parts.append(self.rows(_facts(fault)))
        return Group(*parts)

    def telling_case(self) -> CaseResult | None:
        """The most informative failing case: the one with the largest error map, which shows where it goes wrong."""
        failing = [case for case in self.report.cases if case.verdict is Verdict.WRONG_ANSWER]
        mapped = [case for case in failing if any(output.map for output in case.outputs)]
        if mapped:
            return max(mapped, key=lambda case: max(output.total for output in case.outputs))
        return failing[0] if failing else self.report.smallest

    def wrong_case(self, case: CaseResult) -> Group:
        title = Text("  with ")
        title.append(_sizes(case), style="bold")
        title.append(f" ({case.family} inputs):", style="dim")
        wrong = [output for output in case.outputs if output.wrong or output.kind is not None]
        if not wrong:
            return Group(title, self.paragraph(plain(case.message)))
        return Group(title, *(part for output in wrong for part in self.wrong_output(output)))

    def wrong_output(self, output: OutputCheck) -> Iterator[RenderableType]:
        name = safe(output.array)
        yield Text(f"  {output.wrong:,} of {several(output.total, 'element')} of {name} wrong")
        if output.elements:
            yield Padding(_elements(name, output.elements), (0, 0, 0, 2), expand=False)
        if output.map is not None and output.total > 1:
            yield error_map.draw(output.map, unicode=self.unicode)

    def times(self, measurement: Measurement) -> Group:
        parts: list[RenderableType] = [
            Padding(times.table(measurement), (0, 0, 0, 2), expand=False),
            "",
            self.rows(times.facts(self.report, measurement)),
        ]
        if above := above_light(size.sol for size in measurement.sizes):
            parts.append(self.paragraph(above))
        for remark in timing.remarks(measurement):
            parts += ["", self.paragraph(remark, style="yellow")]
        return Group(*parts)

    def model_times(self, model: Modelled) -> Group:
        """The times that a model computed, named as such, and the score that ranks by them."""
        known = "" if model.calibrated else "; not calibrated"
        parts: list[RenderableType] = [Text(f"  {safe(model_board(model.gpu))}{known}", style="bold")]
        if any(size.time is not None for size in model.sizes):
            parts.append(Padding(times.model_table(model), (0, 0, 0, 2), expand=False))
        if model.score is None:
            parts.append(self.paragraph(f"Not ranked by model time: {model.why_not}", style="yellow"))
        else:
            parts.append(self.rows([("score", f"{score(model.score)} of the speed of light, by the model")]))
            if above := above_light(size.share for size in model.sizes):
                parts.append(self.paragraph(above))
        return Group(*parts)

    def printed(self) -> Text:
        lines = safe(self.report.printed).splitlines()
        text = Text("  printed:\n", style="dim")
        text.append("\n".join(f"    {line}" for line in lines[:_PRINTED_LINES]), style="default")
        if len(lines) > _PRINTED_LINES:
            text.append(f"\n    and {len(lines) - _PRINTED_LINES} lines more")
        return text

    def cases(self) -> Text:
        cases = self.report.cases
        failing = [case for case in cases if case.verdict is not Verdict.ACCEPTED]
        right = [case for case in cases if case.verdict is Verdict.ACCEPTED]
        tried = f"{len(right)} of {len(cases)} right,"
        if any(case.verdict is not Verdict.WRONG_ANSWER for case in failing):
            tried = f"{len(right)} right before this one, the rest not tried;"
        rows = [("cases", f"{tried} {self.report.seconds:.1f} s")]
        if failing and self.report.smallest is not None:
            rows.append(("smallest failing", _sizes(self.report.smallest)))
        if self.report.pattern:
            rows.append(("in common", plain(self.report.pattern)))
        if len(failing) > 1:
            rows.append(("wrong with", _some_sizes(failing)))
        if right:
            rows.append(("right with", _some_sizes(right)))
        return self.rows(rows)

    def rows(self, rows: Iterable[tuple[str, str]]) -> Text:
        """Lays out name-value rows, with wrapped values indented below themselves."""
        found = list(rows)
        indent = 4 + max((len(name) for name, _ in found), default=0)
        text = Text()
        for name, value in found:
            lines = textwrap.wrap(safe(value), max(20, self.console.width - indent))
            text.append(f"  {name:<{indent - 2}}", style="dim")
            text.append(f"\n{'':{indent}}".join(lines) + "\n")
        text.rstrip()
        return text

    def footer(self, submission: int | None, page: Path | None) -> Text:
        report = self.report
        rows = []
        if report.launch:
            rows.append(("launch", ", ".join(f"{k} = {v}" for k, v in report.launch.items())))
        if report.sandbox:
            rows.append(("sandbox", report.sandbox))
        if report.cases:
            rows.append(("repeat", repeat_command(report)))
        if report.smallest is not None and report.verdict is not Verdict.ACCEPTED:
            rows.append(("smallest", repeat_command(report, report.smallest)))
        after_others = report.smallest is not None and report.smallest.after
        if report.replay is not None and not report.problem_set and not after_others:
            # A debugger makes one call.
            rows.append(("watch", debug_command(report)))
        if word := word_of(report):
            rows.append(("about", f"kgrade help {word}"))
        if report.mend is not None:
            rows.append(("mends", mend(report.mend)))
        if submission is not None:
            rows.append(("recorded", f"submission {submission} of {report.user}"))
        if page is not None:
            rows.append(("page", str(page)))
            if report.replay is not None and report.replay.packed:
                rows.append(("replay", f"{report.replay.place}; in the page at #replay-{report.replay.step}"))
        text = Text()
        for name, value in rows:
            text.append(f"  {name:<10}", style="dim").append(safe(value) + "\n")
        text.rstrip()
        return text


def _sizes(case: CaseResult) -> str:
    """Sizes as --case takes them, followed by scalars: M=17,N=1,K=3,a=0.5."""
    return sizes({**case.sizes, **case.scalars}).replace(" ", ",")


def _some_sizes(cases: Sequence[CaseResult]) -> str:
    different = list(dict.fromkeys(map(_sizes, cases)))
    more = len(different) - _CASES
    return "; ".join(different[:_CASES]) + (f"; and {more} more" if more > 0 else "")


def _facts(fault: FaultReport) -> Iterator[tuple[str, str]]:
    """Yields (name, value) of the known facts of a fault; the report's explanation says what they mean."""
    if fault.array:
        place = fault.array if fault.index is None else f"{fault.array}[{fault.index}]"
        access = f"{fault.access} of " if fault.access else ""
        extent = "" if fault.extent is None else f"; {fault.array} has {several(fault.extent, 'element')}"
        yield "access", f"{access}{place}{extent}"
    if fault.kernel:
        yield "kernel", fault.kernel
    if fault.block is not None and fault.thread is not None:
        yield "by", f"block {triple(fault.block)}, thread {triple(fault.thread)}"
    if fault.instruction:
        yield "PTX", fault.instruction


def _elements(array: str, elements: Sequence[ElementError]) -> Table:
    columns = ("expected", "got", "error / allowed")
    table = plain_table("element", *columns, numbers=columns)
    for wrong in elements[:_ELEMENTS]:
        got, error = ("not written", "") if wrong.unwritten else (number(wrong.got), units(wrong.units))
        table.add_row(f"{array}{element(wrong.index)}", number(wrong.expected), got, error)
    return table
