"""Memory for native code: zeroed, at addresses that its vectors are aligned to.

All memory that native code accesses by address comes from here. If the environment variable named by GUARDS is set, as
in tests and the fuzzer, each piece lies between two inaccessible pages, and the rest of its own pages holds a pattern:
an access outside ends the process.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys

import numpy as np
from numpy.typing import NDArray

ALIGN = 64
GUARDS = "KGRADE_GUARD_PAGES"
GUARDED = os.environ.get(GUARDS) == "1"
_MOST = 1 << 46
"""Bytes: more than any process has; NumPy fails obscurely on larger sizes."""
_PATTERN = b"\xa5"


def aligned_bytes(size: int) -> tuple[NDArray[np.uint8], int]:
    """Returns (zeroed bytes, address); the address is a multiple of 64. Keep the array as long as the address is used.

    Raises MemoryError.
    """
    if size > _MOST:
        raise MemoryError(f"{size} bytes for one buffer")
    if GUARDED:
        data = np.frombuffer(guarded := _Guarded(size), np.uint8)[guarded.begin : guarded.begin + size]
        return data, data.ctypes.data
    backing = np.zeros(size + ALIGN, np.uint8)
    # Several times as fast as `backing.ctypes.data`, and a launch allocates twenty pieces.
    address: int = backing.__array_interface__["data"][0]
    start = -address % ALIGN
    return backing[start : start + size], address + start


class _Guarded(mmap.mmap):
    """`size` bytes that end at an inaccessible page and begin after one, as closely as alignment allows."""

    begin: int
    used: int

    def __new__(cls, size: int) -> _Guarded:
        page = mmap.PAGESIZE
        inner = max(-(-size // page), 1) * page
        try:
            self = super().__new__(cls, -1, inner + 2 * page)
        except OSError as error:
            raise MemoryError(str(error)) from error
        self.begin, self.used = page + inner - -(-size // ALIGN) * ALIGN, size
        for begin, end in self._rests():
            self[begin:end] = _PATTERN * (end - begin)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        start = ctypes.addressof(whole := ctypes.c_char.from_buffer(self))
        del whole
        for guard in (start, start + page + inner):
            if libc.mprotect(guard, page, 0):
                raise MemoryError(os.strerror(ctypes.get_errno()))
        return self

    def _rests(self) -> list[tuple[int, int]]:
        """Returns the (begin, end) of the parts of the pages that are not handed out."""
        page = mmap.PAGESIZE
        return [(page, self.begin), (self.begin + self.used, len(self) - page)]

    def __del__(self) -> None:
        if any(self[begin:end] != _PATTERN * (end - begin) for begin, end in self._rests()):
            sys.stderr.write(f"bytes beside a buffer of {self.used} were written\n")
            sys.stderr.flush()
            os.abort()
