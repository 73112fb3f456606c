"""How the lanes of one warp's request lie to each other, read off their addresses."""

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
    """A sample's addresses; `size` is the bytes of a lane, `joins` whether phases through the banks may be one."""

    sample: Sample
    size: int
    joins: bool = False

    @cached_property
    def active(self) -> list[tuple[int, int]]:
        """(lane, offset) of the lanes that take part."""
        return [(lane, offset) for lane, offset in enumerate(self.sample.offsets) if offset is not None]

    @cached_property
    def steps(self) -> list[int]:
        """Bytes from each lane to its neighbour, where both take part."""
        neighbours = pairwise(self.active)
        return [b - a for (i, a), (j, b) in neighbours if j == i + 1]

    @cached_property
    def step(self) -> int | None:
        """The distance of most neighbours; None where no distance is that of more than half of them."""
        common = Counter(self.steps).most_common(1)
        return common[0][0] if common and 2 * common[0][1] > len(self.steps) else None

    @property
    def is_even(self) -> bool:
        """Whether all neighbours are the same distance apart."""
        return len(set(self.steps)) == 1

    @property
    def run(self) -> int:
        """The most lanes in a row that are neighbours in memory too."""
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
        """(bytes of a row, bytes to add to each row) that would leave these lanes without a conflict.

        Rows are taken to be as long as a distance that two neighbouring lanes have; None where no such padding helps.
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
    """The pattern of a row's sample; None where it has none."""
    size = width_of(row)
    return Pattern(row.sample, size, row.traits.is_load) if row.sample is not None and size else None


def width_of(row: RowCounts) -> int:
    """The bytes that a lane asks for at a time."""
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
    """Passes through the banks that these lanes take, as native/counting.py counts them."""
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
    """Those of `count` phases that have lanes. Where it `joins` them, two are one in which each lane's partner, a
    neighbour or the lane two apart, is idle or asks for the same.
    """
    width = BANKS // count
    split = [[pair for pair in lanes if pair[0] // width == number] for number in range(count)]
    found = []
    for first, second in zip(split[::2], split[1::2], strict=False):
        both = dict(first + second)
        joined = joins and any(all(both.get(lane ^ bit, o) == o for lane, o in both.items()) for bit in (1, 2))
        found += [first + second] if joined else [first, second]
    return [phase for phase in found or split if phase]
