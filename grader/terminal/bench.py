"""Prints a Comparison of several files for a terminal of 80 columns: one table per size, the fastest marked on top."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from grader.boards import words
from grader.core.report import Interval
from grader.judge.bench import Comparison, Entry, SizeResult
from grader.measure.standings import RESOLUTION, Ranking, Standings
from grader.terminal.console import is_unicode, safe
from grader.terminal.table import plain_table

BAR = 16
LEAST_BAR = 6
LEAST_NAME = 16
_OTHER_COLUMNS = 56
"""Characters of a line taken by rank, time, ratio, remark and the space between them."""


def print_comparison(comparison: Comparison, console: Console, paths: Sequence[str]) -> None:
    """Prints the comparison; `paths` are the files as typed, for commands to copy."""
    view = _View(comparison, console)
    print_sections(view.sections(paths), console)


def print_sections(sections: Iterable[Sequence[RenderableType]], console: Console) -> None:
    """Prints sections with an empty line between them; plain strings are commands, which are not broken."""
    for position, section in enumerate(sections):
        if position:
            console.print()
        for part in section:
            console.print(part, soft_wrap=isinstance(part, str))


class _View:
    def __init__(self, comparison: Comparison, console: Console) -> None:
        self.comparison = comparison
        self.unicode = is_unicode(console)
        self.width = console.width
        room = max(LEAST_NAME, console.width - _OTHER_COLUMNS)
        self.names = shorten([safe(label) for label in comparison.timed], room, "…" if self.unicode else "~")
        self.bar = min(BAR, console.width - _OTHER_COLUMNS - max(map(len, self.names), default=0))

    def sections(self, paths: Sequence[str]) -> Iterator[list[RenderableType]]:
        comparison = self.comparison
        count = len(comparison.timed)
        how = f"{words.several(count, 'kernel')} in turns" if count else "nothing was timed"
        yield [Text(f"{safe(comparison.title)} on {safe(comparison.device)}, {how}", style="bold")]
        for entry, path in zip(comparison.entries, paths, strict=True):
            if not entry.right:
                yield self.left_out(entry, path)
        for result in comparison.results:
            yield self.size(result)
        if comparison.overall is not None:
            head = f"all {len([r for r in comparison.results if r.standings])} sizes, geometric mean of the ratios"
            yield [Text(head, style="bold"), self.table(comparison.overall)]
        if count > 1:
            yield [self.dim(f"{_note()} {comparison.seconds:.0f} s in all.")]

    def left_out(self, entry: Entry, path: str) -> list[RenderableType]:
        """Why a file takes no part, and the command that says more."""
        report = entry.report
        why = f"right, but not when timed: {entry.trouble}" if entry.trouble else f"{report.verdict}: {report.headline}"
        mark = "✗" if self.unicode else "--"
        text = textwrap.fill(safe(f"{mark} {entry.label} is left out: {why}"), self.width, subsequent_indent="  ")
        return [Text(text, style="red"), f"  kgrade test {self.comparison.problem} {safe(shlex.quote(path))}"]

    def size(self, result: SizeResult) -> list[RenderableType]:
        head = Text(words.sizes(result.sizes).replace(" ", ","), style="bold")
        found = result.standings
        if found is None:
            return [head, Text(textwrap.fill(safe(f"  not timed: {result.failed}"), self.width), style="red")]
        return [head, self.table(found.ranking, found.times), self.dim(_circumstances(result, found))]

    def table(self, ranking: Ranking, times: Sequence[Interval] = ()) -> Table:
        """One row per contender, in the given order: rank, time, ratio to the fastest, a bar, and a remark."""
        paired = len(self.comparison.timed) > 1
        bars = paired and self.bar >= LEAST_BAR
        numbers = ["time", "±"] * bool(times) + ["× best", "±"] * paired
        found = plain_table(*["#"] * paired, "file", *numbers, *[""] * (paired + bars), numbers=("#", *numbers))
        fastest = ranking.fastest
        ranks = {i: 1 + sum(map(len, ranking.groups[:g])) for g, group in enumerate(ranking.groups) for i in group}
        slowest = max(row[fastest].ratio.value for row in ranking.pairs)
        for i, name in enumerate(self.names):
            ratio, style = ranking.pairs[i][fastest].ratio, "green" if ranks[i] == 1 and paired else ""
            cells: list[str | Text] = [str(ranks[i])] if paired else []
            cells.append(Text(name, style=style))
            if times:
                cells += [words.duration(times[i].value), _spread(times[i])]
            if paired:
                cells += ["1", ""] if i == fastest else [factor(ratio.value), _spread(ratio)]
                if bars:
                    cells.append(Text(self.drawn(ratio.value / slowest), style=style or "dim"))
                cells.append(Text(_remark(ranking, i, ranks[i]), style=style))
            found.add_row(*cells)
        return found

    def drawn(self, share: float) -> str:
        return ("█" if self.unicode else "#") * max(1, round(share * self.bar))

    def dim(self, text: str) -> Text:
        return Text(textwrap.fill(text, self.width), style="dim")


def shorten(names: Sequence[str], room: int, mark: str) -> list[str]:
    """Cuts the middle out of names that are too long; leaves all as they are if two would then look the same."""
    tail = room // 2
    short = [name if len(name) <= room else f"{name[: room - tail - 1]}{mark}{name[-tail:]}" for name in names]
    return short if len(set(short)) == len(names) else list(names)


def _note() -> str:
    """The explanation of "no difference"."""
    return (
        f"Files of one rank have no difference: at most {RESOLUTION * 100:.1f} %, or less than can be told. "
        "The intervals (±) of all ratios hold at once with 99 %."
    )


def factor(ratio: float) -> str:
    """A ratio with enough digits to show 0.1 %."""
    return f"{ratio:.3f}" if ratio < 10 else f"{ratio:,.4g}" if ratio < 1e4 else f"{ratio:,.0f}"


def _spread(found: Interval) -> str:
    return words.spread(found).removeprefix("± ")


def _remark(ranking: Ranking, contender: int, rank: int) -> str:
    if contender == ranking.fastest:
        return "fastest"
    if not ranking.pairs[contender][ranking.fastest].enough:
        return "too few rounds"
    return "no difference" if rank == 1 else ""


def _circumstances(result: SizeResult, found: Standings) -> str:
    """How the times of one size were measured."""
    parts = [words.several(found.rounds, "round")]
    if found.dropped:
        parts.append(f"{found.dropped} of them dropped, for the clock changed")
    if found.clock_mhz[1]:
        parts.append(f"SM clock {words.clocks(found.clock_mhz)}")
    if result.throttled:
        parts.append(f"slowed down by {', '.join(result.throttled)}")
    return ", ".join(parts)
