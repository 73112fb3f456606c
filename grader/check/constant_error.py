"""Recognises, over several cases, results of few elements that are off by the same factor or the same number.

Of one element alone such an error can't be told from low precision; see `grader.check.precision`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grader.check.explain import element
from grader.check.precision import MANY, MOST
from grader.core.report import CaseResult, ElementError
from grader.core.verdict import WrongKind
from grader.problem.definition import Floats

ENOUGH = 3
ALIKE = 1 / 32
"""How far apart errors that have one cause may be: rounding errors come that near to each other by accident only."""


def with_constant_errors(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Returns the results; those that were taken for imprecise are wrong values if one error explains most of them."""
    doubtful = [number for number, result in enumerate(results) if _is_doubtful(result)]
    elements = [_first(results[number]) for number in doubtful]
    got, expected = (np.array([getattr(one, name) for one in elements]) for name in ("got", "expected"))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = {"{:.6g} times what is expected": (got / expected, 1.0), "{:+.6g} off": (got - expected, 0.0)}
    made = list(results)
    for words, (values, right) in found.items():
        alike = _alike(values - right)
        if len(doubtful) >= ENOUGH and alike.mean() >= MOST:
            cause = f"in {int(alike.sum())} cases it is {words.format(float(np.median(values[alike])))}"
            for number, one, same in zip(doubtful, elements, alike, strict=True):
                if same:
                    made[number] = _wrong_value(results[number], one, cause)
            break
    return made


def _is_doubtful(result: CaseResult) -> bool:
    wrong = [output for output in result.outputs if output.wrong]
    few = len(wrong) == 1 and wrong[0].total < MANY and bool(wrong[0].elements)
    return few and result.kind is WrongKind.LOW_PRECISION


def _first(result: CaseResult) -> ElementError:
    return next(output.elements[0] for output in result.outputs if output.wrong)


def _alike(errors: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which errors are about the same. An infinite one, or NaN, is like no other."""
    finite = np.isfinite(errors)
    if not finite.any():
        return finite
    middle = float(np.median(errors[finite]))
    return finite & (np.abs(np.where(finite, errors, 0.0) - middle) <= ALIKE * abs(middle))


def _wrong_value(result: CaseResult, one: ElementError, cause: str) -> CaseResult:
    outputs = []
    message = result.message
    for output in result.outputs:
        if output.wrong:
            message = f"{element(output.array, one.index)} is {one.got:.9g}, expected {one.expected:.9g}; {cause}"
            output = replace(output, kind=WrongKind.WRONG_VALUE, explanation=message)
        outputs.append(output)
    return replace(result, kind=WrongKind.WRONG_VALUE, message=message, outputs=tuple(outputs))
