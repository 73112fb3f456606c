"""The inputs of timed replays: fresh ones for each, of the kind that a problem's arrays declare.

What `@problem.structure` makes belongs together, like row offsets, and cannot come from independent words: a buffer set
keeps its structure over all its replays, while everything else changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from grader.problem import Problem
from grader.problem.inputs import make_structure, values_of
from grader.run.gpu.filling import Filling
from grader.run.gpu.refill import make_values, replay_key, stream_of

FAMILY = "normal"
"""The family of inputs that timed replays get."""


def filling_of(problem: Problem, name: str, sizes: Mapping[str, int]) -> Filling | None:
    """Returns what fills an input before each replay; None for one that keeps its structure."""
    if name in problem.structured:
        return None
    array = problem.inputs[name]
    values, coded = values_of(array), array.dtype.name if array.dtype.coded else ""
    if values is None:
        return Filling("normal", array.dtype.numpy, coded=coded)
    return Filling("whole" if values.whole else "even", array.dtype.numpy, *values.ends(sizes), coded=coded)


def structure_of(problem: Problem, sizes: Mapping[str, int], seed: int, buffer_set: int) -> dict[str, Any]:
    """Returns the arrays of one buffer set that keep their contents; `seed` is secret until the first replay."""
    return dict(_structure_of(problem, tuple(sizes.items()), seed, buffer_set))


@lru_cache(maxsize=8)
def _structure_of(problem: Problem, sizes: tuple[tuple[str, int], ...], seed: int, buffer_set: int) -> dict[str, Any]:
    """Makes a structure. Cached, since many replays of few sets are checked."""
    return make_structure(problem, dict(sizes), FAMILY, replay_key(seed, "structure", buffer_set))


def make_timed(
    problem: Problem, sizes: Mapping[str, int], key: int, buffer_set: int, sigma: float, structure: int
) -> dict[str, Any]:
    """Returns all inputs that one buffer set had in the replay with this key, as NumPy arrays.

    `sigma` is the standard deviation of nearly normal ones, `structure` the seed of structures.
    """
    made = structure_of(problem, sizes, structure, buffer_set)
    for position, (name, array) in enumerate(problem.inputs.items()):
        filling = filling_of(problem, name, sizes)
        if filling is not None:
            shape, stream = array.shape(sizes), stream_of(buffer_set, len(problem.inputs), position)
            count = array.nbytes(sizes) // array.dtype.itemsize
            made[name] = make_values(key, stream, count, sigma, filling).reshape(shape)
    return made
