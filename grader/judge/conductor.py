"""The conductor: from a problem and a submission to a Report, through compile, plan, run, check and measure.

It decides the order of the steps and the verdict; every step lives in a module of its own.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from grader.compile.compiler import CompileFailure
from grader.compile.submission import Submission
from grader.core.limits import Search
from grader.core.paths import cache_folder
from grader.core.report import Report
from grader.judge import reporting
from grader.judge.deadline import STANDARD_SECONDS, Deadline, DeadlinePassed
from grader.judge.mending import add_mend
from grader.judge.passes import Course
from grader.judge.unset_locals import LocalsPass, emulates
from grader.judge.watching import LEAST_SECONDS, STEP, add_replay, can_be_watched
from grader.languages.language import Language
from grader.languages.registry import language_of
from grader.problem import Problem
from grader.problem.cases import Case
from grader.run.device import ChooseDevice, Device, Part, Progress
from grader.run.devices import choose_device, deal
from grader.sandbox import Sandbox


@dataclass(frozen=True)
class Options:
    """How to grade. `sizes` replaces the drawn cases, each with every family of inputs, or with the one that `families`
    has in the same place; `seed` repeats an earlier grading; `device` is "auto",
    "emulator", "gpu" or "gpu:N"; `cache` is where compiled kernels are kept, None for the user's cache folder.
    `timed` asks for times where the device has any and the sizes were drawn. `require_sandbox` refuses to run a file's
    own host code without one. `deadline` is how many seconds the grading as a whole may take. With `fresh_modules` no
    case finds in the kernels' variables what an earlier one left there. `search` is what a failure may cost besides.
    With `replay` the smallest failing case is recorded, so that its page can play it. Without `local_values` what is
    right or a wrong answer is not looked at a second time, for local variables without a value: for who expects another
    failure.
    """

    cases: int = 12
    seed: int | None = None
    sizes: Sequence[Mapping[str, int]] = ()
    families: Sequence[str] = ()
    device: str = "auto"
    user: str = ""
    cache: Path | None = None
    timed: bool = True
    require_sandbox: bool = False
    deadline: float = STANDARD_SECONDS
    fresh_modules: bool = False
    search: Search | None = None
    replay: bool = False
    local_values: bool = True


def grade(
    problem: Problem,
    submission: Submission,
    options: Options = Options(),
    progress: Progress = lambda text: None,
    meanwhile: Callable[[], None] = lambda: None,
    choose: ChooseDevice = choose_device,
    language: Language | None = None,
) -> Report:
    """Grades a submission. `progress` is called with a few words at each step; `choose` makes the device of
    `options.device`, `language` is the submission's where it is not to be found by its form.

    `meanwhile` is called once, in a thread beside: for what the caller needs afterwards, such as a place for the
    report. What it raises ends the grading, before anything is timed.

    Raises UsageError for what can't be graded this way, JudgeError where a tool is missing. A failure of
    the judge during the grading is a Report with the verdict `internal_error`; one that takes longer than its deadline
    is a Report that names the step.
    """
    known_cases = options.seed is not None
    options = replace(options, seed=secrets.randbits(48) if options.seed is None else options.seed)
    deadline = Deadline(options.deadline, progress)
    try:
        with deadline:
            spoken = language or language_of(submission)
            given = (problem, submission, options, deadline.progress, meanwhile, choose(options.device), spoken)
            return _grade(*given, known_cases)
    except DeadlinePassed as passed:
        assert options.seed is not None
        device, sandbox = choose(options.device), Sandbox.find(options.require_sandbox)
        blank = reporting.blank_report(problem, submission, options.user, options.seed, device.name, sandbox)
        return reporting.add_deadline(blank, passed)


def _grade(
    problem: Problem,
    submission: Submission,
    options: Options,
    progress: Progress,
    meanwhile: Callable[[], None],
    device: Device,
    language: Language,
    known_cases: bool,
) -> Report:
    began = time.monotonic()
    sandbox = Sandbox.find(options.require_sandbox)
    seed = options.seed
    assert seed is not None

    def draw(constants: Mapping[str, int] | None = None) -> list[Case]:
        cases = device.draw(problem, seed, options.cases, options.sizes, constants)
        pairs = list(zip(options.sizes, options.families, strict=False))
        return [case for case in cases if (case.sizes, case.family) in pairs] if pairs else cases

    # What can't be graded is told before anything starts; the submission's own launches decide the cases.
    draw()
    report = reporting.blank_report(problem, submission, options.user, seed, device.name, sandbox)
    cache = options.cache or cache_folder()
    parts = device.start(problem, sandbox, cache, progress)
    if options.search is not None:
        parts = [replace(part, search=options.search) for part in parts]
    beside = ThreadPoolExecutor(1, "kgrade-meanwhile")
    ready = beside.submit(meanwhile)
    try:
        if not language.launches_itself:
            _begin(parts)
        language.prepare(cache, progress)
        # To import a file in Python runs what stands in it, in the submission's own time.
        scripted = language.launches_itself and not language.has_machine_code
        progress("importing the file" if scripted else "compiling")
        program = language.compile(problem, submission, cache, device.gpu, sandbox)
        parts = deal(parts, problem, draw(None if language.launches_itself else program.constants))
        if language.launches_itself:
            # Not before: nvcc may take a minute, and others would wait for the GPU.
            _begin(parts)
        diagnostics = (*report.diagnostics, *program.diagnostics)
        own = bool(options.sizes)
        report = replace(report, diagnostics=diagnostics, launch=dict(program.constants), own_sizes=own)
        emulated = options.local_values and language.has_debug_build and any(emulates(part) for part in parts)
        local_values = LocalsPass(problem, submission, language, cache, sandbox) if emulated else None
        try:
            course = Course(
                *(problem, submission, language, program, cache, sandbox, progress, ready, local_values),
                timed=options.timed and not options.sizes,
                fresh_modules=options.fresh_modules,
                known_cases=known_cases,
            )
            report = course.run(report, parts)
        finally:
            if local_values is not None:
                local_values.close()
        if not options.sizes:
            report = reporting.name_tests_left_out(report, problem)
    except CompileFailure as failure:
        report = reporting.add_compile_failure(report, failure)
    finally:
        for part in parts:
            part.close()
        language.finish()
        beside.shutdown()
    ready.result()
    spent = time.monotonic() - began
    if options.replay and can_be_watched(report, problem) and options.deadline - spent > LEAST_SECONDS:
        progress(STEP)
        report = add_replay(report, problem, submission, language, cache, sandbox)
    return add_mend(replace(report, seconds=spent), problem)


def _begin(parts: Sequence[Part]) -> None:
    for part in parts:
        part.begin()
