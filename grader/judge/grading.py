"""One runner's part of a grading: the program loaded, its cases examined, a failure brought to its smallest sizes.

Which runners take part, and what their findings mean together, is the judge's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from grader.check.constant_error import with_constant_errors
from grader.compile.program import Program
from grader.compile.submission import Submission
from grader.core.report import CaseResult, KernelInfo
from grader.core.verdict import FaultClass, Verdict
from grader.judge.diagnosis import Diagnosis, deciding_case, diagnose
from grader.judge.examiner import Examiner, result_of_run
from grader.judge.later_calls import choose_later
from grader.plan.planner import Planner
from grader.plan.runner import RunnerStopped
from grader.problem import Problem
from grader.problem.cases import Case, draw_probes, fits_emulator, format_numbers, may_be_too_large
from grader.problem.sizes import fit_together
from grader.run.device import Part

UNDECIDED = (
    *(Verdict.TIME_LIMIT_EXCEEDED, Verdict.MEMORY_LIMIT_EXCEEDED, Verdict.INTERNAL_ERROR),
    *(Verdict.WRONG_ANSWER, FaultClass.ILLEGAL_INSTRUCTION, FaultClass.TRAP),
)
"""What the emulator may come to with a kernel that a GPU runs well. Results and traps are among it because the GPU's
code may be another: by __CUDA_ARCH__ a kernel does nothing, or traps, where it is compiled for an older GPU. All else
is undefined or refused by CUDA's own rules, and decides: a launch that can't be, a shuffle from lanes that have left.
"""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """What one part found. `failure` is the case that the verdict is taken from, None when all were accepted.

    `repeated` counts the cases that ran twice, `differing` those of them whose results were not the same bits.
    """

    kernels: tuple[KernelInfo, ...] = ()
    cases: tuple[CaseResult, ...] = ()
    failure: CaseResult | None = None
    details: str = ""
    repeated: int = 0
    differing: int = 0

    @property
    def is_unknown(self) -> bool:
        """Whether the runner met an instruction that it does not know."""
        fault = self.failure.fault if self.failure is not None else None
        return fault is not None and fault.fault is FaultClass.ILLEGAL_INSTRUCTION

    @property
    def undecided(self) -> bool:
        """Whether this failure may be the runner's own: a GPU has to tell."""
        fault = self.failure.fault if self.failure is not None else None
        return self.failure is not None and (
            self.failure.verdict in UNDECIDED or bool(fault and fault.fault in UNDECIDED)
        )


class Grading:
    """One submission on one runner."""

    def __init__(
        self,
        part: Part,
        problem: Problem,
        submission: Submission,
        program: Program,
        planner: Planner,
        *,
        fresh_modules: bool = False,
        known_cases: bool = False,
    ) -> None:
        self.part = part
        self.planner = planner
        self.examiner = Examiner(part.runner, problem, submission, planner, part.limits, part.referee, known_cases)
        if fresh_modules:
            self.examiner.before_case = self._start_anew
        self._problem = problem
        self._program = program

    def _start_anew(self) -> None:
        self.planner.start_anew()
        self.part.runner.load(self._program)

    def run(self, progress: Progress) -> Outcome:
        """Loads the program and examines the cases, up to the first that ends the grading."""
        cases, label = self.part.cases, f"checks {self.part.helps}, case" if self.part.helps else "case"
        progress("loading the kernel")
        try:
            kernels = self.part.runner.load(self._program)
        except RunnerStopped as stop:
            first = cases[0] if cases else Case({}, "", 0)
            return Outcome(failure=result_of_run(first, stop.as_run()), details=stop.details)
        results: list[CaseResult] = []
        later, before = choose_later(self._problem, cases) or (None, [])
        for number, case in enumerate(cases, 1):
            progress(f"{label} {number} of {len(cases)}: {format_numbers(case.sizes)}")
            result = self.examiner.examine(case, after=before if case is later else ())
            late = result.verdict is Verdict.TIME_LIMIT_EXCEEDED
            if results and late and self.part.emulated and may_be_too_large(self._problem, case, self.part.sure_bytes):
                # Smaller ones came to their end. Those that are larger still are not tried.
                break
            results.append(result)
            if result.verdict.facts.ends_grading:
                break
        seen = self.examiner
        kernels = tuple(add_occupancy(kernel, seen.occupancy) for kernel in (*kernels, *seen.added))
        results = with_constant_errors(results)
        return Outcome(kernels, tuple(results), deciding_case(results), seen.details, seen.repeated, seen.differing)

    def diagnose(self, outcome: Outcome) -> Diagnosis:
        """The failure of `outcome` at the smallest sizes that show it."""
        assert outcome.failure is not None
        if self._problem.tests:
            # Numbers of tests grow with nothing.
            return Diagnosis(outcome.failure, "")
        return diagnose(
            outcome.failure,
            outcome.cases,
            untried=self.part.cases[len(outcome.cases) :],
            probes=draw_probes(self._problem, self._program.constants),
            least={name: size.low for name, size in self._problem.sizes.items()},
            constants=self._program.constants,
            examine=self.examiner.examine,
            allowed=lambda sizes: fit_together(self._problem, sizes),
            search=self.part.search,
        )

    def locate(self, result: CaseResult) -> CaseResult:
        """A fault without a line, tried here again: with array and line where this runner sees it, else as it is."""
        case = Case(result.sizes, result.family, result.seed)
        if result.fault is None or result.line or not fits_emulator(self._problem, case):
            return result
        again = self.examiner.examine(case)
        located = again.verdict is Verdict.RUNTIME_ERROR and again.line is not None
        if not located or (Outcome(failure=again).undecided and not is_same_fault(again, result)):
            return result
        return replace(again, seconds=result.seconds)


def is_same_fault(one: CaseResult, other: CaseResult) -> bool:
    """Whether both are faults of one class."""
    return one.fault is not None and other.fault is not None and one.fault.fault is other.fault.fault


def add_occupancy(kernel: KernelInfo, seen: Mapping[str, tuple[float, str]]) -> KernelInfo:
    """Adds what the kernel's last launch was found to leave of an SM, where that is known."""
    share, limit = seen.get(kernel.name, (None, ""))
    return replace(kernel, occupancy=share, limited_by=limit)
