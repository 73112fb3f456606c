"""Explains to a student what is wrong with an output.

Kinds and numbers come from the other modules of this package.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from grader.check.compare import Comparison
from grader.check.precision import LowPrecision
from grader.check.tolerance import Bound, Magnitudes

Index = tuple[int, ...]


def element(array: str, index: Sequence[int]) -> str:
    """Formats an element as "C[3,17]"."""
    return f"{array}[{','.join(map(str, index))}]"


def number(value: float, dtype: npt.DTypeLike = np.float32) -> str:
    """Formats a number with the fewest digits that identify it in its type."""
    if np.dtype(dtype).kind in "iu":
        return str(int(value))
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    text = str(np.array(value, dtype)[()])
    return text.removesuffix(".0")


def changed(array: str, index: Sequence[int], outputs: Sequence[str]) -> str:
    return (
        f"the kernel changed the input array {array}, first at {element(array, index)}; "
        f"inputs are read only, results go to {' and '.join(outputs)}"
    )


def unwritten(array: str, found: Comparison) -> str:
    count, total = int(np.count_nonzero(found.unwritten)), found.unwritten.size
    first = element(array, first_index(found.unwritten))
    if count == total:
        return f"{array} was never written" if total > 1 else f"{first} was never written"
    return f"{count} of {total} elements of {array} were never written, the first is {first}"


def low_precision(
    array: str, bound: Bound, found: Comparison, measured: Magnitudes, cause: LowPrecision, units: int
) -> str:
    """Gives the error of the worst element in u of its scale, next to the `units` allowed."""
    size = np.where(found.wrong & np.isfinite(found.error), np.abs(found.error), 0.0)
    relative = size / np.where(measured.scale > 0, measured.scale, np.inf)
    index = _unravel(int(np.argmax(relative)), relative.shape)
    off = f"{element(array, index)} is off by {_units(float(relative[index]) / bound.unit)} u"
    if bound.exact:
        allowed = "where 0 u are allowed"
    elif found.gate == "G2":
        allowed = "and the errors of all elements together are too large"
    else:
        allowed = f"where {units} u are allowed"
    return f"{off} {allowed}; errors of this size come from {cause.source}"


def wrong_value(array: str, bound: Bound, found: Comparison) -> str:
    index = first_index(found.wrong & ~found.unwritten)
    # .item() keeps integers as integers: float64 is not exact beyond 2^53.
    got, expected = found.got[index].item(), bound.expected[index].item()
    shown, wanted = (number(value, found.got.dtype) for value in (got, expected))
    text = f"{element(array, index)} is {shown}, expected {wanted}"
    if shown == wanted:
        # Equal when printed: only the errors of all elements together were too large.
        size = np.where(found.wrong & np.isfinite(found.error), np.abs(found.error), 0.0)
        index = _unravel(int(np.argmax(size)), size.shape)
        text = f"{element(array, index)} is off by {float(size[index]):.2g}, more than rounding explains"
    if found.wrong.size > 1:
        text += f"; {found.count} of {found.wrong.size} elements are wrong"
    nan = int(np.count_nonzero((found.got != found.got) & found.wrong & ~found.unwritten))
    if np.isnan(got) and not np.isnan(expected):
        many = f"{nan} elements are NaN. " if nan > 1 else ""
        text += (
            f". {many}NaN comes from 0/0 or infinity - infinity, or from a value used before it was set: "
            f"{array} and shared memory hold garbage when the kernel starts"
        )
    left = int(np.count_nonzero(found.unwritten))
    if left:
        text += f"; {left} of them {'was' if left == 1 else 'were'} never written"
    return text


def first_index(mask: npt.NDArray[np.bool_]) -> Index:
    """Returns the index of the first true element, in row-major order."""
    return _unravel(int(np.argmax(mask)), mask.shape)


def _unravel(flat: int, shape: tuple[int, ...]) -> Index:
    return tuple(int(i) for i in np.unravel_index(flat, shape))


def _units(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"
