"""References of known cases: kept from one submission to the next, in bounded room, and never changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grader.check import check_case, check_outputs
from grader.check.references import GROWTH, KnownReferences, References, references_of
from grader.core.verdict import WrongKind
from grader.problem import Problem, load_problem
from grader.problem.cases import Case

PROBLEMS = Path(__file__).parents[2] / "problems"
CASE = Case({"M": 20, "N": 30, "K": 40}, "normal", 7)


@pytest.fixture
def matmul() -> Problem:
    return load_problem(PROBLEMS / "matmul", trial=False)


def low_precision(references: References) -> dict[str, np.ndarray]:
    """Results of inputs that were rounded to half precision."""
    a, b = (references.inputs[name].astype(np.float16).astype(np.float64) for name in ("A", "B"))
    return {"C": (a @ b).astype(np.float32)}


def test_what_is_known_is_what_would_be_made(matmul: Problem) -> None:
    known, made = KnownReferences(), references_of(matmul, CASE)
    assert known.of(matmul, CASE) is known.of(matmul, CASE)
    assert known.of(matmul, Case(CASE.sizes, CASE.family, 8)) is not known.of(matmul, CASE)
    results = low_precision(made)
    for _ in range(2):
        verdict = check_outputs(known.of(matmul, CASE), results)
        assert verdict == check_case(matmul, CASE.sizes, CASE.family, made.inputs, results)
        assert verdict[1] is WrongKind.LOW_PRECISION


def test_a_problem_that_was_loaded_anew_has_its_own(matmul: Problem) -> None:
    known = KnownReferences()
    again = load_problem(PROBLEMS / "matmul", trial=False)
    assert known.of(again, CASE) is not known.of(matmul, CASE)


def test_inputs_can_not_be_changed(matmul: Problem) -> None:
    with pytest.raises(ValueError, match="read-only"):
        KnownReferences().of(matmul, CASE).inputs["A"][0] = 1


def test_another_problem_goes_where_room_is_scarce_and_never_the_own(matmul: Problem) -> None:
    known = KnownReferences(room=GROWTH * matmul.array_bytes(CASE.sizes) + 1)
    other = load_problem(PROBLEMS / "matmul", trial=False)
    kept = known.of(other, CASE)
    check_outputs(kept, low_precision(kept))
    assert known.of(other, CASE) is kept
    second = Case(CASE.sizes, CASE.family, 8)
    assert known.of(other, second) is not known.of(other, second)
    assert known.of(other, CASE) is kept
    assert known.of(matmul, CASE) is known.of(matmul, CASE)
    assert known.of(other, CASE) is not kept


def test_what_is_larger_than_all_room_is_not_kept(matmul: Problem) -> None:
    known = KnownReferences(room=1000)
    assert known.of(matmul, CASE) is not known.of(matmul, CASE)
