"""Which library an array belongs to, so that the same check runs on the processor and on a GPU.

NumPy's functions are found by the same names in CuPy. CuPy's own kernels flush subnormal float32 numbers to zero,
so what turns float32 into float64 and back is written here; arithmetic and comparisons are left to float64.
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


def narrow(values: Any) -> Any:
    """float64 values rounded to the nearest float32."""
    if module_of(values) is np:
        with np.errstate(over="ignore", invalid="ignore"):
            return values.astype(np.float32)
    return _conversions()[1](values)


def ulp(values: Any) -> Any:
    """The gap between each float32 value's magnitude and the next larger one, float64; NaN for infinity."""
    bits = _magnitude(values)
    with np.errstate(invalid="ignore", over="ignore"):
        return widen((bits + np.uint32(1)).view(np.float32)) - widen(bits.view(np.float32))


def gap_below(values: Any) -> Any:
    """The gap between each float32 value's magnitude and the next smaller one; for 0, to the first below it."""
    bits = _magnitude(values)
    below = module_of(values).where(bits == 0, np.uint32(0x80000001), bits - np.uint32(1)).view(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        return widen(bits.view(np.float32)) - widen(below)


def _magnitude(values: Any) -> Any:
    """The bits of float32 values without their signs."""
    return values.view(np.uint32) & np.uint32(0x7FFFFFFF)


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
