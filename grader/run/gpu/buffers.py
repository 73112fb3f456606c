"""Arrays in GPU memory between two guard zones, which show exactly what is written beyond an array's ends.

The zones hold NaN patterns, so that a read beyond an end shows in the result. This module starts no kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

GUARD = 64 << 10
"""Bytes on each side. A multiple of every alignment, so that the array is aligned like its allocation."""

PATTERN = 0x7FFB
"""A NaN in half precision and, repeated, in single and double precision too, wherever the zone begins."""


@dataclass(frozen=True)
class Overrun:
    """Writes outside an array: how many bytes changed before and after it, and the nearest element.

    `index` counts from the array's first element, so it is negative before the array.
    """

    before: int
    after: int
    index: int


def guard_zone(size: int = GUARD) -> Array:
    """Returns the contents of a zone of `size` bytes."""
    return np.full(size // 2, PATTERN, np.uint16).view(np.uint8)


def find_overrun(before: Array, after: Array, size: int, itemsize: int) -> Overrun | None:
    """Returns what was written into the two zones (as bytes) of an array of `size` elements; None for nothing.

    A byte that was overwritten with the pattern's own value is not seen.
    """
    pattern = guard_zone(before.size)
    left, right = np.flatnonzero(before != pattern), np.flatnonzero(after != pattern)
    if not left.size and not right.size:
        return None
    # Writes behind the end are far more common; if both happen, they are reported.
    index = size + int(right[0]) // itemsize if right.size else (int(left[-1]) - before.size) // itemsize
    return Overrun(int(left.size), int(right.size), index)


class DeviceArray:
    """An array in GPU memory, of this shape and type; its contents are undefined at first.

    `guard` is the size of its two zones in bytes, 0 for an array that is alone in its allocation.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any, guard: int = GUARD) -> None:
        from cupy.cuda import runtime

        self.shape, self.dtype = shape, np.dtype(dtype)
        self.nbytes = prod(shape) * self.dtype.itemsize
        self._guard = guard
        self._start = runtime.malloc(guard + self.nbytes + guard)
        self.pointer: int = self._start + guard
        zone = guard_zone(guard)
        _upload(self._start, zone)
        _upload(self.pointer + self.nbytes, zone)

    def write(self, values: Array) -> None:
        """Fills the array, not its guards, with an array of NumPy or CuPy."""
        if isinstance(values, np.ndarray):
            _upload(self.pointer, np.ascontiguousarray(values))
        else:
            self.view()[...] = values

    def read(self) -> Array:
        """Returns a copy of the array's contents."""
        return _download(self.pointer, np.empty(self.shape, self.dtype))

    def view(self) -> Any:
        """Returns the array as a CuPy array, in place."""
        import cupy

        memory = cupy.cuda.UnownedMemory(self.pointer, self.nbytes, self)
        return cupy.ndarray(self.shape, self.dtype, cupy.cuda.MemoryPointer(memory, 0))

    def check_guards(self) -> Overrun | None:
        """Returns what was written outside the array since it was made; None for nothing."""
        before = _download(self._start, np.empty(self._guard, np.uint8))
        after = _download(self.pointer + self.nbytes, np.empty(self._guard, np.uint8))
        return find_overrun(before, after, self.nbytes // self.dtype.itemsize, self.dtype.itemsize)

    def free(self) -> None:
        from cupy.cuda import runtime

        runtime.free(self._start)


def read_memory(address: int, size: int) -> Array:
    """Returns bytes of GPU memory."""
    return _download(address, np.empty(size, np.uint8))


def _upload(address: int, values: Array) -> None:
    from cupy.cuda import runtime

    runtime.memcpy(address, values.ctypes.data, values.nbytes, runtime.memcpyHostToDevice)


def _download(address: int, values: Array) -> Array:
    from cupy.cuda import runtime

    runtime.memcpy(values.ctypes.data, address, values.nbytes, runtime.memcpyDeviceToHost)
    return values
