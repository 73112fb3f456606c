"""How often the basic blocks of the machine code run, from how often those of PTX do.

Unknowns are the ways between blocks. A block is entered as often as it is left, and what a line loads, stores and
computes is the same in both kinds of code. Of all that fits, the way with the fewest instructions is taken: a loop that
the assembler has unrolled runs in its widest copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.model.anchors import SHUFFLE, Amount, Anchor, is_long, of_instruction, of_row
from grader.model.natural import OUT, Edge, loops_of
from grader.model.rounds import Rounds, Turns, mean_turns, ptx_loops
from grader.model.sampling import LaunchSample, Way
from grader.model.solving import Equation, solve
from grader.sass import Block, MachineCode

MOST_BLOCKS, MOST_EDGES = 160, 640
"""Of a kernel's machine code: finding its loops and its executions takes the square of them, or more."""
MOST_MISSED = 0.1
"""The share of the work by which the two kinds of code may differ before the machine code is left alone."""
_PRICE = 1e-4
_FLOW = 4.0
_PREDICATED = 0.02
_SHUFFLED = 0.1
"""What shuffles count beside other work: the assembler makes a second one of some."""
MOST_UNENTERED = 0.1
_ENOUGH = 0.05
_BETTER = 0.05
"""How much more of the work may be missed where loops run as often as those of PTX."""
_Work = tuple[tuple[tuple[int, float], ...], float]
_LEAST = 0.02
"""Work of less than this share of the largest does not have to fit as well as that, relative to itself."""


@dataclass(frozen=True)
class Executions:
    """How often one warp, on average, goes each way between blocks, and how much of the work is not explained."""

    edges: Mapping[Edge, float]
    missed: float
    unentered: float = 0.0
    """The share of the instructions that run in loops which the warp hardly ever enters: their number is a guess."""

    @property
    def fits(self) -> bool:
        """Whether the machine code does what PTX does, as far as one can see."""
        return self.missed <= MOST_MISSED and self.unentered <= MOST_UNENTERED

    def of(self, block: int) -> float:
        """How often a block runs."""
        return sum(count for (start, _), count in self.edges.items() if start == block)


def is_small(code: MachineCode) -> bool:
    """Whether there are few enough blocks, and ways between them, to match the code with PTX."""
    return len(code.blocks) <= MOST_BLOCKS and sum(len(_after(block)) for block in code.blocks) <= MOST_EDGES


