"""Finds how many elements of each size a block covers, and how many the largest grid covers.

It plans launches with dummy addresses and looks only at their grids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from grader.core.plan import Launch
from grader.problem.definition import Problem
from grader.problem.harness import LaunchRefused, build_plan
from grader.problem.inputs import draw_scalars, families

USUAL_TILE, USUAL_BLOCK = 64, 1024
"""Used for a submission's own launches: multiples of these are multiples of all smaller tiles and blocks too."""
TILE_AT_MOST = 32


@dataclass(frozen=True)
class Reach:
    """The reach of one size: `unit` is how many elements a block covers, 1 if each element has its own block.

    `capacity` is how many elements the largest grid has threads for, 0 if the size can't exceed it.
    """

    unit: int
    capacity: int = 0


def reach_of(problem: Problem, constants: Mapping[str, int] | None) -> dict[str, Reach]:
    """The reach of every size that is no choice, with these launch constants; None if the launches are unknown."""
    used = problem.constants if constants is None else constants
    try:
        found = {name: _reach(problem, used, name) for name, size in problem.sizes.items() if not size.is_choice}
    except LaunchRefused:
        # The grading will end in the same refusal, whatever the sizes.
        return {}
    return {name: _usual(reach) for name, reach in found.items()} if constants is None else found


def _reach(problem: Problem, constants: Mapping[str, int], name: str) -> Reach:
    low, high = problem.sizes[name].low, problem.sizes[name].high
    one, most = (_blocks(problem, constants, name, value) for value in (low, high))
    if most == one:
        # A loop inside the block covers it.
        return Reach(max(constants.values(), default=USUAL_BLOCK))
    begin, end = low, high
    while end - begin > 1:
        middle = (begin + end) // 2
        begin, end = (begin, middle) if _blocks(problem, constants, name, middle) > one else (middle, end)
    capacity = begin * most // one
    return Reach(begin, capacity if capacity < high else 0)


def _blocks(problem: Problem, constants: Mapping[str, int], name: str, value: int) -> int:
    scalars = draw_scalars(problem, families(problem)[0], 0)
    sizes = {**{other: size.low for other, size in problem.sizes.items()}, name: value, **scalars}
    addresses = {array: (number + 1) << 40 for number, array in enumerate([*problem.inputs, *problem.outputs])}
    steps = build_plan(problem, constants, sizes, addresses).steps
    return sum(prod(step.grid) for step in steps if isinstance(step, Launch))


def _usual(reach: Reach) -> Reach:
    if reach.unit == 1:
        return reach
    return Reach(USUAL_TILE if reach.unit <= TILE_AT_MOST else USUAL_BLOCK, reach.capacity)
