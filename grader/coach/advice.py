"""Advice on one kernel, ranked by what it would gain; and what was looked at and found good.

Every sentence follows from counted numbers, which it names. What is rare or small is left out, not guessed at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.coach.lines import LineCounts, Totals
from grader.coach.target import Resources
from grader.run.emulator.counts import ArrayCounts

SECTOR_CYCLES = 0.5
WAVEFRONT_CYCLES = 1.0
INSTRUCTION_CYCLES = 0.25
"""What a multiprocessor takes for each: 64 bytes a cycle from L2 (two sectors), one wavefront of shared memory or turn
of an atomic a cycle, four warp instructions a cycle (Nsight Compute's documentation, "Hardware Model"; the same from
Volta on)."""

LEAST_SHARE = 0.02
"""Of the cycles of all counted work; advice that gains less is left out."""


@dataclass(frozen=True)
class Advice:
    """One thing to change. `kind` names it, `line` is where; `gain` is in cycles of a multiprocessor by the counts.

    `gain` is None where counts can't tell; `share` is the gain by the cycles of all counted work.
    """

    kind: str
    line: int | None
    message: str
    remedy: str
    gain: float | None = None
    share: float | None = None


@dataclass(frozen=True)
class Subject:
    """What advice is given on: one kernel's counts. `threads` are those of a block.

    `row_lengths` are the elements in a row of those arrays of the problem that have rows.
    """

    lines: Sequence[LineCounts]
    arrays: Sequence[ArrayCounts]
    totals: Totals
    resources: Resources | None
    threads: int
    row_lengths: Mapping[str, int]

    @property
    def cycles(self) -> float:
        """What all counted work takes if nothing overlaps."""
        totals = self.totals
        moved, shared = totals.sectors * SECTOR_CYCLES, (totals.wavefronts + totals.turns) * WAVEFRONT_CYCLES
        return moved + shared + totals.executed * INSTRUCTION_CYCLES

    def array(self, name: str) -> ArrayCounts | None:
        return next((array for array in self.arrays if array.name == name), None)


Check = Callable[[Subject], Iterator[Advice]]


@dataclass(frozen=True)
class Review:
    """All that there is to say: advice, the best first, and sentences on what is good."""

    advice: tuple[Advice, ...]
    good: tuple[str, ...]


def review(subject: Subject) -> Review:
    """Every check's advice, and of each check that has none what it found."""
    from grader.coach.checks import CHECKS

    found: list[Advice] = []
    good: list[str] = []
    for check, praise in CHECKS:
        own = [_weighed(one, subject) for one in _joined(list(check(subject)))]
        own = [one for one in own if one.share is None or one.share >= LEAST_SHARE]
        found += own
        if not own and (words := praise(subject)):
            good.append(words)
    return Review(tuple(sorted(found, key=lambda one: (one.gain is None, -(one.gain or 0)))), tuple(good))


def _joined(found: Sequence[Advice]) -> Iterator[Advice]:
    """Advice of which several lines have the same, given once."""
    same: dict[tuple[str, str], list[Advice]] = {}
    for one in found:
        same.setdefault((one.message, one.remedy), []).append(one)
    for group in same.values():
        first, *others = group
        if not others:
            yield first
            continue
        lines = ", ".join(str(one.line) for one in others)
        message = f"{first.message}; the same in line {lines}"
        gain = None if first.gain is None else sum(one.gain or 0.0 for one in group)
        yield replace(first, message=message, gain=gain)


def _weighed(one: Advice, subject: Subject) -> Advice:
    if one.gain is None or not subject.cycles:
        return one
    return replace(one, share=one.gain / subject.cycles)
