"""Compares one output array with its bound and finds which elements are wrong, and by how much.

It names no kind of mistake and writes no sentence; `case` and `explain` do.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.arrays import module_of, widen
from grader.check.tolerance import Bound
from grader.definition import Floats

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Comparison:
    """What came of one output.

    `error` is got minus reference, NaN where either is not finite; `units` is |error| divided by what is
    allowed, infinite where NaN or infinity is on one side only. `wrong` includes `unwritten`. `gate` is
    the rule that decided.
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
    """Applies the gates of `bound` to `got`, of the same shape."""
    xp = module_of(got)
    seen, expected = widen(got), widen(bound.expected)
    finite = xp.isfinite(seen) & xp.isfinite(expected)
    # NaN and infinity are results like any other: the same ones have to be there, in the same places.
    same_special = (xp.isnan(seen) & xp.isnan(expected)) | (~finite & (seen == expected))
    with np.errstate(invalid="ignore", over="ignore"):
        error = xp.where(finite, seen - _target(bound), np.nan)
        share = abs(error) / bound.allowed
    units = xp.where(finite, share, xp.where(same_special, 0.0, np.inf))
    wrong = xp.where(finite, _outside(bound, got, units), ~same_special)
    if bound.exact:
        # A zero of the wrong sign has no error in value; it counts as one float off, like the nearest
        # neighbour.
        units = xp.where(wrong, xp.maximum(units, 2.0), units)
    gate = bound.gate
    if not wrong.any() and np.isfinite(bound.aggregate) and finite.any():
        ratio = sqrt(float((error[finite] ** 2).mean())) / bound.aggregate if bound.aggregate else 0.0
        if ratio > 1.0:
            # The mean is too large, so at least one element is above it: those are the ones to show.
            gate = "G2"
            units = xp.where(finite, abs(error) / bound.aggregate, units)
            wrong = units > 1.0
    units = xp.where(unwritten, np.inf, units)
    return Comparison(got, error, units, wrong | unwritten, unwritten, gate)


def _target(bound: Bound) -> Floats:
    target: Floats = widen(bound.expected) if bound.exact else bound.reference
    return target


def _outside(bound: Bound, got: npt.NDArray[Any], units: Floats) -> Mask:
    if not bound.exact:
        return units > 1.0
    different: Mask = widen(got) != widen(bound.expected)
    if bound.signed_zeros:
        xp = module_of(got)
        different |= xp.signbit(got) != xp.signbit(bound.expected)
    return different
