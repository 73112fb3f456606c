"""Tells whether an accepted submission mends an exercise, and how much of the faulty text it changes."""

from __future__ import annotations

from dataclasses import replace

from grader.compile.change import changed_tokens
from grader.core.report import Mend, Report
from grader.core.verdict import Verdict
from grader.problem import Problem
from grader.problem.exercises import Exercise, exercises_of

LEAST, TIMES = 24, 6
"""More changed tokens than this, and this many times the smallest change known, are a text of one's own."""


def smallest_change(exercise: Exercise) -> int:
    """The tokens that the author's own mend changes."""
    found = changed_tokens(exercise.text, exercise.mended, len(exercise.text) + len(exercise.mended))
    assert found is not None
    return found


def add_mend(report: Report, problem: Problem) -> Report:
    """The report with the exercise of the problem that the text mends, if it is accepted and mends one.

    Of several the one with the fewest changes. Raises ProblemError for an exercise with a mistake.
    """
    if report.verdict is not Verdict.ACCEPTED:
        return report
    found = []
    for exercise in exercises_of(problem.folder):
        smallest = smallest_change(exercise)
        changed = changed_tokens(exercise.text, report.source, max(LEAST, TIMES * smallest))
        if changed is not None:
            found.append(Mend(exercise.name, changed, smallest))
    return replace(report, mend=min(found, key=lambda mend: mend.tokens)) if found else report
