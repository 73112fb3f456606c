"""Which memory serves a launch's accesses: L1, L2 or DRAM, and how many bytes each moves.

L1 holds what a reuse's distance leaves room for, beside shared memory and shared by the blocks of an SM. L2 holds what
the blocks that run at once touch: each of such waves fetches what is not left from the wave before, and again what its
own blocks come back to after all of them have touched more than L2 has room for. Inputs are not in L2 when a launch
begins, as in kgrade's timing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grader.model.calibration import Calibration, calibration_of
from grader.model.footprint import Footprint, amount, merge, union
from grader.model.gpus import ModelGpu
from grader.model.sampling import LaunchSample, Row
from grader.run.emulator.ptx.traits import Memory

SECTOR, LINE = 32, 128
SEVERAL = 2.5
"""Stores of a sector, from which on the later ones complete what the first ones began."""
WAVES = 6
"""Waves that are looked at, from the first one on; the others are like the last of them."""


@dataclass(frozen=True)
class Traffic:
    """Of a launch. `misses`: by place of the row, the share of its sectors that L1 has not. `dram`: by array, the share
    of the sectors asked of L2 that DRAM serves. `bytes` are DRAM's; `low` and `high` what they are at least and most.
    """

    misses: tuple[float, ...]
    dram: Mapping[str, float]
    bytes: float
    low: float
    high: float
    l2_bytes: float
    regular: frozenset[str] = frozenset()
    """Arrays whose sectors follow from a block's index."""


def l1_lines(gpu: ModelGpu, shared_bytes: int, resident: int) -> float:
    """Lines that L1 keeps for each resident block. A line takes its whole place, whatever was touched of it."""
    room = max(gpu.cached - resident * shared_bytes, 16 << 10)
    return room / LINE / max(resident, 1)


def l1_misses(row: Row, room: float) -> float:
    """The share of a row's sectors that are not in an L1 with room for so many lines of the block."""
    if not caches(row) or not row.sectors:
        return 1.0
    hit = 0.0
    for _, share, distance in row.reuse:
        # Where the distance comes near to the room, some reuses are shorter and some longer than their mean.
        hit += share * min(1.0, max(0.0, 1.5 - distance / room))
    return max(0.0, 1.0 - hit)


def caches(row: Row) -> bool:
    """Whether L1 may serve it: loads that are not volatile, and asynchronous copies through L1."""
    if row.traits.memory is Memory.COPY:
        return "ca" in row.modifiers
    return row.traits.memory is Memory.LOAD and not {"volatile", "relaxed", "acquire", "cg", "cv"} & set(row.modifiers)


def is_compact(row: Row) -> bool:
    """Whether the lanes of a request access bytes of their own that lie together, wherever they begin."""
    return 0.0 < row.bytes / SECTOR <= row.sectors <= row.bytes / SECTOR + row.requests


def _partial(launch: LaunchSample, values: Calibration) -> Mapping[str, float]:
    """By array, what a stored sector costs DRAM besides its bytes, because stores write it in part."""
    stored: dict[str, float] = {}
    cost: dict[str, float] = {}
    for row in launch.rows:
        if row.requests and row.traits.is_store:
            part = min(row.sectors, 2 * max(0.0, row.sectors - row.bytes / SECTOR))
            each = values.shared_sectors if is_compact(row) else values.partial_sectors
            stored[row.array] = stored.get(row.array, 0.0) + row.executed * row.sectors
            cost[row.array] = cost.get(row.array, 0.0) + row.executed * part * each
    return {name: cost[name] / sectors for name, sectors in stored.items() if sectors}


def traffic_of(launch: LaunchSample, gpu: ModelGpu, shared_bytes: int, resident: int) -> Traffic:
    """The traffic of a launch with so many blocks resident on an SM."""
    room = l1_lines(gpu, shared_bytes, resident)
    misses = tuple(l1_misses(row, room) for row in launch.rows)
    asked: dict[str, float] = {}
    for row, missed in zip(launch.rows, misses, strict=True):
        if row.requests:
            asked[row.array] = asked.get(row.array, 0.0) + row.executed * row.sectors * missed
    wave = min(launch.blocks, max(1, int(gpu.sms * max(resident, 1) * launch.idle)))
    fetched, together = _fetched(launch, wave, gpu.l2 / SECTOR)
    again = _again(launch, together, gpu.l2 / SECTOR)
    partial = _partial(launch, calibration_of(gpu))
    shares, total, low, high = {}, 0.0, 0.0, 0.0
    for name, sectors in asked.items():
        least, likely, most, written = fetched.get(name, (0.0, sectors, sectors, 0.0))
        likely, most = min(likely, max(sectors, least)), min(most, max(sectors, least))
        # What has left L2 is written back, as far as it was written, and read once more.
        returned = min(again.get(name, 0.0), max(0.0, sectors - likely))
        shares[name] = min(1.0, (likely + returned) / sectors) if sectors else 0.0
        # What is written goes to DRAM once; what is only written is not read before.
        factor = 1.0 if written in (0.0, 1.0) else 1.0 + written
        own = likely * factor + returned * (1.0 + written)
        if sectors <= SEVERAL * likely:
            # What is written again and again is whole before it leaves L2.
            own += likely * partial.get(name, 0.0)
        total, low, high = total + own, low + least * factor, high + max(own, most * factor)
    regular = frozenset(one.name for one in launch.footprints if one.steps is not None)
    moved = sum(asked.values()) * SECTOR
    return Traffic(misses, shares, total * SECTOR, low * SECTOR, high * SECTOR, moved, regular)


