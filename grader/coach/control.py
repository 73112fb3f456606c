"""Advice on control flow and occupancy: divergent branches, partial warps, and too few warps per SM."""

from __future__ import annotations

from collections.abc import Iterator

from grader.coach.advice import INSTRUCTION_CYCLES, Advice, Subject
from grader.model.change import fewer_instructions

LANES = 32
LOST = 0.2
"""Fraction of lane slots lost, below which divergence is not reported: one lane writing a warp's sum is no fault."""
SPLIT = 0.01
LOW_OCCUPANCY = 0.5


def divergence(subject: Subject) -> Iterator[Advice]:
    """Finds branches that split warps, if many lanes are idle because of that."""
    totals = subject.totals
    warps = -(-subject.threads // LANES)
    # A block whose last warp is not full has idle lanes even without branches.
    full = subject.threads / (warps * LANES)
    lost = totals.executed - totals.threads / (LANES * full)
    if not totals.divergent or lost < LOST * totals.executed:
        return
    for line in subject.lines:
        sums = line.totals
        if sums.divergent < SPLIT * totals.divergent:
            continue
        yield Advice(
            "divergence",
            line.line,
            f"{sums.divergent:,} of {sums.branches:,} branches split a warp; an instruction of this kernel has "
            f"{totals.lanes:.1f} of {LANES} lanes at work",
            "share the work among all lanes of a warp, or let the condition depend on the warp's number "
            "(threadIdx.x / 32) and not on the lane's",
            lost * INSTRUCTION_CYCLES * sums.divergent / totals.divergent,
            change=fewer_instructions(lambda row: row.lanes / LANES if 0 < row.lanes < LANES else 1.0),
        )


def partial_warps(subject: Subject) -> Iterator[Advice]:
    """Finds blocks whose last warp is not full."""
    left = subject.threads % LANES
    if not left:
        return
    warps = -(-subject.threads // LANES)
    idle = 1 - subject.threads / (warps * LANES)
    yield Advice(
        "partial_warp",
        None,
        f"a block of {subject.threads} threads has {LANES - left} of {warps * LANES} lanes without a thread",
        f"let the number of threads in a block be a multiple of {LANES}",
        idle * subject.totals.executed * INSTRUCTION_CYCLES,
        change=fewer_instructions(lambda row: 1 - idle),
    )


def occupancy(subject: Subject) -> Iterator[Advice]:
    """Finds launches with an occupancy below one half, or of exactly one half because of the block's size alone."""
    found = subject.resources
    if found is None or found.occupancy > LOW_OCCUPANCY:
        return
    if found.occupancy == LOW_OCCUPANCY and found.limited_by not in ("threads", "blocks"):
        return
    limit = {"threads": "the block's size", "blocks": "the block's size"}.get(found.limited_by, found.limited_by)
    yield Advice(
        "occupancy",
        None,
        f"occupancy {found.occupancy:.0%} on {found.target}: {found.blocks} blocks of {subject.threads} threads an SM, "
        f"limited by {limit or 'the launch'} ({found.registers} registers a thread, "
        f"{found.static_shared + found.dynamic_shared:,} bytes of shared memory a block)",
        found.remedy,
    )
