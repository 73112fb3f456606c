"""The conductor: from a problem and a submission to a Report, through compile, plan, run, check and measure.

It decides the order of the steps and the verdict; every step lives in a module of its own.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from grader import reporting
from grader.compile.nvrtc import CompileFailure, compile_kernel
from grader.compile.program import Program
from grader.errors import UsageError
from grader.grading import Grading, Outcome
from grader.measuring import Measurer
from grader.problem import Problem
from grader.report import Report
from grader.run.choose import all_cases, choose_gpu, device_name, start_parts
from grader.run.gpu.devices import Gpu, target_of
from grader.run.part import GpuPart, Part
from grader.submission import Submission
from grader.verdict import Form
from grader.workspace import cache_folder

COMPILE_SECONDS = 30.0

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How to grade. `sizes` replaces the drawn cases; `seed` repeats an earlier grading; `device` is "auto",
    "emulator", "gpu" or "gpu:N"; `cache` is where compiled kernels are kept, None for the user's cache folder.
    `timed` asks for times where the device has any and the sizes were drawn.
    """

    cases: int = 12
    seed: int | None = None
    sizes: Sequence[Mapping[str, int]] = ()
    device: str = "auto"
    user: str = ""
    cache: Path | None = None
    timed: bool = True


def grade(
    problem: Problem,
    submission: Submission,
    options: Options = Options(),
    progress: Progress = lambda text: None,
) -> Report:
    """Grades a submission. `progress` is called with a few words at each step.

    Raises UsageError for what can't be graded this way, JudgeError where a tool is missing. A failure of
    the judge during the grading is a Report with the verdict `internal_error`.
    """
    _check_gradable(submission)
    began = time.monotonic()
    gpu = choose_gpu(options.device)
    seed = secrets.randbits(48) if options.seed is None else options.seed
    cases = all_cases(problem, seed, options.cases, options.sizes, gpu)
    report = reporting.blank(problem, submission, options.user, seed, device_name(gpu))
    cache = options.cache or cache_folder()
    parts = start_parts(problem, cases, gpu, cache, progress)
    try:
        progress("compiling")
        program = _compile(problem, submission, cache / "programs", gpu)
        report = replace(report, diagnostics=program.diagnostics, launch=dict(program.constants))
        asked = options.timed and not options.sizes
        task = _Task(problem, submission, program, cache, gpu if asked else None, progress)
        report = task.run(report, parts)
    except CompileFailure as failure:
        report = reporting.not_compiled(report, failure)
    finally:
        for part in parts:
            part.close()
    return replace(report, seconds=time.monotonic() - began)


@dataclass(frozen=True)
class _Task:
    """A compiled submission that is to be run; `timed_on` is the GPU that times are asked for of."""

    problem: Problem
    submission: Submission
    program: Program
    cache: Path
    timed_on: Gpu | None
    progress: Progress

    def run(self, report: Report, parts: Sequence[Part]) -> Report:
        """Lets each runner do its part; the first whose failure counts decides the verdict. What is right is timed."""
        done: list[tuple[Grading, Outcome]] = []
        for part in parts:
            part.begin(self.program)
        for part in parts:
            with part.take_turn(), ExitStack() as opened:
                for each in (*self._in_place(done, part, opened), part):
                    grading = Grading(each, self.problem, self.submission, self.program)
                    outcome = grading.run(self.progress)
                    done.append((grading, outcome))
                    report = reporting.seen(report, done)
                    if outcome.failure is not None and (each.decides or not outcome.undecided):
                        self.progress("finding the smallest sizes that fail")
                        found = grading.diagnose(outcome)
                        report = replace(report, pattern=found.pattern)
                        return reporting.failed(report, self.problem, found.smallest, done)
                report = self._time(report, part)
        return report

    def _in_place(self, done: Sequence[tuple[Grading, Outcome]], part: Part, opened: ExitStack) -> list[Part]:
        """memcheck, where the emulator met an instruction that it does not know and memcheck is installed."""
        if not done or not done[-1][1].is_unknown or not isinstance(part, GpuPart):
            return []
        runner = part.make_memcheck()
        if runner is None:
            return []
        opened.callback(runner.close)
        return [Part(runner, done[-1][0].part.cases, part.limits, helps="by memcheck")]

    def _time(self, report: Report, part: Part) -> Report:
        if self.timed_on is None or not isinstance(part, GpuPart):
            return report
        measurer = Measurer(
            self.problem, self.program, self.submission.text, part.timed, part.referee, self.timed_on, self.cache
        )
        return reporting.timed(report, self.problem, measurer.run(self.progress))


def _check_gradable(submission: Submission) -> None:
    if submission.form is Form.SOLVE:
        raise UsageError(
            "the file defines solve(); this release grades the kernel form, which is the kernel without it",
            "take solve() and its launch out of the file; kgrade show PROBLEM shows the launch that is used",
        )


def _compile(problem: Problem, submission: Submission, cache: Path, gpu: Gpu | None) -> Program:
    return compile_kernel(
        submission.text,
        submission.path_name,
        problem.kernel,
        problem.c_parameters,
        problem.constants,
        time_limit=COMPILE_SECONDS,
        cache=cache,
        gpu_target=None if gpu is None else target_of(gpu),
    )
