"""Host memory for emulated arrays: full of one byte, and costing nothing where no kernel touches it.

Scratch is full of a value that no program expects. Pages of a file that all such memory shares are copied by the
system when they are written to, so that a hundred megabytes come and go in microseconds.
"""

from __future__ import annotations

import mmap
import os
from functools import cache

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator.aligned import GUARDED, aligned_bytes

_PIECE = 1 << 20


def filled(size: int, value: int) -> NDArray[np.uint8]:
    """So many bytes of this value, at the begin of a page."""
    if GUARDED:
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
    """A file in memory, full of one byte."""

    def __init__(self, value: int) -> None:
        self.descriptor = os.memfd_create(f"kgrade-{value}")
        self._piece = bytes([value]) * _PIECE
        self._size = 0

    def grow(self, size: int) -> None:
        """To at least this size."""
        while self._size < size:
            self._size += os.write(self.descriptor, self._piece)


@cache
def _file(value: int) -> _File:
    return _File(value)
