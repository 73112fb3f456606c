"""How many rounds the copies of an unrolled loop run: as many as fit go to the widest copy, the rest to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor

from grader.model.anchors import Amount, Anchor
from grader.model.natural import Edge, loops_of
from grader.model.paths import Step
from grader.model.sampling import Row, Way

_STRONG = 1.0


@dataclass(frozen=True)
class Turns:
    """How often a warp comes to the innermost loop around a block of PTX, and its rounds each time."""

    entries: float
    rounds: float


@dataclass(frozen=True)
class _Copy:
    """A loop of the machine code, whose round does so much of an anchor's work; PTX's blocks that do it."""

    header: int
    work: float
    blocks: Mapping[int, float]


def turns_of(steps: Sequence[Step]) -> dict[int, Turns]:
    """The turns of each basic block on a way, from the places at which it comes again."""
    places: dict[int, list[int]] = {}
    for place, step in enumerate(steps):
        places.setdefault(step.block, []).append(place)
    found = {}
    for block, own in places.items():
        count = sum(steps[place].weight for place in own)
        gaps = [after - before for before, after in pairwise(own)]
        least = min(gaps, default=0)
        entries = steps[own[0]].weight + sum(
            steps[place].weight for place, gap in zip(own[1:], gaps, strict=True) if gap > 1.5 * least
        )
        found[block] = Turns(entries, count / entries if entries else 0.0)
    return found


def mean_turns(ways: Sequence[Way]) -> dict[int, Turns]:
    """The turns of the mean warp."""
    total = sum(way.warps for way in ways)
    sums: dict[int, tuple[float, float]] = {}
    for way in ways:
        for block, turns in turns_of(way.steps).items():
            entries, count = sums.get(block, (0.0, 0.0))
            part = way.warps / total
            sums[block] = entries + part * turns.entries, count + part * turns.entries * turns.rounds
    return {block: Turns(entries, count / entries) for block, (entries, count) in sums.items() if entries}


class Rounds:
    """The loops of the machine code beside those of PTX; `of` tells how often their headers run."""

    def __init__(
        self,
        edges: Sequence[Edge],
        static: Mapping[Anchor, Mapping[int, float]],
        rows: Sequence[tuple[Row, Amount | None]],
    ) -> None:
        self._copies: list[_Copy] = []
        work: dict[Anchor, dict[int, float]] = {}
        for row, known in rows:
            if known is not None and known.strength >= _STRONG:
                own = work.setdefault(known.anchor, {})
                own[row.block] = own.get(row.block, 0.0) + known.work
        _, loops = loops_of(edges)
        for loop in loops.values():
            inner = {block for other in loops.values() if other.body < loop.body for block in other.body}
            mine = loop.body - inner
            sums = {a: sum(per.get(block, 0.0) for block in mine) for a, per in static.items() if a in work}
            anchor = max(sums, key=lambda a: (sums[a], a.line, a.kind), default=None)
            if anchor is None or not sums[anchor]:
                continue
            self._copies.append(_Copy(loop.header, sums[anchor], work[anchor]))

    def of(self, turns: Mapping[int, Turns]) -> dict[int, float]:
        """How often each loop's header runs on a way whose blocks of PTX take so many turns."""
        found: dict[int, float] = {}
        groups: dict[Turns, list[tuple[float, int]]] = {}
        for copy in self._copies:
            # Blocks of one loop of PTX take the same turns; they do its round's work together.
            each: dict[Turns, float] = {}
            for block, amount in copy.blocks.items():
                if block in turns:
                    each[turns[block]] = each.get(turns[block], 0.0) + amount
            idle = [amount for block, amount in copy.blocks.items() if block not in turns]
            alike = [loop for loop, amount in each.items() if amount == copy.work]
            if copy.work in idle and not alike:
                found[copy.header] = 0.0
                continue
            fitting = alike or [loop for loop, amount in each.items() if copy.work > 0.9 * amount]
            if fitting:
                best = max(fitting, key=lambda loop: loop.entries * loop.rounds * each[loop])
                groups.setdefault(best, []).append((copy.work / each[best], copy.header))
        for loop, group in groups.items():
            left = loop.rounds
            for factor, header in sorted(group, key=lambda one: (-one[0], one[1])):
                fits = float(floor(left / factor + 1e-6))
                found[header] = loop.entries * fits
                left -= fits * factor
        return found
