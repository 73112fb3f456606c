"""Which library an array belongs to, so that the same check runs on the processor and on a GPU.

NumPy's functions are found by the same names in CuPy. CuPy's own kernels flush subnormal float32 numbers to zero,
so what turns float32 into float64 and back is written here; arithmetic and comparisons are left to float64.
What speaks of gaps takes float32 and float16.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

import numpy as np


def module_of(array: Any) -> Any:
    """NumPy or CuPy, by the array's type. CuPy is not imported by asking."""
    cupy = sys.modules.get("cupy")
    return cupy if cupy is not None and isinstance(array, cupy.ndarray) else np


def on_host(array: Any) -> Any:
    """The array in the processor's memory."""
    return array if isinstance(array, (np.ndarray, np.generic)) else array.get()


def widen(values: Any) -> Any:
    """The same values in float64."""
    if module_of(values) is np or values.dtype != np.float32:
        return values.astype(np.float64)
    return _conversions()[0](values)


def narrow(values: Any, dtype: Any = np.float32) -> Any:
    """Values rounded to the nearest float32 or float16; to the nearest whole number, if that is the type."""
    if np.dtype(dtype).kind in "iu":
        limits, xp = np.iinfo(dtype), module_of(values)
        if values.dtype.kind in "iu":
            return xp.clip(values, limits.min, limits.max).astype(dtype)
        # The largest whole number of 64 bits is none of float64's; this is the one below it.
        most = limits.max if limits.max < 2**53 else limits.max - 2**10 + 1
        return xp.clip(xp.rint(values), limits.min, most).astype(dtype)
    if module_of(values) is np or np.dtype(dtype) != np.float32:
        with np.errstate(over="ignore", invalid="ignore"):
            return values.astype(dtype)
    return values if values.dtype == np.float32 else _conversions()[1](widen(values))


def ulp(values: Any) -> Any:
    """The gap between each value's magnitude and the next larger one, float64; NaN for infinity."""
    bits = _magnitude(values)
    with np.errstate(invalid="ignore", over="ignore"):
        return widen((bits + bits.dtype.type(1)).view(values.dtype)) - widen(bits.view(values.dtype))


def gap_below(values: Any) -> Any:
    """The gap between each value's magnitude and the next smaller one; for 0, to the first below it."""
    bits = _magnitude(values)
    word = bits.dtype.type
    first_below_zero = word(1 << 8 * bits.dtype.itemsize - 1 | 1)
    below = module_of(values).where(bits == 0, first_below_zero, bits - word(1)).astype(bits.dtype).view(values.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        return widen(bits.view(values.dtype)) - widen(below)


def _magnitude(values: Any) -> Any:
    """The bits of values without their signs."""
    word = np.dtype(f"u{values.dtype.itemsize}")
    return values.view(word) & word.type((1 << 8 * word.itemsize - 1) - 1)


@lru_cache(maxsize=1)
def _conversions() -> tuple[Any, Any]:
    import cupy

    # Inline PTX, because the compiler is told to flush subnormal numbers in what it makes of a cast.
    wide = 'asm("cvt.f64.f32 %0, %1;" : "=d"(y) : "f"(x))'
    near = 'asm("cvt.rn.f32.f64 %0, %1;" : "=f"(y) : "d"(x))'
    return (
        cupy.ElementwiseKernel("float32 x", "float64 y", wide, "kgrade_widen"),
        cupy.ElementwiseKernel("float64 x", "float32 y", near, "kgrade_narrow"),
    )
