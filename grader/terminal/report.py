"""A Report as text for a terminal of 80 columns: the verdict, the line at fault, what is wrong and where.

It shows the report as it is; the HTML page and the JSON object show the same one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.boards.words import element, number, repeat_command, sizes, triple, units
from grader.report import CaseResult, Diagnostic, ElementError, FaultReport, OutputCheck, Report
from grader.terminal import error_map
from grader.terminal.console import is_unicode, safe
from grader.terminal.excerpt import excerpt
from grader.verdict import Verdict

_DIAGNOSTICS, _ELEMENTS, _CASES, _PRINTED_LINES = 5, 4, 4, 10
_SEVERITY_STYLE = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}


def print_report(
    report: Report, console: Console, *, submission: int | None = None, page: Path | None = None
) -> None:
    """Print `report`; `submission` and `page` are its number and its HTML page, when it was recorded."""
    view = _View(report, console)
    for section in view.sections():
        console.print(section)
        console.print()
    console.print(view.footer(submission, page), soft_wrap=True)


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
        if report.diagnostics:
            yield self.diagnostics()
        if report.fault is not None:
            yield self.fault(report.fault)
        elif report.line is not None and not any(d.line == report.line for d in report.diagnostics):
            yield self.source(report.line)
        if report.verdict is Verdict.WRONG_ANSWER and (case := self.telling_case()) is not None:
            yield self.wrong_case(case)
        if remarks := _paragraphs([*report.explanation, report.pattern]):
            yield Group(*remarks)
        if report.printed:
            yield self.printed()
        if report.cases:
            yield self.cases()

    def headline(self) -> Group:
        report = self.report
        good = report.verdict is Verdict.ACCEPTED
        mark = ("✓" if good else "✗") if self.unicode else ("ok" if good else "--")
        style = "bold green" if good else "bold red"
        text = Text()
        text.append(f"{mark} {report.verdict}", style=style)
        if detail := report.fault.fault if report.fault else report.kind:
            text.append(f" / {detail}", style=style)
        text.append(f"   {safe(report.title or report.problem)}, {report.device}", style="dim")
        return Group(text, *_paragraphs([report.headline], style="bold"))

    def source(self, line: int, column: int | None = None) -> Text:
        return excerpt(self.report.source, line, column, width=self.console.width, unicode=self.unicode)

    def diagnostics(self) -> Group:
        """Errors first; warnings only as far as there is room for them."""
        ordered = sorted(self.report.diagnostics, key=lambda d: d.severity != "error")
        parts: list[RenderableType] = [self.diagnostic(d) for d in ordered[:_DIAGNOSTICS]]
        if len(ordered) > _DIAGNOSTICS:
            parts.append(Text(f"  and {len(ordered) - _DIAGNOSTICS} more", style="dim"))
        return Group(*parts)

    def diagnostic(self, remark: Diagnostic) -> Group:
        place = safe(self.report.file)
        if remark.line is not None:
            place += f":{remark.line}" + (f":{remark.column}" if remark.column is not None else "")
        title = Text("  ")
        title.append(f"{place}: ", style="dim")
        title.append(f"{remark.severity}: ", style=_SEVERITY_STYLE.get(remark.severity, "bold"))
        title.append(safe(remark.message))
        parts: list[RenderableType] = [title]
        if remark.line is not None:
            parts.append(self.source(remark.line, remark.column))
        if remark.hint:
            parts.append(_hint(remark.hint))
        return Group(*parts)

    def fault(self, fault: FaultReport) -> Group:
        parts: list[RenderableType] = []
        if fault.line is not None:
            parts.append(self.source(fault.line))
        facts = Table.grid(padding=(0, 2))
        for name, value in _facts(fault):
            facts.add_row(Text(name, style="dim"), Text(safe(value)))
        parts.append(Padding(facts, (0, 0, 0, 3)))
        return Group(*parts)

    def telling_case(self) -> CaseResult | None:
        """The failing case that shows most: the largest map tells where, the smallest sizes tell when."""
        failing = [case for case in self.report.cases if case.verdict is Verdict.WRONG_ANSWER]
        mapped = [case for case in failing if any(output.map for output in case.outputs)]
        if mapped:
            return max(mapped, key=lambda case: max(output.total for output in case.outputs))
        return failing[0] if failing else self.report.smallest

    def wrong_case(self, case: CaseResult) -> Group:
        title = Text("  with ")
        title.append(sizes(case.sizes), style="bold")
        title.append(f" ({case.family} inputs)", style="dim")
        parts: list[RenderableType] = [title]
        for output in case.outputs:
            if output.wrong or output.kind is not None:
                parts += self.wrong_output(output)
        if len(parts) == 1 and case.message:
            parts += _paragraphs([case.message])
        return Group(*parts)

    def wrong_output(self, output: OutputCheck) -> list[RenderableType]:
        count = Text(f"  {output.array}: {output.wrong:,} of {output.total:,} elements wrong")
        if output.explanation and output.explanation not in (*self.report.explanation, self.report.headline):
            count.append(f"; {safe(output.explanation)}")
        parts: list[RenderableType] = [count]
        if output.elements:
            parts.append(Padding(_elements(output.array, output.elements), (0, 0, 0, 2)))
        if output.map is not None and output.total > 1:
            parts.append(error_map.draw(output.map, unicode=self.unicode))
        return parts

    def printed(self) -> Text:
        lines = safe(self.report.printed).splitlines()
        text = Text("  printed by the kernel:\n", style="dim")
        text.append("\n".join(f"    {line}" for line in lines[:_PRINTED_LINES]), style="default")
        if len(lines) > _PRINTED_LINES:
            text.append(f"\n    and {len(lines) - _PRINTED_LINES} lines more")
        return text

    def cases(self) -> Group:
        cases = self.report.cases
        failing = [case for case in cases if case.verdict is not Verdict.ACCEPTED]
        right = [case for case in cases if case.verdict is Verdict.ACCEPTED]
        rows = Table.grid(padding=(0, 2))
        if failing and self.report.smallest is not None:
            rows.add_row(Text("smallest failing", style="dim"), Text(sizes(self.report.smallest.sizes)))
        rows.add_row(
            Text("cases", style="dim"),
            Text(f"{len(right)} of {len(cases)} right, {self.report.seconds:.1f} s"),
        )
        for name, group in (("wrong with", failing), ("right with", right)):
            if group:
                rows.add_row(Text(name, style="dim"), Text(_some_sizes(group)))
        return Group(Padding(rows, (0, 0, 0, 2)))

    def footer(self, submission: int | None, page: Path | None) -> Text:
        report = self.report
        rows = []
        if report.launch:
            rows.append(("launch", ", ".join(f"{k} = {v}" for k, v in report.launch.items())))
        if report.cases:
            rows.append(("repeat", repeat_command(report)))
        if report.smallest is not None and report.verdict is not Verdict.ACCEPTED:
            rows.append(("smallest", repeat_command(report, report.smallest)))
        if submission is not None:
            rows.append(("recorded", f"submission {submission} of {report.user}"))
        if page is not None:
            rows.append(("page", str(page)))
        text = Text()
        for name, value in rows:
            text.append(f"  {name:<10}", style="dim").append(safe(value) + "\n")
        text.rstrip()
        return text


def _some_sizes(cases: Sequence[CaseResult]) -> str:
    different = list(dict.fromkeys(sizes(case.sizes) for case in cases))
    more = len(different) - _CASES
    return " | ".join(different[:_CASES]) + (f" | and {more} more" if more > 0 else "")


def _facts(fault: FaultReport) -> Iterator[tuple[str, str]]:
    """What is known of a fault, a row each; the report's explanation says what it means."""
    if fault.array:
        place = fault.array if fault.index is None else f"{fault.array}[{fault.index}]"
        access = f"{fault.access} of " if fault.access else ""
        extent = "" if fault.extent is None else f"; {fault.array} has {fault.extent:,} elements"
        yield "access", f"{access}{place}{extent}"
    if fault.kernel:
        yield "kernel", fault.kernel
    if fault.block is not None and fault.thread is not None:
        yield "by", f"block {triple(fault.block)}, thread {triple(fault.thread)}"
    if fault.instruction:
        yield "PTX", fault.instruction


def _elements(array: str, elements: Sequence[ElementError]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("element")
    for name in ("expected", "got", "error / allowed"):
        table.add_column(name, justify="right")
    for wrong in elements[:_ELEMENTS]:
        got, error = ("not written", "") if wrong.unwritten else (number(wrong.got), units(wrong.units))
        table.add_row(f"{array}{element(wrong.index)}", number(wrong.expected), got, error)
    return table


def _hint(text: str) -> Padding:
    return Padding(Text(f"hint: {safe(text)}", style="cyan"), (0, 0, 0, 3))


def _paragraphs(texts: Sequence[str], style: str = "") -> list[Padding]:
    """Each text that says something, wrapped and indented."""
    return [Padding(Text(safe(text), style=style), (0, 0, 0, 2)) for text in texts if text]
