"""What a grading came to, put into its Report: before anything is known, and after each step.

It decides no verdict and words no failure; the judge does the one and `explain` the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone

from grader import __version__, explain
from grader.compile.nvrtc import CompileFailure
from grader.findings import checks_of, explained
from grader.grading import Grading, Outcome
from grader.measure.overall import ranked_score, total_time
from grader.measuring import Timed
from grader.problem import Problem
from grader.report import CaseResult, Diagnostic, Report
from grader.sandbox import Sandbox
from grader.submission import Submission
from grader.verdict import Verdict

MOST_PRINTED = 4000
SAME_INPUTS = "every timed replay got the same inputs, those of the performance test: the challenge can't make new ones"
NO_SHARE = "its work is not known either, so there is a time and no score"
LEAK_HINT = "cudaFree gives it back."
IGNORED_HINT = "Look at what each call of CUDA returns; cudaSuccess is 0."


def blank(
    problem: Problem, submission: Submission, user: str, seed: int, device: str, sandbox: Sandbox | None = None
) -> Report:
    """The report before anything is known: as it stays when every case is accepted.

    `sandbox` is where the submission's own host code runs, None where it has none.
    """
    warnings = [Diagnostic("warning", remark) for remark in problem.remarks]
    if sandbox is not None and not sandbox.protects:
        warnings.insert(0, _unprotected(sandbox))
    return Report(
        problem=problem.name,
        title=problem.title,
        form=submission.form,
        device=device,
        user=user,
        file=submission.path_name,
        source=submission.text,
        source_hash=submission.sha256,
        submitted=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        seed=seed,
        verdict=Verdict.ACCEPTED,
        headline=explain.accepted_headline(device),
        diagnostics=tuple(warnings),
        version=__version__,
    )


def _unprotected(sandbox: Sandbox) -> Diagnostic:
    message = f"solve() runs on this machine without a sandbox: {sandbox.reason}"
    return Diagnostic("warning", message, hint="Run only files that you trust; 'kgrade doctor' says what to install.")


def not_compiled(report: Report, failure: CompileFailure) -> Report:
    return replace(
        report,
        verdict=Verdict.COMPILE_ERROR,
        headline=explain.compile_headline(failure.diagnostics),
        line=next((d.line for d in failure.diagnostics if d.severity == "error" and d.line), None),
        diagnostics=(*report.diagnostics, *failure.diagnostics),
    )


def seen(report: Report, parts: Sequence[tuple[Grading, Outcome]]) -> Report:
    """With what the last of these parts saw, whatever it means."""
    grading, outcome = parts[-1]
    return replace(
        report,
        kernels=outcome.kernels or report.kernels,
        cases=outcome.cases or report.cases,
        checks=checks_of(parts),
        diagnostics=_with_remarks(report.diagnostics, grading),
        printed=report.printed or _capped(grading.examiner.printed),
    )


def _with_remarks(diagnostics: tuple[Diagnostic, ...], grading: Grading) -> tuple[Diagnostic, ...]:
    """With what plan and device showed, unless an earlier part's, at sizes of its own, showed the like."""
    known, lines = {diagnostic.hint for diagnostic in diagnostics}, {diagnostic.line for diagnostic in diagnostics}
    planner, seen = grading.planner, grading.examiner.remarks.values()
    remarks = ((planner.leak, LEAK_HINT), (planner.ignored, IGNORED_HINT))
    return (
        *diagnostics,
        *(Diagnostic("warning", said, hint=hint) for said, hint in remarks if said and hint not in known),
        *(Diagnostic("warning", one.message, line=one.line or None) for one in seen if one.line not in lines),
    )


def with_tests_left_out(report: Report, problem: Problem) -> Report:
    """Says which of a problem's own tests an accepted file was not run on, for an emulator can't run them all."""
    ran = {case.sizes["test"] for case in report.cases} if problem.tests else set()
    left = [label for number, label in problem.labels.items() if number not in ran]
    if report.verdict is not Verdict.ACCEPTED or not left:
        return report
    message = f"too large for the emulator, so not run: {', '.join(left)}"
    return replace(
        report,
        headline=f"Accepted: right in the {len(ran)} of {len(problem.labels)} tests that the {report.device} can run",
        diagnostics=(*report.diagnostics, Diagnostic("warning", message, hint="a GPU runs them all")),
    )


def failed(report: Report, problem: Problem, result: CaseResult, parts: Sequence[tuple[Grading, Outcome]]) -> Report:
    """With the failure that decides, found by the last of these parts."""
    return _with_failure(report, problem, explained(result, parts), parts[-1][1].details)


def timed(report: Report, problem: Problem, found: Timed) -> Report:
    """With what came of timing: figures, why there are none, or a failure that only timing showed."""
    if found.failure is not None:
        return explain.failed_while_timed(_with_failure(report, problem, found.failure, ""))
    if found.measurement is None:
        note = Diagnostic("warning", f"not timed, so there is no score: {found.note}", hint=found.hint)
        return replace(report, diagnostics=(*report.diagnostics, note))
    if not problem.cost_is_known:
        note = Diagnostic("warning", SAME_INPUTS, hint=NO_SHARE)
        report = replace(report, diagnostics=(*report.diagnostics, note))
    return replace(
        report,
        measurement=found.measurement,
        score=ranked_score(found.measurement),
        time=total_time(found.measurement),
    )


def _with_failure(report: Report, problem: Problem, result: CaseResult, details: str) -> Report:
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
