"""The tolerance gates: how far a result may be from its float64 reference, element by element.

u is 2^-24, the largest relative error of one rounding to float32. Nothing is compared here; `compare` does
that.

- G0, exact sums: inputs of the "exact" family have partial sums that float32 holds exactly in any order, so
  results must equal the reference bit for bit.
- G1, one element of a sum: |E| <= 32 u S + 1 ulp, S the sum of the terms' magnitudes. Measured on zero-mean
  inputs for float32 in any order of summation: up to 4.1 u S; TF32 and fp16 inputs: 150 to 3600 u S.
- G2, all elements of a sum together: rms(E) <= (8 + sqrt K) u rms(Q), Q the root of the sum of the terms'
  squares, K their number. Measured: sequential float32 up to 0.30 sqrt K, trees up to 2.2, 3xTF32 up to 19;
  TF32 and fp16 from 4859. It does not apply where the errors of elements depend on each other: those of a
  sequential prefix sum add up to one random walk, whose rms scatters as widely as a single error does.
- G3, elementwise: 64 u times the condition of the formula; one correctly rounded operation must be bit-exact.

S and Q come from the reference itself: where it is linear in each input, the reference of the magnitudes
is the sum of the terms' magnitudes, and the reference of the squares is the sum of their squares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.arrays import gap_below, module_of, narrow, ulp, widen
from grader.definition import Floats, Problem

UNIT = 2.0**-24
SMALLEST_NORMAL = 2.0**-126

SUM_UNITS = 32
ELEMENT_UNITS = 64

Inputs = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Bound:
    """What one output may be.

    `expected` is the reference rounded to float32, `allowed` the largest |E| of each element. Where
    `exact`, the result has to be `expected` itself, and `allowed` is half of the gap to the next float:
    what any other result exceeds. `aggregate` is G2's limit for rms(E), infinite where G2 does not apply.
    """

    gate: str
    expected: npt.NDArray[np.float32]
    reference: Floats
    allowed: Floats
    exact: bool = False
    signed_zeros: bool = False
    aggregate: float = np.inf


@dataclass(frozen=True)
class Magnitudes:
    """What errors of one output are measured against.

    `scale` is S for sums, and the result times the condition for elementwise formulas; `spread` is Q for
    sums, the size that independent rounding errors of the terms add up to, and `scale` again for the others.
    """

    scale: Floats
    spread: Floats


def bounds(problem: Problem, sizes: Mapping[str, int], family: str, inputs: Inputs) -> dict[str, Bound]:
    """The bound of every output of one case, by output name."""
    reference = problem.expected(inputs, sizes)
    if problem.gates.kind == "exact":
        return {name: _exact("G3", r, problem.gates.signed_zeros) for name, r in reference.items()}
    if family == "exact":
        # A sum of nothing but zeros may carry either sign, depending on where it starts.
        return {name: _exact("G0", r, signed_zeros=False) for name, r in reference.items()}
    measured = magnitudes(problem, sizes, inputs, reference)
    if problem.gates.kind == "elementwise":
        return {name: _element(r, measured[name]) for name, r in reference.items()}
    terms = problem.gates.count_terms(sizes)
    independent = problem.gates.independent
    return {name: _sum(r, measured[name], terms, independent) for name, r in reference.items()}


def magnitudes(
    problem: Problem, sizes: Mapping[str, int], inputs: Inputs, reference: Mapping[str, Floats]
) -> dict[str, Magnitudes]:
    """S and Q of every output of one case, by output name."""
    wide = {name: widen(inputs[name]) for name in problem.inputs}
    if problem.gates.kind in ("contraction", "total"):
        scale = problem.expected({name: abs(x) for name, x in wide.items()}, sizes)
        squares = problem.expected({name: x * x for name, x in wide.items()}, sizes)
        return {name: Magnitudes(scale[name], squares[name] ** 0.5) for name in reference}
    steepness = _steepness(problem, sizes, wide)
    return {
        name: Magnitudes(larger, larger)
        for name, r in reference.items()
        for larger in (module_of(r).fmax(abs(r), steepness[name]),)
    }


def _steepness(problem: Problem, sizes: Mapping[str, int], inputs: Mapping[str, Floats]) -> dict[str, Floats]:
    """Σ |x ∂f/∂x| over the inputs x: the result times its condition, by central differences in float64."""
    step = 2.0**-20
    xp = module_of(next(iter(inputs.values())))
    total = {name: xp.zeros(a.shape(sizes)) for name, a in problem.outputs.items()}
    for name, x in inputs.items():
        above = problem.expected({**inputs, name: x * (1 + step)}, sizes)
        below = problem.expected({**inputs, name: x * (1 - step)}, sizes)
        for output in total:
            with np.errstate(invalid="ignore"):
                slope = abs(above[output] - below[output]) / (2 * step)
            total[output] += xp.where(xp.isfinite(slope), slope, 0.0)
    return total


def to_float32(reference: Floats) -> npt.NDArray[np.float32]:
    """The float32 nearest to the true result.

    The result was rounded twice, to float64 and then to float32. That equals one rounding for + - × ÷ and
    √ of floats, because 53 bits are at least 2 · 24 + 2 (S. A. Figueroa, "When is double rounding
    innocuous?", 1995).
    """
    nearest: npt.NDArray[np.float32] = narrow(reference)
    return nearest


def _exact(gate: str, reference: Floats, signed_zeros: bool) -> Bound:
    expected = to_float32(reference)
    return Bound(gate, expected, reference, gap_below(expected) / 2, exact=True, signed_zeros=signed_zeros)


def _sum(reference: Floats, measured: Magnitudes, terms: int, independent: bool) -> Bound:
    expected = to_float32(reference)
    allowed = SUM_UNITS * UNIT * measured.scale + ulp(expected)
    if not independent:
        return Bound("G1", expected, reference, allowed)
    # G2 is a statement about many elements. The rms of few scatters: one sequential sum of zero-mean terms, a
    # random walk, has an error of several times its usual size now and then. The allowance fades with
    # 1/sqrt(n).
    few = 1.0 + 4.0 / sqrt(reference.size)
    rms = sqrt(float((measured.spread**2).mean()))
    aggregate = few * (8.0 + sqrt(terms)) * UNIT * rms
    return Bound("G1", expected, reference, allowed, aggregate=aggregate)


def _element(reference: Floats, measured: Magnitudes) -> Bound:
    # Results below the smallest normal number may be flushed to zero, by hand or by a fast intrinsic.
    allowed = module_of(reference).maximum(ELEMENT_UNITS * UNIT * measured.scale, SMALLEST_NORMAL)
    return Bound("G3", to_float32(reference), reference, allowed)
