"""Adds to a failing Report what its smallest failing case did, recorded on the emulator: "Watch it fail".

A replay explains a verdict and never changes one: where nothing can be recorded, the Report stays as it is.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader.compile.submission import Submission
from grader.core.report import Diagnostic, Report
from grader.core.verdict import Verdict
from grader.languages.language import Language
from grader.problem import Problem
from grader.problem.cases import Case, fits_emulator
from grader.sandbox import Sandbox

STEP = "recording the failing case"
LEAST_SECONDS = 30.0
"""What has to be left of the grading's time: to record takes a second or two, and must not become the verdict."""
NOTHING = "there is no replay of this case: no kernel was launched that the emulator could record"
WATCHED = (Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR, Verdict.TIME_LIMIT_EXCEEDED)


def can_be_watched(report: Report, problem: Problem) -> bool:
    """Whether a case ran and failed that the emulator can run as well."""
    case = report.smallest
    if report.verdict not in WATCHED or case is None:
        return False
    return fits_emulator(problem, Case(case.sizes, case.family, case.seed))


def add_replay(
    report: Report, problem: Problem, submission: Submission, language: Language, cache: Path, sandbox: Sandbox
) -> Report:
    """The report with the replay of its smallest failing case; as it is where none can be recorded.

    Of a case that took too long a note says that there is none.
    """
    # Only after a failure: NumPy takes a tenth of a second to load.
    from grader.replay.record import record_replay
    from grader.replay.summary import summarize

    assert report.smallest is not None
    try:
        trace = record_replay(problem, submission, report.smallest, language, cache, sandbox)
        if trace is None and report.verdict is Verdict.TIME_LIMIT_EXCEEDED:
            return replace(report, diagnostics=(*report.diagnostics, Diagnostic("note", NOTHING)))
        if trace is None or not len(trace):
            return report
        return replace(report, replay=summarize(trace))
    except Exception as error:
        # A mistake of the recording is no reason to lose the verdict.
        words = f"the failing case could not be recorded for its replay: {type(error).__name__}: {error}"
        return replace(report, diagnostics=(*report.diagnostics, Diagnostic("warning", words)))
