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
- G4, formulas with sums in them (softmax, norms, attention): |E| <= (64 + 8 sqrt K) u S + 1 ulp, S what the problem
  declares. Its terms are positive by nature, so that rounding errors of K of them add up instead of cancelling.

Results in fp16 get one ulp of fp16 more, for their own rounding; u stays that of the sums, float32. Whole numbers
have to be the reference's; where that is a fraction, they have to be it rounded, a near tie either way.

A problem that brings its own tests states its own tolerance, and none of these gates applies.

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
FLUSHED = 64 * SMALLEST_NORMAL
"""What a formula may lose where it underflows: a factor below the smallest normal number, times another of up to 64."""

SUM_UNITS = 32
ELEMENT_UNITS = 64
TERM_UNITS = 8
"""What each term adds to a scaled result's allowance, times the root of their number."""

Inputs = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Bound:
    """What one output may be.

    `expected` is the reference rounded to the output's type, `allowed` the largest |E| of each element. Where
    `exact`, the result has to be `expected` itself, and `allowed` is half of the gap to the next number of the
    type: what any other result exceeds. `aggregate` is G2's limit for rms(E), infinite where G2 does not apply.
    `untouched` are elements that may be left alone, None for none.
    """

    gate: str
    expected: npt.NDArray[Any]
    reference: Floats
    allowed: Floats
    exact: bool = False
    signed_zeros: bool = False
    aggregate: float = np.inf
    untouched: npt.NDArray[np.bool_] | None = None


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
    if problem.gates.kind == "stated":
        free = problem.untouched(sizes)
        return {name: _stated(problem, name, r, free.get(name)) for name, r in reference.items()}
    measured: Mapping[str, Magnitudes] = {}
    if problem.gates.kind != "exact" and family != "exact":
        measured = magnitudes(problem, sizes, inputs, reference)
    return {name: _bound(problem, sizes, family, name, r, measured.get(name)) for name, r in reference.items()}


def _bound(
    problem: Problem,
    sizes: Mapping[str, int],
    family: str,
    name: str,
    reference: Floats,
    measured: Magnitudes | None,
) -> Bound:
    gates, dtype = problem.gates, problem.outputs[name].dtype
    if dtype.whole:
        return _whole(reference, dtype.numpy)
    expected = to_type(reference, dtype.numpy)
    if measured is None:
        # A sum of nothing but zeros may carry either sign, depending on where it starts.
        exact_gate = gates.kind == "exact"
        return _exact("G3" if exact_gate else "G0", expected, reference, exact_gate and gates.signed_zeros)
    if gates.kind == "elementwise":
        return _element(expected, reference, measured)
    terms = gates.count_terms(sizes)
    if gates.kind == "scaled":
        return _scaled(expected, reference, measured, terms)
    return _sum(expected, reference, measured, terms, gates.independent)


def magnitudes(
    problem: Problem, sizes: Mapping[str, int], inputs: Inputs, reference: Mapping[str, Floats]
) -> dict[str, Magnitudes]:
    """S and Q of every output of one case, by output name."""
    wide = {name: widen(inputs[name]) for name in problem.operands}
    if problem.gates.kind in ("contraction", "total"):
        scale = problem.expected({**inputs, **{name: abs(x) for name, x in wide.items()}}, sizes)
        squares = problem.expected({**inputs, **{name: x * x for name, x in wide.items()}}, sizes)
        return {name: Magnitudes(scale[name], squares[name] ** 0.5) for name in reference}
    if problem.gates.kind == "scaled":
        return {name: Magnitudes(scale, scale) for name, scale in problem.scales(inputs, sizes).items()}
    steepness = _steepness(problem, sizes, inputs, wide)
    return {
        name: Magnitudes(larger, larger)
        for name, r in reference.items()
        for larger in (module_of(r).fmax(abs(r), steepness[name]),)
    }


def _steepness(
    problem: Problem, sizes: Mapping[str, int], inputs: Inputs, operands: Mapping[str, Floats]
) -> dict[str, Floats]:
    """Σ |x ∂f/∂x| over the operands x: the result times its condition, by central differences in float64."""
    step = 2.0**-20
    xp = module_of(next(iter(inputs.values())))
    total = {name: xp.zeros(a.shape(sizes)) for name, a in problem.outputs.items()}
    for name, x in operands.items():
        above = problem.expected({**inputs, name: x * (1 + step)}, sizes)
        below = problem.expected({**inputs, name: x * (1 - step)}, sizes)
        for output in total:
            with np.errstate(invalid="ignore"):
                slope = abs(above[output] - below[output]) / (2 * step)
            total[output] += xp.where(xp.isfinite(slope), slope, 0.0)
    return total


