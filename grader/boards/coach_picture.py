"""The picture of one warp's request: its lanes, and the sectors or banks that they access.

It computes coordinates; the template draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from grader.boards.words import several
from grader.coach.pattern import Pattern, pattern_of
from grader.run.emulator.counter_layout import SECTOR
from grader.run.emulator.counts import RowCounts
from grader.run.emulator.native.counting import BANK_BYTES, BANKS

WIDTH = 576.0
LANE = WIDTH / 32
GAP = 6.0
WIDEST_SECTOR = 64.0
CELL = 18.0


@dataclass(frozen=True)
class Box:
    """A lane, a sector or a word of a bank: its position and tooltip. `marked` highlights one that costs extra."""

    x: float
    y: float
    width: float
    label: str
    title: str
    marked: bool = False


@dataclass(frozen=True)
class Picture:
    """One request. `lines` connect lanes with sectors; a picture of banks has none."""

    title: str
    description: str
    height: float
    lanes: tuple[Box, ...]
    boxes: tuple[Box, ...]
    lines: tuple[tuple[float, float], ...] = ()
    labels: tuple[Box, ...] = ()


@dataclass(frozen=True)
class AccessPicture:
    """A picture and the instruction that it shows."""

    line: int
    row: RowCounts
    cost: str
    picture: Picture


def draw(row: RowCounts) -> AccessPicture | None:
    """The picture of an instruction's sample; None if it has none."""
    pattern = pattern_of(row)
    if pattern is None:
        return None
    if row.requests:
        each, least = row.sectors / row.requests, row.ideal_sectors / row.requests
        cost = f"sectors a request: {each:.4g}, {least:.4g} would do"
        return AccessPicture(row.line, row, cost, _sectors(row, pattern))
    each, least = row.wavefronts / row.shared_requests, row.ideal_wavefronts / row.shared_requests
    cost = f"wavefronts a request: {each:.4g}, {least:.4g} would do"
    return AccessPicture(row.line, row, cost, _banks(row, pattern))


def _which(pattern: Pattern) -> str:
    return f"Warp {pattern.sample.warp} of block {pattern.sample.block}"


def _sectors(row: RowCounts, pattern: Pattern) -> Picture:
    """Lanes above, sectors below in the order of their addresses, with gaps between sectors that are not adjacent."""
    touched: dict[int, list[int]] = {}
    for lane, offset in pattern.active:
        touched.setdefault(offset // SECTOR, []).append(lane)
    order = sorted(touched)
    gaps = sum(b != a + 1 for a, b in pairwise(order))
    width = min(WIDEST_SECTOR, (WIDTH - gaps * GAP) / len(order))
    left = (WIDTH - len(order) * width - gaps * GAP) / 2
    places: dict[int, float] = {}
    for position, sector in enumerate(order):
        left += GAP if position and sector != order[position - 1] + 1 else 0.0
        places[sector] = left
        left += width
    boxes = []
    for sector in order:
        lanes, first = touched[sector], sector * SECTOR
        used = len({byte for _, o in pattern.active if o // SECTOR == sector for byte in range(o, o + pattern.size)})
        title = f"bytes {first:,} to {first + SECTOR - 1:,}: {used} of {SECTOR} used, by {_lanes(lanes)}"
        boxes.append(Box(places[sector], 110.0, width, "", title, used < SECTOR))
    lines = tuple(
        (LANE * (lane + 0.5), places[o // SECTOR] + width * (o % SECTOR + pattern.size / 2) / SECTOR)
        for lane, o in pattern.active
    )
    name = row.array or "global memory"
    description = f"{_which(pattern)} touches {several(len(order), 'sector')} of {SECTOR} bytes of {name}."
    ends = (
        Box(places[order[0]], 150.0, width, f"byte {order[0] * SECTOR:,}", ""),
        Box(places[order[-1]] + width, 166.0, width, f"byte {(order[-1] + 1) * SECTOR:,}", ""),
    )
    title = f"Line {row.line}: lanes and sectors of {name}"
    return Picture(title, description, 174.0, _lane_boxes(pattern), tuple(boxes), lines, ends)


def _banks(row: RowCounts, pattern: Pattern) -> Picture:
    """Banks as columns, each with a stack of the different words that lanes access in it, by phase."""
    per_phase = BANKS * BANK_BYTES // pattern.unit
    words_each = pattern.unit // BANK_BYTES
    boxes: list[Box] = []
    top = 24.0
    for phase in range(32 // per_phase):
        lanes = [(lane, o) for lane, o in pattern.active if lane // per_phase == phase]
        stacks: dict[int, dict[int, list[int]]] = {}
        for lane, offset in lanes:
            for part in range(words_each):
                word = offset // pattern.unit * words_each + part
                stacks.setdefault(word % BANKS, {}).setdefault(word, []).append(lane)
        for bank, words in stacks.items():
            for level, (word, users) in enumerate(words.items()):
                title = f"bank {bank}, word {word:,}: {_lanes(users)}"
                boxes.append(Box(bank * CELL, top + level * CELL, CELL, str(users[0]), title, level > 0))
        top += CELL * max((len(words) for words in stacks.values()), default=0) + GAP * bool(lanes)
    name = row.shared_array or "shared memory"
    ways = pattern.wavefronts
    description = (
        f"{_which(pattern)} asks the {BANKS} banks of {name} for words in {several(ways, 'wavefront')}. "
        "A box is a word, with the number of its first lane; words that stand below another wait for it."
    )
    title = f"Line {row.line}: banks of {name}"
    labels = tuple(Box(bank * CELL, 14.0, CELL, str(bank) if bank else "bank 0", "") for bank in range(0, BANKS, 4))
    return Picture(title, description, top, (), tuple(boxes), (), labels)


def _lane_boxes(pattern: Pattern) -> tuple[Box, ...]:
    return tuple(
        Box(LANE * lane, 24.0, LANE, str(lane), f"lane {lane}: byte {offset:,}") for lane, offset in pattern.active
    )


def _lanes(lanes: list[int]) -> str:
    if len(lanes) == 1:
        return f"lane {lanes[0]}"
    if lanes == list(range(lanes[0], lanes[-1] + 1)):
        return f"lanes {lanes[0]} to {lanes[-1]}"
    return f"lanes {', '.join(map(str, lanes))}"
