"""The writes of a Trace, indexed: what memory holds before a step, and who wrote a byte last."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grader.replay.model import ANY_CALL

Column = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Events:
    """Columns of writes in the order in which they happened; see Accesses."""

    step: Column
    thread: Column
    space: Column
    target: Column
    offset: Column
    size: Column
    value: NDArray[np.uint64]
    call: Column


@dataclass(eq=False)
class Image:
    """The bytes of a piece of memory: which have a value, which thread wrote them in which step (-1: nobody)."""

    size: int
    data: NDArray[np.uint8] = field(init=False)
    known: NDArray[np.bool_] = field(init=False)
    thread: Column = field(init=False)
    step: Column = field(init=False)

    def __post_init__(self) -> None:
        self.data, self.known = np.zeros(self.size, np.uint8), np.zeros(self.size, np.bool_)
        self.thread, self.step = np.full(self.size, -1), np.full(self.size, -1)

    def fill(self, offset: int, bits: int, size: int, thread: int = -1, step: int = -1) -> None:
        """Writes `size` bytes at `offset`; what lies outside of the piece is left out."""
        first, last = max(offset, 0), min(offset + size, self.size)
        if first >= last:
            return
        data = (bits & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        self.data[first:last] = np.frombuffer(data, np.uint8)[first - offset : last - offset]
        self.known[first:last] = True
        self.thread[first:last], self.step[first:last] = thread, step


class Memory:
    """What variables, shared and global memory hold at any step, found from the writes of a trace."""

    def __init__(self, events: Events) -> None:
        self._events = events

    @cached_property
    def _by_target(self) -> dict[tuple[int, int], Column]:
        """The numbers of the writes to each (space, target), in order."""
        events = self._events
        order = np.lexsort((events.target, events.space))
        keys = np.stack([events.space[order], events.target[order]])
        if not len(order):
            return {}
        cuts = np.flatnonzero(np.any(keys[:, 1:] != keys[:, :-1], axis=0)) + 1
        parts = np.split(order, cuts)
        return {(int(events.space[part[0]]), int(events.target[part[0]])): part for part in parts}

    @cached_property
    def _by_thread(self) -> dict[tuple[int, int, int], Column]:
        return {}

    def _writes(self, space: int, target: int, step: int | None, thread: int | None) -> Column:
        """The numbers of the writes before `step`; of one thread if one is given, found quickly from then on."""
        events = self._events
        found = self._by_target.get((space, target), np.zeros(0, np.int64))
        if thread is not None:
            key = (space, target, thread)
            if key not in self._by_thread:
                self._by_thread[key] = found[events.thread[found] == thread]
            found = self._by_thread[key]
        if step is not None:
            found = found[: int(np.searchsorted(events.step[found], step))]
        return found

    def replay(
        self,
        image: Image,
        space: int,
        target: int,
        step: int,
        thread: int | None = None,
        threads: tuple[int, int] | None = None,
        begin: int = 0,
        call: int | None = None,
    ) -> None:
        """Applies the writes before `step` to an image that begins `begin` bytes into the target.

        Those of `thread` only, or of threads from `threads[0]` to below `threads[1]`, or to variables of the function
        that `call` called, if given.
        """
        events = self._events
        found = self._writes(space, target, step, thread)
        if threads is not None:
            found = found[(events.thread[found] >= threads[0]) & (events.thread[found] < threads[1])]
        if call is not None:
            found = found[np.isin(events.call[found], (call, ANY_CALL))]
        offsets, sizes = events.offset[found] - begin, events.size[found]
        near = (offsets + sizes > 0) & (offsets < image.size)
        found, offsets, sizes = found[near], offsets[near], sizes[near]
        whole = (offsets >= 0) & (offsets + sizes <= image.size)
        if len(sizes) and whole.all() and (sizes == sizes[0]).all():
            self._replay_equal(image, found, offsets, int(sizes[0]))
            return
        for at, offset, size in zip(found.tolist(), offsets.tolist(), sizes.tolist(), strict=True):
            image.fill(offset, int(events.value[at]), size, int(events.thread[at]), int(events.step[at]))

    def _replay_equal(self, image: Image, found: Column, offsets: Column, size: int) -> None:
        """Writes of one size, all at once: of several to one byte NumPy keeps the last."""
        events = self._events
        places = offsets[:, None] + np.arange(size)
        shifts = np.arange(size, dtype=np.uint64) * np.uint64(8)
        image.data[places] = (events.value[found][:, None] >> shifts & np.uint64(255)).astype(np.uint8)
        image.known[places] = True
        image.thread[places] = events.thread[found][:, None]
        image.step[places] = events.step[found][:, None]

    def extents(self, space: int, target: int) -> tuple[list[int], list[int]]:
        """Where the writes to a target begin and end, in bytes, in order."""
        found = self._writes(space, target, None, None)
        begins = self._events.offset[found]
        return begins.tolist(), (begins + self._events.size[found]).tolist()

    def all_to(
        self, space: int, target: int, offset: int, thread: int | None = None, step: int | None = None
    ) -> list[int]:
        """The numbers of the writes to the byte at `offset`, before `step` if one is given, in order."""
        events = self._events
        found = self._writes(space, target, step, thread)
        at = events.offset[found]
        hits: list[int] = found[(at <= offset) & (offset < at + events.size[found])].tolist()
        return hits

    def last(
        self,
        space: int,
        target: int,
        offset: int,
        step: int,
        thread: int | None = None,
        threads: tuple[int, int] | None = None,
    ) -> int | None:
        """The number of the last write before `step` to the byte at `offset`; None if there is none."""
        found = self.all_to(space, target, offset, thread, step)
        if threads is not None:
            found = [at for at in found if threads[0] <= self._events.thread[at] < threads[1]]
        return found[-1] if found else None
