"""The plan of several calls of solve() in one process, each with arrays that hold what its case says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from grader.core.plan import Alloc, Plan, Step, Synchronize, Upload
from grader.plan.planner import Planner
from grader.plan.poison import Poison, make_poisoned
from grader.plan.runner import DeviceMemory
from grader.problem import Problem
from grader.problem.cases import Case
from grader.problem.inputs import make_inputs


def plan_calls(
    problem: Problem,
    planner: Planner,
    device: DeviceMemory,
    others: Sequence[Case],
    case: Case,
    own: Mapping[str, int],
    poison: Poison,
) -> Plan | None:
    """Calls with the `others`, and then with the case in its `own` arrays.

    The last of the others has these arrays too, if it has the same sizes; the rest get arrays of `device`. Outputs hold
    the poison before each call. None where the planner can't tell what later calls do, or there is no room. Raises what
    the planner and the device do.
    """
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
    return Plan(tuple(steps))


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
