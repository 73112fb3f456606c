"""Has a process keep the memory that it frees, for arrays that it makes again and again."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -2, -3, -8
"""mallopt(3)."""
_KEPT = 256 << 20
_STEP = 16 << 20
_LARGEST = 32 << 20
"""Bytes of the largest array that is taken from kept memory: more than glibc allows would be refused."""


def keep_freed_memory() -> None:
    """Keeps up to _KEPT bytes of freed memory, for arrays of up to _LARGEST bytes of all threads.

    Else each case's arrays are given back to the system, which clears the same pages for the next case: half of what
    the judge's own part in an elementwise kernel costs. Does nothing where malloc is not glibc's.
    """
    with suppress(OSError, AttributeError):
        malloc = ctypes.CDLL(None)
        for option, value in (
            *((_TRIM_THRESHOLD, _KEPT), (_TOP_PAD, _STEP), (_MMAP_THRESHOLD, _LARGEST)),
            (_ARENA_MAX, 1),
        ):
            malloc.mallopt(option, value)
