"""How often the loops of the machine code are entered and run, from the loops of PTX whose rounds do the same work.

The assembler keeps a loop, or makes wider copies of it: as many rounds as fit go to the widest copy, the rest to the
next. Loops are told apart by what a round of them does, without that of loops inside.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor

from grader.model.anchors import SHUFFLE, Amount, Anchor
from grader.model.natural import Edge, Loop, loops_of
from grader.model.paths import Step
from grader.model.sampling import LaunchSample, Row, Way

_STRONG = 1.0
_ALIKE = 0.1
"""By how much the work of two rounds may differ, relative to it, for one to be a copy of the other."""
MOST_EDGES = 1000
"""Of a kernel's PTX: finding its loops takes the square of them."""
Work = Mapping[Anchor, float]


@dataclass(frozen=True)
class Turns:
    """How often a warp comes to a loop, and its rounds each time."""

    entries: float
    rounds: float


NEVER = Turns(0.0, 0.0)


def ptx_loops(launch: LaunchSample) -> Mapping[int, Loop]:
    """The loops of a launch's PTX, by their first block; none of one with too many ways between its blocks.

    All ways begin with the kernel's first block.
    """
    if len(launch.edges) > MOST_EDGES:
        return {}
    first = next((way.steps[0].block for way in launch.ways if way.steps), 0)
    return loops_of(launch.edges, first)[1]


def turns_of(steps: Sequence[Step], loops: Mapping[int, Loop]) -> dict[int, Turns]:
    """The turns of each loop that a way comes to."""
    found: dict[int, Turns] = {}
    for header, loop in loops.items():
        entries = rounds = 0.0
        before = -1
        for step in steps:
            if step.block == header:
                rounds += step.weight
                entries += 0.0 if before in loop.body else step.weight
            before = step.block
        if entries:
            found[header] = Turns(entries, rounds / entries)
    return found


def mean_turns(ways: Sequence[Way], loops: Mapping[int, Loop]) -> dict[int, Turns]:
    """The turns of the mean warp."""
    total = sum(way.warps for way in ways)
    sums: dict[int, tuple[float, float]] = {}
    for way in ways:
        for header, turns in turns_of(way.steps, loops).items():
            entries, count = sums.get(header, (0.0, 0.0))
            part = way.warps / total
            sums[header] = entries + part * turns.entries, count + part * turns.entries * turns.rounds
    return {header: Turns(entries, count / entries) for header, (entries, count) in sums.items()}


class Rounds:
    """The loops of the machine code beside those of PTX; `of` tells how often each is entered, and its rounds."""

    def __init__(
        self,
        edges: Sequence[Edge],
        static: Mapping[Anchor, Mapping[int, float]],
        rows: Sequence[tuple[Row, Amount | None]],
        loops: Mapping[int, Loop],
    ) -> None:
        work: dict[Anchor, dict[int, float]] = {}
        for row, known in rows:
            if known is not None and known.strength >= _STRONG and known.anchor in static:
                own = work.setdefault(known.anchor, {})
                own[row.block] = own.get(row.block, 0.0) + known.work
        _, copies = loops_of(edges)
        theirs = {header: _work_of(loop, loops, work) for header, loop in loops.items()}
        mine = {
            header: _work_of(loop, copies, {anchor: static[anchor] for anchor in work})
            for header, loop in copies.items()
        }
        own_leaves, leaves = _innermost(copies), _innermost(loops)
        self._copies = dict(_matched(_of(own_leaves, mine), _of(leaves, theirs)))
        for header in sorted(set(copies) - own_leaves, key=lambda one: len(copies[one].body)):
            self._copies |= _around(header, copies, self._copies, loops)
        rest, others = set(copies) - own_leaves - set(self._copies), set(loops) - leaves
        self._copies |= dict(_matched(_of(rest, mine), _of(others, theirs)))

    def of(self, turns: Mapping[int, Turns]) -> dict[int, Turns]:
        """The turns of each loop, by header, on a way on which PTX's loops have these turns."""
        found: dict[int, Turns] = {}
        groups: dict[int, list[tuple[float, int]]] = {}
        for header, (loop, factor) in self._copies.items():
            groups.setdefault(loop, []).append((factor, header))
        for loop, group in groups.items():
            own = turns.get(loop, NEVER)
            left = own.rounds
            for factor, header in sorted(group, key=lambda one: (-one[0], one[1])):
                fits = float(floor(left / factor + 1e-6)) if factor > 1.0 else left
                found[header] = Turns(own.entries, fits) if fits else NEVER
                left -= fits * factor
        return found


def _work_of(loop: Loop, loops: Mapping[int, Loop], work: Mapping[Anchor, Mapping[int, float]]) -> Work:
    """What a round does in blocks that are in no loop inside of it."""
    inner = {block for other in loops.values() if other.body < loop.body for block in other.body}
    mine = loop.body - inner
    sums = {anchor: sum(each.get(block, 0.0) for block in sorted(mine)) for anchor, each in work.items()}
    return {anchor: amount for anchor, amount in sums.items() if amount}


def _matched(mine: Mapping[int, Work], theirs: Mapping[int, Work]) -> Iterator[tuple[int, tuple[int, float]]]:
    """By loop of the machine code: the loop of PTX that it is, and how many of its rounds one does.

    Where several loops of each kind do the same they are in one order; where their numbers differ, nothing is told.
    """
    candidates: dict[tuple[tuple[int, ...], float], list[int]] = {}
    for header, work in mine.items():
        ratios = {other: _ratio(work, own) for other, own in theirs.items()}
        factors = [ratio for ratio in ratios.values() if ratio]
        if factors:
            least = min(factors)
            others = tuple(sorted(other for other, ratio in ratios.items() if ratio == least))
            candidates.setdefault((others, least), []).append(header)
    for (others, factor), headers in candidates.items():
        if len(others) == len(headers):
            yield from ((header, (other, factor)) for header, other in zip(sorted(headers), others, strict=True))


def _ratio(work: Work, own: Work) -> float:
    """How many rounds that do `own` one is that does `work`; 0 if it is none of these.

    Shuffles count where there is nothing else: the assembler has a second one for each, off the way, for warps whose
    lanes have gone different ways.
    """
    work, own = _without_shuffles(work), _without_shuffles(own)
    if not own or set(work) != set(own):
        return 0.0
    ratio = float(round(sum(work.values()) / sum(own.values())))
    if ratio < 1.0 or any(abs(amount - ratio * own[anchor]) > _ALIKE * amount for anchor, amount in work.items()):
        return 0.0
    return ratio


def _without_shuffles(work: Work) -> Work:
    return {anchor: amount for anchor, amount in work.items() if anchor.kind != SHUFFLE} or work


def _around(
    header: int, copies: Mapping[int, Loop], known: Mapping[int, tuple[int, float]], loops: Mapping[int, Loop]
) -> dict[int, tuple[int, float]]:
    """A loop with others inside is the one around those, whatever it does besides: rounds left over by wide copies."""
    body = copies[header].body
    inside = {known[other][0] for other, each in copies.items() if each.body < body and other in known}
    around = [other for other, each in loops.items() if inside and all(loops[one].body < each.body for one in inside)]
    # Of several the innermost.
    best = min(around, key=lambda other: len(loops[other].body), default=None)
    return {} if best is None else {header: (best, 1.0)}


def _innermost(loops: Mapping[int, Loop]) -> set[int]:
    return {header for header, loop in loops.items() if not any(other.body < loop.body for other in loops.values())}


def _of(headers: Collection[int], works: Mapping[int, Work]) -> dict[int, Work]:
    return {header: works[header] for header in sorted(headers)}
