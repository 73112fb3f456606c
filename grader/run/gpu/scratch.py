"""Device memory that launch code asks for while it is recorded: each piece lies between guard zones, as arrays do.

It is freed all at once, when nothing refers to it any more: a piece that the plan frees is only out of bounds for
later copies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.run.extents import SCRATCH_FILL, Extents, Outside, scratch_name
from grader.run.gpu.buffers import GUARD, DeviceArray
from grader.run.gpu.faults import OUT_OF_MEMORY
from grader.run.poison import Poison

SHARE = 2
"""A piece may take one in so many of the bytes that are left: others use the GPU too."""


class Scratch:
    """The pieces of one plan, by name, and their part in `extents`."""

    def __init__(self, extents: Extents, guard: int = GUARD, poison: Poison = Poison.NAN) -> None:
        self.arrays: dict[str, DeviceArray] = {}
        self._extents = extents
        self._guard = guard
        self._fill = SCRATCH_FILL[poison]
        self._live: set[int] = set()

    def allocate(self, size: int) -> int | None:
        """The address of `size` bytes; None where there is no room."""
        from cupy.cuda import runtime

        free, _ = runtime.memGetInfo()
        if size > free // SHARE:
            return None
        name = scratch_name(len(self.arrays) + 1, size)
        try:
            array = DeviceArray((size,), np.uint8, self._guard)
        except runtime.CUDARuntimeError as error:
            if error.status != OUT_OF_MEMORY:
                raise
            return None
        runtime.memset(array.pointer, self._fill, size)
        self.arrays[name] = array
        self._live.add(array.pointer)
        self._extents.add(name, array.pointer, size)
        return array.pointer

    def check_step(self, step: Mapping[str, Any]) -> None:
        """Raises Outside for a step that reaches outside of the extents. What the step frees is none from then on."""
        if step["do"] != "free":
            self._extents.check_step(step)
            return
        if step["address"] not in self._live:
            raise Outside(f"cudaFree of {step['address']:#x}, where no live scratch begins")
        self._live.remove(step["address"])
        self._extents.remove(step["address"])

    def free(self) -> None:
        """Frees every piece. No work that uses them may be left."""
        while self.arrays:
            self.arrays.popitem()[1].free()
