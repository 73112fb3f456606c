"""Runs a case in a process that has called solve() before: with other arrays, of other sizes, and with other data.

Static variables outlive a call. A graph that was captured once launches on the first call's arrays, a grid, a table or
a workspace may have its size, weights may be packed once, and a counter may not be cleared again. All calls run on the
device, one after another; only the results of the last one are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.core.limits import Limits
from grader.plan.planner import Planner
from grader.plan.poison import Poison
from grader.plan.runner import Run, Runner
from grader.plan.series import plan_calls
from grader.problem import Problem
from grader.problem.cases import Case
from grader.problem.sizes import fit_together
from grader.run.limited import Limited

MOST_BYTES = 64 << 10
"""Of the arrays of the case that is run so: enough for several blocks of most kernels, and soon done."""


def choose_later(problem: Problem, cases: Sequence[Case]) -> tuple[Case, list[Case]] | None:
    """The case of a grading that runs so, and those of the calls before that have other sizes.

    The former is the largest of the small ones. The latter are the first case, or if that is the same one of the least
    sizes, and one of twice the sizes.
    """

    def size(case: Case) -> int:
        return problem.array_bytes(case.sizes)

    later = max((case for case in cases if size(case) <= MOST_BYTES), key=size, default=None)
    if later is None:
        return None
    before = [cases[0]]
    if not problem.tests:
        least = {name: bounds.low for name, bounds in problem.sizes.items()}
        if later.sizes == cases[0].sizes and fit_together(problem, least):
            before = [replace(later, sizes=least)]
        twice = {name: min(2 * later.sizes[name], bounds.high) for name, bounds in problem.sizes.items()}
        if twice != later.sizes and fit_together(problem, twice):
            before.append(replace(later, sizes=twice))
    return later, before


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
    plan = plan_calls(problem, planner, Limited(runner, limits), others, case, own, poison)
    return None if plan is None else runner.execute(plan, limits)
