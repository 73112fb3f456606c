"""What two runs of one case say together."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grader.core.limits import Limits
from grader.core.plan import Plan
from grader.core.verdict import Verdict
from grader.judge.examiner import IN_NO_ORDER, Examiner
from grader.plan.poison import Poison
from grader.plan.runner import Run, RunStatus
from grader.problem import load_problem
from grader.problem.cases import Case
from grader.problem.inputs import make_inputs

PROBLEM = load_problem(Path(__file__).parents[1] / "problems" / "zip")
CASE = Case({"N": 8}, "normal", 1)


class Ordered:
    """A runner that does as `wrong` says in the second run of a case."""

    device = "emulator"

    def __init__(self, in_no_order: bool, wrong: bool) -> None:
        self.runs: list[Poison] = []
        self._in_no_order, self._wrong = in_no_order, wrong

    def prepare(self, problem: Any, sizes: Any, family: str, seed: int, poison: Poison) -> dict[str, int]:
        self.runs.append(poison)
        self._inputs = make_inputs(problem, sizes, family, seed)
        return {"a": 0, "b": 0, "output": 0}

    def execute(self, plan: Plan, limits: Limits) -> Run:
        output = self._inputs["a"] + self._inputs["b"]
        if self._wrong and self.runs[-1] is Poison.FINITE:
            output[3] += 1
        unwritten = {"output": np.zeros(8, np.bool_)}
        return Run(RunStatus.DONE, outputs={"output": output}, unwritten=unwritten, in_no_order=self._in_no_order)


@pytest.mark.parametrize(
    ("in_no_order", "wrong", "verdict", "runs"),
    [
        (False, True, Verdict.ACCEPTED, 2),
        (True, False, Verdict.ACCEPTED, 3),
        (True, True, Verdict.WRONG_ANSWER, 2),
    ],
)
def test_launches_in_no_order_run_in_both_orders(in_no_order: bool, wrong: bool, verdict: Verdict, runs: int) -> None:
    runner = Ordered(in_no_order, wrong)
    planner = SimpleNamespace(plan=lambda *_: Plan(()), printed="")
    submission = SimpleNamespace(text="")
    examiner = Examiner(runner, PROBLEM, submission, planner, lambda problem, case: Limits())  # type: ignore[arg-type]
    result = examiner.examine(CASE)
    assert result.verdict is verdict and len(runner.runs) == runs
    assert (IN_NO_ORDER in result.message) == wrong * in_no_order


def test_the_reference_is_computed_while_the_case_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = Event()
    problem = load_problem(PROBLEM.folder)
    expected = problem.expected

    def tell_and_compute(*given: Any) -> Any:
        begun.set()
        return expected(*given)

    # Of this object, which is the test's own.
    monkeypatch.setattr(problem, "expected", tell_and_compute)

    class Patient(Ordered):
        def execute(self, plan: Plan, limits: Limits) -> Run:
            assert begun.wait(60)
            return super().execute(plan, limits)

    planner = SimpleNamespace(plan=lambda *_: Plan(()), printed="")
    runner = Patient(in_no_order=False, wrong=False)
    submission = SimpleNamespace(text="")
    examiner = Examiner(runner, problem, submission, planner, lambda problem, case: Limits())  # type: ignore[arg-type]
    assert examiner.examine(CASE).verdict is Verdict.ACCEPTED
