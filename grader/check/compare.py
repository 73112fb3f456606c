"""Compares one output array with its bound and finds which elements are wrong, and by how much.

It names no kind of mistake and writes no sentence; `case` and `explain` do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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

    got: npt.NDArray[np.float32]
    error: Floats
    units: Floats
    wrong: Mask
    unwritten: Mask
    gate: str

    @property
    def count(self) -> int:
        return int(np.count_nonzero(self.wrong))


def compare(bound: Bound, got: npt.NDArray[np.float32], unwritten: Mask) -> Comparison:
    """Applies the gates of `bound` to `got`, of the same shape."""
    finite = np.isfinite(got) & np.isfinite(bound.expected)
    # NaN and infinity are results like any other: the same ones have to be there, in the same places.
    same_special = (np.isnan(got) & np.isnan(bound.expected)) | (~finite & (got == bound.expected))
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.where(finite, got.astype(np.float64) - _target(bound), np.nan)
        share = np.abs(error) / bound.allowed
    units = np.where(finite, share, np.where(same_special, 0.0, np.inf))
    wrong = np.where(finite, _outside(bound, got, units), ~same_special)
    if bound.exact:
        # A zero of the wrong sign has no error in value; it counts as one float off, like the nearest
        # neighbour.
        units = np.where(wrong, np.maximum(units, 2.0), units)
    gate = bound.gate
    if not wrong.any() and np.isfinite(bound.aggregate) and finite.any():
        ratio = float(np.sqrt(np.mean(error[finite] ** 2))) / bound.aggregate if bound.aggregate else 0.0
        if ratio > 1.0:
            # The mean is too large, so at least one element is above it: those are the ones to show.
            gate = "G2"
            units = np.where(finite, np.abs(error) / bound.aggregate, units)
            wrong = units > 1.0
    units = np.where(unwritten, np.inf, units)
    return Comparison(got, error, units, wrong | unwritten, unwritten, gate)


def _target(bound: Bound) -> Floats:
    return bound.expected.astype(np.float64) if bound.exact else bound.reference


def _outside(bound: Bound, got: npt.NDArray[np.float32], units: Floats) -> Mask:
    if not bound.exact:
        return units > 1.0
    different: Mask = got != bound.expected
    if bound.signed_zeros:
        different |= np.signbit(got) != np.signbit(bound.expected)
    return different
