"""A second pass over a right kernel on the emulator, as a debug build: does it use local variables that have no value?

An optimising compiler folds such variables away, with whatever value suits it; a debug build keeps them. What the pass
can't compile, does not know, or can't finish in time says nothing: only the use of such a variable is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from grader.cases import Case
from grader.compile.compiler import CompileFailure
from grader.compile.program import Program
from grader.compiling import compile_debug
from grader.errors import JudgeError
from grader.examine import ended
from grader.plan.harness import LaunchRefused
from grader.plan.planner import HarnessPlanner
from grader.problem import Problem
from grader.report import CaseResult
from grader.run.budget import Budgeted
from grader.run.emulator_runner import EmulatorRunner
from grader.run.part import Part
from grader.run.runner import Limits, Run, RunnerStopped, RunStatus
from grader.sizes import Budget
from grader.submission import Submission
from grader.verdict import FaultClass, Form

BUDGET = Budget(flops=1_000_000, bytes=1 << 18)
"""The largest case that is tried: a debug build whose variables are followed runs some ten times as long."""
CHECK = "local variables that have no value, in a debug build on the emulator"
"""What a report calls a pass that came to its end."""
LIMITS = Limits(seconds=3.0, instructions=16_000_000)


class LocalsPass:
    """Of one submission of the kernel form. The debug build is compiled beside the cases.

    `begin` and `found` are for a part beside another one, whose runner has nothing else to do meanwhile.
    """

    def __init__(self, problem: Problem, submission: Submission, cache: Path) -> None:
        self._problem = problem
        self._submission = submission
        self._beside = ThreadPoolExecutor(1, "kgrade-debug-build")
        self._built: Future[Program | None] = self._beside.submit(self._build, cache)
        self._begun: Future[CaseResult | None] | None = None
        self.completed = False
        """Whether a case ran to its end and nothing was found."""

    def close(self) -> None:
        """Waits for nothing: a build that nobody asks for any more ends by itself."""
        self._beside.shutdown(wait=False, cancel_futures=True)

    def _build(self, cache: Path) -> Program | None:
        try:
            return compile_debug(self._problem, self._submission, cache)
        except (CompileFailure, JudgeError):
            return None

    def begin(self, part: Part, program: Program) -> None:
        """`run` in a thread beside; until `found` nobody else asks the part's runner."""
        self._begun = self._beside.submit(self.run, part, program)

    def found(self) -> CaseResult | None:
        """What `run` returned; None where it was not begun."""
        return self._begun.result() if self._begun is not None else None

    def run(self, part: Part, program: Program) -> CaseResult | None:
        """The fault of a case of this part, if it is the emulator's; None where nothing is found.

        Afterwards the part's runner has its own program again.
        """
        if not emulates(part):
            return None
        built, case = self._built.result(), self._case(part)
        if built is None or case is None:
            return None
        run = None
        with suppress(RunnerStopped):
            run = self._run(part, built, case)
        if not part.decides:
            # Also after a process that ended: whoever asks next is to find the program that was graded.
            part.runner.load(program)
        if run is None:
            return None
        self.completed = run.status is RunStatus.DONE
        unset = run.fault is not None and run.fault.fault is FaultClass.UNINITIALIZED_READ
        return ended(case, run, self._submission.text) if unset else None

    def _case(self, part: Part) -> Case | None:
        """The largest that is small."""
        small = [case for case in part.cases if BUDGET.allows(self._problem, case.sizes)]
        return max(small, key=lambda case: self._problem.cost_of(case.sizes).flops, default=None)

    def _run(self, part: Part, built: Program, case: Case) -> Run | None:
        runner = part.runner
        runner.load(built)
        addresses = runner.prepare(self._problem, case.sizes, case.family, case.seed)
        try:
            plan = HarnessPlanner(self._problem, built.constants).plan(case.sizes, addresses, Budgeted(runner, LIMITS))
        except LaunchRefused:
            return None
        return runner.execute(plan, LIMITS)


def emulates(part: Part) -> bool:
    """Whether this part is the emulator's."""
    return isinstance(part.runner, EmulatorRunner)


def has_locals_pass(problem: Problem, submission: Submission, parts: Sequence[Part]) -> bool:
    """Whether one of the parts is the emulator's, and the pass knows how to launch the submission."""
    launched = submission.form is Form.KERNEL and not problem.tests
    return launched and any(emulates(part) for part in parts)
