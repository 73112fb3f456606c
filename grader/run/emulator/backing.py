"""Host memory for emulated arrays, filled with one byte value and free of cost until a kernel touches it.

Scratch memory is filled with a value that no program expects. It is a private mapping of a file shared by all such
memory, whose pages the system copies on write, so that allocating a hundred megabytes takes microseconds.
"""

from __future__ import annotations

import mmap
import os
from functools import cache

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator.aligned import GUARDED, aligned_bytes

_PIECE = 1 << 20
_SMALL = 1 << 16


def allocate_filled(size: int, value: int) -> NDArray[np.uint8]:
    """Returns `size` bytes of this value. Raises MemoryError."""
    # A mapping keeps a descriptor of its own, of which a process has few.
    if GUARDED or size <= _SMALL:
        data, _ = aligned_bytes(size)
        data[...] = value
        return data
    file = _file(value)
    length = max(-(-size // mmap.PAGESIZE), 1) * mmap.PAGESIZE
    file.grow(length)
    try:
        backing = mmap.mmap(file.descriptor, length, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    except OSError as error:
        raise MemoryError(str(error)) from error
    return np.frombuffer(backing, np.uint8)[:size]


class _File:
    """A file in memory, filled with one byte value."""

    def __init__(self, value: int) -> None:
        self.descriptor = os.memfd_create(f"kgrade-{value}")
        self._piece = bytes([value]) * _PIECE
        self._size = 0

    def grow(self, size: int) -> None:
        """Extends the file to at least `size` bytes."""
        while self._size < size:
            self._size += os.write(self.descriptor, self._piece)


@cache
def _file(value: int) -> _File:
    return _File(value)
