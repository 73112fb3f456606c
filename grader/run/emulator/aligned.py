"""Memory for native code: zeroed, at addresses that its vectors are aligned to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ALIGN = 64


def aligned_bytes(size: int) -> tuple[NDArray[np.uint8], int]:
    """(zeroed bytes, address) with the address a multiple of 64; keep the array as long as the address is used."""
    backing = np.zeros(size + ALIGN, np.uint8)
    start = -backing.ctypes.data % ALIGN
    return backing[start : start + size], backing.ctypes.data + start
