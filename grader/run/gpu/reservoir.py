"""Keeps outputs of replays that nobody could predict, for the judge to check in full.

Round n is kept with probability least / n, as in reservoir sampling (Vitter, 1985): the first ones surely, and later
ones so that a kernel that behaves only in the first replays is still caught. The judge decides what is right.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from grader.measure.samples import Kept
from grader.run.gpu.mailbox import Mailbox
from grader.run.gpu.refill import Span

Keep = Callable[[Kept, Mailbox], None]
"""Called with the outputs while nothing runs on the GPU; they are overwritten later."""

_drawn = secrets.SystemRandom()


class Reservoir:
    """Draws replays and keeps their outputs.

    `keep` receives them; `least`: the first rounds that are surely kept; `outputs`: those of each buffer set of the
    candidate's graph.
    """

    def __init__(
        self,
        keep: Keep,
        least: int,
        outputs: Sequence[Sequence[Span]],
        make_mailbox: Callable[[Sequence[int]], Mailbox] = Mailbox,
    ) -> None:
        self.kept: list[Kept] = []
        self._keep = keep
        self._least = least
        self._outputs = outputs
        self._rounds = 0
        self._next = Kept(0, 0)
        self._mailbox = make_mailbox([span.nbytes for span in outputs[0]])

    def choose(self, places: Sequence[int]) -> int | None:
        """Returns which of a round's replays, given by their places in it, will be kept; None for none."""
        self._rounds += 1
        return _drawn.choice(places) if _drawn.randrange(self._rounds) < self._least else None

    def copy(self, stream: Any, replay: int, buffer_set: int | None = None) -> None:
        """Enqueues the copy of one set's outputs, before the next replay poisons them.

        `buffer_set`: the set's number; drawn by default.
        """
        from cupy.cuda import runtime

        self._next = Kept(replay, _drawn.randrange(len(self._outputs)) if buffer_set is None else buffer_set)
        for span, copy in zip(self._outputs[self._next.buffer_set], self._mailbox.arrays, strict=True):
            runtime.memcpyAsync(copy.data.ptr, span.address, copy.nbytes, runtime.memcpyDeviceToDevice, stream.ptr)

    def hand_over(self) -> None:
        """Gives the copies to `keep`; the stream's work has ended."""
        self._keep(self._next, self._mailbox)
        self.kept.append(self._next)

    def free(self) -> None:
        self._mailbox.free()
