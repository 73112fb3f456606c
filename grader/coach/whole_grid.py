"""Advice on a launch as a whole: too few blocks, the last wave, the order of blocks, and how many are resident."""

from __future__ import annotations

from collections.abc import Iterator

from grader.coach.advice import Advice, Tried
from grader.coach.modelled import Modelled
from grader.coach.target import remedy_of
from grader.model.change import Change, from_fewest_bytes, spread_out, with_needs
from grader.model.limits import LIMITS
from grader.run.gpu.occupancy import BlockNeeds, block_limits, limited_by, occupancy_of

ALMOST = 0.9
"""Occupancy above which more is not looked for."""
BOUND = 0.05
"""The least part of the time that has to go to DRAM for its bytes to matter."""
AGAIN = 1.15
"""DRAM's bytes by the fewest possible, above which the order of blocks is looked at."""


def small_grid(subject: Modelled) -> Iterator[Advice]:
    """Finds launches with fewer blocks at work than the GPU has SMs."""
    working, sms = round(subject.launch.working), subject.gpu.sms
    if working >= sms:
        return
    yield Advice(
        "small_grid",
        None,
        f"{working:,} block{'s' if working != 1 else ''} at work leave{'s' if working == 1 else ''} "
        f"{sms - working} of the {sms} SMs of the {subject.gpu.name} idle",
        "divide the work among more blocks: smaller tiles, or several blocks for one sum, whose parts a second step or "
        "atomics add (split-K)",
        change=spread_out(sms),
    )


def tail(subject: Modelled) -> Iterator[Advice]:
    """Finds launches whose last wave leaves SMs idle."""
    lost = subject.time.parts.get("tail", 0.0)
    if not lost:
        return
    resident, launch = subject.time.resident, subject.launch
    waves = launch.working / (subject.gpu.sms * resident)
    yield Advice(
        "tail",
        None,
        f"{launch.blocks:,} blocks are {waves:.3g} waves of {subject.gpu.sms * resident:,}: the last one is partly "
        "empty",
        "choose the tile so that the waves are whole or many, or launch one block for each that is resident and let it "
        "go on with the next tile (persistent kernel)",
        tried=Tried(subject.gpu.name, subject.time.seconds, subject.time.seconds - lost),
    )


def block_order(subject: Modelled) -> Iterator[Advice]:
    """Finds grids whose neighbouring blocks share too little of what L2 holds."""
    traffic = subject.prepared.traffic
    if sum(size > 1 for size in subject.launch.grid) < 2:
        return
    if not traffic.low or traffic.bytes < AGAIN * traffic.low or subject.part("dram") < BOUND:
        return
    yield Advice(
        "block_order",
        None,
        f"{traffic.bytes / traffic.low:.3g} times the bytes that would do come from DRAM: blocks that run at once "
        "share too little of what L2 holds",
        "let blocks that follow each other make a nearly square part of the result (swizzle blockIdx: groups of 8 rows "
        "of tiles, column by column)",
        change=from_fewest_bytes,
    )


def occupancy(subject: Modelled) -> Iterator[Advice]:
    """Finds launches that would be quicker with more warps on an SM."""
    needs, limits = subject.prepared.needs, LIMITS[subject.gpu.target]
    blocks = min(block_limits(needs, limits).values())
    now = occupancy_of(blocks, needs, limits)
    limit = limited_by(blocks, needs, limits)
    found = remedy_of(limit, blocks, needs, limits)
    if now >= ALMOST or found is None or subject.time.waves <= 1:
        return
    words, other = found
    size = {"threads": "the block's size", "blocks": "the block's size"}.get(limit, limit)
    yield Advice(
        "occupancy",
        None,
        f"occupancy {now:.0%} on {subject.gpu.name}: {blocks} blocks of {needs.threads} threads an SM, limited by "
        f"{size} ({needs.registers} registers a thread, {needs.shared_bytes:,} bytes of shared memory a block)",
        words,
        change=_with(needs, other),
    )


def _with(old: BlockNeeds, new: BlockNeeds) -> Change:
    return with_needs(new.threads if new.threads != old.threads else None, new.registers, new.shared_bytes)
