"""The tolerance gates: how far a result may be from its float64 reference, element by element.

u is 2^-24, the largest relative error of one rounding to float32. Comparing is left to `compare`.

- G0, exact sums: inputs of the "exact" family have partial sums that are exact in float32 in any order, so results
  must equal the reference bit for bit.
- G1, one element of a sum: |E| <= 32 u S + 1 ulp, S the sum of the terms' magnitudes. Measured on zero-mean
  inputs for float32 in any order of summation: up to 4.1 u S; TF32 and fp16 inputs: 150 to 3600 u S.
- G2, all elements of a sum together: rms(E) <= (8 + sqrt K) u rms(Q), Q the root of the sum of the terms'
  squares, K their number. Measured: sequential float32 up to 0.30 sqrt K, trees up to 2.2, 3xTF32 up to 19;
  TF32 and fp16 from 4859. It does not apply where the errors of elements are correlated: those of a sequential
  prefix sum form one random walk, whose rms scatters as widely as a single error does.
- Contractions may be summed by tensor cores, which truncate: each step rounds towards zero, so that results shrink by
  a share that grows with the number of steps. That share is measured and removed; the remaining errors may exceed G1
  and G2 by as much as the share times Q: see `Truncation` and docs/tolerance.md.
- G3, elementwise: 64 u times the condition of the formula; one correctly rounded operation must be bit-exact.
- G4, formulas with sums in them (softmax, norms, attention): |E| <= (64 + 8 sqrt K) u S + 1 ulp, S declared by the
  problem. The K terms are positive, so that their rounding errors add up instead of cancelling.
Results in fp16, bf16 and fp8 are allowed one more ulp of their own for their final rounding; u stays that of float32,
in which sums are computed. For results in float64, u is 2^-52: twice one rounding, because the reference is rounded as
often as they are. Results beyond fp8's largest number saturate to it. Integers must equal the reference; if that is a
fraction, they must equal it rounded, and near a tie either neighbour is right.
A problem that brings its own tests states its own tolerance, and none of these gates applies. If its reference itself
exceeds that, the tolerance is widened by as much.
S and Q come from the reference itself: where it is linear in each input, the reference of the magnitudes is the sum of
the terms' magnitudes, and the reference of the squares is the sum of their squares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.check.zeros import signed
from grader.problem.arrays import module_of, widen
from grader.problem.definition import Floats, Problem
from grader.problem.gates import Gates
from grader.problem.parameters import Array, f32, f64

UNIT, UNIT_OF_DOUBLE = 2.0**-24, 2.0**-52
SMALLEST_NORMAL = 2.0**-126
FLUSHED, FLUSHED_DOUBLE = 64 * SMALLEST_NORMAL, 64 * 2.0**-1022
"""Largest absolute error by underflow in a formula: a flushed factor below the smallest normal number, times another
factor of up to 64."""

SUM_UNITS = 32
ELEMENT_UNITS = 64
TERM_UNITS = 8
"""A scaled result with K terms is allowed TERM_UNITS · √K more u."""
LOST_UNITS, MOST_TERMS = 3 / 8, 8192
"""The most u of a result that truncating sums lose per term, and the most terms that one accumulator takes."""

MOST_MISSED, OUTSTANDING = 16.0, 12.0
"""A reference's misses look like rounding up to MOST_MISSED stated tolerances and up to OUTSTANDING times their rms."""

Inputs = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Truncation:
    """How much truncating sums may lose: at most the share `most` of each result, with a scatter of that share of Q.

    `spread` is Q; `few` is the error of a share measured on these elements, as a fraction of `most`.
    Truncating a partial sum P loses half a unit in the last place on average, 0.72 u |P|, towards zero. In a random
    walk of n steps that ends at R, the partial sums add up to n R / 2 on average, with a scatter of n Q / sqrt 12: so
    a result loses 0.36 n u of itself, with a scatter of 0.58 of that times Q. At most one truncation per term is
    allowed; 3xTF32 in one accumulator makes 3/8 or 3/4 of one, bf16x9 9/16 or 9/8, whose smallest products change
    nothing. TF32 inputs leave a scatter of 3400 u (one input) or 4859 u (both) at any size, and lose nothing by
    rounding to nearest but 5900 u or more by truncation: out of reach of `most`, 3072 u.
    """

    most: float
    spread: Floats
    few: float


