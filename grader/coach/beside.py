"""Two explained files of one problem side by side: their lines in groups that belong together, and what each costs.

Lines that both files have are matched; what stands between them is one group, of the lines of either file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import SequenceMatcher

from grader.coach.coach import Explanation
from grader.coach.lines import Totals
from grader.model.model import ModelTime


@dataclass(frozen=True)
class Side:
    """A group's lines in one file, from `start` up to `end` (exclusive, from 1), and their costs.

    `seconds` are of the model time; None where there is none. `costly` is the line that takes most of it, 0 for none.
    """

    start: int
    end: int
    totals: Totals
    seconds: float | None
    costly: int


@dataclass(frozen=True)
class Group:
    """Lines that both files have (`same`), or those that take each other's place."""

    same: bool
    first: Side
    second: Side


def groups_of(first: Explanation, second: Explanation) -> tuple[Group, ...]:
    """The groups of lines in which anything is executed, in the order of the files."""
    sides = _Costs(first), _Costs(second)
    texts = [[line.strip() for line in each.source.split("\n")] for each in (first, second)]
    found = (
        Group(same, sides[0].between(a, b), sides[1].between(c, d)) for same, a, b, c, d in _parts(texts[0], texts[1])
    )
    return tuple(group for group in found if group.first.totals.executed or group.second.totals.executed)


def totals_of(explanation: Explanation) -> Totals:
    """The counts of all kernels."""
    return sum_of(kernel.totals for kernel in explanation.kernels)


def sum_of(parts: Iterable[Totals]) -> Totals:
    """The sum of counts."""
    found = list(parts)
    return Totals(**{field.name: sum(getattr(one, field.name) for one in found) for field in fields(Totals)})


class _Costs:
    """A file's counts and model time by line."""

    def __init__(self, explanation: Explanation) -> None:
        self._lines: dict[int, list[Totals]] = {}
        for kernel in explanation.kernels:
            for line in kernel.lines:
                self._lines.setdefault(line.line, []).append(line.totals)
        self._seconds = _seconds_by_line(explanation.model)

    def between(self, start: int, end: int) -> Side:
        """The lines from `start` up to `end`, counted from 0."""
        numbers = range(start + 1, end + 1)
        totals = sum_of(one for number in numbers for one in self._lines.get(number, ()))
        if self._seconds is None:
            costly = max(numbers, key=lambda number: sum_of(self._lines.get(number, ())).executed, default=0)
            return Side(start + 1, end + 1, totals, None, costly)
        seconds = self._seconds
        costly = max(numbers, key=lambda number: seconds.get(number, 0.0), default=0)
        return Side(start + 1, end + 1, totals, sum(seconds.get(number, 0.0) for number in numbers), costly)


def _seconds_by_line(model: ModelTime | None) -> Mapping[int, float] | None:
    if model is None or model.seconds is None:
        return None
    found: dict[int, float] = {}
    for time, launches in model.kernels:
        for line, seconds in time.lines.items():
            found[line] = found.get(line, 0.0) + seconds * launches
    return found


def _parts(first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Yields (whether both have these lines, first's start and end, second's start and end)."""
    for tag, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        yield tag == "equal", a, b, c, d
