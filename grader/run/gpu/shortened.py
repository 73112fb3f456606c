"""Replays only a graph's first launches, at random among the timed ones: each launch has to do its own work alone.

A kernel can remember the addresses of all buffer sets, and have one launch do the work of all, or leave work to a later
one. If only the first k launches run, the outputs of the others must keep what they were filled with, and those of the
last that ran must be right. Until its end such a replay is like any other; its round gives no times.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from grader.run.gpu.buffer_set import BufferSet
from grader.run.gpu.instruments import capture
from grader.run.gpu.refill import POISON_WORD, Span, grid_of, output_row

GRAPHS = 6
"""How many such graphs are made, each of a random number of launches."""
LEAST, OFTEN, HELD_BACK = 2, 5, 12
"""Round n, from 0, is shortened with probability OFTEN / (n + HELD_BACK), and at least LEAST rounds are."""

_drawn = secrets.SystemRandom()


class WrittenEarly(Exception):
    """A launch wrote an output of another launch, which did not run. `output` counts the outputs of a set."""

    def __init__(self, launches: int, sets: int, buffer_set: int, output: int) -> None:
        super().__init__(
            f"of {sets} launches, each on arrays of its own, only the first {launches} ran, and outputs of number "
            f"{buffer_set + 1} were written; each launch has to do its own work"
        )
        self.output = output


class Side(Protocol):
    """A contender that is timed."""

    sets: list[BufferSet]


@dataclass(frozen=True)
class Short:
    """The graph of a side's first `launches` buffer sets."""

    side: Side
    launches: int
    graph: Any
    rest: Untouched


class Shortened:
    """The shorter graphs of one side, and the rounds in which they replace one of its replays."""

    def __init__(self, side: Side, stream: Any, module: Any) -> None:
        self._rounds = self._done = 0
        counts = [_drawn.randrange(1, len(side.sets)) for _ in range(GRAPHS)] if len(side.sets) > 1 else []
        self._graphs = [
            Short(
                side,
                count,
                self.graph_of(stream, side.sets[:count]),
                self.rest_of(module, side.sets[count:], count),
            )
            for count in counts
        ]

    def graph_of(self, stream: Any, sets: Sequence[BufferSet]) -> Any:
        """The graph that launches these sets alone."""
        return capture(stream, [buffers.launch for buffers in sets])

    def rest_of(self, module: Any, sets: Sequence[BufferSet], first: int) -> Untouched:
        """What looks at these sets, which are not launched and are numbered from `first`."""
        return Untouched(module, [buffers.outputs for buffers in sets], first)

    @property
    def owed(self) -> bool:
        """Whether more rounds are needed before the timing may end."""
        return bool(self._graphs) and self._done < LEAST

    def draw(self, must: bool = False) -> Short | None:
        """Returns the graph that this round replays once; None for a round that is timed. `must` leaves no choice."""
        self._rounds += 1
        if not self._graphs or not (must or _drawn.random() < OFTEN / (self._rounds - 1 + HELD_BACK)):
            return None
        self._done += 1
        return _drawn.choice(self._graphs)


class Untouched:
    """Checks whether outputs still hold what `Refill` filled them with. `first` is the number of their first set."""

    def __init__(self, module: Any, outputs: Sequence[Sequence[Span]], first: int) -> None:
        import cupy

        self._places = [(number, at) for number, spans in enumerate(outputs, first) for at in range(len(spans))]
        self._sets = first + len(outputs)
        self._launches = first
        rows = [output_row(span) for spans in outputs for span in spans]
        self._kernel = module.get_function("find_written")
        self._table = cupy.asarray(np.array(rows, dtype=np.uint64))
        self._written = cupy.zeros(len(rows), dtype=cupy.uint32)
        self._grid = grid_of(rows)
        # Both came through another stream.
        cupy.cuda.Device().synchronize()

    def enqueue(self, stream: Any) -> None:
        """Enqueues the check, behind the graph and before the next refill."""
        self._written.data.memset_async(0, self._written.nbytes, stream)
        arguments = (np.uint64(self._table.data.ptr), POISON_WORD, np.uint64(self._written.data.ptr))
        self._kernel(self._grid, (256, 1, 1), arguments, stream=stream)

    def check(self) -> None:
        """Raises WrittenEarly for the first output that was written; the stream's work has ended."""
        written = np.flatnonzero(self._written.get())
        if written.size:
            raise WrittenEarly(self._launches, self._sets, *self._places[int(written[0])])
