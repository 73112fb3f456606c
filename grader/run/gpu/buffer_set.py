"""The arrays that one timed launch sequence works on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.run.gpu.refill import Span


@dataclass(frozen=True)
class BufferSet:
    """The arrays of one launch sequence, and `launch`, which enqueues it on a CuPy stream.

    `owner` keeps the arrays allocated as long as the set is used.
    """

    inputs: Sequence[Span | None]
    """None for an input that keeps its contents."""
    outputs: Sequence[Span]
    launch: Callable[[Any], None]
    owner: object = None
    scratch: Sequence[Span] = ()
    """What else the launches write to: poisoned before each replay, like outputs."""

    @property
    def bytes(self) -> int:
        """The bytes that are filled; a structure is small beside them."""
        return sum(span.nbytes for span in (*self.inputs, *self.outputs, *self.scratch) if span is not None)
