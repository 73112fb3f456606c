"""Memory for native code: zeroed, at addresses that its vectors are aligned to.

All that native code reads or writes by an address comes from here. With the environment variable of GUARDS set, as
tests and the fuzzer do, each piece lies between two pages that nobody may touch, and what is left of its own pages
holds a pattern: an access outside ends the process.
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
"""What no process has; NumPy can't say how much more is."""
_PATTERN = b"\xa5"


def aligned_bytes(size: int) -> tuple[NDArray[np.uint8], int]:
    """(zeroed bytes, address) with the address a multiple of 64; keep the array as long as the address is used."""
    if size > _MOST:
        raise MemoryError(f"{size} bytes for one buffer")
    if GUARDED:
        data = np.frombuffer(guarded := _Guarded(size), np.uint8)[guarded.begin : guarded.begin + size]
        return data, data.ctypes.data
    backing = np.zeros(size + ALIGN, np.uint8)
    # Several times as quick as `backing.ctypes.data`, and a launch asks for twenty pieces.
    address: int = backing.__array_interface__["data"][0]
    start = -address % ALIGN
    return backing[start : start + size], address + start


class _Guarded(mmap.mmap):
    """So many bytes that end at a page which can't be touched, and begin after one, as far as alignment allows."""

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
        """What of the pages is not handed out."""
        page = mmap.PAGESIZE
        return [(page, self.begin), (self.begin + self.used, len(self) - page)]

    def __del__(self) -> None:
        if any(self[begin:end] != _PATTERN * (end - begin) for begin, end in self._rests()):
            sys.stderr.write(f"bytes beside a buffer of {self.used} were written\n")
            sys.stderr.flush()
            os.abort()
