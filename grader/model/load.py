"""What the blocks of a launch do on an SM: the ways of their warps in ops, and what all SMs' parts are kept busy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from grader.model.schedule import Op

Way = tuple[tuple[tuple[Op, ...], float], ...]
"""The ops of each basic block on a warp's way, and how many executions it stands for."""


@dataclass(frozen=True)
class Load:
    """The ways of warps, in the order of the sample's; `registers` are those that ops name.

    `busy` are the cycles that the launch keeps each pipe busy, in a quarter of an SM with all SMs alike; `issue` those
    of its schedulers, `l2` those of L2; `lookups` are those of the pipe "shared" that are L1's. `gathered` are the
    lines with atomics that one lane does for its warp.
    """

    ways: tuple[Way, ...]
    registers: int
    busy: Mapping[str, float]
    issue: float
    l2: float
    lookups: float
    gathered: frozenset[int] = frozenset()


def part_of(op: Op, part: float) -> Op:
    """The op with a part of what it asks of all that warps share, and of no time that only its own warp waits."""
    return replace(op, slots=op.slots * part, busy=op.busy * part, l2=op.l2 * part, dram=op.dram * part)
