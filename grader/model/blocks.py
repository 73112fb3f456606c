"""Which blocks of a launch stand for all of them, and for how many each stands.

Blocks at the end of an axis often have less to do, so each kind of edge is a class of its own. Within a class the
blocks lie symmetrically about its middle: their mean is exact where the work grows evenly along an axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod

Index3 = tuple[int, int, int]

SUMS = (
    *("executed", "threads", "requests", "sectors", "shared_requests", "wavefronts", "turns", "bytes"),
    *("ideal_sectors", "ideal_wavefronts", "words"),
)
"""What is counted of each row of each sampled block, by the names of RowCounts."""
ALL = 16
"""Launches of at most this many blocks run whole."""
UNLIKE = 1.25
"""Blocks whose work differs by this factor do different things."""


RUN = 24
"""Blocks along an axis on which blocks do unlike work: a multiple of the periods that kernels have."""
_FRACTIONS = (0.7548776662466927, 0.5698402909980532, 0.6180339887498949)
"""By which places on the other axes go on: a sequence that fills them evenly (Roberts, "The Unreasonable Effectiveness
of Quasirandom Sequences", 2018)."""


@dataclass(frozen=True)
class Chosen:
    """A block to run: `index` by x, y and z, `number` in the grid, and how many blocks it stands for."""

    number: int
    index: Index3
    weight: float


def choose_blocks(grid: Index3) -> tuple[Chosen, ...]:
    """Returns the blocks to run, in the order of their numbers; their weights add up to the blocks of the grid."""
    total = prod(grid)
    if total <= ALL:
        return tuple(Chosen(n, index_of(n, grid), 1.0) for n in range(total))
    if max(grid) == total:
        numbers = sorted({0, *((2 * part + 1) * (total - 1) // 10 for part in range(5)), total - 1})
        return with_shares(numbers, grid)
    found: dict[Index3, float] = {}
    for edges in product(*((False, True) if size > 1 else (False,) for size in grid)):
        # The blocks that are last in exactly these axes.
        sizes = [1 if last else max(size - 1, 1) for size, last in zip(grid, edges, strict=True)]
        spread = [0 if last else size for last, size in zip(edges, sizes, strict=True)]
        places = _across(spread, points=3)
        inner = [
            tuple(size - 1 if last else at for size, last, at in zip(grid, edges, place, strict=True))
            for place in places
        ]
        own = list(dict.fromkeys(inner)) if not any(edges) else [inner[0]]
        for index in own:
            x, y, z = index
            found[x, y, z] = found.get((x, y, z), 0.0) + prod(sizes) / len(own)
    chosen = (Chosen(_number(index, grid), index, weight) for index, weight in found.items())
    return tuple(sorted(chosen, key=lambda one: one.number))


def next_block(work: Mapping[int, float]) -> int | None:
    """The block to run next, from what those that ran did, by number, in a grid along one axis; None for enough.

    Where neighbours of the sample do very different work, the first block of the other kind is looked for.
    """
    numbers = sorted(work)
    for low, high in pairwise(numbers):
        if high - low > 1 and max(work[low], work[high]) > UNLIKE * min(work[low], work[high]):
            return (low + high) // 2
    return None


def unlike_axis(work: Mapping[Index3, float]) -> int | None:
    """The axis along which blocks that differ in nothing else do the most different work; None if they do the same."""
    worst, found = UNLIKE, None
    for axis in range(3):
        rows: dict[Index3, list[float]] = {}
        for index, amount in work.items():
            x, y, z = (0 if a == axis else at for a, at in enumerate(index))
            rows.setdefault((x, y, z), []).append(amount)
        for row in rows.values():
            if max(row) > worst * min(row):
                worst, found = max(row) / max(min(row), 1e-9), axis
    return found


def along_axis(grid: Index3, axis: int) -> tuple[Chosen, ...]:
    """Blocks that stand for all of a grid whose blocks along this axis do unlike work.

    They lie evenly along it, and their places have all remainders that a period may have.
    """
    count = min(RUN, grid[axis])
    found = {}
    for k in range(count):
        near = (2 * k + 1) * grid[axis] // (2 * count)
        at = near - (near - k) % count
        at += 0 if at >= 0 else count
        at -= 0 if at < grid[axis] else count
        x, y, z = (
            at if a == axis else int((k + 1) * fraction % 1.0 * size)
            for a, (size, fraction) in enumerate(zip(grid, _FRACTIONS, strict=True))
        )
        found[_number((x, y, z), grid)] = (x, y, z)
    weight = prod(grid) / len(found)
    return tuple(Chosen(number, index, weight) for number, index in sorted(found.items()))


def shares(numbers: Sequence[int], total: int) -> list[float]:
    """How many blocks of a grid along one axis each of these stands for: those that are nearest to it."""
    found = []
    for place, number in enumerate(numbers):
        low = 0.0 if not place else (numbers[place - 1] + number + 1) / 2
        high = float(total) if place + 1 == len(numbers) else (number + numbers[place + 1] + 1) / 2
        found.append(high - low)
    return found


def _across(sizes: Sequence[int], points: int) -> list[Index3]:
    """The middle, then `points` - 1 places along each axis, each in the middle of its part."""
    middle = [size // 2 for size in sizes]
    places = [tuple(middle)]
    for axis, size in enumerate(sizes):
        if size > 1:
            for part in range(points):
                at = min((2 * part + 1) * size // (2 * points), size - 1)
                places.append((*middle[:axis], at, *middle[axis + 1 :]))
    return [(x, y, z) for x, y, z in places]


def with_shares(numbers: Sequence[int], grid: Index3) -> tuple[Chosen, ...]:
    """These blocks of a grid along one axis, with their shares of it."""
    weights = shares(numbers, prod(grid))
    return tuple(Chosen(n, index_of(n, grid), weight) for n, weight in zip(numbers, weights, strict=True))


def index_of(number: int, grid: Index3) -> Index3:
    """The index of a block by x, y and z."""
    return number % grid[0], number // grid[0] % grid[1], number // (grid[0] * grid[1])


def _number(index: Index3, grid: Index3) -> int:
    return index[0] + grid[0] * (index[1] + grid[1] * index[2])
