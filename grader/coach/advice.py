"""The data that checks work on: advice on a kernel, and the counts that it is based on.

Every piece of advice follows from counts and quotes them; rare or small effects are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.coach.lines import LineCounts, Totals
from grader.coach.target import Resources
from grader.model.change import Change
from grader.run.emulator.counts import ArrayCounts

SECTOR_CYCLES = 0.5
WAVEFRONT_CYCLES = 1.0
INSTRUCTION_CYCLES = 0.25
"""SM cycles per item: 64 bytes per cycle from L2 (two sectors), one shared-memory wavefront or turn of an atomic per
cycle, four warp instructions per cycle (Nsight Compute's documentation, "Hardware Model"; the same since Volta)."""


WORDS: Mapping[str, str] = {
    "uncoalesced": "coalescing",
    "reuse": "tiling",
    "wide_access": "vectorised access",
    "bank_conflict": "bank conflict",
    "contention": "contended atomics",
    "privatisation": "privatised atomics",
    "divergence": "divergence",
    "partial_warp": "partial warp",
    "occupancy": "occupancy",
    "register_blocking": "register blocking",
    "tensor_cores": "tensor cores",
    "wgmma": "wgmma and TMA",
    "double_buffering": "double buffering",
    "loads_ahead": "instruction-level parallelism",
    "barriers": "barriers",
    "shuffles": "warp shuffles",
    "vector_shared": "vectorised shared loads",
    "small_grid": "small grid",
    "tail": "tail effect",
    "block_order": "L2 reuse",
    "fusion": "kernel fusion",
}
"""What the field calls a change, by the advice's kind."""


@dataclass(frozen=True)
class Tried:
    """The model time in seconds of all launches on a GPU, as they are and with a change."""

    gpu: str
    before: float
    after: float

    @property
    def saved(self) -> float:
        """The part of the time that the change saves."""
        return 1 - self.after / self.before


@dataclass(frozen=True)
class Advice:
    """One thing to change. `kind` names the check, `line` is the source line; `gain` is in SM cycles by the counts.

    `gain` is None if counts can't tell; `share` is the gain divided by the cycles of all counted work. `change` is what
    it would do to a launch in the model of time, and `tried` what that gains; None where there is no model time.
    """

    kind: str
    line: int | None
    message: str
    remedy: str
    gain: float | None = None
    share: float | None = None
    change: Change | None = None
    tried: Tried | None = None

    @property
    def word(self) -> str:
        """The field's term for this kind of advice, such as coalescing."""
        return WORDS[self.kind]


@dataclass(frozen=True)
class Subject:
    """The counts of one kernel, on which advice is based. `threads` is the number of threads per block.

    `row_lengths` holds the elements per row of the problem's arrays with more than one dimension.
    """

    lines: Sequence[LineCounts]
    arrays: Sequence[ArrayCounts]
    totals: Totals
    resources: Resources | None
    threads: int
    row_lengths: Mapping[str, int]

    @property
    def cycles(self) -> float:
        """SM cycles of all counted work if nothing overlaps."""
        totals = self.totals
        moved, shared = totals.sectors * SECTOR_CYCLES, (totals.wavefronts + totals.turns) * WAVEFRONT_CYCLES
        return moved + shared + totals.executed * INSTRUCTION_CYCLES

    def array(self, name: str) -> ArrayCounts | None:
        return next((array for array in self.arrays if array.name == name), None)


Check = Callable[[Subject], Iterator[Advice]]
