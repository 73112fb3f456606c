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
- Contractions may be summed by tensor cores, which truncate: each step loses towards zero, so that results shrink by a
  share that grows with the number of steps. That share is measured and taken out, and what is left may be as large as
  the share times Q, beside what G1 and G2 allow: see `Truncation` and docs/tolerance.md.
- G3, elementwise: 64 u times the condition of the formula; one correctly rounded operation must be bit-exact.
- G4, formulas with sums in them (softmax, norms, attention): |E| <= (64 + 8 sqrt K) u S + 1 ulp, S what the problem
  declares. Its terms are positive by nature, so that rounding errors of K of them add up instead of cancelling.

Results in fp16, bf16 and fp8 get one ulp of their own more, for their own rounding; u stays that of the sums, float32.
For results in float64 u is 2^-52: twice one rounding, because the reference is rounded as often as they are. Results
beyond fp8's largest number are that number. Whole numbers have to be the reference's; where that is a fraction, they
have to be it rounded, a near tie either way.

A problem that brings its own tests states its own tolerance, and none of these gates applies. Where its reference
misses that itself, the tolerance is what it misses more.

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

from grader.check.zeros import signed
from grader.problem.arrays import module_of, widen
from grader.problem.definition import Floats, Problem
from grader.problem.gates import Gates
from grader.problem.parameters import Array, f32, f64

UNIT, UNIT_OF_DOUBLE = 2.0**-24, 2.0**-52
SMALLEST_NORMAL = 2.0**-126
FLUSHED, FLUSHED_DOUBLE = 64 * SMALLEST_NORMAL, 64 * 2.0**-1022
"""What a formula may lose where it underflows: a factor below the smallest normal number, times another of up to 64."""

SUM_UNITS = 32
ELEMENT_UNITS = 64
TERM_UNITS = 8
"""What each term adds to a scaled result's allowance, times the root of their number."""
LOST_UNITS, MOST_TERMS = 3 / 8, 8192
"""How many u of a result truncating sums lose at most for each term, and the most terms that one accumulator takes."""

MOST_MISSED, OUTSTANDING = 16.0, 12.0
"""Up to how many stated tolerances a reference may miss by rounding, and how far above their rms its misses may be."""

Inputs = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Truncation:
    """What sums that truncate may lose: at most the share `most` of each result, with a scatter of that share of Q.

    `spread` is Q, `few` what a share that is measured on these elements may be off, as a part of `most`.

    Cutting off the last place of a partial sum P loses half of its unit on average, 0.72 u |P|, towards zero. Of a
    random walk of n steps that ends at R, the partial sums add up to n R / 2 on average, with a scatter of
    n Q / sqrt 12: so a result loses 0.36 n u of itself, and 0.58 of that times Q scatters around. One truncation for
    each term is the most that is allowed; 3xTF32 in one accumulator makes 3/8 or 3/4 of one, bf16x9 9/16 or 9/8, of
    which the smallest products change nothing. TF32 inputs leave a scatter of 3400 u (one input) or 4859 u (both) at
    any size, and lose nothing by rounding to nearest, 5900 u or more by truncation: out of reach of `most`, 3072 u.
    """

    most: float
    spread: Floats
    few: float


@dataclass(frozen=True)
class Bound:
    """What one output may be.

    `expected` is the reference rounded to the output's type, `allowed` the largest |E| of each element. Where
    `exact`, the result has to be `expected` itself, and `allowed` is half of the gap to the next number of the
    type: what any other result exceeds; `signed_zeros` says whether, or where, -0 is not +0. `aggregate` is G2's limit
    for rms(E), infinite where G2 does not apply. `untouched` are elements that may be left alone, None for none.
    `truncation` is None where sums have to be rounded.
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
        # A sum of nothing but zeros may carry either sign, depending on where it starts.
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
    """The reference within the numbers of a type that has no infinity."""
    if output.dtype.coded is None:
        return reference
    limit = output.dtype.coded.limit
    return module_of(reference).clip(reference, -limit, limit)  # type: ignore[no-any-return]


def _unit_of(output: Array) -> float:
    return UNIT_OF_DOUBLE if output.dtype is f64 else UNIT


def _is_rounded(output: Array) -> bool:
    """Whether a result is rounded once more, from the float32 that it was computed in."""
    return output.dtype.itemsize < f32.itemsize


def _whole(output: Array, reference: Floats) -> Bound:
    # float32 decides which way a fraction is rounded that is nearly a tie; a whole number leaves no doubt.
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
    # G2 is a statement about many elements. The rms of few scatters: one sequential sum of zero-mean terms, a
    # random walk, has an error of several times its usual size now and then. The allowance fades with
    # 1/sqrt(n).
    few = 4.0 / sqrt(reference.size)
    aggregate = (1.0 + few) * (8.0 + sqrt(terms)) * unit * sqrt(float((measured.spread**2).mean()))
    if _is_rounded(output):
        # The result's own rounding, which may be any to a neighbour.
        aggregate += sqrt(float((gaps[module_of(gaps).isfinite(gaps)] ** 2).mean()))
    truncation = None
    if gates.kind == "contraction" and unit == UNIT:
        truncation = Truncation(LOST_UNITS * min(terms, MOST_TERMS) * UNIT, measured.spread, few)
    return Bound("G1", expected, reference, allowed, aggregate=aggregate, truncation=truncation, unit=unit)


def _element(output: Array, expected: npt.NDArray[Any], reference: Floats, measured: Magnitudes) -> Bound:
    # x / (1 + exp(-x)) is 0 from x = -88.8 on, where the exponential overflows, although x · exp(x) is not yet; by hand
    # or by a fast intrinsic, results below the smallest normal number may be flushed too.
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
    # Where the tolerance is 0, half of the gap to the next number is what any other result exceeds.
    least = 0.5 if output.dtype.whole else xp.maximum(output.gap_below(expected) / 2, np.finfo(np.float64).tiny)
    with np.errstate(invalid="ignore"):
        allowed = xp.maximum(gates.atol + gates.rtol * abs(reference), least)
        if missed is not None:
            allowed = _widened(allowed, xp.asarray(missed))
    free = None if untouched is None else xp.asarray(untouched)
    return Bound(f"atol {gates.atol:g} + rtol {gates.rtol:g}", expected, reference, allowed, untouched=free)


def _widened(own: Floats, missed: Floats) -> Floats:
    """A stated tolerance for a reference that is further off than that itself.

    A right result may be as far from the truth on its other side. Where the misses look like rounding, which is of one
    size everywhere, that goes for all elements; a miss that stands out, as where another element is chosen, for its
    own.
    """
    shares = missed / own
    worst, usual = float(shares.max()), sqrt(float((shares * shares).mean()))
    like_rounding = worst <= min(MOST_MISSED, OUTSTANDING * usual)
    return own * (1 + worst) if like_rounding else own + missed


def scaled_units(terms: int) -> float:
    """How many u of its scale a result with sums of so many terms may be off."""
    return ELEMENT_UNITS + TERM_UNITS * sqrt(terms)
