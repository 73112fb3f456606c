"""Tests a problem's checks with the outputs of trivial kernels: a problem that accepts one of them is faulty.
It runs no kernel; the outputs are made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.check.case import check_case
from grader.core.verdict import Verdict
from grader.problem.arrays import widen
from grader.problem.definition import Problem
from grader.problem.inputs import draw_scalars, families, make_inputs
from grader.problem.sizes import Budget, draw_sizes

Arrays = dict[str, npt.NDArray[Any]]


def trivial_outputs(
    problem: Problem, sizes: Mapping[str, int], inputs: Mapping[str, npt.NDArray[Any]]
) -> Iterator[tuple[str, Arrays]]:
    """Yields each trivial kernel in words, with the outputs it would write."""
    first, values = next(iter(inputs.items()))
    constants = (
        ("zeros", 0.0),
        ("the constant 1", 1.0),
        (f"the mean of {first}", float(problem.inputs[first].numbers(values).mean(dtype=np.float64))),
    )
    outputs = problem.outputs.items()
    for label, value in constants:
        yield label, {name: output.stored(np.full(output.shape(sizes), value)) for name, output in outputs}
    for name, source in inputs.items():
        # Repeated or cut if the shapes differ, as a kernel that copies by flat index would do.
        yield (
            f"a copy of {name}",
            {
                out: o.stored(np.resize(widen(problem.inputs[name].numbers(source)), o.shape(sizes)))
                for out, o in outputs
            },
        )


def accepted_trivial_kernels(
    problem: Problem, seed: int, count: int = 12, budget: Budget | None = None
) -> tuple[str, ...]:
    """Returns the trivial kernels that pass every case of a draw; empty for a sound problem.

    Cases take the input families in turn, so every family is tried on large and small sizes.
    """
    passing: set[str] | None = None
    order: dict[str, None] = {}
    turns = families(problem)
    for i, sizes in enumerate(draw_sizes(problem, seed, count, budget)):
        family = turns[i % len(turns)]
        inputs, numbers = (
            make_inputs(problem, sizes, family, seed + i),
            {**sizes, **draw_scalars(problem, family, seed + i)},
        )
        passed = set()
        for label, outputs in trivial_outputs(problem, sizes, inputs):
            order[label] = None
            if passing is not None and label not in passing:
                continue
            if check_case(problem, numbers, family, inputs, outputs)[0] is Verdict.ACCEPTED:
                passed.add(label)
        passing = passed
        if not passing:
            break
    return tuple(label for label in order if label in (passing or ()))
