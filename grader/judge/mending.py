"""Tells whether an accepted submission mends an exercise, and how much of the faulty text it changes."""

from __future__ import annotations

from dataclasses import replace

from grader.compile.change import changed_tokens
from grader.core.report import Mend, Report
from grader.core.verdict import Verdict
from grader.problem import Problem
from grader.problem.exercises import Exercise, exercise_names, named_exercise, read_exercise

LEAST, TIMES = 24, 6
"""More changed tokens than this, and this many times the smallest change known, are a text of one's own."""


def smallest_change(exercise: Exercise) -> int:
    """The tokens that the author's own mend changes."""
    found = changed_tokens(exercise.text, exercise.mended, len(exercise.text) + len(exercise.mended))
    assert found is not None
    return found


def add_mend(report: Report, problem: Problem) -> Report:
    """The report with the exercise of the problem that the text says to mend, if it is accepted and a small change.

    Raises ProblemError for an exercise with a mistake.
    """
    name = named_exercise(report.source)
    if report.verdict is not Verdict.ACCEPTED or name not in exercise_names(problem.folder):
        return report
    exercise = read_exercise(problem.folder, name)
    smallest = smallest_change(exercise)
    changed = changed_tokens(exercise.text, report.source, max(LEAST, TIMES * smallest))
    return report if changed is None else replace(report, mend=Mend(name, changed, smallest))
