"""Array helpers that work for NumPy and CuPy, so that the same check runs on the CPU and on a GPU.

CuPy has NumPy's functions under the same names. Its own kernels flush subnormal float32 numbers to zero, so the
conversions between float32 and float64 are written here; arithmetic and comparisons are done in float64. The functions
about gaps take float32 and float16.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

import numpy as np


def module_of(array: Any) -> Any:
    """Returns the module of the array's type, NumPy or CuPy. Does not import CuPy."""
    cupy = sys.modules.get("cupy")
    return cupy if cupy is not None and isinstance(array, cupy.ndarray) else np


def on_host(array: Any) -> Any:
    """The array in host memory."""
    return array if isinstance(array, (np.ndarray, np.generic)) else array.get()


def running_maximum(values: Any, axis: int = -1) -> Any:
    """The largest element so far along an axis: np.maximum.accumulate, also of CuPy's arrays, which have none."""
    if module_of(values) is np:
        return np.maximum.accumulate(values, axis=axis)
    return doubled_maximum(values, axis)


def doubled_maximum(values: Any, axis: int) -> Any:
    """What `running_maximum` returns, in steps that reach twice as far back each."""
    result = values.copy()
    along, step = module_of(values).moveaxis(result, axis, -1), 1
    while step < along.shape[-1]:
        along[..., step:] = module_of(values).maximum(along[..., step:], along[..., :-step])
        step *= 2
    return result


def widen(values: Any) -> Any:
    """The values as float64."""
    if module_of(values) is np or values.dtype != np.float32:
        return values.astype(np.float64)
    return _conversions()[0](values)


def narrow(values: Any, dtype: Any = np.float32) -> Any:
    """The values rounded to the nearest float32 or float16, or to the nearest integer for an integer type."""
    if np.dtype(dtype).kind in "iu":
        limits, xp = np.iinfo(dtype), module_of(values)
        if values.dtype.kind in "iu":
            return xp.clip(values, limits.min, limits.max).astype(dtype)
        # The largest 64-bit integer is not representable in float64; this is the float64 below it.
        most = limits.max if limits.max < 2**53 else limits.max - 2**10 + 1
        return xp.clip(xp.rint(values), limits.min, most).astype(dtype)
    if module_of(values) is np or np.dtype(dtype) != np.float32:
        with np.errstate(over="ignore", invalid="ignore"):
            return values.astype(dtype)
    return values if values.dtype == np.float32 else _conversions()[1](widen(values))


def ulp(values: Any) -> Any:
    """The gap between each value's magnitude and the next larger number, in float64; NaN for infinity."""
    bits = _magnitude(values)
    with np.errstate(invalid="ignore", over="ignore"):
        return widen((bits + bits.dtype.type(1)).view(values.dtype)) - widen(bits.view(values.dtype))


def gap_below(values: Any) -> Any:
    """The gap between each value's magnitude and the next smaller number, in float64; for 0, the smallest subnormal."""
    bits = _magnitude(values)
    word = bits.dtype.type
    first_below_zero = word(1 << 8 * bits.dtype.itemsize - 1 | 1)
    below = module_of(values).where(bits == 0, first_below_zero, bits - word(1)).astype(bits.dtype).view(values.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        return widen(bits.view(values.dtype)) - widen(below)


def _magnitude(values: Any) -> Any:
    """The bits of the values without their signs."""
    word = np.dtype(f"u{values.dtype.itemsize}")
    return values.view(word) & word.type((1 << 8 * word.itemsize - 1) - 1)


@lru_cache(maxsize=1)
def _conversions() -> tuple[Any, Any]:
    import cupy

    # Inline PTX, because CuPy compiles casts with subnormals flushed to zero.
    wide = 'asm("cvt.f64.f32 %0, %1;" : "=d"(y) : "f"(x))'
    near = 'asm("cvt.rn.f32.f64 %0, %1;" : "=f"(y) : "d"(x))'
    return (
        cupy.ElementwiseKernel("float32 x", "float64 y", wide, "kgrade_widen"),
        cupy.ElementwiseKernel("float64 x", "float32 y", near, "kgrade_narrow"),
    )
