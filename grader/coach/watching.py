"""Records one warp of an explained case, so that its page can play the warp's accesses, line by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader.compile.submission import Submission
from grader.core.report import Replay
from grader.languages.language import Language
from grader.problem import Problem
from grader.problem.cases import Case
from grader.replay.cutting import one_warp
from grader.replay.record import record_first_block
from grader.replay.summary import summarize
from grader.sandbox import Sandbox

WARP = 0
MOST_STEPS = 1_000
"""Loops repeat themselves long before."""


def record_warp(
    problem: Problem, submission: Submission, case: Case, language: Language, cache: Path, sandbox: Sandbox
) -> Replay | None:
    """The first warp of the first block of the first launch; None if it can't be recorded, or accesses nothing."""
    trace = record_first_block(problem, submission, case, language, cache, sandbox)
    if trace is None:
        return None
    cut = one_warp(trace, WARP, MOST_STEPS)
    if not len(cut.reads.step) and not len(cut.writes.step):
        return None
    whole = int((trace.steps.warp == WARP).sum()) == len(cut) and not trace.truncated
    remarks = () if whole else (f"These are the first {len(cut):,} steps of the warp; it goes on in the same manner.",)
    return summarize(replace(cut, remarks=remarks))
