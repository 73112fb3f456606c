"""Tells whether what a kernel has read of unset shared memory makes a difference.

A lane may read what nobody has written, and drop it: one beyond the end loads along with the others and selects a zero,
or adds what only it looks at. So the launch runs again on the memory that it found, with other contents of the unset
bytes. If it always leaves the same behind, nothing of them has come to matter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from hashlib import sha256

import numpy as np

from grader.run.emulator import layout
from grader.run.emulator.faults import LaunchResult, Limits
from grader.run.emulator.memory import Memory

NAN = -1
CONTENTS = (0, 1, 0x01010101, 0x7B7B7B7B, -0x04040405, layout.LEFT_OVER)
"""Words that unset shared memory holds, besides NAN: small, large and negative as integers and as floats of all widths,
and what the block before has left, as on a GPU."""
KEPT_OF_A_THREAD = 1024
"""Bytes for each thread of a launch that may always be copied: it takes less time than the launch."""

Slots = Collection[int] | None
"""The slots of arrays that a kernel may write; None for all."""


class Kept:
    """A copy of the memory that a launch may write."""

    def __init__(self, memory: Memory, slots: Slots) -> None:
        self._arrays = [array.data for slot, array in memory.writable(slots)]
        self._before = [array.copy() for array in self._arrays]

    def digest(self) -> bytes:
        """Returns a hash of all bytes of the arrays."""
        digest = sha256()
        for array in self._arrays:
            digest.update(np.ascontiguousarray(array).data)
        return digest.digest()

    def restore(self) -> None:
        for array, before in zip(self._arrays, self._before, strict=True):
            array[...] = before


def keep(memory: Memory, slots: Slots, threads: int) -> Kept | None:
    """Copies what a launch of so many threads may write; None where all such copies would take too long."""
    size = sum(array.data.nbytes for _, array in memory.writable(slots))
    if size > KEPT_OF_A_THREAD * threads:
        if size > memory.copies_left:
            return None
        memory.copies_left -= size
    return Kept(memory, slots)


def settle(first: LaunchResult, kept: Kept, limits: Limits, run: Callable[[Limits], LaunchResult]) -> LaunchResult:
    """Returns the result of a launch whose only faults are reads of unset shared memory: without them if all contents
    lead to the same memory and the same output, else as it was.

    `run` runs the launch on one core: each time its blocks come in the same order, each after the same one.
    """
    seconds, before = first.seconds, None
    for contents in (NAN, *CONTENTS):
        kept.restore()
        left = None if limits.seconds is None else limits.seconds - seconds
        result = run(replace(limits, unset_shared=contents, seconds=left))
        seconds += result.seconds
        now = result.status, result.printed, kept.digest()
        if result.status != "done" or before not in (None, now):
            return replace(first, seconds=seconds)
        before = now
    return replace(result, seconds=seconds)
