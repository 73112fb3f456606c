"""Traces of a counted launch: which basic blocks its warps execute, and which sectors they touch, in their order.

What comes after a trace is full is left out; counters go on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator.aligned import aligned_bytes
from grader.run.emulator.counter_layout import STEP, TOUCH, TRACE


@dataclass(frozen=True)
class Touches:
    """Holds for each touch the sector, the offset of the row that touches it, the number of its request, the warp."""

    sectors: NDArray[np.int64]
    rows: NDArray[np.int64]
    requests: NDArray[np.int64]
    warps: NDArray[np.int64]


class Traces:
    """Room for `steps` basic blocks and `touches` sectors of one launch."""

    def __init__(self, steps: int, touches: int) -> None:
        # One record more takes what comes when the others are full.
        self._steps, self._steps_at = aligned_bytes((steps + 1) * STEP.size)
        self._touches, self._touches_at = aligned_bytes((touches + 1) * TOUCH.size)
        self._room = steps, touches
        self._found = 0, 0

    def begin(self, words: NDArray[np.uint64]) -> None:
        """Lets native code write here; `words` are its TRACE."""
        steps, touches = self._room
        words[TRACE["steps"] // 8] = self._steps_at
        words[TRACE["last_step"] // 8] = self._steps_at + steps * STEP.size
        words[TRACE["sectors"] // 8] = self._touches_at
        words[TRACE["last_sector"] // 8] = self._touches_at + touches * TOUCH.size

    def end(self, words: NDArray[np.uint64]) -> None:
        """Reads from TRACE how much was written."""
        steps = (int(words[TRACE["steps"] // 8]) - self._steps_at) // STEP.size
        touches = (int(words[TRACE["sectors"] // 8]) - self._touches_at) // TOUCH.size
        self._found = steps, touches

    @property
    def is_full(self) -> bool:
        """Whether something may have been left out."""
        return any(found >= room for found, room in zip(self._found, self._room, strict=True))

    @property
    def steps_are_full(self) -> bool:
        """Whether basic blocks may have been left out."""
        return self._found[0] >= self._room[0]

    def steps(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the warp of each step, and its basic block."""
        words = self._steps[: self._found[0] * STEP.size].view(np.int64)
        return words >> 32, words & 0xFFFF_FFFF

    def touches(self) -> Touches:
        """Returns the touches, in their order."""
        words = self._touches[: self._found[1] * TOUCH.size].view(np.int64).reshape(-1, 2)
        where = words[:, 1]
        return Touches(words[:, 0], where >> 32, where >> 16 & 0xFFFF, where & 0xFFFF)
