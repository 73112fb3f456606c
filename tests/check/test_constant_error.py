"""Results of one element that are off by the same factor, or by the same number, are no matter of precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.check import check_case
from grader.check.constant_error import with_constant_errors
from grader.core.report import CaseResult
from grader.core.verdict import WrongKind
from grader.problem.inputs import families

from .problems import REDUCE, case

LENGTHS = (1, 16, 61, 256, 1000, 3000)


def kinds(kernel: Callable[[Any], Any], lengths: tuple[int, ...] = LENGTHS) -> tuple[list[Any], list[CaseResult]]:
    """The kinds of the cases by themselves, and the results seen together."""
    results = []
    for number, length in enumerate(lengths):
        family = families(REDUCE)[number % len(families(REDUCE))]
        sizes, inputs = case(REDUCE, family, seed=number, N=length)
        got = np.asarray([kernel(inputs["input"].astype(np.float64))], np.float32)
        verdict, kind, message, outputs = check_case(REDUCE, sizes, family, inputs, {"output": got})
        results.append(CaseResult(sizes, family, number, verdict, kind, message=message, outputs=outputs))
    return [result.kind for result in results], with_constant_errors(results)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda x: x.sum() * 1.001, "times what is expected"),
        (lambda x: x.sum() * 0.9997, "times what is expected"),
        (lambda x: x.sum() + 1e-4, "off"),
    ],
)
def test_one_error_in_all_cases_is_a_wrong_value(kernel: Callable[[Any], Any], words: str) -> None:
    alone, together = kinds(kernel)
    # Else there were nothing to see together.
    assert alone.count(WrongKind.LOW_PRECISION) >= 3
    assert {result.kind for result in together} <= {WrongKind.WRONG_VALUE, None}
    changed = next(result for result, kind in zip(together, alone, strict=True) if kind is WrongKind.LOW_PRECISION)
    assert changed.message.endswith(words)
    assert changed.outputs[0].explanation == changed.message


def half(x: Any) -> Any:
    return x.astype(np.float16).astype(np.float64)


@pytest.mark.parametrize("kernel", [lambda x: half(x).sum(), lambda x: half(half(x[::2]).sum()) + x[1::2].sum()])
def test_errors_of_rounding_stay_of_low_precision(kernel: Callable[[Any], Any]) -> None:
    alone, together = kinds(kernel)
    assert alone.count(WrongKind.LOW_PRECISION) >= 3
    assert [result.kind for result in together] == alone


def test_two_cases_are_too_few() -> None:
    alone, together = kinds(lambda x: x.sum() * 1.001, LENGTHS[1:3])
    assert [result.kind for result in together] == alone == [WrongKind.LOW_PRECISION] * 2


@pytest.mark.parametrize("infinity", [np.inf, np.nan])
def test_infinite_results_are_not_off_by_one_number(infinity: float) -> None:
    """Of sums beyond fp16's range. Their errors have both signs, and so no middle."""
    signs = iter([1.0, 1.0, -1.0, -1.0] * 2)
    alone, together = kinds(lambda x: next(signs) * infinity, (70_000,) * 8)
    assert alone.count(WrongKind.LOW_PRECISION) >= 2
    assert [result.kind for result in together] == alone
