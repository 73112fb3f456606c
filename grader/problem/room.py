"""Makes sizes smaller until every array has an element: H - K + 1, for example, may be 0 if a larger K is drawn.

Drawing sizes is left to `grader.problem.sizes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grader.core.errors import ProblemError
from grader.problem.expressions import names_in, value_of

if TYPE_CHECKING:
    from grader.problem.definition import Problem
    from grader.problem.parameters import Size


def without_room(problem: Problem, sizes: Mapping[str, int]) -> tuple[str, str, int] | None:
    """The first empty array with the dimension and its value; None if no array is empty."""
    for name, array in {**problem.inputs, **problem.outputs}.items():
        for dimension in array.dimensions:
            length = _length(str(dimension), sizes)
            if length < 1:
                return name, str(dimension), length
    return None


def with_room(problem: Problem, sizes: Mapping[str, int]) -> dict[str, int]:
    """These sizes, or smaller ones with which no array is empty, such as a filter no longer than its row."""
    made = dict(sizes)
    while (found := without_room(problem, made)) is not None:
        _, dimension, length = found
        lowered = {n: _halved(problem.sizes[n], made[n]) for n in names_in(dimension) if not problem.sizes[n].is_choice}
        helpful = {
            name: value
            for name, value in lowered.items()
            if value < made[name] and _length(dimension, {**made, name: problem.sizes[name].low}) > length
        }
        if not helpful:
            return {n: made[n] if size.is_choice else size.low for n, size in problem.sizes.items()}
        made.update(helpful)
    return made


def _length(dimension: str, sizes: Mapping[str, int]) -> int:
    try:
        return value_of(dimension, sizes)
    except ProblemError:
        # A division by 0.
        return 0


def _halved(size: Size, value: int) -> int:
    """Half of a value, within the size's range; not divisible by 16 if the value is not."""
    half = value // 2
    return max(half - (value % 16 > 0 and half % 16 == 0), size.low)
