"""Loops of machine code, and the way of a warp through its blocks as a sequence with weights.

Of a loop three rounds stay, as in `paths`. A block that runs in some rounds only has the share of its cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.model.executions import Executions
from grader.model.natural import Edge, Loop, loops_of
from grader.model.paths import KEPT

LEAST = 0.01
"""Blocks that run less often for each time that it is decided are left out."""


@dataclass(frozen=True)
class Visit:
    """A block on a warp's way: for how many executions it stands, and the share of its cost that one of them has."""

    block: int
    weight: float
    share: float


def way_of(found: Executions, edges: Sequence[Edge]) -> tuple[Visit, ...]:
    """The way of a warp that goes between the blocks, along `edges`, as often as `found` says."""
    order, loops = loops_of(edges)
    counts = {n: found.of(n) for n in order}
    return tuple(_visits(order, loops, counts, found.edges, frozenset(order), None, 1.0, max(counts.get(0, 0.0), 1.0)))


def _visits(
    order: Sequence[int],
    loops: Mapping[int, Loop],
    counts: Mapping[int, float],
    edges: Mapping[Edge, float],
    inside: frozenset[int],
    header: int | None,
    weight: float,
    times: float,
) -> Iterator[Visit]:
    """The visits of one pass through `inside`, of which there are `times` for each warp."""
    done: set[int] = set()
    for block in order:
        if block not in inside or block in done:
            continue
        loop = loops.get(block)
        if loop is None or block == header:
            share = counts[block] / times
            if share >= LEAST:
                yield Visit(block, weight * max(1.0, share), min(1.0, share))
            continue
        done |= loop.body
        if counts[block] < LEAST * max(counts[other] for other in loop.body if other in counts):
            # Nothing tells how often an outer loop runs: its inner ones are what counts.
            yield from _visits(order, loops, counts, edges, loop.body & inside, block, weight, times)
            continue
        entries = sum(count for (start, end), count in edges.items() if end == block and start not in loop.body)
        entries = entries or min(times, counts[block])
        if block == 0:
            entries = 1.0
        if entries / times < LEAST:
            # A loop whose entry is too rare to be seen beside its rounds: it is entered once.
            entries = times if counts[block] > times else entries
        rounds = counts[block] / entries if entries else 0.0
        if rounds < 1e-6:
            continue
        each = entries / times
        passes = min(KEPT, max(1, round(rounds)))
        for number in range(passes):
            if rounds <= KEPT:
                part = rounds / passes
            else:
                part = 1.0 if number == 0 else (rounds - 1) / (KEPT - 1)
            # What is entered in some of the times only has less weight: it is no part of most ways.
            yield from _visits(
                order, loops, counts, edges, loop.body & inside, block, weight * each * part, counts[block]
            )
