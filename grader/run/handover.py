"""What the processes of all runners do alike with a case: inputs that changed, and outputs for the judge.

Outputs cross in memory that is gone with its last descriptor; the judge opens it through /proc.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

PRINTED_LIMIT = 100_000
"""Characters of printf output that go on to the judge: a kernel may print for as long as it runs."""


class Outputs:
    """The memory in which a child hands its outputs over."""

    def __init__(self) -> None:
        self.descriptor = os.memfd_create("kgrade-outputs")

    def hand_over(self, arrays: Iterable[tuple[str, Array]]) -> dict[str, int]:
        """Writes the arrays one behind the other in place of what was there; gives each one's offset."""
        offsets, end = {}, 0
        os.ftruncate(self.descriptor, 0)
        for name, array in arrays:
            data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
            offsets[name] = end
            while data:
                written = os.pwrite(self.descriptor, data, end)
                data, end = data[written:], end + written
        return offsets


def first_changes(before: Mapping[str, Array], now: Iterable[tuple[str, Array]]) -> dict[str, list[int]]:
    """The index of the first element of each array that is not, bit by bit, what it was before."""
    changed = {}
    for name, array in now:
        bits = f"u{array.dtype.itemsize}"
        different = np.ascontiguousarray(array).view(bits) != np.ascontiguousarray(before[name]).view(bits)
        if different.any():
            changed[name] = [int(i) for i in np.unravel_index(int(different.argmax()), different.shape)]
    return changed
