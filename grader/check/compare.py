"""Compares one output array with its bound: which elements are wrong, and by how much.

Kinds of mistakes and messages are left to `case` and `explain`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.check.tolerance import Bound
from grader.problem.arrays import module_of, widen
from grader.problem.definition import Floats

Mask = npt.NDArray[np.bool_]

SCATTERED = 4.0
"""Tolerance for a single element, as a multiple of the typical scatter of truncating sums."""


@dataclass(frozen=True)
class Comparison:
    """The result for one output.

    `error` is got minus reference, NaN where either is not finite; `units` is |error| divided by the tolerance,
    infinite where NaN or infinity is on one side only. `wrong` includes `unwritten`. `gate` is the rule that
    decided.
    """

    got: npt.NDArray[Any]
    error: Floats
    units: Floats
    wrong: Mask
    unwritten: Mask
    gate: str

    @property
    def count(self) -> int:
        return int(self.wrong.sum())


def compare(bound: Bound, got: npt.NDArray[Any], unwritten: Mask) -> Comparison:
    """Applies the gates of `bound` to `got`, which has the same shape as `bound.expected`."""
    xp = module_of(got)
    if not unwritten.any() and _is_plainly_right(bound, got):
        # So most results are that have to be exact, and this takes a fraction of the time.
        none = xp.zeros(got.shape, np.float64)
        error = xp.where(xp.isfinite(got), none, np.nan)
        return Comparison(got, error, none, unwritten, unwritten, bound.gate)
    seen, expected = widen(got), widen(bound.expected)
    finite = xp.isfinite(seen) & xp.isfinite(expected)
    # NaN and infinity are results like any other: they have to be the same, in the same places.
    same_special = (xp.isnan(seen) & xp.isnan(expected)) | (~finite & (seen == expected))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        error = xp.where(finite, _difference(bound, got, seen), np.nan)
        rest, allowed, aggregate = without_truncation(bound, error)
        # Where the tolerance is 0, an error of 0 is right: avoid 0 / 0.
        share = xp.where(rest == 0, 0.0, abs(rest) / allowed)
    units = xp.where(finite, share, xp.where(same_special, 0.0, np.inf))
    wrong = xp.where(finite, _outside(bound, got, units), ~same_special)
    if bound.exact:
        # A zero with the wrong sign has no error in value; it counts like an error of one float.
        units = xp.where(wrong, xp.maximum(units, 2.0), units)
    gate = bound.gate
    if not wrong.any() and np.isfinite(aggregate) and finite.any():
        ratio = sqrt(float((rest[finite] ** 2).mean())) / aggregate if aggregate else 0.0
        if ratio > 1.0:
            # The rms is too large, so at least one element exceeds the limit: show those.
            gate = "G2"
            units = xp.where(finite, abs(rest) / aggregate, units)
            wrong = units > 1.0
    units = xp.where(unwritten, np.inf, units)
    return Comparison(got, error, units, wrong | unwritten, unwritten, gate)


def without_truncation(bound: Bound, error: Floats) -> tuple[Floats, Floats, float]:
    """Removes from the errors the share of the results that truncating sums lose.

    Returns the remaining errors, the tolerance of each element, and the limit for their rms. The share is a least
    squares fit over the errors that truncation can explain.
    """
    limits = bound.truncation
    if limits is None:
        return error, bound.allowed, bound.aggregate
    xp, result, spread = module_of(error), bound.reference, limits.spread
    within = abs(error) <= bound.allowed + limits.most * (abs(result) + SCATTERED * spread)
    squares = float(xp.where(within, result * result, 0.0).sum())
    lost = -float(xp.where(within, error * result, 0.0).sum()) / squares if squares else 0.0
    lost = min(max(lost, 0.0), limits.most)
    scatter = min(lost + limits.few * limits.most, limits.most)
    aggregate = bound.aggregate + scatter * sqrt(float((spread**2).mean()))
    return error + lost * result, bound.allowed + SCATTERED * scatter * spread, aggregate


def _is_plainly_right(bound: Bound, got: npt.NDArray[Any]) -> bool:
    """Whether each element has no error at all, where elements may have none: the bits are those expected."""
    whole = got.dtype.kind in "iu"
    if not bound.exact and not whole:
        return False
    bits = f"u{got.dtype.itemsize}"
    same = bool((got.view(bits) == bound.expected.view(bits)).all())
    # An expected integer may stand for a fraction.
    return same and (bound.exact or bool((bound.reference == bound.expected).all()))


def _difference(bound: Bound, got: npt.NDArray[Any], seen: Floats) -> Floats:
    if bound.reference.dtype.kind == "i":
        # The difference in 64 bits may wrap around, but is never 0 if the two differ.
        between: Floats = (got - bound.expected).astype(np.float64)
        return between
    target: Floats = widen(bound.expected) if bound.exact else bound.reference
    return seen - target


def _outside(bound: Bound, got: npt.NDArray[Any], units: Floats) -> Mask:
    if not bound.exact:
        return units > 1.0
    different: Mask = widen(got) != widen(bound.expected)
    if bound.signed_zeros is not False:
        xp = module_of(got)
        different |= (xp.signbit(got) != xp.signbit(bound.expected)) & bound.signed_zeros
    return different
