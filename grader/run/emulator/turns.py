"""Which of a worker's suspended blocks runs next, and for how long."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator

from grader.run.emulator import pace
from grader.run.emulator.arena import Arena


class Turns:
    """The suspended blocks of one worker, the longest suspended first.

    `sliced` says whether blocks that may meet run for random times before others do, the same in each launch.

    Where blocks wait, others begin only after all of them have looked in vain, and then as many as there are. So few of
    a chain, in which each waits for the one before, are in flight, and blocks that wait for the last get to it as well.
    """

    def __init__(self, sliced: bool) -> None:
        self._sliced = sliced
        self._random = random.Random(5)
        self._blocks: deque[Arena] = deque()
        self._able: list[Arena] = []
        """Those that were not suspended for waiting in vain: one may hold what all others wait for."""
        self._held: Arena | None = None
        """One that comes on when all others are at their end, or wait: it may be between a counter and its data."""
        self._in_vain = 0
        """How many have looked in vain, one after the other."""
        self._to_begin = 0
        self._resumed_block = -1

    def __len__(self) -> int:
        return len(self._blocks)

    def __iter__(self) -> Iterator[Arena]:
        return iter(self._blocks)

    def begin(self, arena: Arena) -> Arena:
        """Gives an arena its next slice; a whole one where many are suspended, perhaps waiting for this one.

        Blocks that begin in it look less often in vain once others have.
        """
        if self._blocks:
            arena.lose_patience()
        if self._sliced:
            length = pace.SHORT_SLICE << self._random.randint(0, pace.LONGER_SLICES)
            arena.give_slice(length if len(self) < pace.FEW_WAITING else pace.BLOCK_SLICE)
        return arena

    def after(self, arena: Arena, all_begun: bool) -> Arena | None:
        """The block to resume in place of this one, which was suspended; None to begin another.

        `all_begun` says that no other can begin.
        """
        waits, came_on = arena.waits_in_vain, arena.block != self._resumed_block
        takes_turns = self._sliced and arena.is_sliced and len(self) > 0
        self._blocks.append(arena)
        if not waits and self._held is None and not arena.is_sliced and self._random.random() < pace.HELD_SHARE:
            self._held = arena
        elif not waits:
            self._able.append(arena)
        if not waits or (came_on and self._resumed_block >= 0):
            self._in_vain = self._to_begin = 0
        self._resumed_block = -1
        if all_begun or takes_turns or (waits and not self._begins()):
            return self.next()
        return None

    def next(self) -> Arena:
        """The block to resume: the first of those that can go on, or if all wait, the one that was suspended first.

        One that is held comes on when nobody else can, and now and then: what only seems to go on may wait for it.
        """
        if self._held is not None and (not self._able or self._random.random() < pace.FREED_SHARE):
            self._able.append(self._held)
            self._held = None
        first = next(block for block in self._blocks if block is not self._held)
        arena = self._able[0] if self._in_vain and self._able else first
        self._blocks.remove(arena)
        if arena in self._able:
            self._able.remove(arena)
        self._resumed_block = arena.block
        arena.resume()
        return self.begin(arena)

    def _begins(self) -> bool:
        """Whether another block begins after one that waited in vain."""
        self._in_vain += 1
        if self._in_vain >= len(self):
            self._in_vain, self._to_begin = 0, len(self)
        self._to_begin -= 1
        return self._to_begin >= 0