def to_type(reference: Floats, dtype: str) -> npt.NDArray[Any]:
    """The number of this type nearest to the true result.

    The result was rounded twice, to float64 and then to float32. That equals one rounding for + - × ÷ and
    √ of floats, because 53 bits are at least 2 · 24 + 2 (S. A. Figueroa, "When is double rounding
    innocuous?", 1995).
    """
    nearest: npt.NDArray[Any] = narrow(reference, dtype)
    return nearest


def _whole(reference: Floats, dtype: str) -> Bound:
    # float32 decides which way a fraction is rounded that is nearly a tie; a whole number leaves no doubt.
    doubt = module_of(reference).where(reference % 1.0 == 0.0, 0.0, ELEMENT_UNITS * UNIT * abs(reference))
    return Bound("G3", to_type(reference, dtype), reference, 0.5 + doubt)


def _exact(gate: str, expected: npt.NDArray[Any], reference: Floats, signed_zeros: bool) -> Bound:
    return Bound(gate, expected, reference, gap_below(expected) / 2, exact=True, signed_zeros=signed_zeros)


def _sum(expected: npt.NDArray[Any], reference: Floats, measured: Magnitudes, terms: int, independent: bool) -> Bound:
    allowed = SUM_UNITS * UNIT * measured.scale + ulp(expected)
    if not independent:
        return Bound("G1", expected, reference, allowed)
    # G2 is a statement about many elements. The rms of few scatters: one sequential sum of zero-mean terms, a
    # random walk, has an error of several times its usual size now and then. The allowance fades with
    # 1/sqrt(n).
    few = 1.0 + 4.0 / sqrt(reference.size)
    rms = sqrt(float((measured.spread**2).mean()))
    aggregate = few * (8.0 + sqrt(terms)) * UNIT * rms
    if expected.dtype != np.float32:
        # The result's own rounding, which may be any to a neighbour.
        gaps = ulp(expected)
        aggregate += sqrt(float((gaps[module_of(gaps).isfinite(gaps)] ** 2).mean()))
    return Bound("G1", expected, reference, allowed, aggregate=aggregate)


def _element(expected: npt.NDArray[Any], reference: Floats, measured: Magnitudes) -> Bound:
    # x / (1 + exp(-x)) is 0 from x = -88.8 on, where the exponential overflows, although x · exp(x) is not yet; by hand
    # or by a fast intrinsic, results below the smallest normal number may be flushed too.
    allowed = module_of(reference).maximum(ELEMENT_UNITS * UNIT * measured.scale, FLUSHED)
    if expected.dtype != np.float32:
        allowed = allowed + ulp(expected)
    return Bound("G3", expected, reference, allowed)


def _scaled(expected: npt.NDArray[Any], reference: Floats, measured: Magnitudes, terms: int) -> Bound:
    allowed = scaled_units(terms) * UNIT * measured.scale + ulp(expected)
    return Bound("G4", expected, reference, module_of(reference).maximum(allowed, FLUSHED))


def _stated(problem: Problem, name: str, reference: Floats, untouched: npt.NDArray[np.bool_] | None) -> Bound:
    gates, xp, array = problem.gates, module_of(reference), problem.outputs[name]
    expected = to_type(reference, array.checked_as)
    # Where the tolerance is 0, half of the gap to the next number is what any other result exceeds.
    least = 0.5 if array.dtype.whole else xp.maximum(gap_below(expected) / 2, np.finfo(np.float64).tiny)
    with np.errstate(invalid="ignore"):
        allowed = xp.maximum(gates.atol + gates.rtol * abs(reference), least)
    free = None if untouched is None else xp.asarray(untouched)
    return Bound(f"atol {gates.atol:g} + rtol {gates.rtol:g}", expected, reference, allowed, untouched=free)


def scaled_units(terms: int) -> float:
    """How many u of its scale a result with sums of so many terms may be off."""
    return ELEMENT_UNITS + TERM_UNITS * sqrt(terms)
