"""What results of each type may be: sums in float64 and bf16, and whole numbers of 64 bits to the last one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grader.check import check_case
from grader.core.verdict import Verdict, WrongKind
from grader.problem import Problem, integers
from grader.problem.gates import contraction, exact
from grader.problem.inputs import make_inputs
from grader.problem.parameters import DType, array, bf16, e4m3, e5m2, f64, i64, out, size

SIZES = {"M": 40, "K": 700}


def products(dtype: DType) -> Problem:
    problem = Problem(
        title="Products",
        difficulty="easy",
        kernel="k",
        params=dict(
            a=array(dtype, "M", "K"), b=array(dtype, "K", "M"), c=out(dtype, "M", "M"), M=size(1, 99), K=size(1, 9999)
        ),
        gates=contraction(terms="K"),
    )
    problem.reference(lambda a, b: a @ b)
    return problem


def checked(problem: Problem, inputs: Any, got: Any, sizes: Any = SIZES) -> tuple[Verdict, WrongKind | None]:
    return check_case(problem, sizes, "normal", inputs, got)[:2]


@pytest.mark.parametrize("dtype", [f64, bf16, e4m3, e5m2], ids=lambda dtype: dtype.name)
def test_sums_in_any_order_are_right_and_those_of_less_are_not(dtype: DType) -> None:
    problem = products(dtype)
    inputs = make_inputs(problem, SIZES, "normal", 5)
    a, b = (problem.inputs[name].numbers(inputs[name]) for name in ("a", "b"))
    assert a.dtype == (np.float64 if dtype is f64 else np.float32)
    in_order = np.zeros((40, 40), np.float64 if dtype is f64 else np.float32)
    for k in range(700):
        in_order += np.outer(a[:, k], b[k])
    stored = problem.outputs["c"].stored
    assert checked(problem, inputs, {"c": stored(in_order.astype(np.float64))}) == (Verdict.ACCEPTED, None)
    if dtype is f64:
        less = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float64)
        assert checked(problem, inputs, {"c": less})[0] is Verdict.WRONG_ANSWER
        through_float = a.astype(np.float32).astype(np.float64) @ b.astype(np.float32)
        assert checked(problem, inputs, {"c": through_float})[1] is WrongKind.LOW_PRECISION
    else:
        beside = in_order + 2.5 * dtype.coded.ulp(in_order) * np.sign(in_order)  # type: ignore[union-attr]
        assert checked(problem, inputs, {"c": stored(beside)})[0] is Verdict.WRONG_ANSWER


@pytest.mark.parametrize("by", [1, -1, 2**62, -(2**63)])
def test_whole_numbers_of_64_bits_are_right_to_the_last(by: int) -> None:
    problem = Problem(
        title="Copy",
        difficulty="easy",
        kernel="k",
        params=dict(x=array(i64, "K", values=integers(-(2**62), 2**62)), y=out(i64, "K"), K=size(1, 9999)),
        gates=exact(),
    )
    problem.reference(lambda x: x)
    inputs = make_inputs(problem, SIZES, "normal", 5)
    assert abs(inputs["x"]).max() > 2**60
    assert checked(problem, inputs, {"y": inputs["x"].copy()})[0] is Verdict.ACCEPTED
    wrong = inputs["x"].copy()
    wrong[7] += np.int64(by)
    verdict, kind, message, _ = check_case(problem, SIZES, "normal", inputs, {"y": wrong})
    assert (verdict, kind) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE)
    assert f"y[7] is {wrong[7]}, expected {inputs['x'][7]}" in message
