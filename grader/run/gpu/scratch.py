"""Device memory that launch code allocates while it is recorded: each piece lies between guard zones, like arrays.

All of it is freed at once, when nothing refers to it any more: a piece that the plan frees is only out of bounds for
later copies, until the plan allocates it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.plan.extents import SCRATCH_FILL, Extents, Outside, bytes_of, scratch_name
from grader.plan.poison import Poison
from grader.run.gpu.buffers import GUARD, DeviceArray
from grader.run.gpu.faults import OUT_OF_MEMORY

SHARE = 2
"""A piece may take one in this many of the free bytes: others use the GPU too."""


class Scratch:
    """The pieces of one plan, by name, and their part in `extents`."""

    def __init__(self, extents: Extents, guard: int = GUARD, poison: Poison = Poison.NAN) -> None:
        self.arrays: dict[str, DeviceArray] = {}
        self._extents = extents
        self._guard = guard
        self._fill = SCRATCH_FILL[poison]
        self._live: set[int] = set()
        self._names: dict[int, str] = {}

    def allocate(self, size: int) -> int | None:
        """Returns the address of `size` bytes; None if there is no room."""
        from cupy.cuda import runtime

        free, _ = runtime.memGetInfo()
        if size > free // SHARE:
            return None
        name = scratch_name(len(self.arrays) + 1, size)
        try:
            array = self.make_array(size)
        except runtime.CUDARuntimeError as error:
            if error.status != OUT_OF_MEMORY:
                raise
            return None
        runtime.memset(array.pointer, self._fill, size)
        self.arrays[name] = array
        self._names[array.pointer] = name
        self._put(array.pointer, size)
        return array.pointer

    def make_array(self, size: int) -> DeviceArray:
        """So many bytes between guard zones. Raises CUDARuntimeError where there is no room."""
        return DeviceArray((size,), np.uint8, self._guard)

    def check_step(self, step: Mapping[str, Any]) -> None:
        """Raises Outside for a step that reaches outside of the extents; what it frees is outside afterwards."""
        if step["do"] == "alloc":
            self._allocate_again(step["address"], step["size"])
        elif step["do"] != "free":
            self._extents.check_step(step)
        elif step["address"] not in self._live:
            raise Outside(f"cudaFree of {step['address']:#x}, where no live scratch begins")
        else:
            self._live.remove(step["address"])
            self._extents.remove(step["address"])

    def _allocate_again(self, address: int, size: int) -> None:
        """Allocates a freed piece again; the first time it is live already."""
        if address in self._live:
            return
        name = self._names.get(address)
        if name is None or size > self.arrays[name].nbytes:
            raise Outside(f"{bytes_of(size)} of scratch at {address:#x}, where no such piece was")
        self._put(address, size)

    def _put(self, address: int, size: int) -> None:
        self._live.add(address)
        self._extents.add(self._names[address], address, size)

    def free(self) -> None:
        """Frees every piece. No work that uses them may be left."""
        while self.arrays:
            self.arrays.popitem()[1].free()