def _again(launch: LaunchSample, together: float, room: float) -> Mapping[str, float]:
    """Returns, by array, the sectors that blocks load again after L2, with room for so many, has lost them.

    Between two touches of a sector by one block, the blocks of a wave, which touch `together` sectors, touch as much
    more than the block itself as they do in all.
    """
    block = sum(one.mean for one in launch.footprints)
    scale = together / block if block else 0.0
    found: dict[str, float] = {}
    for row in launch.rows:
        lost = sum(share * min(1.0, max(0.0, distance * scale / room - 0.5)) for distance, share, _ in row.reuse)
        if row.requests and lost:
            found[row.array] = found.get(row.array, 0.0) + row.executed * row.sectors * lost
    return found


def _fetched(
    launch: LaunchSample, wave: int, room: float
) -> tuple[Mapping[str, tuple[float, float, float, float]], float]:
    """Returns, by array, the sectors that DRAM serves: at least, likely, at most; and the share that is written.

    And the sectors of all arrays that the blocks of a wave touch together.
    """
    found = {}
    grid = launch.grid
    waves = -(-launch.blocks // wave)
    looked = min(waves, WAVES)
    regular = [one for one in launch.footprints if one.steps is not None]
    unions = {
        one.name: [union(one, np.arange(n * wave, min((n + 1) * wave, launch.blocks)), grid) for n in range(looked)]
        for one in regular
    }
    together = [
        sum(float(amount(unions[one.name][n])) for one in regular)
        + sum(_scattered(one, wave) for one in launch.footprints if one.steps is None)
        for n in range(looked)
    ]
    for one in launch.footprints:
        if one.steps is None:
            least = _scattered(one, launch.blocks)
            each = _scattered(one, wave)
            fits = min(1.0, max(0.0, 2.0 - sum(together) / len(together) / room)) if together else 1.0
            most = max(least, min(each * waves, one.mean * launch.blocks))
            found[one.name] = (least, least + (most - least) * (1.0 - fits), most, one.written)
            continue
        found[one.name] = _waves(unions[one.name], together, waves, room, launch, one)
    return found, sum(together) / len(together)


def _scattered(one: Footprint, blocks: int) -> float:
    """The different sectors that so many blocks touch: each its own, or as many at random."""
    if not one.size:
        return 0.0
    if one.apart:
        return min(float(one.size), one.mean * blocks)
    left = 1.0
    share = max(0.0, 1.0 - one.mean / one.size)
    count = blocks
    # share to the power of blocks, by squaring: the same bits on every machine.
    while count:
        if count & 1:
            left *= share
        share *= share
        count >>= 1
    return one.size * (1.0 - left)


def _waves(
    unions: Sequence[np.ndarray[tuple[int, ...], np.dtype[np.int64]]],
    together: Sequence[float],
    waves: int,
    room: float,
    launch: LaunchSample,
    one: Footprint,
) -> tuple[float, float, float, float]:
    sizes = [amount(runs) for runs in unions]
    likely = most = float(sizes[0])
    everything = unions[0]
    steady: list[tuple[float, float]] = []
    for n in range(1, len(unions)):
        both = merge(
            np.concatenate([unions[n - 1][:, 0], unions[n][:, 0]]),
            np.concatenate([unions[n - 1][:, 1], unions[n][:, 1]]),
        )
        again = sizes[n - 1] + sizes[n] - amount(both)
        # All that a wave touches lies between two touches of the same sector: what the cache can't hold is gone.
        kept = min(1.0, max(0.0, 1.5 - together[n] / room))
        steady.append((sizes[n] - kept * again, float(sizes[n])))
        likely, most = likely + steady[-1][0], most + steady[-1][1]
        everything = merge(
            np.concatenate([everything[:, 0], unions[n][:, 0]]), np.concatenate([everything[:, 1], unions[n][:, 1]])
        )
    least = float(amount(everything))
    left = waves - len(unions)
    if left > 0:
        mean = [sum(each) / len(steady) for each in zip(*steady, strict=True)]
        fresh = (least - sizes[0]) / max(len(unions) - 1, 1)
        likely, most = likely + left * mean[0], most + left * mean[1]
        least = min(least + left * fresh, float(one.size))
    whole = sum(together) * waves / len(together)
    if whole <= room:
        likely = least
    return least, max(likely, least), max(most, least), one.written
