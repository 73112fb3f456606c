"""Which case decides, and that shrinking its failure stays within sizes that fit together."""

import pytest

from grader.core.report import CaseResult, OutputCheck
from grader.core.verdict import Verdict, WrongKind
from grader.judge.diagnosis import deciding_case, diagnose


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


def wrong(kind, worst):
    output = OutputCheck("C", (4,), 1, 4, worst, "G1", kind, "")
    return CaseResult({}, "normal", 1, Verdict.WRONG_ANSWER, kind, outputs=(output,))


LOW, VALUE = WrongKind.LOW_PRECISION, WrongKind.WRONG_VALUE


@pytest.mark.parametrize(
    ("results", "kind"),
    [
        ([wrong(LOW, 20), wrong(VALUE, 30), wrong(LOW, 25)], LOW),
        ([wrong(LOW, 20), wrong(VALUE, 3000), wrong(LOW, 25)], VALUE),
        ([wrong(LOW, 20), wrong(VALUE, float("nan")), wrong(LOW, 25)], VALUE),
        ([wrong(LOW, 20), wrong(VALUE, 30)], VALUE),
    ],
)
def test_what_explains_more_cases_explains_those_of_like_errors(results, kind):
    assert deciding_case(results).kind is kind
