"""Keeps outputs of replays that nobody could know beforehand, for the judge to check in full.

A reservoir (Vitter, 1985): round n takes one of the slots with probability slots / n, so that every round of a
measurement is in it with the same probability, however long that will have lasted. A kernel that behaves in the
first replays only is drawn in the later ones. What is right is not known here.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from grader.measure.samples import Kept
from grader.run.gpu.refill import Span

Keep = Callable[[Kept, Sequence[Any]], None]
"""Called with the outputs as flat CuPy arrays, valid during the call. A later call for a slot replaces the earlier."""

_drawn = secrets.SystemRandom()


class Reservoir:
    """`keep` is what stores them, `outputs` are those of each buffer set of the candidate's graph."""

    def __init__(self, keep: Keep, slots: int, outputs: Sequence[Sequence[Span]]) -> None:
        import cupy

        self.slots: list[Kept] = []
        self._keep = keep
        self._most = slots
        self._outputs = outputs
        self._rounds = 0
        self._slot = 0
        self._kept = Kept(0, 0, 0)
        self._copies = [cupy.empty(span.count, dtype=cupy.float32) for span in outputs[0]]
        cupy.cuda.Device().synchronize()

    def choose(self, places: Sequence[int]) -> int | None:
        """Which of a round's replays, given by their places in it, will be kept; None for none."""
        self._rounds += 1
        self._slot = self._rounds - 1 if self._rounds <= self._most else _drawn.randrange(self._rounds)
        return _drawn.choice(places) if self._slot < self._most else None

    def copy(self, stream: Any, replay: int) -> None:
        """Queue the copy of one buffer set's outputs, before the next replay poisons them."""
        from cupy.cuda import runtime

        self._kept = Kept(self._slot, replay, _drawn.randrange(len(self._outputs)))
        for span, copy in zip(self._outputs[self._kept.buffer_set], self._copies, strict=True):
            runtime.memcpyAsync(copy.data.ptr, span.address, copy.nbytes, runtime.memcpyDeviceToDevice, stream.ptr)

    def hand_over(self) -> None:
        """Give the copies to `keep`; the stream has come to its end."""
        self._keep(self._kept, self._copies)
        self.slots[self._slot : self._slot + 1] = [self._kept]