@dataclass(frozen=True)
class Bound:
    """The values that one output may have.

    `expected` is the reference rounded to the output's type, `allowed` the largest |E| of each element. If `exact`,
    the result has to equal `expected`, and `allowed` is half the gap to the next number of the type, which any other
    result exceeds; `signed_zeros` says whether, or where, -0 differs from +0. `aggregate` is G2's limit for rms(E),
    infinite if G2 does not apply. `untouched` marks elements that may be left unwritten, None for none. `truncation`
    is None if sums may not truncate.
    """

    gate: str
    expected: npt.NDArray[Any]
    reference: Floats
    allowed: Floats
    exact: bool = False
    signed_zeros: bool | npt.NDArray[np.bool_] = False
    aggregate: float = np.inf
    untouched: npt.NDArray[np.bool_] | None = None
    truncation: Truncation | None = None
    unit: float = UNIT


@dataclass(frozen=True)
class Magnitudes:
    """The scales that errors of one output are measured against.

    `scale` is S for sums, and the result times the condition for elementwise formulas; `spread` is Q for sums, the
    size that independent rounding errors of the terms add up to, and `scale` again otherwise.
    """

    scale: Floats
    spread: Floats


def bounds(problem: Problem, sizes: Mapping[str, int], family: str, inputs: Inputs) -> dict[str, Bound]:
    """The bound of every output of one case, by output name."""
    reference = problem.expected(inputs, sizes)
    if problem.gates.kind == "stated":
        free = problem.untouched(sizes)
        missed = problem.missed(sizes)
        return {name: _stated(problem, name, r, free.get(name), missed.get(name)) for name, r in reference.items()}
    if problem.gates.kind == "exact":
        signs: Mapping[str, Any] = dict.fromkeys(reference, problem.gates.signed_zeros)
        if problem.gates.signed_zeros is None:
            signs = signed(problem, sizes, inputs, reference)
        return {name: _equal(problem.outputs[name], r, signs[name]) for name, r in reference.items()}
    measured: Mapping[str, Magnitudes] = {}
    if family != "exact":
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
    gates, output = problem.gates, problem.outputs[name]
    if output.dtype.whole:
        return _whole(output, reference)
    reference = _saturated(output, reference)
    expected = output.rounded(reference)
    if measured is None:
        # A sum of zeros alone may have either sign, depending on where it starts.
        return _exact(output, "G0", expected, reference, signed_zeros=False)
    if gates.kind == "elementwise":
        return _element(output, expected, reference, measured)
    terms = gates.count_terms(sizes)
    if gates.kind == "scaled":
        return _scaled(output, expected, reference, measured, terms)
    return _sum(output, expected, reference, measured, terms, gates)


def _equal(output: Array, reference: Floats, signed_zeros: bool | npt.NDArray[np.bool_]) -> Bound:
    if output.dtype.whole:
        return _whole(output, reference)
    reference = _saturated(output, reference)
    return _exact(output, "G3", output.rounded(reference), reference, signed_zeros)


def magnitudes(
    problem: Problem, sizes: Mapping[str, int], inputs: Inputs, reference: Mapping[str, Floats]
) -> dict[str, Magnitudes]:
    """S and Q of every output of one case, by output name."""
    wide = {name: widen(array.numbers(inputs[name])) for name, array in problem.operands.items()}
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


def _saturated(output: Array, reference: Floats) -> Floats:
    """Clips the reference to the range of a type without infinity."""
    if output.dtype.coded is None:
        return reference
    limit = output.dtype.coded.limit
    return module_of(reference).clip(reference, -limit, limit)  # type: ignore[no-any-return]


def _unit_of(output: Array) -> float:
    return UNIT_OF_DOUBLE if output.dtype is f64 else UNIT


def _is_rounded(output: Array) -> bool:
    """Whether a result is computed in float32 and then rounded to a smaller type."""
    return output.dtype.itemsize < f32.itemsize


def _whole(output: Array, reference: Floats) -> Bound:
    # A fraction near a tie may be rounded either way in float32; an integer leaves no doubt.
    doubt = module_of(reference).where(reference % 1 == 0, 0.0, ELEMENT_UNITS * UNIT * abs(reference))
    return Bound("G3", output.rounded(reference), reference, 0.5 + doubt)


