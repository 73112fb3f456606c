"""A report shows the scalars of a failing case beside its sizes, and carries them through files."""

from __future__ import annotations

from grader.boards.words import sizes
from grader.core.report import CaseResult, case_from_data, to_data
from grader.core.verdict import Verdict, WrongKind
from grader.judge.wording import headline
from grader.problem import load_problem
from grader.problem.cases import Case
from grader.store.workspace import builtin_folder


def test_scalars_stand_beside_sizes() -> None:
    problem = load_problem(builtin_folder("templates") / "problem")
    case = Case({"N": 17}, "normal", 5)
    (a,) = (value for name, value in case.numbers(problem).items() if name == "a")
    result = CaseResult(
        case.sizes, case.family, case.seed, Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE, message="No", scalars={"a": a}
    )
    assert f"(with N=17,a={a:.9g})" in headline(problem, result)
    assert case_from_data(to_data(result)) == result
    assert sizes({**result.sizes, **result.scalars}) == f"N=17 a={a:.9g}"


def test_an_older_case_without_scalars_is_read() -> None:
    data = to_data(CaseResult({"N": 1}, "normal", 5, Verdict.ACCEPTED))
    assert case_from_data({key: value for key, value in data.items() if key != "scalars"}).scalars == {}
