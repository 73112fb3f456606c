"""How soon the sectors of a block are touched again, and how much else is touched in between.

From the reuse times of a trace follows the mean footprint of all windows of a length (Xiang et al., "HOTL: a higher
order theory of locality", ASPLOS 2013), and from that the distance of each reuse. The numbers hold for a cache of any
size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST = 1 << 18
"""Touches that are looked at, from the first one on."""
SECTORS = 4
"""Of a line of 128 bytes. L1 keeps a place for a line, whatever was touched of it."""
COLD = -1
"""The bin of touches of what was never touched before."""


@dataclass(frozen=True)
class Reuse:
    """`footprints`: by bin, the mean number of sectors among as many touches as lie between two of one sector; `lines`
    those of lines.

    `rows`: by row and bin, the number of touches. A bin is half an octave of reuse times. `followers`: by row, how many
    touches are a warp's first of a sector that another one has touched for the first time in the same turn, or the one
    before: what that fetches both wait for.
    """

    footprints: tuple[float, ...]
    lines: tuple[float, ...]
    rows: dict[int, dict[int, int]]
    followers: dict[int, int]


def in_turns(warps: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order in which touches happen if the warps take turns; the trace has them as the emulator runs them."""
    by_warp = np.argsort(warps, kind="stable")
    sorted_warps = warps[by_warp]
    starts = np.flatnonzero(np.concatenate([[True], sorted_warps[1:] != sorted_warps[:-1]]))
    lengths = np.diff(np.append(starts, len(warps)))
    turn = np.empty(len(warps), np.int64)
    turn[by_warp] = np.arange(len(warps)) - np.repeat(starts, lengths)
    return np.lexsort((warps, turn))


def reuse_of(sectors: NDArray[np.int64], rows: NDArray[np.int64], warps: NDArray[np.int64]) -> Reuse:
    """The reuse in a trace, whose touches are in the order of time."""
    sectors, rows, warps = sectors[:MOST], rows[:MOST], warps[:MOST]
    count = len(sectors)
    if not count:
        return Reuse((), (), {}, {})
    times, first, last = _times(sectors)
    bins = np.where(times > 0, _bin_of(times), COLD)
    footprints = _footprints(np.sort(times[times > 0]), first, last, count)
    of_lines, first, last = _times(sectors // SECTORS)
    lines = _footprints(np.sort(of_lines[of_lines > 0]), first, last, count)
    keys, amounts = np.unique(rows * 256 + (bins - COLD), return_counts=True)
    found: dict[int, dict[int, int]] = {}
    for key, amount in zip(keys.tolist(), amounts.tolist(), strict=True):
        found.setdefault(key // 256, {})[key % 256 + COLD] = amount
    followers, amounts = np.unique(rows[_followers(sectors, warps)], return_counts=True)
    return Reuse(footprints, lines, found, dict(zip(followers.tolist(), amounts.tolist(), strict=True)))


def _followers(sectors: NDArray[np.int64], warps: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of touches that find a sector on its way, because another warp has just asked for it."""
    _, begins, of_touch = np.unique(sectors, return_index=True, return_inverse=True)
    _, own = np.unique(of_touch * (1 << 8) + warps, return_index=True)
    since = own - begins[of_touch[own]]
    found: NDArray[np.int64] = own[(since > 0) & (since < 2 * len(np.unique(warps)))]
    return found


def _times(touched: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Of each touch the time since the one before of the same, 0 without one; the sorted times from the trace's
    beginning to the first touch of each, and from the last one to its end."""
    count = len(touched)
    order = np.argsort(touched, kind="stable")
    again = touched[order][1:] == touched[order][:-1]
    times = np.zeros(count, np.int64)
    times[order[1:][again]] = (order[1:] - order[:-1])[again]
    first = np.sort(order[np.concatenate([[True], ~again])] + 1)
    last = np.sort(count - order[np.concatenate([~again, [True]])])
    return times, first, last


def _bin_of(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Half octaves: 1, 2, 3, 4, 6, 8, 12, … begin a bin each."""
    return np.searchsorted(_EDGES, times, side="right") - 1


_EDGES = np.array(sorted({n << k for k in range(MOST.bit_length()) for n in (2, 3)} | {1}), np.int64)


def _footprints(
    times: NDArray[np.int64], first: NDArray[np.int64], last: NDArray[np.int64], count: int
) -> tuple[float, ...]:
    """The mean footprint of windows as long as the times in each bin, by Xiang's formula in whole numbers."""
    found = []
    sums = [np.concatenate([[0], np.cumsum(each)]) for each in (times, first, last)]
    for edge in _EDGES.tolist():
        if edge >= count:
            break
        window = edge
        missed = 0
        for each, total in zip((times, first, last), sums, strict=True):
            place = int(np.searchsorted(each, window, side="right"))
            missed += int(total[-1] - total[place]) - window * (len(each) - place)
        found.append(len(first) - missed / (count - window + 1))
    return tuple(found)
