"""Memory for the readers of a block's shared memory, allocated when a second warp reads what may still be written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator.aligned import aligned_bytes
from grader.run.emulator.native.readers import NO_PLANES
from grader.run.emulator.state import State

MOST_BYTES = 1 << 29
"""Bytes of the planes of all blocks in flight of a launch; further blocks record only two readers of a cell."""


class ReaderPlanes:
    """The reader planes of one launch."""

    def __init__(self) -> None:
        self._kept: list[NDArray[np.uint8]] = []
        self._left = MOST_BYTES

    def make(self, state: State) -> None:
        """Allocates a plane for each warp of the block that raised the event."""
        size = state.wide("plane") * state.word("warp_count")
        self._left -= size
        address = NO_PLANES
        if self._left >= 0:
            data, address = aligned_bytes(size)
            self._kept.append(data)
        state.set_wide("reader_planes", address)
