"""Runs a case in a process that has called solve() before: with other arrays, of other sizes, and with other data.

Static variables outlive a call. A graph that was captured once launches on the first call's arrays, a grid, a table or
a workspace may have its size, weights may be packed once, and a counter may not be cleared again. All calls run on the
device, one after another; only the results of the last one are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from grader.core.limits import Limits
from grader.core.plan import Alloc, Plan, Step, Synchronize, Upload
from grader.plan.planner import Planner
from grader.plan.poison import Poison, make_poisoned
from grader.plan.runner import Run, Runner
from grader.problem import Problem
from grader.problem.cases import Case
from grader.problem.inputs import make_inputs
from grader.problem.sizes import fit_together
from grader.run.limited import Limited

MOST_BYTES = 64 << 10
"""Of the arrays of the case that is run so: enough for several blocks of most kernels, and soon done."""


def choose_later(problem: Problem, cases: Sequence[Case]) -> tuple[Case, Case] | None:
    """The case of a grading that runs so, and the one of the calls before that has other sizes.

    The former is the largest of the small ones, the latter the first one, or if it is alone one of the least sizes.
    """

    def size(case: Case) -> int:
        return problem.array_bytes(case.sizes)

    later = max((case for case in cases if size(case) <= MOST_BYTES), key=size, default=None)
    if later is None:
        return None
    least = {name: bounds.low for name, bounds in problem.sizes.items()}
    if later.sizes == cases[0].sizes and not problem.tests and fit_together(problem, least):
        return later, Case(least, later.family, later.seed)
    return later, cases[0]


def run_after_others(
    runner: Runner,
    problem: Problem,
    planner: Planner,
    limits: Limits,
    others: Sequence[Case],
    case: Case,
    poison: Poison,
) -> Run | None:
    """The run of the case after calls with the `others`, the last of them in its own arrays if it has these sizes.

    The outputs hold the poison before each call. None where the planner can't tell what later calls do. Raises what the
    runner does.
    """
    own = runner.prepare(problem, case.sizes, case.family, case.seed, poison)
    device = Limited(runner, limits)
    steps: list[Step] = []
    places: list[Mapping[str, int]] = []
    for number, other in enumerate(others, 1):
        if number == len(others) and other.sizes == case.sizes:
            places.append(own)
            continue
        elsewhere = {}
        for name, size in _sizes(problem, other):
            address = device.allocate(size)
            if address is None:
                return None
            elsewhere[name] = address
            steps.append(Alloc(address, size))
        places.append(elsewhere)
    calls = list(zip((*others, case), (*places, own), strict=True))
    plans = planner.plan_series([(one.numbers(problem), where) for one, where in calls], device)
    if plans is None:
        return None
    for (one, where), plan in zip(calls, plans, strict=True):
        # Whoever calls solve() has waited for what came before, and waits for what it does.
        steps += [*_fill(problem, one, where, poison), Synchronize(), *plan.steps, Synchronize()]
    return runner.execute(Plan(tuple(steps)), limits)


def _sizes(problem: Problem, case: Case) -> Iterator[tuple[str, int]]:
    for name, array in (*problem.inputs.items(), *problem.outputs.items()):
        yield name, max(array.nbytes(case.sizes), 1)


def _fill(problem: Problem, case: Case, addresses: Mapping[str, int], poison: Poison) -> Iterator[Step]:
    """Puts the inputs of a case into arrays, and into the outputs what they hold before a run."""
    start = problem.start_contents(case.sizes)
    for name, array in problem.outputs.items():
        start.setdefault(name, make_poisoned(array.shape(case.sizes), np.dtype(array.dtype.numpy), poison))
    for name, made in {**make_inputs(problem, case.sizes, case.family, case.seed), **start}.items():
        if made.nbytes:
            yield Upload(addresses[name], made.tobytes())
