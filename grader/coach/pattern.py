"""The access pattern of one warp's request, derived from the addresses of its lanes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from grader.run.emulator.counter_layout import SECTOR
from grader.run.emulator.counts import RowCounts, Sample
from grader.run.emulator.native.counting import BANK_BYTES, BANKS
from grader.run.emulator.native.matrix_access import ROW_BYTES
from grader.run.emulator.ptx.traits import MatrixRole

MOST_PADDING = 4


@dataclass(frozen=True)
class Pattern:
    """The addresses of a sample; `size` is bytes per lane, `joins` whether two bank phases may be served as one."""

    sample: Sample
    size: int
    joins: bool = False

    @cached_property
    def active(self) -> list[tuple[int, int]]:
        """(lane, offset) of the active lanes."""
        return [(lane, offset) for lane, offset in enumerate(self.sample.offsets) if offset is not None]

    @cached_property
    def steps(self) -> list[int]:
        """Distance in bytes from each active lane to the next lane, if that is active too."""
        neighbours = pairwise(self.active)
        return [b - a for (i, a), (j, b) in neighbours if j == i + 1]

    @cached_property
    def step(self) -> int | None:
        """The distance of more than half of the neighbours; None if there is none."""
        common = Counter(self.steps).most_common(1)
        return common[0][0] if common and 2 * common[0][1] > len(self.steps) else None

    @property
    def is_even(self) -> bool:
        """Whether all neighbours are the same distance apart."""
        return len(set(self.steps)) == 1

    @property
    def run(self) -> int:
        """The longest run of lanes that are adjacent in memory."""
        longest = run = 1
        for step in self.steps:
            run = run + 1 if step == self.size else 1
            longest = max(longest, run)
        return longest

    @property
    def sectors(self) -> int:
        return len({offset // SECTOR for _, offset in self.active})

    @property
    def wavefronts(self) -> int:
        return wavefronts(self.active, self.size, self.joins)

    def padding(self) -> tuple[int, int] | None:
        """(bytes per row, bytes to add to each row) that would avoid the bank conflicts of these lanes.

        The row length is guessed from the distances of neighbouring lanes; None if no padding helps.
        """
        ideal = len(phases(self.active, self.unit // BANK_BYTES, self.joins))
        low = min(offset for _, offset in self.active)
        for pitch in sorted({abs(step) for step in self.steps if abs(step) > self.unit}):
            for extra in range(self.unit, (MOST_PADDING + 1) * self.unit, self.unit):
                moved = [(lane, o + (o - low % pitch) // pitch * extra) for lane, o in self.active]
                if wavefronts(moved, self.size, self.joins) == ideal:
                    return pitch, extra
        return None

    @property
    def unit(self) -> int:
        return max(self.size, BANK_BYTES)


def pattern_of(row: RowCounts) -> Pattern | None:
    """The pattern of a row's sample; None if it has none."""
    size = width_of(row)
    return Pattern(row.sample, size, row.traits.is_load) if row.sample is not None and size else None


def width_of(row: RowCounts) -> int:
    """Bytes that one lane accesses at a time; 0 if unknown."""
    asked = row.bytes or row.shared_bytes
    if row.traits.matrix is MatrixRole.ROWS:
        return ROW_BYTES if asked else 0
    if row.traits.matrix is MatrixRole.FRAGMENT:
        return asked // (len(row.sample.offsets) * (row.requests or row.shared_requests)) if row.sample else 0
    widths = {"v2": 2, "v4": 4, "v8": 8}
    kind = next((m for m in reversed(row.modifiers) if m[0] in "busf" and m[-1].isdigit()), "")
    digits = "".join(filter(str.isdigit, kind.split("x")[0]))
    if not asked or not digits:
        return 0
    packed = 2 if kind.endswith("x2") else 1
    return int(digits) // 8 * packed * next((n for m, n in widths.items() if m in row.modifiers), 1)


def wavefronts(lanes: Sequence[tuple[int, int]], size: int, joins: bool = False) -> int:
    """Number of shared-memory wavefronts for these (lane, offset) pairs, counted as in native/counting.py."""
    unit = max(size, BANK_BYTES)
    columns = BANKS * BANK_BYTES // unit
    total = 0
    for phase in phases(lanes, unit // BANK_BYTES, joins):
        banks: dict[int, set[int]] = {}
        for _, offset in phase:
            word = offset // unit
            banks.setdefault(word % columns, set()).add(word)
        total += max(map(len, banks.values()))
    return total


def phases(lanes: Sequence[tuple[int, int]], count: int, joins: bool) -> list[list[tuple[int, int]]]:
    """Splits lanes into `count` phases and returns the nonempty ones. With `joins`, two phases are served as one if
    each lane's partner, its neighbour or the lane two apart, is idle or accesses the same offset.
    """
    width = BANKS // count
    split = [[pair for pair in lanes if pair[0] // width == number] for number in range(count)]
    found = []
    for first, second in zip(split[::2], split[1::2], strict=False):
        both = dict(first + second)
        joined = joins and any(all(both.get(lane ^ bit, o) == o for lane, o in both.items()) for bit in (1, 2))
        found += [first + second] if joined else [first, second]
    return [phase for phase in found or split if phase]
