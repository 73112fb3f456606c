"""The conductor: from a problem and a submission to a Report, through compile, plan, run, check and measure.

It decides the order of the steps and the verdict; every step lives in a module of its own.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from grader import reporting
from grader.compile.compiler import CompileFailure
from grader.compile.program import Program
from grader.compiling import compile_submission
from grader.grading import Grading, Outcome
from grader.measuring import Measurer
from grader.plan.device_table import DeviceTable
from grader.plan.planner import HarnessPlanner, Planner, RecordingPlanner
from grader.plan.recorder_build import build_recorder
from grader.problem import Problem
from grader.report import CaseResult, Report
from grader.run.choose import all_cases, choose_gpu, device_name, start_parts
from grader.run.gpu.devices import Gpu
from grader.run.part import GpuPart, Part
from grader.sandbox import Sandbox
from grader.submission import Submission
from grader.unset_locals import CHECK, LocalsPass, emulates
from grader.verdict import Form
from grader.workspace import cache_folder

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How to grade. `sizes` replaces the drawn cases; `seed` repeats an earlier grading; `device` is "auto",
    "emulator", "gpu" or "gpu:N"; `cache` is where compiled kernels are kept, None for the user's cache folder.
    `timed` asks for times where the device has any and the sizes were drawn. `require_sandbox` refuses to run a file's
    own host code without one.
    """

    cases: int = 12
    seed: int | None = None
    sizes: Sequence[Mapping[str, int]] = ()
    device: str = "auto"
    user: str = ""
    cache: Path | None = None
    timed: bool = True
    require_sandbox: bool = False


def grade(
    problem: Problem,
    submission: Submission,
    options: Options = Options(),
    progress: Progress = lambda text: None,
    meanwhile: Callable[[], None] = lambda: None,
) -> Report:
    """Grades a submission. `progress` is called with a few words at each step.

    `meanwhile` is called once, in a thread beside: for what the caller needs afterwards, such as a place for the
    report. What it raises ends the grading, before anything is timed.

    Raises UsageError for what can't be graded this way, JudgeError where a tool is missing. A failure of
    the judge during the grading is a Report with the verdict `internal_error`.
    """
    began = time.monotonic()
    gpu = choose_gpu(options.device)
    sandbox = Sandbox.find(options.require_sandbox) if submission.form is Form.SOLVE else None
    seed = secrets.randbits(48) if options.seed is None else options.seed
    cases = all_cases(problem, seed, options.cases, options.sizes, gpu)
    report = reporting.blank(problem, submission, options.user, seed, device_name(gpu), sandbox)
    cache = options.cache or cache_folder()
    parts = start_parts(problem, cases, gpu, cache, progress)
    beside = ThreadPoolExecutor(1, "kgrade-meanwhile")
    ready = beside.submit(meanwhile)
    try:
        if sandbox is None:
            _begin(parts)
        progress("compiling")
        program = compile_submission(problem, submission, cache, gpu, sandbox)
        if sandbox is not None:
            progress("building the recorder, once on this machine")
            build_recorder(cache)
            # Not before: nvcc may take a minute, and others would wait for the GPU.
            _begin(parts)
        diagnostics = (*report.diagnostics, *program.diagnostics)
        report = replace(report, diagnostics=diagnostics, launch=dict(program.constants))
        asked = options.timed and not options.sizes
        timed_on = gpu if asked else None
        emulated = any(emulates(part) for part in parts)
        unset_locals = LocalsPass(problem, submission, cache, sandbox) if emulated else None
        try:
            task = _Task(problem, submission, program, cache, timed_on, progress, sandbox, ready, unset_locals)
            report = task.run(report, parts)
        finally:
            if unset_locals is not None:
                unset_locals.close()
        if not options.sizes:
            report = reporting.with_tests_left_out(report, problem)
    except CompileFailure as failure:
        report = reporting.not_compiled(report, failure)
    finally:
        for part in parts:
            part.close()
        beside.shutdown()
    ready.result()
    return replace(report, seconds=time.monotonic() - began)


def _begin(parts: Sequence[Part]) -> None:
    for part in parts:
        part.begin()


@dataclass(frozen=True)
class _Task:
    """A compiled submission that is to be run; `timed_on` is the GPU that times are asked for of."""

    problem: Problem
    submission: Submission
    program: Program
    cache: Path
    timed_on: Gpu | None
    progress: Progress
    sandbox: Sandbox | None
    ready: Future[None]
    """The caller's own work beside."""
    unset_locals: LocalsPass | None
    """The second pass of what the emulator finds right; None where there is none."""

    def run(self, report: Report, parts: Sequence[Part]) -> Report:
        """Lets each runner do its part; the first whose failure counts decides the verdict. What is right is timed."""
        done: list[tuple[Grading, Outcome]] = []
        emulated = done
        for part in parts:
            if self.ready.done():
                self.ready.result()
            with part.take_turn(), ExitStack() as opened:
                for each in (*self._in_place(done, part, opened), part):
                    planner = self._planner(part.device_table)
                    grading = Grading(each, self.problem, self.submission, self.program, planner)
                    outcome = grading.run(self.progress)
                    done.append((grading, outcome))
                    report = reporting.seen(report, done)
                    if outcome.failure is not None and (each.decides or not outcome.undecided):
                        unset = self._unset_local()
                        if unset is not None:
                            # It says why, which a wrong answer of a GPU does not.
                            return reporting.failed(report, self.problem, unset, emulated)
                        self.progress("finding the smallest sizes that fail")
                        found = grading.diagnose(outcome)
                        report = replace(report, pattern=found.pattern)
                        return reporting.failed(report, self.problem, found.smallest, done)
                    if self.unset_locals is not None and outcome.failure is None and emulates(each):
                        self.unset_locals.begin(each, self.program)
                        emulated = list(done)
                if part.decides:
                    unset = self._unset_local()
                    if unset is not None:
                        return reporting.failed(report, self.problem, unset, emulated)
                    if self.unset_locals is not None and self.unset_locals.completed:
                        report = replace(report, checks=(*report.checks, CHECK))
                report = self._time(report, part, planner)
        return report

    def _unset_local(self) -> CaseResult | None:
        """Waits for the second pass, so that the emulator's runner can be asked again."""
        if self.unset_locals is None:
            return None
        self.progress("checking local variables")
        return self.unset_locals.found()

    def _planner(self, ask_table: Callable[[], DeviceTable]) -> Planner:
        if self.sandbox is None:
            return HarnessPlanner(self.problem, self.program.constants)
        return RecordingPlanner(self.problem, self.program, ask_table, self.sandbox, self.cache)

    def _in_place(self, done: Sequence[tuple[Grading, Outcome]], part: Part, opened: ExitStack) -> list[Part]:
        """memcheck, where the emulator met an instruction that it does not know and memcheck is installed."""
        if not done or not done[-1][1].is_unknown or not isinstance(part, GpuPart):
            return []
        runner = part.make_memcheck()
        if runner is None:
            return []
        opened.callback(runner.close)
        return [Part(runner, done[-1][0].part.cases, part.limits, helps="by memcheck")]

    def _time(self, report: Report, part: Part, planner: Planner) -> Report:
        if self.timed_on is None or not isinstance(part, GpuPart):
            return report
        self.ready.result()
        source, runner = self.submission.text, part.timed
        measurer = Measurer(
            self.problem, self.program, source, runner, part.referee, self.timed_on, self.cache, planner
        )
        return reporting.timed(report, self.problem, measurer.run(self.progress))
