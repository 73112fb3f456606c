"""Prints two explained files side by side for a terminal of 80 columns: what each costs, then their lines in groups."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.boards.words import duration, sizes
from grader.coach.beside import Group, Side, groups_of, totals_of
from grader.coach.coach import Explanation
from grader.model.kernel import WORDS
from grader.model.model import ModelTime
from grader.terminal.bench import factor
from grader.terminal.console import safe
from grader.terminal.explain import short
from grader.terminal.model_time import between, heading
from grader.terminal.table import plain_table

NAMES = ("A", "B")
_ROOM = 47
"""Characters of a line that the columns before the text take."""


def print_beside(first: Explanation, second: Explanation, console: Console) -> None:
    """Prints both; the first is called A and the second B."""
    both = first, second
    console.print(Text(f"{safe(first.title)}: counts with {sizes(first.sizes).replace(' ', ',')}", style="bold"))
    for name, each in zip(NAMES, both, strict=True):
        console.print(Text(f"  {name}  {safe(each.file)}"), soft_wrap=True)
    console.print()
    for line in _verdict(both):
        console.print(Text(textwrap.fill(line, console.width, initial_indent="  ", subsequent_indent="    ")))
    console.print()
    console.print(_summary(both))
    groups = groups_of(first, second)
    if groups:
        console.print()
        console.print(Text("Lines that both have are one group, and so is what takes their place.", style="dim"))
        console.print(_lines(groups, both, console.width))


def _verdict(both: Sequence[Explanation]) -> list[str]:
    """What the model says of both: who is faster, or why it is not known."""
    models = [each.model for each in both]
    lines = []
    for name, model in zip(NAMES, models, strict=True):
        if model is not None and model.seconds is None:
            lines.append(f"{name} has no model time: {safe(model.why_not)}")
    first, second = models
    if first is not None and second is not None and first.seconds and second.seconds:
        quick, slow = (0, 1) if first.seconds <= second.seconds else (1, 0)
        times = [first.seconds, second.seconds]
        told = f"{NAMES[quick]} takes {duration(times[quick])}, {NAMES[slow]} {duration(times[slow])}"
        lines.append(f"{heading(first)}: {told}")
        if times[quick] < times[slow]:
            lines[-1] += f", {factor(times[slow] / times[quick])} times as long"
    return lines


def _summary(both: Sequence[Explanation]) -> Table:
    table = plain_table("", *NAMES, numbers=NAMES)
    for name, cells in _rows(both):
        if any(cells):
            table.add_row(f"  {name}", *cells)
    return table


def _rows(both: Sequence[Explanation]) -> list[tuple[str, list[str]]]:
    totals = [totals_of(each) for each in both]
    resources = [[kernel.resources for kernel in each.kernels if kernel.resources] for each in both]
    return [
        ("model time", [_time(each.model) for each in both]),
        ("bound by", [WORDS.get(each.model.bound, "") if each.model else "" for each in both]),
        ("kernels", [", ".join(f"{k.launches} launches" if k.launches > 1 else "1" for k in e.kernels) for e in both]),
        ("instructions", [f"{one.executed:,}" for one in totals]),
        ("global bytes", [f"{one.moved:,}" if one.requests else "" for one in totals]),
        ("shared wavefronts", [f"{one.wavefronts:,}" if one.shared_requests else "" for one in totals]),
        ("  for conflicts", [_conflicts(one.wavefronts - one.ideal_wavefronts) for one in totals]),
        ("barriers", [f"{one.barriers:,}" if one.barriers else "" for one in totals]),
        ("FLOP a byte", [f"{one.intensity:.3g}" if one.flops and one.intensity else "" for one in totals]),
        ("registers", [", ".join(str(one.registers) for one in each) for each in resources]),
        ("occupancy", [", ".join(f"{one.occupancy:.0%}" for one in each) for each in resources]),
    ]


def _conflicts(more: int) -> str:
    return f"{more:,}" if more > 0 else ""


def _time(model: ModelTime | None) -> str:
    if model is None:
        return ""
    return "none" if model.seconds is None else between(model.seconds, model.low, model.high)


def _lines(groups: Sequence[Group], both: Sequence[Explanation], width: int) -> Table:
    """A row for each side of a group, with the line that costs most; coloured where the sides differ."""
    numbers = ("lines", "instr", "bytes", "waves", "model")
    table = plain_table("", *numbers, "", numbers=numbers, whole=numbers)
    for group in groups:
        # Their model times may differ all the same, by what else is resident or waits.
        equal = group.same and group.first.totals == group.second.totals
        for name, side, own in zip(NAMES, (group.first, group.second), both, strict=True):
            if side.start == side.end and not side.totals.executed:
                continue
            text = own.source.split("\n")[side.costly - 1].strip() if side.costly else ""
            style = "" if equal else "yellow" if name == "A" else "cyan"
            shown = Text(safe(text)[: max(width - _ROOM, 8)], style="dim", no_wrap=True)
            mark = f"{name} =" if group.same else name
            table.add_row(Text(mark, style=style), *_cells(side), shown)
    return table


def _cells(side: Side) -> list[str]:
    totals = side.totals
    where = str(side.start) if side.end == side.start + 1 else f"{side.start}-{side.end - 1}"
    return [
        where,
        short(totals.executed),
        short(totals.moved) if totals.requests else "",
        short(totals.wavefronts) if totals.shared_requests else "",
        duration(side.seconds) if side.seconds else "",
    ]
