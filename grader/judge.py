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
from grader.cases import Case, draw_cases, draw_probes, shown
from grader.compile.nvrtc import CompileFailure, compile_kernel
from grader.compile.program import Program
from grader.diagnose import deciding_case, diagnose, ends_grading
from grader.errors import UsageError
from grader.examine import Examiner, ended
from grader.problem import Problem
from grader.report import CaseResult, Report
from grader.run.emulator_runner import EmulatorRunner
from grader.run.runner import Runner, RunnerStopped
from grader.submission import Submission
from grader.verdict import Form, Verdict
from grader.workspace import cache_folder

COMPILE_SECONDS = 30.0
MOST_PRINTED = 4000
CHECKS = ("unwritten output elements", "changed inputs", "NaN and infinity")

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How to grade. `sizes` replaces the drawn cases; `seed` repeats an earlier grading; `device` is "auto",
    "emulator" or "gpu"; `cache` is where compiled kernels are kept, None for the user's cache folder.
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
    _check_gradable(submission, options)
    began = time.monotonic()
    seed = secrets.randbits(48) if options.seed is None else options.seed
    cases = draw_cases(problem, seed, options.cases, options.sizes)
    report = _blank(problem, submission, options, seed)
    cache = options.cache or cache_folder()
    runner: Runner = EmulatorRunner(problem.folder, cache / "kernels")
    try:
        report = _grade(report, problem, submission, cases, cache / "programs", runner, progress)
    finally:
        runner.close()
    return replace(report, seconds=time.monotonic() - began)


def _grade(
    report: Report,
    problem: Problem,
    submission: Submission,
    cases: Sequence[Case],
    cache: Path,
    runner: Runner,
    progress: Progress,
) -> Report:
    progress("compiling")
    try:
        program = _compile(problem, submission, cache)
    except CompileFailure as failure:
        return _not_compiled(report, failure)
    report = replace(report, diagnostics=program.diagnostics, launch=dict(program.constants))
    progress("translating")
    try:
        report = replace(report, kernels=runner.load(program))
    except RunnerStopped as stop:
        return _failed(report, problem, ended(cases[0], stop.as_run()), stop.details)
    examiner = Examiner(runner, problem, submission, program)
    results: list[CaseResult] = []
    for number, case in enumerate(cases, 1):
        progress(f"case {number} of {len(cases)}: {shown(case.sizes)}")
        results.append(examiner.examine(case))
        if ends_grading(results[-1]):
            break
    report = replace(report, cases=tuple(results), checks=_checks(runner, results))
    deciding = deciding_case(results)
    if deciding is not None:
        progress("finding the smallest sizes that fail")
        found = diagnose(
            deciding,
            results,
            untried=cases[len(results) :],
            probes=draw_probes(problem, program.constants),
            least={name: size.low for name, size in problem.sizes.items()},
            constants=program.constants,
            examine=examiner.examine,
        )
        report = _failed(replace(report, pattern=found.pattern), problem, found.smallest, examiner.details)
    return replace(report, printed=_capped(examiner.printed))


def _check_gradable(submission: Submission, options: Options) -> None:
    if submission.form is Form.SOLVE:
        raise UsageError(
            "the file defines solve(); this release grades the kernel form, which is the kernel without it",
            "take solve() and its launch out of the file; kgrade show PROBLEM shows the launch that is used",
        )
    if options.device == "gpu":
        raise UsageError("this release has no GPU judge yet", "type: --device emulator")
    if options.device not in ("auto", "emulator"):
        raise UsageError(f"there is no device {options.device!r}", "use one of: auto, emulator")


def _compile(problem: Problem, submission: Submission, cache: Path) -> Program:
    return compile_kernel(
        submission.text,
        submission.path_name,
        problem.kernel,
        problem.c_parameters,
        problem.constants,
        time_limit=COMPILE_SECONDS,
        cache=cache,
    )


def _blank(problem: Problem, submission: Submission, options: Options, seed: int) -> Report:
    """The report before anything is known: as it stays when every case is accepted."""
    return Report(
        problem=problem.name,
        title=problem.title,
        form=submission.form,
        device=EmulatorRunner.device,
        user=options.user,
        file=submission.path_name,
        source=submission.text,
        source_hash=submission.sha256,
        submitted=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        seed=seed,
        verdict=Verdict.ACCEPTED,
        headline=explain.accepted_headline(EmulatorRunner.device),
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


def _checks(runner: Runner, results: Sequence[CaseResult]) -> tuple[str, ...]:
    gates = dict.fromkeys(output.gate for result in results for output in result.outputs)
    return (*CHECKS, *(f"gate {gate}" for gate in sorted(gates)), *runner.checks)


def _capped(printed: str) -> str:
    if len(printed) <= MOST_PRINTED:
        return printed
    return f"{printed[:MOST_PRINTED]}\n… ({len(printed) - MOST_PRINTED:,} more characters)"
