"""Finds the zeros of a result whose sign is determined: a copy or a sum fixes it, max(+0, -0) may give either.

The reference itself shows it. Every zero among the inputs is moved a little, each by a different distance, and then
by one step more in the direction of its sign: how far the result moves by that step tells which zeros it is made of.
If this depends on the first move, the operation selects one of several equal values. Among three or more of them, as
in a sort, it may select the same one each time; such a problem has to declare that signs don't count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.problem.arrays import module_of, widen
from grader.problem.definition import Floats, Problem

STEP = 2.0**-300
"""Negligible against every nonzero float; some thousands of steps, times a float, are exact in float64."""


def signed(
    problem: Problem, sizes: Mapping[str, int], inputs: Mapping[str, npt.NDArray[Any]], reference: Mapping[str, Floats]
) -> dict[str, npt.NDArray[np.bool_]]:
    """Masks, by output name, of where the operation determines the sign of a zero; nonzero elements don't matter."""
    if any(array.dtype.coded for array in problem.operands.values()):
        # A type coded in few bits has no number between a zero and its neighbours.
        return {name: module_of(r).zeros(r.shape, bool) for name, r in reference.items()}
    wide = {name: widen(inputs[name]) for name in problem.operands}
    xp = module_of(next(iter(inputs.values())))
    known = {name: xp.ones(r.shape, bool) for name, r in reference.items()}
    if not any((x == 0).any() for x in wide.values()) or not any((r == 0).any() for r in reference.values()):
        return known
    signs = {name: xp.copysign(STEP, x) for name, x in wide.items()}

    def step(moves: Mapping[str, Floats]) -> dict[str, Floats]:
        before, after = (
            problem.expected({**inputs, **{name: xp.where(x == 0, by[name], x) for name, x in wide.items()}}, sizes)
            for by in (moves, {name: move + signs[name] for name, move in moves.items()})
        )
        with np.errstate(invalid="ignore"):
            return {name: after[name] - before[name] for name in before}

    one, other = ({name: _moves(x, 2 * i + turn) for i, (name, x) in enumerate(wide.items())} for turn in (0, 1))
    first = step(one)
    for moves in ({name: -move for name, move in one.items()}, other):
        again = step(moves)
        known = {name: k & (first[name] == again[name]) for name, k in known.items()}
    # A result that only the rounding to float32 makes zero keeps its sign.
    return {name: k | (reference[name] != 0) for name, k in known.items()}


def _moves(x: Floats, turn: int) -> Floats:
    """A pseudo-random offset for each element, up or down: an odd multiple of 4 · STEP."""
    xp = module_of(x)
    mixed = (xp.arange(x.size, dtype=np.uint64) + np.uint64(turn << 32)) * np.uint64(0x9E3779B97F4A7C15)
    steps: Floats = ((mixed >> np.uint64(40)) % np.uint64(4096)).astype(np.float64) * 8 - 4095 * 4
    return steps.reshape(x.shape) * STEP
