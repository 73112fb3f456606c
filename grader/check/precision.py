"""Recognises results that are wrong because they were computed in low precision, and names the format.

There are three kinds of evidence, from sharp to blunt. If inputs were rounded, the reference of rounded inputs gives
the results. If results were rounded, all of them are numbers of the format. Rounding in between is recognised by its
size and spread: it affects most elements, is not proportional to the results, and is smaller than a term that is left
out or counted twice. With few elements the spread can't be seen; a case with more of them then decides, or several
cases together: see `grader.check.constant_error`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.check.compare import Comparison
from grader.check.formats import FP32, INPUT_FORMATS, RESULT_FORMATS, Format
from grader.check.references import References
from grader.check.tolerance import Bound
from grader.problem.arrays import widen
from grader.problem.definition import Floats
from grader.problem.parameters import Array, f32, f64

MOST = 0.9
NEARLY_ALL = 0.99
OUTLYING = 16
"""How many times as large as most errors the others may be."""
MANY = 8
"""Number of elements from which on their spread is meaningful."""
FP16_NORMAL = 2.0**-14
"""fp16's smallest normal number: below it, even a correctly rounded fp16 result has a large relative error."""


@dataclass(frozen=True)
class LowPrecision:
    """The source of the errors, as a phrase that completes "errors of this size come from"."""

    source: str


@dataclass(frozen=True)
class _Evidence:
    """All results of one output (`everything`), and the facts about its wrong elements, flattened."""

    everything: npt.NDArray[Any]
    got: npt.NDArray[Any]
    error: Floats
    reference: Floats
    scale: Floats
    spread: Floats


def recognise(references: References, output: str, bound: Bound, found: Comparison) -> LowPrecision | None:
    """Returns the kind of low precision that explains the wrong elements of an output, or None."""
    problem, where = references.problem, found.wrong
    # Rounding leaves no element unwritten and does not merely change the signs of zeros.
    if found.unwritten.any() or not np.any(found.error[where]):
        return None
    # A formula gives infinity or NaN when it overflows in any format; in a sum they would come from fp16's range.
    if problem.gates.kind == "scaled" and not np.isfinite(found.got[where]).all():
        return None
    measured = references.magnitudes(output)
    seen = _Evidence(
        found.got,
        found.got[where],
        found.error[where],
        bound.reference[where],
        measured.scale[where],
        measured.spread[where],
    )
    written = problem.outputs[output]
    double = written.dtype is f64
    for form in (FP32,) if double else INPUT_FORMATS:
        if _explains(references.of_rounded(form)[output][where], seen, bound, written):
            return LowPrecision(f"{form.name} inputs (2^-{form.unit})")
    terms = problem.gates.count_terms(references.sizes) if problem.gates.terms else None
    for form in (FP32,) if double else RESULT_FORMATS if written.dtype is f32 else ():
        if (double and _beyond_float(seen)) or _kept_in(form, seen, terms):
            return LowPrecision(f"results kept in {form.name} (2^-{form.unit})")
    if double or _follows_results(seen, problem.gates.kind):
        return None
    if _small_everywhere(seen, terms):
        return LowPrecision("low precision on the way (fp16, bf16, TF32 or a coarse approximation)")
    return None


