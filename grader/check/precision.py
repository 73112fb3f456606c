"""Recognises results that are wrong because they were computed in low precision, and names the format.

Three kinds of evidence, from sharp to blunt. The blunt one can take a small indexing error for rounding where
there are few elements to see; a case with more of them then says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.arrays import widen
from grader.check.compare import Comparison
from grader.check.formats import INPUT_FORMATS, RESULT_FORMATS, Format
from grader.check.tolerance import Bound, Inputs, Magnitudes, to_type
from grader.definition import Floats, Problem
from grader.parameters import f16

MOST = 0.9
NEARLY_ALL = 0.99
FP16_NORMAL = 2.0**-14
"""fp16's smallest normal number: below it even the best fp16 result has a large relative error."""


@dataclass(frozen=True)
class LowPrecision:
    """What the errors come from, as a phrase that completes "errors of this size come from"."""

    source: str


@dataclass(frozen=True)
class _Evidence:
    """All results of one output, and of its wrong elements, flattened, what is known of them."""

    everything: npt.NDArray[Any]
    got: npt.NDArray[Any]
    error: Floats
    scale: Floats
    spread: Floats


def recognise(
    problem: Problem,
    sizes: Mapping[str, int],
    inputs: Inputs,
    output: str,
    bound: Bound,
    found: Comparison,
    measured: Magnitudes,
) -> LowPrecision | None:
    """What kind of low precision explains the wrong elements of an output, or None."""
    where = found.wrong
    # Rounding leaves no element unwritten and changes no zero's sign alone.
    if found.unwritten.any() or not np.any(found.error[where]):
        return None
    # A formula that overflows gives infinity or NaN by itself; in a sum these would come from fp16's range.
    if problem.gates.kind == "scaled" and not np.isfinite(found.got[where]).all():
        return None
    seen = _Evidence(
        found.got,
        found.got[where],
        found.error[where],
        measured.scale[where],
        measured.spread[where],
    )
    exactly_half = problem.outputs[output].dtype is f16
    for form in INPUT_FORMATS:
        rounded = dict(inputs) | {name: form.round(inputs[name].astype(np.float32)) for name in problem.operands}
        if _explains(problem.expected(rounded, sizes)[output][where], seen, bound):
            return LowPrecision(f"{form.name} inputs (2^-{form.unit})")
    terms = problem.gates.count_terms(sizes) if problem.gates.terms else None
    for form in () if exactly_half else RESULT_FORMATS:
        if _kept_in(form, seen, terms):
            return LowPrecision(f"results kept in {form.name} (2^-{form.unit})")
    if _small_everywhere(seen, terms):
        return LowPrecision("low precision on the way (fp16, bf16, TF32 or a coarse approximation)")
    return None


def _explains(supposed: Floats, seen: _Evidence, bound: Bound) -> bool:
    """Whether the reference of rounded inputs meets the results: where it does, the format is proven.

    Exact cases stay exact with rounded inputs, so results have to be met to the last bit. Elsewhere
    float32's own errors remain, and the format has to explain at least three quarters of each error and
    nearly all of them together; a wrong element that is off by chance does not fit that.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        if bound.exact:
            rounded, got = widen(to_type(supposed, seen.got.dtype.name)), widen(seen.got)
            met = (rounded == got) | (np.isnan(rounded) & np.isnan(got))
            return bool(met.mean() >= MOST)
        distance = np.abs(widen(seen.got) - supposed)
        met = distance <= np.abs(seen.error) / 4
        finite = np.isfinite(distance) & np.isfinite(seen.error)
        if not finite.any():
            return False
        together = _rms(distance[finite]) <= _rms(seen.error[finite]) / 8
    return bool(met[finite].mean() >= MOST and finite.mean() >= MOST and together)


def _kept_in(form: Format, seen: _Evidence, terms: int | None) -> bool:
    """Whether all results are numbers of this format, near the right ones.

    A float32 result is such a number by accident only (of fp16: once in 2^13), but zeros and other
    constants are as well, so some variety is asked for.
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


def _small_everywhere(seen: _Evidence, terms: int | None) -> bool:
    """Whether all errors have a size that half precision somewhere on the way explains.

    Rounding K partial sums to fp16, a random walk, is off by 0.4 · 2^-11 √K Q. A sum that misses one of K
    terms is off by Q / √K, which is more while K stays below some thousand, the most that one block adds.
    Imprecise operations touch most elements; a few wrong ones among right ones have another cause.
    """
    if seen.got.size < seen.everything.size / 8:
        return False
    if terms is None:
        return _near(seen, seen.scale / 128 + FP16_NORMAL, NEARLY_ALL)
    return _near(seen, seen.spread * (2 + 1.5 * sqrt(min(terms, 1024))) * 2.0**-11, NEARLY_ALL)


def _near(seen: _Evidence, allowed: Floats, share: float) -> bool:
    """Whether this share of the errors is allowed. Operands beyond fp16's range may give infinity or NaN."""
    overflow = ~np.isfinite(seen.got) & np.isfinite(seen.scale) & (seen.scale >= 2.0**15)
    with np.errstate(invalid="ignore"):
        near = np.abs(seen.error) <= allowed
    return bool((near | overflow).mean() >= share)


def _rms(x: Floats) -> float:
    return sqrt(float((x * x).mean()))
