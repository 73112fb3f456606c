"""Prints a ModelComparison for a terminal of 80 columns: one table per size, the fastest marked, as `bench` does."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from grader.boards import words
from grader.core.report import ModelSize
from grader.model.comparing import Contender, ModelComparison
from grader.terminal.bench import LEAST_NAME, factor, print_sections, shorten
from grader.terminal.console import is_unicode, safe
from grader.terminal.model_time import interval_beside
from grader.terminal.table import plain_table

NOTE = (
    "Computed by a model, not measured. The interval is that of each time alone; what the model gets wrong is much the "
    "same for kernels that are alike, so that their order is surer than their times."
)
_OTHER_COLUMNS = 62
"""Characters of a line taken by rank, time, interval, ratio, bound and the space between them."""


def print_model_comparison(comparison: ModelComparison, console: Console, paths: Sequence[str]) -> None:
    """Prints the comparison; `paths` are the files as typed, for commands to copy."""
    view = _View(comparison, console)
    print_sections(view.sections(paths), console)


class _View:
    def __init__(self, comparison: ModelComparison, console: Console) -> None:
        self.comparison = comparison
        self.unicode = is_unicode(console)
        self.width = console.width
        self.right = [each for each in comparison.contenders if each.right]
        room = max(LEAST_NAME, console.width - _OTHER_COLUMNS)
        labels = shorten([safe(each.label) for each in self.right], room, "…" if self.unicode else "~")
        self.names = {each.label: name for each, name in zip(self.right, labels, strict=True)}

    def sections(self, paths: Sequence[str]) -> Iterator[list[RenderableType]]:
        comparison, gpu = self.comparison, self.comparison.gpu
        known = f"calibrated by {gpu.calibrated}" if gpu.calibrated else "not calibrated"
        head = f"{safe(comparison.title)}: {words.model_board(gpu.name)}"
        yield [Text(head, style="bold"), Text(f"  {known}", style="dim")]
        for each, path in zip(comparison.contenders, paths, strict=False):
            if not each.right:
                yield self.left_out(each, path)
        if self.right:
            for sizes in comparison.sizes:
                yield self.size(sizes)
        if comparison.overall:
            head = f"all {len(comparison.sizes)} sizes, geometric mean of the ratios"
            yield [Text(head, style="bold"), self.overall(comparison.overall)]
        yield [Text(textwrap.fill(f"{NOTE} {comparison.seconds:.0f} s in all.", self.width), style="dim")]

    def left_out(self, contender: Contender, path: str) -> list[RenderableType]:
        """Why a file takes no part, and the command that says more."""
        report = contender.report
        assert report is not None
        mark = "✗" if self.unicode else "--"
        text = safe(f"{mark} {contender.label} is left out: {report.verdict}: {report.headline}")
        command = f"  kgrade test {self.comparison.problem} {safe(shlex.quote(path))} --device emulator"
        return [Text(textwrap.fill(text, self.width, subsequent_indent="  "), style="red"), command]

    def size(self, sizes: Mapping[str, int]) -> list[RenderableType]:
        head = Text(words.sizes(sizes).replace(" ", ","), style="bold")
        found = {each.label: each.at(sizes) for each in self.right}
        timed = {label: size.time.value for label, size in found.items() if size is not None and size.time is not None}
        parts: list[RenderableType] = [head]
        if timed:
            parts.append(self.table(found, timed))
        for label, size in found.items():
            if label not in timed:
                why = size.why_not if size is not None else "an earlier size has none"
                text = safe(f"{label} has no model time: {why}")
                parts.append(Text(textwrap.fill(text, self.width, initial_indent="  ", subsequent_indent="    ")))
        return parts

    def table(self, found: Mapping[str, ModelSize | None], timed: Mapping[str, float]) -> Table:
        """One row per file: rank, model time, its interval, ratio to the fastest, what it is bound by."""
        paired = len(timed) > 1
        numbers = ["model time", "interval"] + ["× best"] * paired
        table = plain_table(*["#"] * paired, "file", *numbers, "bound by", numbers=("#", *numbers), whole=numbers)
        best = min(timed.values())
        for label, seconds in timed.items():
            size = found[label]
            assert size is not None and size.time is not None
            style = "green" if paired and seconds == best else ""
            cells: list[str | Text] = [str(rank_of(seconds, timed.values()))] if paired else []
            cells += [Text(self.names[label], style=style), words.duration(seconds)]
            cells.append(interval_beside(seconds, size.time.low, size.time.high))
            if paired:
                cells.append("1" if seconds == best else factor(seconds / best))
            table.add_row(*cells, Text(size.bound, style=style))
        return table

    def overall(self, ratios: Mapping[str, float]) -> Table:
        table = plain_table("#", "file", "× best", "", numbers=("#", "× best"))
        for label, ratio in ratios.items():
            style, fastest = ("green", "fastest") if ratio == 1.0 else ("", "")
            name = Text(self.names[label], style=style)
            place, told = str(rank_of(ratio, ratios.values())), "1" if ratio == 1.0 else factor(ratio)
            table.add_row(place, name, told, Text(fastest, style=style))
        return table


def rank_of(value: float, values: Iterable[float]) -> int:
    """1 for the smallest of the values; equal ones share a rank."""
    return 1 + sum(other < value for other in values)
