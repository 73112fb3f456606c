"""What a grading came to, put into its Report: before anything is known, and after each step.

It decides no verdict and words no failure; the conductor does the one and `wording` the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone

from grader import __version__
from grader.compile.nvrtc import CompileFailure
from grader.compile.submission import Submission
from grader.core.report import CaseResult, Diagnostic, Report
from grader.core.verdict import Verdict
from grader.judge import wording
from grader.judge.deadline import DeadlinePassed
from grader.judge.findings import list_checks, locate_failure
from grader.judge.grading import Grading, Outcome
from grader.judge.timing import Timed
from grader.measure.overall import ranked_score, total_time
from grader.problem import Problem
from grader.sandbox import Sandbox

MOST_PRINTED = 4000
SAME_INPUTS = "every timed replay got the same inputs, those of the performance test: the challenge can't make new ones"
NO_SHARE = "its work is not known either, so there is a time and no score"
LEAK_HINT = "cudaFree gives it back."
IGNORED_HINT = "Look at what each call of CUDA returns; cudaSuccess is 0."


def blank_report(
    problem: Problem, submission: Submission, user: str, seed: int, device: str, sandbox: Sandbox
) -> Report:
    """The report before anything is known: as it stays when every case is accepted.

    `sandbox` is where all of it is read and run.
    """
    warnings = [Diagnostic("warning", remark) for remark in problem.remarks]
    if not sandbox.protects:
        warnings.insert(0, _unprotected(sandbox))
    return Report(
        problem=problem.name,
        title=problem.title,
        form=submission.form,
        language=submission.language,
        device=device,
        user=user,
        file=submission.path_name,
        source=submission.text,
        source_hash=submission.sha256,
        submitted=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        seed=seed,
        verdict=Verdict.ACCEPTED,
        headline=wording.accepted_headline(device),
        diagnostics=tuple(warnings),
        version=__version__,
        sandbox=sandbox.name,
    )


def _unprotected(sandbox: Sandbox) -> Diagnostic:
    message = f"the submission is compiled and run on this machine without a sandbox: {sandbox.reason}"
    return Diagnostic("warning", message, hint="Run only files that you trust; 'kgrade doctor' says what to install.")


def add_deadline(report: Report, passed: DeadlinePassed) -> Report:
    """The report of a grading that was ended at its deadline: the judge's own failure, or too slow a submission."""
    verdict = Verdict.INTERNAL_ERROR if passed.by_judge else Verdict.TIME_LIMIT_EXCEEDED
    facts = verdict.facts
    headline = f"{facts.lead}: {passed}"
    return replace(report, verdict=verdict, headline=headline, explanation=(facts.meaning,), seconds=passed.seconds)


def add_compile_failure(report: Report, failure: CompileFailure) -> Report:
    return replace(
        report,
        verdict=Verdict.COMPILE_ERROR,
        headline=wording.compile_headline(failure.diagnostics),
        line=next((d.line for d in failure.diagnostics if d.severity == "error" and d.line), None),
        diagnostics=(*report.diagnostics, *failure.diagnostics),
    )


def add_findings(report: Report, parts: Sequence[tuple[Grading, Outcome]]) -> Report:
    """Adds what the last of these parts saw, whatever it means."""
    grading, outcome = parts[-1]
    return replace(
        report,
        kernels=outcome.kernels or report.kernels,
        cases=outcome.cases or report.cases,
        checks=list_checks(parts),
        diagnostics=_with_remarks(report.diagnostics, grading),
        printed=report.printed or _capped(grading.examiner.printed),
    )


def _with_remarks(diagnostics: tuple[Diagnostic, ...], grading: Grading) -> tuple[Diagnostic, ...]:
    """Adds what plan and device showed, unless an earlier part's, at sizes of its own, showed the like."""
    known, lines = {diagnostic.hint for diagnostic in diagnostics}, {diagnostic.line for diagnostic in diagnostics}
    said = {diagnostic.message for diagnostic in diagnostics}
    planner, seen = grading.planner, grading.examiner.remarks.values()
    remarks = ((planner.leak, LEAK_HINT), (planner.ignored, IGNORED_HINT))
    return (
        *diagnostics,
        *(Diagnostic("warning", words, hint=hint) for words, hint in remarks if words and hint not in known),
        *(
            Diagnostic("warning", one.message, line=one.line or None)
            for one in seen
            if one.line not in lines and one.message not in said
        ),
    )


def name_tests_left_out(report: Report, problem: Problem) -> Report:
    """Says which of a problem's own tests an accepted file was not run on, for an emulator can't run them all."""
    ran = {case.sizes["test"] for case in report.cases} if problem.tests else set()
    left = [label for number, label in problem.labels.items() if number not in ran]
    if report.verdict is not Verdict.ACCEPTED or not left:
        return report
    message = f"too large for the emulator, so not run: {'; '.join(left)}"
    return replace(
        report,
        headline=f"Accepted: right in the {len(ran)} of {len(problem.labels)} tests that the {report.device} can run",
        diagnostics=(*report.diagnostics, Diagnostic("warning", message, hint="a GPU runs them all")),
    )


def add_failure(
    report: Report, problem: Problem, result: CaseResult, parts: Sequence[tuple[Grading, Outcome]]
) -> Report:
    """Adds the failure that decides, found by the last of these parts."""
    return _with_failure(report, problem, locate_failure(result, parts), parts[-1][1].details)


def add_times(report: Report, problem: Problem, found: Timed) -> Report:
    """Adds what came of timing: figures, why there are none, or a failure that only timing showed."""
    if found.failure is not None:
        return wording.failed_while_timed(_with_failure(report, problem, found.failure, ""))
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
        headline=wording.headline(problem, result, report.language),
        kind=result.kind,
        fault=result.fault,
        line=result.line,
        explanation=wording.explanation(result, details, report.language),
        smallest=result,
    )


def _capped(printed: str) -> str:
    if len(printed) <= MOST_PRINTED:
        return printed
    return f"{printed[:MOST_PRINTED]}\n… ({len(printed) - MOST_PRINTED:,} more characters)"
