"""What all runners' processes do with a case: find changed inputs, and hand over outputs.

Outputs pass through memory that both sides have open, and that disappears with its last descriptor.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

READ_AT_ONCE = 1 << 30
"""Bytes. Linux reads at most 2 GiB in one call."""

PRINTED_LIMIT = 100_000
"""Characters of printf output that go on to the judge: a kernel may print for as long as it runs."""


class Outputs:
    """The memory through which one process hands its arrays to another."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def hand_over(self, arrays: Iterable[tuple[str, Array]]) -> dict[str, int]:
        """Writes the arrays one after another, replacing what was there; returns each one's offset in bytes."""
        offsets, end = {}, 0
        os.ftruncate(self.descriptor, 0)
        for name, array in arrays:
            offsets[name] = end
            end = self.put(end, array)
        return offsets

    def put(self, offset: int, array: Array) -> int:
        """Writes one array at this offset; returns where it ends."""
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        while data:
            written = os.pwrite(self.descriptor, data, offset)
            data, offset = data[written:], offset + written
        return offset


def read_array(descriptor: int, offset: int, array: Array) -> None:
    """Fills the array from that offset. Read, not mapped, so that the data cannot change afterwards.

    Raises EOFError if bytes are missing.
    """
    data = array.reshape(-1).view(np.uint8).data
    while data:
        count = os.preadv(descriptor, [data[:READ_AT_ONCE]], offset)
        if not count:
            raise EOFError(f"{len(data)} bytes of an array are missing at offset {offset}")
        data, offset = data[count:], offset + count


def first_changes(before: Mapping[str, Array], now: Iterable[tuple[str, Array]]) -> dict[str, list[int]]:
    """Returns the index of the first element of each array that differs, bit by bit, from `before`.

    Arrays are contiguous, and all of NumPy or all of CuPy.
    """
    changed = {}
    for name, array in now:
        bits = f"u{array.dtype.itemsize}"
        different = array.view(bits) != before[name].view(bits)
        if different.any():
            changed[name] = [int(i) for i in np.unravel_index(int(different.argmax()), different.shape)]
    return changed
