"""Adds up counts by source line and for a whole kernel, and computes its arithmetic intensity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from grader.run.emulator.counter_layout import SECTOR
from grader.run.emulator.counts import ArrayCounts, LaunchCounts, RowCounts
from grader.run.emulator.ptx.operations import operations_of
from grader.run.emulator.ptx.traits import Barrier, Memory


@dataclass(frozen=True)
class Totals:
    """Sums over instructions; names are as in RowCounts. `flops` counts the threads' floating-point operations.

    `copies` counts the global requests of asynchronous copies to shared memory.
    """

    executed: int = 0
    threads: int = 0
    flops: int = 0
    requests: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    bytes: int = 0
    shared_requests: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    shared_bytes: int = 0
    turns: int = 0
    branches: int = 0
    divergent: int = 0
    barriers: int = 0
    copies: int = 0

    @property
    def moved(self) -> int:
        """Bytes of the whole sectors requested from global memory."""
        return self.sectors * SECTOR

    @property
    def intensity(self) -> float | None:
        """Floating-point operations per byte moved; None if nothing is moved."""
        return self.flops / self.moved if self.moved else None

    @property
    def lanes(self) -> float:
        """Average number of active lanes per instruction."""
        return self.threads / self.executed if self.executed else 0.0


@dataclass(frozen=True)
class LineCounts:
    """The counts of one source line; `ways` is its worst bank conflict."""

    line: int
    totals: Totals
    ways: int
    rows: tuple[RowCounts, ...]


def is_branch(row: RowCounts) -> bool:
    return row.traits.branches and "uni" not in row.modifiers


def flops_of(row: RowCounts) -> int:
    """Floating-point operations of one thread executing this once, or its share of a warp's matrix product."""
    return operations_of(row.traits, row.modifiers)


def total(rows: Iterable[RowCounts]) -> Totals:
    """The sum of these rows."""
    sums = dict.fromkeys((f.name for f in fields(Totals)), 0)
    for row in rows:
        for name in sums:
            sums[name] += getattr(row, name, 0)
        sums["flops"] += flops_of(row) * row.threads
        sums["branches"] += row.executed if is_branch(row) else 0
        sums["copies"] += row.requests if row.traits.memory is Memory.COPY else 0
        sums["barriers"] += row.executed if row.traits.barrier is Barrier.BLOCK else 0
    return Totals(**sums)


def by_line(counts: LaunchCounts) -> tuple[LineCounts, ...]:
    """The counts of every line with executed instructions, in order."""
    lines: dict[int, list[RowCounts]] = {}
    for row in counts.rows:
        if row.line:
            lines.setdefault(row.line, []).append(row)
    return tuple(
        LineCounts(line, total(rows), max(row.ways for row in rows), tuple(rows))
        for line, rows in sorted(lines.items())
        if any(row.executed for row in rows)
    )


def reads_of(array: ArrayCounts) -> float | None:
    """How often each byte of the array that is read is read on average; None if unknown."""
    return array.load_bytes / array.distinct_bytes if array.distinct_bytes else None


def refetch_ratio(array: ArrayCounts) -> float | None:
    """How often a block fetches each sector of the array that it reads, on average; None if unknown."""
    return array.load_sectors / array.block_sectors if array.block_sectors else None
