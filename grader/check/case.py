"""Checks one case: compares every output with the reference and decides on verdict and kind.

Each step has its own module: `tolerance`, `compare`, `precision`, `errormap`, `explain`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.check import explain
from grader.check.compare import Comparison, Mask, compare
from grader.check.errormap import error_map
from grader.check.precision import recognise
from grader.check.references import References
from grader.check.tolerance import ELEMENT_UNITS, SUM_UNITS, Bound, Inputs, scaled_units
from grader.core.errors import JudgeError
from grader.core.report import ElementError, OutputCheck
from grader.core.verdict import Verdict, WrongKind
from grader.problem.arrays import module_of, on_host
from grader.problem.definition import Problem

CaseCheck = tuple[Verdict, WrongKind | None, str, tuple[OutputCheck, ...]]

SHOWN = 5
"""Number of wrong elements listed per output."""

# If several outputs are wrong in different ways, the kind that says most about the mistake is reported.
PRIORITY = (WrongKind.UNWRITTEN_OUTPUT, WrongKind.WRONG_VALUE, WrongKind.LOW_PRECISION)


def check_case(
    problem: Problem,
    sizes: Mapping[str, int],
    family: str,
    inputs: Inputs,
    outputs: Mapping[str, npt.NDArray[Any]],
    unwritten: Mapping[str, Mask] | None = None,
    changed_inputs: Mapping[str, tuple[int, ...]] | None = None,
) -> CaseCheck:
    """Returns verdict, kind, message and the checks of all outputs for one case.

    All arrays are NumPy's, or all are CuPy's. `unwritten` marks the elements that still hold their poison;
    `changed_inputs` gives the first changed index of each input that the kernel wrote to. Raises JudgeError if an
    output is missing or has the wrong shape or type.
    """
    return check_outputs(References(problem, sizes, family, inputs), outputs, unwritten, changed_inputs)


def check_outputs(
    references: References,
    outputs: Mapping[str, npt.NDArray[Any]],
    unwritten: Mapping[str, Mask] | None = None,
    changed_inputs: Mapping[str, tuple[int, ...]] | None = None,
) -> CaseCheck:
    """`check_case` with references that may be known."""
    problem = references.problem
    checks = []
    for name, bound in references.bounds.items():
        got = _output(problem, name, outputs, bound)
        xp = module_of(got)
        left = (unwritten or {}).get(name)
        left = xp.zeros(got.shape, bool) if left is None else left.reshape(got.shape)
        if bound.untouched is not None:
            # Without `unwritten` we can't tell whether these elements were left alone, so none of them is checked.
            alone = bound.untouched if unwritten is None else bound.untouched & left
            got, left = xp.where(alone, bound.expected, got), left & ~alone
        found = compare(bound, got, left)
        checks.append(_describe(references, name, bound, found))
    for array, index in (changed_inputs or {}).items():
        # A kernel that writes to its input usually fails in other ways too; this is the cause.
        message = explain.changed(array, index, list(problem.outputs))
        return Verdict.WRONG_ANSWER, WrongKind.CHANGED_INPUT, message, tuple(checks)
    for kind in PRIORITY:
        for check in checks:
            if check.kind is kind:
                return Verdict.WRONG_ANSWER, kind, check.explanation, tuple(checks)
    return Verdict.ACCEPTED, None, "", tuple(checks)


def _output(problem: Problem, name: str, outputs: Mapping[str, npt.NDArray[Any]], bound: Bound) -> npt.NDArray[Any]:
    expected, given = bound.expected, outputs.get(name)
    got: npt.NDArray[Any] | None = None if given is None else problem.outputs[name].numbers(given)
    if got is None or got.shape != expected.shape or got.dtype != expected.dtype:
        seen = "nothing" if got is None else f"{got.dtype} {got.shape}"
        raise JudgeError(f"output {name}: the runner gave {seen}, {expected.dtype} {expected.shape} was asked for")
    return got


def _describe(references: References, name: str, bound: Bound, found: Comparison) -> OutputCheck:
    kind, explanation = _kind(references, name, bound, found)
    return OutputCheck(
        array=name,
        shape=found.got.shape,
        wrong=found.count,
        total=found.got.size,
        worst=float(found.units.max()),
        gate=found.gate,
        kind=kind,
        explanation=explanation,
        elements=_elements(bound, found),
        map=error_map(on_host(found.wrong)) if kind else None,
    )


def _kind(references: References, name: str, bound: Bound, found: Comparison) -> tuple[WrongKind | None, str]:
    problem, sizes = references.problem, references.sizes
    if not found.count:
        return None, ""
    if 2 * int(found.unwritten.sum()) >= found.count:
        return WrongKind.UNWRITTEN_OUTPUT, explain.unwritten(name, found)
    if problem.outputs[name].dtype.whole or not problem.operands:
        return WrongKind.WRONG_VALUE, explain.wrong_value(name, bound, found)
    measured = references.magnitudes(name)
    cause = recognise(references, name, bound, found)
    if cause:
        return WrongKind.LOW_PRECISION, explain.low_precision(
            name, bound, found, measured, cause, _units(problem, sizes, found)
        )
    return WrongKind.WRONG_VALUE, explain.wrong_value(name, bound, found)


def _units(problem: Problem, sizes: Mapping[str, int], found: Comparison) -> int:
    """The tolerance in u of an element's scale, by the gate that decided."""
    if found.gate == "G4":
        return round(scaled_units(problem.gates.count_terms(sizes)))
    return ELEMENT_UNITS if found.gate == "G3" else SUM_UNITS


def _elements(bound: Bound, found: Comparison) -> tuple[ElementError, ...]:
    first = on_host(module_of(found.wrong).flatnonzero(found.wrong)[:SHOWN])
    indices = zip(*(axis.tolist() for axis in np.unravel_index(first, found.wrong.shape)), strict=True)
    return tuple(
        ElementError(
            index=index,
            expected=float(bound.expected[index]),
            got=float(found.got[index]),
            units=float(found.units[index]),
            unwritten=bool(found.unwritten[index]),
        )
        for index in indices
    )
