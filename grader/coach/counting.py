"""Runs a compiled submission once on the emulator and counts its costs.

Counting happens in a separate process; the results are not checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.compile.program import Program
from grader.core.errors import JudgeError
from grader.core.limits import Limits
from grader.core.report import Dim3
from grader.plan.planner import Planner
from grader.plan.runner import RunnerStopped, RunStatus
from grader.problem import Problem
from grader.problem.cases import Case, limits_of
from grader.run.child_runner import START_SECONDS
from grader.run.emulator.counts import ArrayCounts, LaunchCounts, RowCounts, Sample
from grader.run.emulator_runner import EmulatorRunner
from grader.run.head_start import COUNTER
from grader.run.limited import Limited
from grader.run.object_cache import COUNTING
from grader.sandbox import Sandbox

SLOWER = 20
"""Counting takes at most this many times as long as running, on one core."""
MORE_SPINNING = 64
"""Factor for the instruction limit: lanes that wait for others of their warp spin longer, see PATIENT_PERIOD."""


@dataclass(frozen=True)
class CountedKernel:
    """All launches of one kernel with the same block shape: `grid` is the first launch's, `blocks` the total.

    `image` is the PTX that it is in.
    """

    name: str
    symbol: str
    grid: Dim3
    block: Dim3
    dynamic_shared: int
    launches: int
    blocks: int
    counts: LaunchCounts
    image: str = ""

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]


class CountingRunner(EmulatorRunner):
    """The emulator with counting."""

    shared_key = COUNTING

    def __init__(self, folder: Path, sandbox: Sandbox, cache: Path | None = None) -> None:
        super().__init__(folder, sandbox, cache, COUNTER)

    def counts(self) -> list[dict[str, Any]]:
        """The child's counts of all launches since the program was loaded."""
        found = self._ask({"do": "counts"}, START_SECONDS)["launches"]
        assert isinstance(found, list)
        return found


def count(
    problem: Problem, program: Program, planner: Planner, case: Case, sandbox: Sandbox, cache: Path
) -> tuple[CountedKernel, ...]:
    """Counts the kernels that one case launches, in their order.

    Raises JudgeError if the run fails, because it succeeded when it was graded.
    """
    usual = limits_of(problem, case.sizes)
    limits = Limits(usual.seconds * SLOWER, usual.instructions * MORE_SPINNING)
    runner = CountingRunner(problem.folder, sandbox, cache / "kernels")
    try:
        runner.load(program)
        addresses = runner.prepare(problem, case.sizes, case.family, case.seed)
        device = Limited(runner, limits)
        plan = planner.plan(case.numbers(problem), addresses, device)
        run = runner.execute(plan, limits)
        if run.status is not RunStatus.DONE:
            said = run.fault.message if run.fault else run.message
            raise JudgeError(f"the kernel was graded and could not be counted: {said or run.status}", run.details)
        told = runner.counts()
    except RunnerStopped as stop:
        raise JudgeError(f"the kernel was graded and could not be counted: {stop.message}", stop.details) from None
    finally:
        runner.close()
    names = runner.loaded
    return tuple(
        _read(one, names[one["kernel"]].name, names[one["kernel"]].symbol, runner.image_of(one["kernel"]))
        for one in told
    )


def _read(told: Mapping[str, Any], name: str, symbol: str, image: str) -> CountedKernel:
    counts = LaunchCounts(
        tuple(_row(row) for row in told["counts"]["rows"]),
        tuple(ArrayCounts(**array) for array in told["counts"]["arrays"]),
    )
    x, y, z = told["grid"]
    u, v, w = told["block"]
    return CountedKernel(
        name, symbol, (x, y, z), (u, v, w), told["shared_bytes"], told["launches"], told["blocks"], counts, image
    )


def _row(told: Mapping[str, Any]) -> RowCounts:
    sample = told["sample"]
    return RowCounts(
        **{
            **told,
            "modifiers": tuple(told["modifiers"]),
            "sample": sample and Sample(sample["block"], sample["warp"], tuple(sample["offsets"])),
        }
    )
