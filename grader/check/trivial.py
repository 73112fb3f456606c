"""Tries a problem's checks with what trivial kernels would give: a problem that accepts one of them is
faulty.

It runs no kernel; the outputs are made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.arrays import narrow, widen
from grader.check.case import check_case
from grader.definition import Problem
from grader.inputs import families, make_inputs
from grader.sizes import Budget, draw_sizes
from grader.verdict import Verdict

Arrays = dict[str, npt.NDArray[Any]]


def trivial_outputs(
    problem: Problem, sizes: Mapping[str, int], inputs: Mapping[str, npt.NDArray[Any]]
) -> Iterator[tuple[str, Arrays]]:
    """Each trivial kernel in words, with the outputs it would write."""
    first, values = next(iter(inputs.items()))
    constants = (
        ("zeros", 0.0),
        ("the constant 1", 1.0),
        (f"the mean of {first}", float(values.mean(dtype=np.float64))),
    )
    shapes = {name: (array.shape(sizes), array.dtype.numpy) for name, array in problem.outputs.items()}
    for label, value in constants:
        yield label, {name: narrow(np.full(shape, value), dtype) for name, (shape, dtype) in shapes.items()}
    for name, source in inputs.items():
        # Repeated or cut where the shapes differ, as a kernel that copies by flat index would do.
        yield (
            f"a copy of {name}",
            {output: narrow(np.resize(widen(source), shape), dtype) for output, (shape, dtype) in shapes.items()},
        )


def accepted_trivial_kernels(
    problem: Problem, seed: int, count: int = 12, budget: Budget | None = None
) -> tuple[str, ...]:
    """The trivial kernels that pass every case of a draw; empty for a sound problem.

    Cases take the families of inputs in turn, so every family is tried on large and small sizes.
    """
    passing: set[str] | None = None
    order: dict[str, None] = {}
    turns = families(problem)
    for i, sizes in enumerate(draw_sizes(problem, seed, count, budget)):
        family = turns[i % len(turns)]
        inputs = make_inputs(problem, sizes, family, seed + i)
        passed = set()
        for label, outputs in trivial_outputs(problem, sizes, inputs):
            order[label] = None
            if passing is not None and label not in passing:
                continue
            if check_case(problem, sizes, family, inputs, outputs)[0] is Verdict.ACCEPTED:
                passed.add(label)
        passing = passed
        if not passing:
            break
    return tuple(label for label in order if label in (passing or ()))
