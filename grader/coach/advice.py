"""Advice on one kernel, ranked by what it would gain; and what was looked at and found good.

Every sentence follows from counted numbers, which it names. What is rare or small is left out, not guessed at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.coach.lines import LineCounts, Totals
from grader.coach.target import Resources
from grader.run.emulator.counts import ArrayCounts

SECTOR_CYCLES = 0.5
WAVEFRONT_CYCLES = 1.0
INSTRUCTION_CYCLES = 0.25
"""What a multiprocessor takes for each: 64 bytes a cycle from L2 (two sectors), one wavefront of shared memory or turn
of an atomic a cycle, four warp instructions a cycle (Nsight Compute's documentation, "Hardware Model"; the same from
Volta on)."""


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