def _exact(
    output: Array,
    gate: str,
    expected: npt.NDArray[Any],
    reference: Floats,
    signed_zeros: bool | npt.NDArray[np.bool_],
) -> Bound:
    # The result was rounded twice, to float64 and then to float32. That equals one rounding for + - × ÷ and √ of
    # floats, because 53 bits are at least 2 · 24 + 2 (S. A. Figueroa, "When is double rounding innocuous?", 1995).
    return Bound(gate, expected, reference, output.gap_below(expected) / 2, exact=True, signed_zeros=signed_zeros)


def _sum(
    output: Array, expected: npt.NDArray[Any], reference: Floats, measured: Magnitudes, terms: int, gates: Gates
) -> Bound:
    unit, gaps = _unit_of(output), output.ulp(expected)
    allowed = SUM_UNITS * unit * measured.scale + gaps
    if not gates.independent:
        return Bound("G1", expected, reference, allowed, unit=unit)
    # G2 is a statement about many elements. The rms of few elements scatters: one sequential sum of zero-mean terms,
    # a random walk, now and then has several times its usual error. The extra tolerance fades with 1/sqrt(n).
    few = 4.0 / sqrt(reference.size)
    aggregate = (1.0 + few) * (8.0 + sqrt(terms)) * unit * sqrt(float((measured.spread**2).mean()))
    if _is_rounded(output):
        # The result's own rounding, which may go to either neighbour.
        aggregate += sqrt(float((gaps[module_of(gaps).isfinite(gaps)] ** 2).mean()))
    truncation = None
    if gates.kind == "contraction" and unit == UNIT:
        truncation = Truncation(LOST_UNITS * min(terms, MOST_TERMS) * UNIT, measured.spread, few)
    return Bound("G1", expected, reference, allowed, aggregate=aggregate, truncation=truncation, unit=unit)


def _element(output: Array, expected: npt.NDArray[Any], reference: Floats, measured: Magnitudes) -> Bound:
    # x / (1 + exp(-x)) is 0 below x = -88.8, where the exponential overflows, although x · exp(x) is not yet 0;
    # explicit code or a fast intrinsic may flush results below the smallest normal number too.
    unit = _unit_of(output)
    allowed = module_of(reference).maximum(ELEMENT_UNITS * unit * measured.scale, _flushed(output))
    if _is_rounded(output):
        allowed = allowed + output.ulp(expected)
    return Bound("G3", expected, reference, allowed, unit=unit)


def _scaled(output: Array, expected: npt.NDArray[Any], reference: Floats, measured: Magnitudes, terms: int) -> Bound:
    unit = _unit_of(output)
    allowed = scaled_units(terms) * unit * measured.scale + output.ulp(expected)
    return Bound("G4", expected, reference, module_of(reference).maximum(allowed, _flushed(output)), unit=unit)


def _flushed(output: Array) -> float:
    return FLUSHED_DOUBLE if output.dtype is f64 else FLUSHED


def _stated(
    problem: Problem,
    name: str,
    reference: Floats,
    untouched: npt.NDArray[np.bool_] | None,
    missed: npt.NDArray[Any] | None,
) -> Bound:
    gates, xp, output = problem.gates, module_of(reference), problem.outputs[name]
    reference = _saturated(output, reference)
    expected = output.rounded(reference)
    # If the tolerance is 0, allow half the gap to the next number: any other result exceeds that.
    least = 0.5 if output.dtype.whole else xp.maximum(output.gap_below(expected) / 2, np.finfo(np.float64).tiny)
    with np.errstate(invalid="ignore"):
        allowed = xp.maximum(gates.atol + gates.rtol * abs(reference), least)
        if missed is not None:
            allowed = _widened(allowed, xp.asarray(missed))
    free = None if untouched is None else xp.asarray(untouched)
    return Bound(f"atol {gates.atol:g} + rtol {gates.rtol:g}", expected, reference, allowed, untouched=free)


def _widened(own: Floats, missed: Floats) -> Floats:
    """Widens a stated tolerance for a reference that itself exceeds it by `missed`.

    A right result may be as far off on the other side of the truth. If the misses look like rounding, which has one
    size everywhere, all elements get the largest relative miss; if one stands out, for example because another element
    was selected, each element gets only its own.
    """
    shares = missed / own
    worst, usual = float(shares.max()), sqrt(float((shares * shares).mean()))
    like_rounding = worst <= min(MOST_MISSED, OUTSTANDING * usual)
    return own * (1 + worst) if like_rounding else own + missed


def scaled_units(terms: int) -> float:
    """The tolerance, in u of its scale, of a result with sums of `terms` terms."""
    return ELEMENT_UNITS + TERM_UNITS * sqrt(terms)
