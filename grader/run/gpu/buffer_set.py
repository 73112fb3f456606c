"""What one launch sequence that is timed works on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.run.gpu.refill import Span


@dataclass(frozen=True)
class BufferSet:
    """The arrays of one launch sequence, and `launch`, which enqueues it on a CuPy stream.

    `owner` is held as long as the set is used: what keeps the arrays allocated.
    """

    inputs: Sequence[Span | None]
    """None is one that keeps what it has."""
    outputs: Sequence[Span]
    launch: Callable[[Any], None]
    owner: object = None
    scratch: Sequence[Span] = ()
    """What else the launches write to: poisoned before each replay, as outputs are."""

    @property
    def bytes(self) -> int:
        """Of what is filled: a structure is small beside it."""
        return sum(span.nbytes for span in (*self.inputs, *self.outputs, *self.scratch) if span is not None)
