"""Which sectors of an array the blocks of a launch touch, from those that some of them touched.

Where the sampled blocks touch the same shape at places that follow from their index, all others are computed. Elsewhere
only the amount is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grader.model.blocks import Index3

MOST_RUNS = 1 << 14
"""Runs of neighbouring sectors of one block; the closest ones of more are joined."""
TOLERANCE = 4
"""Sectors by which two blocks' shapes may differ at an end: rows need not begin with a sector."""


@dataclass(frozen=True)
class Footprint:
    """The sectors of one array that the blocks of a launch touch.

    `starts` and `ends` are the runs of a block in the middle, whose index is `origin`. `steps` are the sectors by which
    they move for each block along x, y and z; None if the blocks' shapes differ. `mean` is the number of sectors of a
    block. `apart` says that no two sampled blocks touch one sector. `written` is the share that is written. `size` is
    the array's, in sectors.
    """

    name: str
    size: int
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    origin: Index3
    steps: tuple[float, float, float] | None
    mean: float
    apart: bool
    written: float


@dataclass(frozen=True)
class Touched:
    """The sectors that one block touches in an array, as sorted runs from its first sector on."""

    index: Index3
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    sectors: int


def runs_of(sectors: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Returns the runs of neighbouring sectors, starts and ends, and the number of different sectors."""
    different = np.unique(sectors)
    cuts = np.flatnonzero(np.diff(different) > 1)
    starts = different[np.concatenate([[0], cuts + 1])]
    ends = different[np.concatenate([cuts, [len(different) - 1]])] + 1
    if len(starts) > MOST_RUNS:
        gaps = starts[1:] - ends[:-1]
        kept = np.sort(np.argsort(-gaps, kind="stable")[: MOST_RUNS - 1])
        starts, ends = starts[np.concatenate([[0], kept + 1])], ends[np.concatenate([kept, [len(ends) - 1]])]
    return starts, ends, len(different)


def fit(
    name: str, size: int, blocks: Sequence[Touched], weights: Sequence[float], middle: int, written: float
) -> Footprint:
    """The footprint of a launch from sampled blocks, of which the one at place `middle` is typical."""
    origin = blocks[middle]
    others = [other for other in blocks if other is not origin]
    mean = sum(block.sectors * weight for block, weight in zip(blocks, weights, strict=True)) / sum(weights)
    all_starts, all_ends = (np.concatenate(each) for each in zip(*((b.starts, b.ends) for b in blocks), strict=True))
    apart = len(blocks) > 1 and amount(merge(all_starts, all_ends)) >= 0.97 * int((all_ends - all_starts).sum())
    steps = _steps(origin, others)
    return Footprint(name, size, origin.starts, origin.ends, origin.index, steps, mean, apart, written)


def _steps(origin: Touched, others: Sequence[Touched]) -> tuple[float, float, float] | None:
    steps: list[float] = []
    for axis in range(3):
        along = [
            other
            for other in others
            if other.index[axis] != origin.index[axis]
            and all(other.index[a] == origin.index[a] for a in range(3) if a != axis)
        ]
        found = []
        for other in along:
            if len(other.starts) != len(origin.starts):
                continue
            moved = other.starts - origin.starts
            if int(moved.max() - moved.min()) <= TOLERANCE:
                found.append((int(moved[0]), other.index[axis] - origin.index[axis]))
        # Of an edge's block, which often has less to do, nothing is expected.
        if len(along) > 1 and len(found) < len(along) - 1:
            return None
        if along and not found:
            return None
        if not along and any(other.index[axis] != origin.index[axis] for other in others):
            return None
        far = max(found, key=lambda one: abs(one[1]), default=(0, 1))
        step = far[0] / far[1]
        if any(abs(moved - step * distance) > TOLERANCE for moved, distance in found):
            return None
        steps.append(step)
    return steps[0], steps[1], steps[2]


def union(footprint: Footprint, numbers: NDArray[np.int64], grid: Index3) -> NDArray[np.int64]:
    """Returns the sectors that these blocks touch together, as sorted runs: one row of (start, end) for each.

    Only for footprints with `steps`.
    """
    assert footprint.steps is not None
    width, height, _ = grid
    places = (numbers % width, numbers // width % height, numbers // (width * height))
    moved = np.zeros(len(numbers), np.float64)
    for place, step, from_ in zip(places, footprint.steps, footprint.origin, strict=True):
        moved += (place - from_) * step
    offsets = np.unique(np.floor(moved).astype(np.int64))
    starts, ends = _joined_shape(footprint, offsets)
    low = (offsets[:, None] + starts[None, :]).reshape(-1)
    high = (offsets[:, None] + ends[None, :]).reshape(-1)
    low, high = np.clip(low, 0, footprint.size), np.clip(high, 0, footprint.size)
    return merge(low, high)


def _joined_shape(footprint: Footprint, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The shape's runs, of which gaps that blocks before and behind fill are left out if there are too many."""
    starts, ends = footprint.starts, footprint.ends
    most = max(1, (1 << 21) // len(offsets))
    if len(starts) <= most:
        return starts, ends
    kept = np.linspace(0, len(starts) - 1, most).astype(np.int64)
    return starts[kept], ends[kept]


def merge(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sorts runs, and joins those that overlap or touch."""
    order = np.argsort(low, kind="stable")
    low, high = low[order], np.maximum.accumulate(high[order])
    fresh = np.concatenate([[True], low[1:] > high[:-1]])
    firsts = np.flatnonzero(fresh)
    lasts = np.append(firsts[1:], len(low)) - 1
    return np.stack([low[firsts], high[lasts]], axis=1)


def amount(runs: NDArray[np.int64]) -> int:
    """The sectors of all runs."""
    return int((runs[:, 1] - runs[:, 0]).sum())
