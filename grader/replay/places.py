"""Chooses where to look: the launch of a plan and the blocks in which a case fails, or a block that was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from grader.core.errors import UsageError
from grader.core.limits import Limits
from grader.core.plan import Launch, Plan
from grader.core.report import CaseResult, Dim3
from grader.core.verdict import FaultClass, Verdict
from grader.problem import Problem
from grader.replay.marks import first_wrong
from grader.replay.runner import ReplayRunner
from grader.replay.writers import Element

ENDLESS = Limits(seconds=1.0, instructions=2_000_000)
"""The limits under which the launch that does not end is looked for."""
PATIENCE = 3
"""Launches of one kernel that are looked at, where it is not known which of them raced."""
LOOKED_FOR = "All blocks were run before, without being recorded, to find the one that wrote the element last."
WRITTEN_NOWHERE = "No thread wrote this element; this is the block that wrote the one nearest to it."
BEGIN: Dim3 = (0, 0, 0)


@dataclass(frozen=True)
class Place:
    """Where to look: a launch of the plan, and its blocks by number. `words` are a remark on the choice."""

    launch: int
    blocks: tuple[int, ...]
    words: str = ""


class Places:
    """Looks for the places of one case. `plan` makes its plan anew, with its arrays as they are before it.

    `begun`: the plan is only what solve() began with; it did not return.
    """

    def __init__(
        self,
        problem: Problem,
        runner: ReplayRunner,
        plan: Callable[[], Plan],
        result: CaseResult,
        limits: Limits,
        begun: bool = False,
    ) -> None:
        self._problem, self._runner, self._plan = problem, runner, plan
        self._result, self._limits, self._begun = result, limits, begun

    def find(self, plan: Plan, block: Dim3 | None = None) -> Sequence[Place]:
        """The places to look at, the likeliest first; only `block` of the likeliest launch, if one is given.

        Raises UsageError for a block that is not in the grid.
        """
        launches = [step for step in plan.steps if isinstance(step, Launch)]
        if not launches:
            return []
        if block is None:
            return self._likely(plan, launches)
        # With one launch there is nothing to look for.
        likely = self._likely(plan, launches)[0] if len(launches) > 1 else Place(0, ())
        _require(block, launches[likely.launch])
        (number,) = _place(launches, likely.launch, [block]).blocks
        return [likely if number in likely.blocks else Place(likely.launch, (number,))]

    def _likely(self, plan: Plan, launches: Sequence[Launch]) -> Sequence[Place]:
        result, limits = self._result, self._limits
        if result.verdict is Verdict.ACCEPTED or self._begun:
            return [_place(launches, 0, [BEGIN])]
        if result.verdict is Verdict.TIME_LIMIT_EXCEEDED:
            failed = self._runner.first_failure(plan, ENDLESS) if len(launches) > 1 else None
            return [_place(launches, failed[0] if failed else 0, [BEGIN])]
        fault, element = result.fault, self.wrong_element()
        if fault is not None and fault.block is not None:
            of_kernel = [n for n, step in enumerate(launches) if self._name(step) == fault.kernel] or [0]
            if len(of_kernel) > 1 and fault.fault is not FaultClass.DATA_RACE:
                failed = self._runner.first_failure(plan, limits)
                of_kernel = [failed[0]] if failed else of_kernel
            blocks = _blocks_of(fault.message, fault.block)
            return [_place(launches, launch, blocks) for launch in of_kernel[:PATIENCE]]
        if element is not None:
            return [self._writer(plan, launches, element) or _place(launches, len(launches) - 1, [BEGIN])]
        failed = self._runner.first_failure(plan, limits)
        if failed is not None:
            return [_place(launches, failed[0], [failed[1] or BEGIN])]
        return [_place(launches, len(launches) - 1, [BEGIN])]

    def _writer(self, plan: Plan, launches: Sequence[Launch], element: Element) -> Place | None:
        """The block that wrote an element last, or else the one that wrote the nearest; None if nobody wrote any."""
        writers = self._runner.writers(plan, self._limits, element, near=False)
        if writers:
            last = writers[-1]
            return Place(last.launch, (last.block,), LOOKED_FOR if prod(launches[last.launch].grid) > 1 else "")
        near = self._runner.writers(self._plan(), self._limits, element, near=True)
        if not near:
            return None
        nearest = min(near, key=lambda writer: writer.distance)
        return Place(nearest.launch, (nearest.block,), WRITTEN_NOWHERE)

    def wrong_element(self) -> Element | None:
        """The first wrong element; None if none is known."""
        arrays = {**self._problem.inputs, **self._problem.outputs}
        shapes = {name: array.shape(self._result.sizes) for name, array in arrays.items()}
        found = first_wrong(self._result, shapes)
        if found is None:
            return None
        size = arrays[found[0]].dtype.itemsize
        return Element(found[0], found[1] * size, size)

    def _name(self, launch: Launch) -> str:
        kernel = self._runner.loaded.get(launch.kernel)
        return kernel.name if kernel is not None else launch.kernel


def _blocks_of(message: str, block: Dim3) -> list[Dim3]:
    """The blocks that a fault's message names: of a race between two blocks both, the first access's first."""
    named = re.findall(r"of block \((\d+), (\d+), (\d+)\)", message)
    blocks = [(int(x), int(y), int(z)) for x, y, z in named] or [block]
    return list(dict.fromkeys(blocks))


def _place(launches: Sequence[Launch], launch: int, blocks: Sequence[Dim3]) -> Place:
    x, y, _ = launches[launch].grid
    numbers = [block[0] + x * (block[1] + y * block[2]) for block in blocks]
    return Place(launch, tuple(sorted(dict.fromkeys(numbers))))


def _require(block: Dim3, launch: Launch) -> None:
    x, y, z = launch.grid
    if not all(0 <= at < extent for at, extent in zip(block, (x, y, z), strict=True)):
        at = ",".join(map(str, block))
        raise UsageError(
            f"there is no block {at}: the grid of this launch has {x} x {y} x {z} blocks",
            f"name one from 0,0,0 to {x - 1},{y - 1},{z - 1}",
        )
