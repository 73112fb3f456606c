"""Finds the branches by which a thread skips a barrier of its block and joins threads that have come to it.

A thread that leaves the kernel before a barrier, by `return` or by an `if` around all that follows, does not count: for
GPUs it has arrived. A thread that leaves a loop by the loop's condition counts, even if nothing follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.ptx.traits import Flow
from grader.run.emulator.translate.assigned import successors
from grader.run.emulator.translate.cfg import Block, Program, callee, is_block_barrier, is_call
from grader.run.emulator.translate.dominators import END, post_dominators

GROUPS = 32
"""Barriers that the same branches skip form a group. If there are more groups than bits, several share a bit: a thread
that skips one is reported, or all others have skipped it too, before the next one can matter.
"""
MOST_STEPS = 1 << 18
"""Steps of the search: a program that takes more is not tracked."""

Edge = tuple[int, int]


@dataclass
class Skips:
    """The groups as bits: by edge (block, next block), and by the block that ends in a barrier.

    The lower half of an edge's bits are the groups it skips; the upper half those of them that a thread can no longer
    reach.
    """

    edges: dict[Edge, int] = field(default_factory=dict)
    barriers: dict[int, int] = field(default_factory=dict)


class _TooLong(Exception):
    """The search has exceeded MOST_STEPS."""


def find_skips(program: Program, most_steps: int = MOST_STEPS) -> Skips:
    """Returns the skips of a program; none if the search takes more than `most_steps`."""
    try:
        return _Search(program, most_steps).skips()
    except _TooLong:
        return Skips()


def is_full_barrier(instruction: Instruction) -> bool:
    """Whether it is a barrier at which all threads of the block wait."""
    operands = len(instruction.operands) - (2 if "red" in instruction.modifiers else 0)
    return is_block_barrier(instruction) and operands <= 1 and "arrive" not in instruction.modifiers


class _Search:
    def __init__(self, program: Program, most_steps: int) -> None:
        self._program = program
        self._most_steps = most_steps
        self._steps = 0
        self._calls: dict[str, list[Block]] = {name: [] for name in program.functions}
        """The blocks that call each function."""
        for block in program.blocks:
            if block.instructions and is_call(block.instructions[-1]):
                name = callee(block.instructions[-1])
                for target in program.addressed if name is None else (name,):
                    if target in self._calls:
                        self._calls[target].append(block)

    def skips(self) -> Skips:
        ends = [(block, block.instructions[-1]) for block in self._program.blocks if block.instructions]
        barriers = {block.pc: block.function for block, last in ends if is_full_barrier(last)}
        if not barriers:
            return Skips()
        graphs: dict[str, _Graph] = {}
        # The program's functions are in order, callees first; here callers have to come first.
        for name in reversed(self._program.functions):
            calls = self._calls[name]
            leaves = name == self._program.kernel or any(
                block.function in graphs and block.pc + 1 in graphs[block.function].leaving for block in calls
            )
            graphs[name] = _Graph(self._program, name, leaves, self._step)
        past: dict[frozenset[tuple[Edge, bool]], list[int]] = {}
        for barrier, function in barriers.items():
            places = self._places(barrier, function)
            ways = frozenset(way for graph in graphs.values() for way in graph.past(places & graph.nodes))
            if any(goes_on for _, goes_on in ways):
                past.setdefault(ways, []).append(barrier)
        groups = []
        for ways, group in past.items():
            all_places = {place for barrier in group for place in self._places(barrier, barriers[barrier])}
            before = {pc for graph in graphs.values() for pc in graph.before(all_places & graph.nodes)}
            # A thread that returns by an edge that is not tracked looks as if it had not skipped the barrier.
            known = all(goes_on or edge[1] not in before for edge, goes_on in ways)
            groups.append((known, {edge: edge[1] not in before for edge, goes_on in ways if goes_on}, group))
        if len(groups) > GROUPS:
            groups = [(known, edges, group) for known, edges, group in groups if known]
        found = Skips()
        for count, (known, edges, group) in enumerate(groups):
            number = count % GROUPS
            for edge, final in edges.items():
                if bits := known << number | final << number + GROUPS:
                    found.edges[edge] = found.edges.get(edge, 0) | bits
            for barrier in group:
                found.barriers[barrier] = known << number | 1 << number + GROUPS
        return found

    def _step(self) -> None:
        self._steps += 1
        if self._steps > self._most_steps:
            raise _TooLong

    def _places(self, barrier: int, function: str) -> set[int]:
        """Returns the block of a barrier, and the blocks whose calls lead to it."""
        found, ahead, seen = {barrier}, [function], {function}
        while ahead:
            for block in self._calls[ahead.pop()]:
                self._step()
                found.add(block.pc)
                if block.function not in seen:
                    seen.add(block.function)
                    ahead.append(block.function)
        return found


class _Graph:
    """The blocks of one function, without the edges by which a thread only leaves the kernel.

    `leaves`: whether returning from the function only leaves the kernel.
    """

    def __init__(self, program: Program, function: str, leaves: bool, step: Callable[[], None]) -> None:
        self._step = step
        self._leaves = leaves
        blocks = {block.pc: block for block in program.blocks if block.function == function}
        self.nodes = set(blocks)
        ways = {
            pc: [way for way in dict.fromkeys(successors(program, block)) if way in blocks]
            for pc, block in blocks.items()
        }
        self.leaving = {pc for pc, block in blocks.items() if _ends_in(block, Flow.TRAP)}
        for pc in sorted(blocks, reverse=True):
            quiet = not _has_effect(blocks[pc]) and (leaves or not _ends_in(blocks[pc], Flow.RETURN))
            if quiet and all(way > pc and way in self.leaving for way in ways[pc]):
                self.leaving.add(pc)
        self._ways: dict[int, list[int]] = {}
        self._may_leave: set[int] = set()
        for pc, all_ways in ways.items():
            staying = [way for way in all_ways if way not in self.leaving]
            self._ways[pc] = staying if staying and not _is_latch(pc, all_ways) else all_ways
            if len(self._ways[pc]) < len(all_ways) or (
                not all_ways and (leaves or not _ends_in(blocks[pc], Flow.RETURN))
            ):
                self._may_leave.add(pc)
        self._sources: dict[int, list[int]] = {}
        for pc, kept in self._ways.items():
            for way in kept:
                self._sources.setdefault(way, []).append(pc)
        self._next = post_dominators(self._ways)
        self._controls: dict[int, set[Edge]] = {pc: set() for pc in self.nodes}
        """The edges of branches that surely lead to each block, while another edge does not."""
        for pc, kept in self._ways.items():
            if len(kept) > 1 and pc in self._next:
                for way in kept:
                    at = way
                    while at in self._next and at != self._next[pc]:
                        step()
                        self._controls[at].add((pc, way))
                        at = self._next[at]
        self._known: dict[frozenset[Edge], list[tuple[Edge, bool]]] = {}

    def past(self, places: set[int]) -> list[tuple[Edge, bool]]:
        """Returns the edges by which a thread skips these places, and whether it surely continues afterwards."""
        first = frozenset(edge for place in places for edge in self._controls[place])
        if first not in self._known:
            self._known[first] = list(self._past(first))
        return self._known[first]

    def _past(self, first: frozenset[Edge]) -> Iterator[tuple[Edge, bool]]:
        towards: dict[int, set[int]] = {}
        ahead = list(first)
        while ahead:
            self._step()
            branch, way = ahead.pop()
            if branch not in towards:
                ahead += self._controls[branch]
            towards.setdefault(branch, set()).add(way)
        for branch, leading in towards.items():
            for way in self._ways[branch]:
                # If the edges never meet, one that leads to the place may do so a round later.
                if way not in leading or (self._is_parting(branch) and not _is_latch(branch, self._ways[branch])):
                    yield (branch, way), self._goes_on(branch, way)

    def before(self, places: set[int]) -> set[int]:
        """Returns the blocks from which a thread may reach one of these."""
        return self._reached(list(places), END, self._sources)

    def _goes_on(self, branch: int, way: int) -> bool:
        """Whether threads that take this edge rejoin the others, or have left a loop by its condition."""
        if self._is_parting(branch):
            return _is_latch(branch, self._ways[branch]) and way in self.leaving
        return not self._reached([way], self._next[branch], self._ways) & self._may_leave

    def _is_parting(self, branch: int) -> bool:
        """Whether its edges do not meet before they leave the kernel."""
        return self._leaves and (self._next[branch] == END or self._next[branch] in self.leaving)

    def _reached(self, start: list[int], end: int, ways: Mapping[int, list[int]]) -> set[int]:
        """Returns what can be reached without going through `end`."""
        found: set[int] = set()
        ahead = list(start)
        while ahead:
            pc = ahead.pop()
            if pc != end and pc not in found:
                self._step()
                found.add(pc)
                ahead += ways.get(pc, ())
        return found


def _is_latch(pc: int, ways: list[int]) -> bool:
    """Whether the block ends a round of a loop, as compilers lay loops out: one of its edges leads back."""
    return any(way <= pc for way in ways)


def _ends_in(block: Block, flow: Flow) -> bool:
    return bool(block.instructions) and block.instructions[-1].traits.flow is flow


def _has_effect(block: Block) -> bool:
    return any(i.traits.has_effect and not (i.traits.is_load and "param" in i.modifiers) for i in block.instructions)
