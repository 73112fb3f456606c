"""Shrinking a failure stays within sizes that fit together."""

from grader.diagnose import diagnose
from grader.report import CaseResult
from grader.verdict import Verdict, WrongKind


def result(sizes, wrong):
    verdict, kind = (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE) if wrong else (Verdict.ACCEPTED, None)
    return CaseResult(dict(sizes), "normal", 1, verdict, kind)


def shrunk(**options):
    """Fails whatever the sizes; gives the smallest failure and all sizes that were examined."""
    seen = []

    def examine(case):
        seen.append((case.sizes["RANK"], case.sizes["AXIS"]))
        return result(case.sizes, wrong=True)

    start, least = {"RANK": 5, "AXIS": 2}, {"RANK": 1, "AXIS": 0}
    found = diagnose(result(start, wrong=True), [], [], [], least, {}, examine, **options)
    return found.smallest.sizes, seen


def test_only_allowed_sizes_are_examined():
    smallest, seen = shrunk(allowed=lambda sizes: sizes["AXIS"] < sizes["RANK"] and sizes["AXIS"] > 0)
    assert smallest == {"RANK": 2, "AXIS": 1}
    assert seen
    assert all(0 < axis < rank for rank, axis in seen)


def test_all_sizes_are_allowed_unless_something_says_otherwise():
    smallest, seen = shrunk()
    assert smallest == {"RANK": 1, "AXIS": 0}
    assert seen[0] == (1, 0)
