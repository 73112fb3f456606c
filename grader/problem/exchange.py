"""Converts a reference's arguments to wide, read-only arrays, and its results to the declared shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from grader.core.errors import ProblemError
from grader.problem.arrays import widen

if TYPE_CHECKING:
    from grader.problem.parameters import Array

Floats = npt.NDArray[np.float64]


def read_only(xp: Any, values: npt.NDArray[Any]) -> Floats:
    """A copy in float64 (int64 for integers), read-only in NumPy, safe from a reference that works in place."""
    whole = values.dtype.kind in "iu"
    # Converting signalling NaNs must not warn.
    with np.errstate(invalid="ignore"):
        copy: Floats = values.astype(np.int64) if whole else widen(values)
    if xp is np:
        # CuPy has no read-only arrays.
        copy.flags.writeable = False
    return copy


def shape_output(xp: Any, role: str, name: str, value: object, output: Array, sizes: Mapping[str, int]) -> Floats:
    """One output of a reference in its declared shape. Raises ProblemError naming `role` for a wrong shape or type."""
    shape, given = output.shape(sizes), xp.asarray(value)
    if given.dtype.kind not in "biuf":
        raise ProblemError(f"{role}: {name} is of type {given.dtype}; real numbers are needed")
    # float64 is not exact for integers beyond 2^53.
    exact = output.dtype.whole and output.dtype.itemsize == 8 and given.dtype.kind in "iu"
    result: Floats = given.astype(np.int64 if exact else np.float64)
    # A sum over everything is a scalar in NumPy, and an array of one element in the kernel.
    if result.shape != shape and not (result.size == 1 and all(d == 1 for d in shape)):
        raise ProblemError(f"{role}: {name} has shape {result.shape}; declared are {shape}")
    return result.reshape(shape)
