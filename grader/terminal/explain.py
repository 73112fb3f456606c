"""Prints an Explanation for a terminal of 80 columns: each kernel's advice first, then the counts of each line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from grader.boards.words import NOTHING, NOTHING_TO_GAIN, gain, sizes
from grader.coach.advice import Advice
from grader.coach.coach import Explanation, KernelExplanation
from grader.coach.lines import LineCounts, reads_of, refetch_ratio
from grader.core.verdict import Verdict
from grader.terminal.console import is_unicode, safe
from grader.terminal.machine_code import machine_code
from grader.terminal.model_time import model_lines
from grader.terminal.table import plain_table

_NUMBERS = ("instr", "bytes", "sect/req", "ideal", "ways", "waves", "split")
_WHOLE = 100_000
"""Numbers below this are written in full."""


def print_explanation(
    explanation: Explanation, console: Console, page: Path | None = None, with_machine_code: bool = False
) -> None:
    """Prints the explanation; `page` is the path of its page, if one was written."""
    view = _View(explanation, console, with_machine_code)
    for position, section in enumerate(view.sections()):
        if position:
            console.print()
        for part in section:
            console.print(part)
    if page is not None:
        console.print()
        console.print(Text(f"  page      {safe(str(page))}"), soft_wrap=True)


class _View:
    def __init__(self, explanation: Explanation, console: Console, with_machine_code: bool = False) -> None:
        self.explanation = explanation
        self.with_machine_code = with_machine_code
        self.unicode = is_unicode(console)
        self.width = console.width
        self.source = explanation.source.split("\n")

    def sections(self) -> Iterator[list[RenderableType]]:
        found = self.explanation
        head = f"{safe(found.title)}: {safe(found.file)} with {sizes(found.sizes).replace(' ', ',')}"
        parts: list[RenderableType] = [Text(head, style="bold")]
        if found.verdict is not Verdict.ACCEPTED:
            parts.append(Text(self.wrapped(f"{found.verdict}: {found.headline}", "  "), style="bold red"))
        yield parts
        if found.model is not None:
            lines = model_lines(found.model, "×" if self.unicode else "x")
            yield [
                Text(self.wrapped(line, "  ", "    "), style="bold" if not n else "") for n, line in enumerate(lines)
            ]
        if not found.kernels:
            yield [Text("  It launches no kernel at these sizes.")]
        for kernel in found.kernels:
            yield from self.kernel(kernel)

    def kernel(self, kernel: KernelExplanation) -> Iterator[list[RenderableType]]:
        yield [Text(safe(kernel.name), style="bold"), self.facts(kernel)]
        if kernel.advice:
            yield [part for number, one in enumerate(kernel.advice, 1) for part in self.advice(number, one)]
        mark = "✓" if self.unicode else "ok"
        good = [Text(self.wrapped(f"{mark} {one}", "  ", "    "), style="green") for one in kernel.good]
        if not kernel.advice:
            model = self.explanation.model
            words = NOTHING_TO_GAIN if model is not None and model.seconds else NOTHING
            good.insert(0, Text(self.wrapped(words, "  "), style="bold green"))
        if good:
            yield list(good)
        yield [self.lines(kernel)]
        if any(array.load_bytes for array in kernel.arrays):
            yield [self.arrays(kernel)]
        if self.with_machine_code:
            yield from machine_code(kernel.machine, self.explanation.target, self.source, self.width)

    def facts(self, kernel: KernelExplanation) -> Table:
        rows = Table.grid(padding=(0, 2, 0, 0))
        rows.add_column(no_wrap=True)
        rows.add_column(overflow="fold")
        totals, times = kernel.totals, "×" if self.unicode else "x"
        shape = f" {times} ".join
        grid, block = (shape(str(n) for n in numbers) for numbers in (kernel.grid, kernel.block))
        launched = f"{kernel.launches:,} launches, first " if kernel.launches > 1 else ""
        rows.add_row("  launch", f"{launched}grid {grid}, block {block}")
        rows.add_row("  executed", f"{totals.executed:,} warp instructions (PTX), {totals.lanes:.1f} lanes each")
        if totals.requests:
            asked = f"{totals.requests:,} requests, {totals.sectors:,} sectors = {totals.moved:,} bytes"
            rows.add_row("  global", asked)
        if totals.copies:
            asked = f"{totals.copies:,} of these requests are copies to shared memory that no thread waits for at once"
            rows.add_row("  copied", asked)
        if totals.shared_requests:
            more = totals.wavefronts - totals.ideal_wavefronts
            asked = f"{totals.shared_requests:,} requests, {totals.wavefronts:,} wavefronts, {more:,} for conflicts"
            rows.add_row("  shared", asked)
        if totals.barriers:
            rows.add_row("  barriers", f"{totals.barriers:,}, each warp's arrival counted")
        if totals.flops and totals.intensity is not None:
            rows.add_row("  intensity", f"{totals.intensity:.3g} FLOP a byte moved ({totals.flops:,} FLOP)")
        if kernel.resources is not None:
            found = kernel.resources
            limit = f", limited by {found.limited_by}" if found.limited_by else ""
            shared = found.static_shared + found.dynamic_shared
            rows.add_row(
                f"  {found.target}",
                f"{found.registers} registers, {shared:,} bytes of shared memory, "
                f"occupancy {found.occupancy:.0%}{limit}",
            )
        return rows

    def advice(self, number: int, one: Advice) -> Iterator[RenderableType]:
        where = f"line {one.line}, {one.word}: " if one.line else f"{one.word}: "
        counted = f" [{one.share:.0%} of all counted cycles]" if one.share is not None and one.tried is None else ""
        head = Text(self.wrapped(f"{number}. {where}{one.message}{counted}", "  ", "     "))
        head.stylize("bold yellow", 2, 2 + len(f"{number}. {where}"))
        yield head
        if one.line is not None and 1 <= one.line <= len(self.source):
            yield Text(f"     {safe(self.source[one.line - 1].strip())}"[: self.width], style="dim")
        arrow = "→" if self.unicode else "->"
        if one.remedy:
            yield Text(self.wrapped(f"{arrow} {one.remedy}", "     ", "       "), style="cyan")
        if one.tried is not None:
            gained = f"{gain(one.tried.before, one.tried.after, arrow)} on {one.tried.gpu} (model)"
            yield Text(self.wrapped(gained, "     ", "       "), style="bold cyan")

    def lines(self, kernel: KernelExplanation) -> Table:
        """One row per source line; columns that are empty in all rows are left out."""
        names = ("line", *_NUMBERS)
        rows = [[str(line.line), *_cells(line)] for line in kernel.lines]
        kept = [place for place in range(len(names)) if any(row[place] for row in rows)]
        heads = [names[place] for place in kept]
        table = plain_table(*heads, "", numbers=heads, whole=heads)
        room = self.width - sum(2 + max(len(names[p]), *(len(row[p]) for row in rows)) for p in kept)
        for line, row in zip(kernel.lines, rows, strict=True):
            text = safe(self.source[line.line - 1].strip()) if line.line <= len(self.source) else ""
            table.add_row(*(row[place] for place in kept), Text(text[: max(room, 0)], style="dim", no_wrap=True))
        return table

    def arrays(self, kernel: KernelExplanation) -> Table:
        numbers = ("bytes", "reads", "sectors", "in a block")
        times = " ×" if self.unicode else " x"
        table = plain_table("array", *numbers, numbers=numbers)
        for array in kernel.arrays:
            reads, again = reads_of(array), refetch_ratio(array)
            if reads is not None:
                table.add_row(
                    safe(array.name),
                    f"{array.size:,}",
                    f"{reads:.4g}{times}",
                    f"{array.load_sectors:,}",
                    "" if again is None else f"{again:.3g}{times}",
                )
        return table

    def wrapped(self, text: str, first: str, more: str | None = None) -> str:
        after = first if more is None else more
        return textwrap.fill(safe(text), self.width, initial_indent=first, subsequent_indent=after)


def _cells(line: LineCounts) -> list[str]:
    totals = line.totals
    each = f"{totals.sectors / totals.requests:.3g}" if totals.requests else ""
    least = f"{totals.ideal_sectors / totals.requests:.3g}" if totals.requests else ""
    ways = str(line.ways) if totals.shared_requests else ""
    waves = short(totals.wavefronts) if totals.shared_requests else ""
    split = short(totals.divergent) if totals.branches else ""
    moved = short(totals.moved) if totals.requests else ""
    return [short(totals.executed), moved, each, least, ways, waves, split]


def short(number: int) -> str:
    """Formats a count briefly: "16,384", "557 k", "16.8 M"."""
    if number < _WHOLE:
        return f"{number:,}"
    factor, letter = next(((f, n) for f, n in ((10**3, "k"), (10**6, "M")) if number < 999.5 * f), (10**9, "G"))
    return f"{number / factor:.3g} {letter}" if number < 999.5 * factor else f"{number // factor:,} {letter}"