class Matching:
    """A kernel's machine code, which `is_small`, beside its PTX.

    `executions` answers for one way of a warp, or for the mean warp.
    """

    def __init__(self, launch: LaunchSample, code: MachineCode) -> None:
        rows = launch.rows
        self._blocks = code.blocks
        self.edges = [(n, after) for n, block in enumerate(code.blocks) for after in _after(block)]
        self._amounts = [[(of_instruction(one), one.predicate) for one in block.code] for block in code.blocks]
        long = {row.line for row in rows if is_long(row)}
        self._known = [_kept(of_row(row), long) for row in rows]
        guarded = {known.anchor for row, known in zip(rows, self._known, strict=True) if known and row.guarded}
        self._static: dict[Anchor, dict[int, float]] = {}
        self._predicated: set[Anchor] = set()
        for n, amounts in enumerate(self._amounts):
            for amount, predicate in amounts:
                if amount is not None:
                    own = self._static.setdefault(amount.anchor, {})
                    own[n] = own.get(n, 0.0) + amount.work
                    if predicate and amount.anchor not in guarded:
                        self._predicated.add(amount.anchor)
        _, self._loops = loops_of(self.edges)
        self._ptx_loops = ptx_loops(launch)
        self._rounds = Rounds(self.edges, self._static, list(zip(rows, self._known, strict=True)), self._ptx_loops)

    def executions(self, executed: Sequence[float], ways: Sequence[Way]) -> Executions | None:
        """The executions of the machine code where PTX's rows are executed so often by a warp, on average on these
        ways; None if unlike.
        """
        turns = mean_turns(ways, self._ptx_loops)
        work: dict[Anchor, float] = {}
        strength: dict[Anchor, float] = {}
        for known, count in zip(self._known, executed, strict=True):
            if known is not None and count:
                work[known.anchor] = work.get(known.anchor, 0.0) + known.work * count
                strength[known.anchor] = known.strength
        has_others = any(anchor.kind != SHUFFLE and strength[anchor] >= 1.0 for anchor in work)
        largest = max([1.0, *(work[a] / _mean(self._static[a]) for a in work if a in self._static)])
        equations: list[Equation] = []
        compared = []
        for anchor, static in self._static.items():
            total = work.get(anchor, 0.0)
            if anchor.kind == "float" and not total:
                continue
            most = max(work.values(), default=1.0)
            each = strength.get(anchor, 1.0) * (_PREDICATED if anchor in self._predicated else 1.0)
            if anchor.kind == SHUFFLE and has_others:
                each *= _SHUFFLED
            scale = max(total, _LEAST * most, 1e-9)
            parts = tuple((place, static[start]) for place, (start, _) in enumerate(self.edges) if start in static)
            equations.append(Equation(parts, total, each / scale**2))
            if each >= 1.0:
                compared.append((parts, total))
        if not compared:
            return None
        codes = [float(len(self._blocks[start].code)) for start, _ in self.edges]
        price = [_PRICE * size / max(1.0, sum(executed)) for size in codes]
        most = max([1.0, *(one.rounds for one in turns.values())])
        # With the rounds of unrolled loops, or without where these are no such copies.
        kinds = ([*equations, *self._headers(turns)], equations)
        flow = self._flow([largest] * len(self._blocks))
        tried = [self._solved([*flow, *kind], price, compared) for kind in kinds]
        first = min(tried, key=lambda one: one.missed - (_BETTER if one is tried[0] else 0.0))
        best = replace(first, unentered=self._unentered(first, most))
        if best.fits:
            return best
        # Beside loops with many rounds one that enters them is too little to be kept: each block has its own scale.
        flow = [*self._flow([max(1.0, best.of(n)) for n in range(len(self._blocks))]), *self._entered(best, most)]
        gone = [max(1.0, best.edges.get(edge, 0.0)) for edge in self.edges]
        for kind in kinds:
            again = self._solved([*flow, *kind], price, compared, gone)
            again = replace(again, unentered=self._unentered(again, most))
            if again.fits:
                return again
        return best

    def _odd(self, found: Executions, most: float) -> list[int]:
        """The headers of inner loops that would run more than twice `most` rounds each time."""
        odd = []
        for header, loop in self._loops.items():
            if not any(loop.body < other.body for other in self._loops.values()):
                # What runs in no other loop is begun once: its work tells how often it runs.
                continue
            entries = 1.0 if header == 0 else 0.0
            entries += sum(n for (start, end), n in found.edges.items() if end == header and start not in loop.body)
            if max(found.of(block) for block in loop.body) > 2 * most * entries + _ENOUGH:
                odd.append(header)
        return odd

    def _unentered(self, found: Executions, most: float) -> float:
        """The share of instructions in such loops."""
        sizes = {n: found.of(n) * len(block.code) for n, block in enumerate(self._blocks)}
        odd = {block for header in self._odd(found, most) for block in self._loops[header].body}
        return sum(sizes[block] for block in sorted(odd)) / max(sum(sizes.values()), 1.0)

    def _entered(self, found: Executions, most: float) -> Iterator[Equation]:
        """Loops that would go round without being come to are entered once in `most` rounds."""
        for header in self._odd(found, most):
            body, count = self._loops[header].body, found.of(header) / most
            into = [(n, 1.0) for n, (start, end) in enumerate(self.edges) if end == header and start not in body]
            out = [(n, -1.0 / most) for n, (start, _) in enumerate(self.edges) if start == header]
            yield Equation((*into, *out), 0.0, 1.0 / max(1.0, count) ** 2)

    def _solved(
        self,
        equations: Sequence[Equation],
        price: Sequence[float],
        compared: Sequence[_Work],
        sizes: Sequence[float] = (),
    ) -> Executions:
        """The executions that fit best. `sizes` are about how often each way is gone, and make unknowns alike."""
        if sizes:
            equations = [
                replace(one, parts=tuple((place, factor * sizes[place]) for place, factor in one.parts))
                for one in equations
            ]
            price = [each * size for each, size in zip(price, sizes, strict=True)]
        found = solve(equations, len(self.edges), price)
        if sizes:
            found = [each * size for each, size in zip(found, sizes, strict=True)]
        missed = sum(abs(sum(found[place] * factor for place, factor in parts) - total) for parts, total in compared)
        everything = sum(total for _, total in compared)
        edges = {edge: count for edge, count in zip(self.edges, found, strict=True) if count > 1e-6}
        return Executions(edges, missed / everything if everything else 0.0)

    def _headers(self, turns: Mapping[int, Turns]) -> Iterator[Equation]:
        """How often the headers of loops run, and how often they are come to from outside.

        Without the latter a loop that runs once could be one that few warps enter and seldom leave.
        """
        for header, own in self._rounds.of(turns).items():
            body = self._loops[header].body
            count = own.entries * own.rounds
            out = tuple((place, 1.0) for place, (start, _) in enumerate(self.edges) if start == header)
            yield Equation(out, count, 1.0 / max(count, 1.0) ** 2)
            into = tuple((n, 1.0) for n, (start, end) in enumerate(self.edges) if end == header and start not in body)
            if into:
                yield Equation(into, own.entries, 1.0 / max(own.entries, 1.0) ** 2)

    def _flow(self, scales: Sequence[float]) -> list[Equation]:
        """Each block is entered as often as it is left, with errors relative to these scales."""
        found = []
        for n, scale in enumerate(scales):
            weight = _FLOW / scale**2
            out = [(place, 1.0) for place, (start, _) in enumerate(self.edges) if start == n]
            into = [(place, -1.0) for place, (_, end) in enumerate(self.edges) if end == n]
            found.append(Equation((*out, *into), 1.0 if n == 0 else 0.0, weight))
        return found


def _after(block: Block) -> tuple[int, ...]:
    last = block.code[-1]
    if last.name in ("EXIT", "RET", "KILL", "BPT"):
        return (*block.after, OUT) if last.predicate else (OUT,)
    return block.after or (OUT,)


def _kept(amount: Amount | None, long: set[int]) -> Amount | None:
    return None if amount is None or (amount.anchor.kind == "float" and amount.anchor.line in long) else amount


def _mean(static: Mapping[int, float]) -> float:
    return sum(static.values()) / len(static)
