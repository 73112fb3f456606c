"""A second pass over a kernel on the emulator, as a debug build: does it use local variables that have no value?

It looks at what is right, and at wrong answers, whose cause such a variable may be. An optimising compiler folds them
away, with whatever value suits it; a debug build keeps them. What the pass
can't compile, does not know, or can't finish in time says nothing: only the use of such a variable is told.
"""

from __future__ import annotations

import re
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

from grader.compile.compiler import CompileFailure
from grader.compile.program import Program
from grader.compile.submission import Submission
from grader.core.errors import JudgeError
from grader.core.limits import Limits
from grader.core.report import CaseResult
from grader.core.verdict import FaultClass
from grader.judge.examiner import result_of_run
from grader.languages.language import Language
from grader.plan.runner import Run, RunnerStopped, RunStatus
from grader.plan.stopped import RecordingStopped
from grader.problem import Problem
from grader.problem.cases import Case
from grader.problem.harness import LaunchRefused
from grader.problem.sizes import Budget
from grader.run.device import Part
from grader.run.emulator_runner import EmulatorRunner
from grader.run.limited import Limited
from grader.sandbox import Sandbox

BUDGET = Budget(flops=1_000_000, bytes=1 << 18)
"""The largest case that is tried: a debug build whose variables are followed runs some ten times as long."""
CHECK = "local variables that have no value, in a debug build on the emulator"
"""What a report calls a pass that came to its end."""
LIBRARIES = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](cub|thrust|cute|cutlass)/", re.MULTILINE)
"""Their templates take a debug build tens of seconds, and make kernels too long to be followed."""
LIMITS = Limits(seconds=3.0, instructions=16_000_000)


class LocalsPass:
    """Of one submission. The debug build is compiled beside the cases; `sandbox` is where it is compiled and planned.

    `begin` and `found` are for a part beside another one, whose runner has nothing else to do meanwhile.
    """

    def __init__(
        self, problem: Problem, submission: Submission, language: Language, cache: Path, sandbox: Sandbox
    ) -> None:
        self._problem = problem
        self._submission = submission
        self._language = language
        self._cache = cache
        self._sandbox = sandbox
        self._beside = ThreadPoolExecutor(1, "kgrade-debug-build")
        self._built: Future[Program | None] = self._beside.submit(self._build)
        self._begun: Future[CaseResult | None] | None = None
        self.completed = False
        """Whether a case ran to its end and nothing was found."""

    def close(self) -> None:
        """Waits for nothing: a build that nobody asks for any more ends by itself."""
        self._beside.shutdown(wait=False, cancel_futures=True)

    def _build(self) -> Program | None:
        if LIBRARIES.search(self._submission.text):
            return None
        try:
            return self._language.compile_debug(self._problem, self._submission, self._cache, self._sandbox)
        except (CompileFailure, JudgeError):
            return None

    def begin(self, part: Part, program: Program, failed: Case | None = None) -> None:
        """`run` in a thread beside; until `found` nobody else asks the part's runner."""
        self._begun = self._beside.submit(self.run, part, program, failed)

    def found(self) -> CaseResult | None:
        """What `run` returned; None where it was not begun."""
        return self._begun.result() if self._begun is not None else None

    def run(self, part: Part, program: Program, failed: Case | None = None) -> CaseResult | None:
        """The fault of the case that `failed`, else of one of this part, if it is the emulator's; None where nothing
        is found.

        Afterwards the runner of a part that does not decide has its own program again.
        """
        if not emulates(part):
            return None
        built, case = self._built.result(), failed if failed is not None and self._fits(failed) else self._case(part)
        if built is None or case is None:
            return None
        run = None
        with suppress(RunnerStopped):
            run = self._run(part, program, built, case)
        if not part.decides:
            # Also after a process that ended: whoever asks next is to find the program that was graded.
            part.runner.load(program)
        if run is None:
            return None
        self.completed = run.status is RunStatus.DONE
        unset = run.fault is not None and run.fault.fault is FaultClass.UNINITIALIZED_READ
        return result_of_run(case, run, self._submission.text) if unset else None

    def _fits(self, case: Case) -> bool:
        return BUDGET.allows(self._problem, case.sizes)

    def _case(self, part: Part) -> Case | None:
        """The largest that is small."""
        small = [case for case in part.cases if self._fits(case)]
        return max(small, key=lambda case: astuple(self._problem.cost_of(case.sizes)), default=None)

    def _run(self, part: Part, program: Program, built: Program, case: Case) -> Run | None:
        runner = part.runner
        # A debug build of the kernels alone is launched by the program's own host code.
        host = built if built.shared_object else program
        runner.load(built)
        addresses = runner.prepare(self._problem, case.sizes, case.family, case.seed)
        try:
            numbers = case.numbers(self._problem)
            planner = self._language.planner(self._problem, host, part.device_table, self._sandbox, self._cache)
            plan = planner.plan(numbers, addresses, Limited(runner, LIMITS))
        except (LaunchRefused, RecordingStopped):
            return None
        return runner.execute(plan, LIMITS)


def emulates(part: Part) -> bool:
    """Whether this part is the emulator's."""
    return isinstance(part.runner, EmulatorRunner)
