"""The conductor: from a problem and a submission to a Report, through compile, plan, run and check.

It decides the order of the steps and the verdict; every step lives in a module of its own.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from grader import __version__, explain
from grader.compile.nvrtc import CompileFailure, compile_kernel
from grader.compile.program import Program
from grader.diagnose import Diagnosis
from grader.errors import UsageError
from grader.findings import checks_of, explained
from grader.grading import Grading, Outcome
from grader.problem import Problem
from grader.report import CaseResult, Report
from grader.run.choose import Part, all_cases, choose_gpu, device_name, start_parts
from grader.run.gpu.devices import Gpu, target_of
from grader.submission import Submission
from grader.verdict import Form, Verdict
from grader.workspace import cache_folder

COMPILE_SECONDS = 30.0
MOST_PRINTED = 4000

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How to grade. `sizes` replaces the drawn cases; `seed` repeats an earlier grading; `device` is "auto",
    "emulator", "gpu" or "gpu:N"; `cache` is where compiled kernels are kept, None for the user's cache folder.
    """

    cases: int = 12
    seed: int | None = None
    sizes: Sequence[Mapping[str, int]] = ()
    device: str = "auto"
    user: str = ""
    cache: Path | None = None


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
    report = _blank(problem, submission, options, seed, device_name(gpu))
    cache = options.cache or cache_folder()
    parts = start_parts(problem, cases, gpu, cache, progress)
    try:
        progress("compiling")
        program = _compile(problem, submission, cache / "programs", gpu)
        report = replace(report, diagnostics=program.diagnostics, launch=dict(program.constants))
        report = _grade(report, problem, submission, program, parts, progress)
    except CompileFailure as failure:
        report = _not_compiled(report, failure)
    finally:
        for part in parts:
            part.runner.close()
    return replace(report, seconds=time.monotonic() - began)


def _grade(
    report: Report,
    problem: Problem,
    submission: Submission,
    program: Program,
    parts: Sequence[Part],
    progress: Progress,
) -> Report:
    """Lets each runner do its part; the first whose failure counts decides the verdict."""
    before: list[tuple[Grading, Outcome]] = []
    for part in parts:
        grading = Grading(part, problem, submission, program)
        with part.turn():
            outcome = grading.run(progress)
            failed = outcome.failure is not None and (part.decides or not outcome.undecided)
            found = _diagnose(grading, outcome, progress) if failed else None
        before.append((grading, outcome))
        report = replace(
            report,
            kernels=outcome.kernels or report.kernels,
            cases=outcome.cases or report.cases,
            checks=checks_of(before),
            printed=report.printed or _capped(grading.examiner.printed),
        )
        if found is not None:
            smallest = explained(found.smallest, before)
            report = replace(report, pattern=found.pattern)
            return _failed(report, problem, smallest, outcome.details)
    return report


def _diagnose(grading: Grading, outcome: Outcome, progress: Progress) -> Diagnosis:
    progress("finding the smallest sizes that fail")
    return grading.diagnose(outcome)


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


def _blank(problem: Problem, submission: Submission, options: Options, seed: int, device: str) -> Report:
    """The report before anything is known: as it stays when every case is accepted."""
    return Report(
        problem=problem.name,
        title=problem.title,
        form=submission.form,
        device=device,
        user=options.user,
        file=submission.path_name,
        source=submission.text,
        source_hash=submission.sha256,
        submitted=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        seed=seed,
        verdict=Verdict.ACCEPTED,
        headline=explain.accepted_headline(device),
        version=__version__,
    )


def _not_compiled(report: Report, failure: CompileFailure) -> Report:
    return replace(
        report,
        verdict=Verdict.COMPILE_ERROR,
        headline=explain.compile_headline(failure.diagnostics),
        line=next((d.line for d in failure.diagnostics if d.severity == "error" and d.line), None),
        diagnostics=tuple(failure.diagnostics),
    )


def _failed(report: Report, problem: Problem, result: CaseResult, details: str) -> Report:
    return replace(
        report,
        verdict=result.verdict,
        headline=explain.headline(problem, result),
        kind=result.kind,
        fault=result.fault,
        line=result.line,
        explanation=explain.explanation(result, details),
        smallest=result,
    )


def _capped(printed: str) -> str:
    if len(printed) <= MOST_PRINTED:
        return printed
    return f"{printed[:MOST_PRINTED]}\n… ({len(printed) - MOST_PRINTED:,} more characters)"
