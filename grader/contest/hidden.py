"""Reduces a report graded with a hidden seed to what a student may see: the verdict and why, nothing about the cases.

The report is rebuilt from fields known to be harmless, so a field added to reports later stays hidden until it is
listed here.
"""

from __future__ import annotations

import shlex
from dataclasses import replace

from grader.boards.words import label, visible
from grader.core.report import FaultReport, Report
from grader.core.verdict import Verdict
from grader.judge.wording import FAULTS, KINDS, accepted_headline

HIDDEN_SEED = -1
HIDDEN_CASES = "The cases of this contest are hidden. At home all is shown: {command}"

FAILS_HIDDEN = Verdict.WRONG_ANSWER
"""The verdict shown for every failure in a hidden case: a submission could leak sizes by choosing how it fails."""
GROUPS = "All that depends on hidden cases is this one word, and which groups of cases give points; the rest was right."
ONLY_THAT = "All that depends on a hidden case is this one word; the cases that are shown were right."


def only_verdict(report: Report, *, groups: bool = False) -> Report:
    """The report with only whether the hidden cases passed, and what the compiler said.

    `groups` says that groups of hidden cases give points of their own, which the student sees beside the report.
    """
    if report.verdict is Verdict.COMPILE_ERROR:
        return without_cases(report)
    kept = without_cases(replace(report, kind=None, fault=None, line=None, diagnostics=(), kernels=(), launch={}))
    if report.verdict in (Verdict.ACCEPTED, Verdict.INTERNAL_ERROR):
        return replace(kept, seconds=0.0)
    words = (GROUPS if groups else ONLY_THAT, *kept.explanation[-1:])
    return replace(kept, verdict=FAILS_HIDDEN, headline="Fails in a hidden case", explanation=words, seconds=0.0)


def without_cases(report: Report) -> Report:
    """The report without sizes, seeds and values, and without the submission's output, which could reveal them.

    Compiler messages depend on the source alone and benchmark sizes are public, so both stay.
    """
    compiled = report.verdict is not Verdict.COMPILE_ERROR
    return Report(
        problem=report.problem,
        title=report.title,
        form=report.form,
        language=report.language,
        device=report.device,
        user=report.user,
        file=report.file,
        source=report.source,
        source_hash=report.source_hash,
        submitted=report.submitted,
        seed=HIDDEN_SEED,
        verdict=report.verdict,
        headline=_headline(report) if compiled else report.headline,
        kind=report.kind,
        fault=None if report.fault is None else _fault(report.fault),
        line=report.line,
        explanation=_explanation(report) if compiled else report.explanation,
        diagnostics=report.diagnostics,
        kernels=report.kernels,
        score=report.score,
        time=report.time,
        seconds=report.seconds,
        version=report.version,
        launch=report.launch,
        measurement=report.measurement,
    )


def _headline(report: Report) -> str:
    if report.verdict is Verdict.ACCEPTED:
        return accepted_headline(report.device)
    detail = report.fault.fault if report.fault is not None else report.kind
    words = report.verdict.facts.lead + (f": {label(detail)}" if detail else "")
    return words + (f", in line {report.line}" if report.line else "")


def _fault(fault: FaultReport) -> FaultReport:
    """The fault without index, extent, block, thread and message, which reveal sizes."""
    place = f" of {fault.array}" if fault.array else ""
    return FaultReport(
        fault=fault.fault,
        message=f"{label(fault.fault)}{place}",
        line=fault.line,
        text=fault.text,
        kernel=fault.kernel,
        access=fault.access,
        array=fault.array,
        instruction=fault.instruction,
    )


def _explanation(report: Report) -> tuple[str, ...]:
    if report.verdict is Verdict.ACCEPTED:
        return ()
    if report.fault is not None:
        words = FAULTS.get(report.fault.fault, "")
    elif report.kind is not None:
        words = KINDS.get(report.kind, "")
    else:
        words = report.verdict.facts.meaning
    command = visible(shlex.join(["kgrade", "test", report.problem, report.file]))
    return tuple(sentence for sentence in (words, HIDDEN_CASES.format(command=command)) if sentence)