def _explains(supposed: Floats, seen: _Evidence, bound: Bound, written: Array) -> bool:
    """Whether the reference of rounded inputs matches the results, which proves the format.

    Exact cases stay exact with rounded inputs, so results have to match to the last bit. Elsewhere float32's own
    errors remain, up to a tenth of these in sums that truncate: the format has to explain nearly all of the errors
    together, and with few elements at least three quarters of each. Random errors do not fit that.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        if bound.exact:
            rounded, got = widen(written.rounded(supposed)), widen(seen.got)
            met = (rounded == got) | (np.isnan(rounded) & np.isnan(got))
            return bool(met.mean() >= MOST)
        distance = np.abs(widen(seen.got) - supposed)
        met = distance <= np.abs(seen.error) / 4
        finite = np.isfinite(distance) & np.isfinite(seen.error)
        if not finite.any():
            return False
        left, size = _rms(distance[finite]), _rms(seen.error[finite])
    if finite.sum() >= MANY:
        return bool(finite.mean() >= MOST and left <= size / 4)
    return bool(met[finite].mean() >= MOST and finite.mean() >= MOST and left <= size / 8)


def _kept_in(form: Format, seen: _Evidence, terms: int | None) -> bool:
    """Whether all results are numbers of this format, close to the right ones.

    A float32 result is one only by accident (for fp16, once in 2^13), but zeros and other constants are too, so
    some variety is required.
    """
    stored = form.round(seen.everything)
    if ((widen(stored) == widen(seen.everything)) | np.isnan(seen.everything)).mean() < NEARLY_ALL:
        return False
    significand = np.frexp(seen.got)[0] * 32.0
    detailed = np.isfinite(seen.got) & (significand != np.rint(significand))
    if detailed.mean() < 0.05 or (seen.got.size >= 4 and np.unique(seen.got[detailed]).size < 2):
        return False
    if terms is None:
        return _near(seen, seen.scale / 32 + FP16_NORMAL, MOST)
    return _near(seen, seen.spread * min(1 / 8, (2 + 3 * sqrt(terms)) * 2.0**-form.unit), MOST)


def _beyond_float(seen: _Evidence) -> bool:
    """Whether all wrong elements are infinite because the right value is beyond float32's range."""
    beyond = np.abs(seen.reference) > np.finfo(np.float32).max
    return bool(np.all(beyond & np.isinf(seen.got) & (np.signbit(seen.got) == np.signbit(seen.reference))))


def _small_everywhere(seen: _Evidence, terms: int | None) -> bool:
    """Whether errors have the size and spread of half precision used somewhere in the computation.

    Rounding K partial sums to fp16, a random walk, is off by 0.4 · 2^-11 √K Q. A sum with one of K terms missing or
    counted twice is off by Q / √K, so rounding has to stay below half of that, and far below it if there are few
    elements. Imprecise operations affect most elements; a few wrong ones among right ones have another cause.
    """
    if seen.got.size < seen.everything.size / 8:
        return False
    if terms is None:
        return _near(seen, seen.scale / 128 + FP16_NORMAL, NEARLY_ALL)
    rounding = (2 + 1.5 * sqrt(min(terms, 1024))) * 2.0**-11
    term = (0.5 if seen.got.size >= MANY else 0.1) / sqrt(terms)
    return _near(seen, seen.spread * min(rounding, max(term, 2.0**-12)), NEARLY_ALL)


def _follows_results(seen: _Evidence, kind: str) -> bool:
    """Whether errors are proportional to the results: a wrong factor, or a divisor with a term missing or doubled.

    The correlation of errors with results is 0 for rounding, which goes up as often as down, and 0.9 for truncation.
    A wrong divisor differs from row to row, so a lower correlation is enough there. Chance alone gives 1 / √n.
    """
    # Leave out results that float32 can't represent.
    finite = np.isfinite(seen.error) & (np.abs(seen.reference) < np.inf)
    finite &= np.abs(seen.reference) >= float(np.finfo(np.float32).smallest_subnormal)
    error, result = seen.error[finite], seen.reference[finite]
    if kind != "scaled":
        # Relative errors, so that elements of any size count the same: a factor is the same for all.
        error, result = error / result, result / result
    both = _rms(error) * _rms(result) if error.size else 0.0
    least = 0.5 if kind == "scaled" else 0.95
    return both > 0 and abs(float((error * result).mean())) >= both * max(least, 3 / sqrt(error.size))


def _near(seen: _Evidence, allowed: Floats, share: float) -> bool:
    """Whether at least this share of the errors is at most `allowed`, and none far beyond it: an element that was taken
    for another one is. Infinity and NaN count as near where operands exceed fp16's range.
    """
    overflow = ~np.isfinite(seen.got) & np.isfinite(seen.scale) & (seen.scale >= 2.0**15)
    with np.errstate(invalid="ignore"):
        near = np.abs(seen.error) <= allowed
        possible = np.abs(seen.error) <= OUTLYING * allowed
    return bool((near | overflow).mean() >= share and (possible | overflow).all())


def _rms(x: Floats) -> float:
    return sqrt(float((x * x).mean()))
