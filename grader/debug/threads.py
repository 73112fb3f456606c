"""The names of CUDA threads, as they are written and read, and which of them a debugger attends to."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.debug.values import EvaluationError
from grader.replay.model import LANES, Dim3
from grader.replay.trace import Trace

_INDEX = re.compile(r"\(?\s*(\d{1,10})\s*(?:,\s*(\d{1,10})\s*)?(?:,\s*(\d{1,10})\s*)?\)?")


class OtherBlock(EvaluationError):
    """A block of the launch that was not recorded: `block` can be recorded instead."""

    def __init__(self, block: Dim3, message: str) -> None:
        super().__init__(message)
        self.block = block


@dataclass(frozen=True)
class Focus:
    """Threads to attend to; None means any. `warp` counts in its block, `lane` in its warp."""

    block: Dim3 | None = None
    warp: int | None = None
    lane: int | None = None

    def has(self, trace: Trace, thread: int) -> bool:
        """Whether a thread is in focus."""
        in_block = thread % (trace.block_warps * LANES)
        return (
            (self.block is None or trace.block_index(thread) == self.block)
            and (self.warp is None or in_block // LANES == self.warp)
            and (self.lane is None or in_block % LANES == self.lane)
        )

    def threads(self, trace: Trace) -> list[int]:
        """The threads in focus. Raises OtherBlock for one that was not recorded, EvaluationError if there are none."""
        if self.block is not None:
            _require_recorded(trace, self.block)
        found = [thread for thread in trace.threads() if self.has(trace, thread)]
        if not found:
            raise EvaluationError(f"no recorded thread is in {self.words()}; {extent_words(trace)}")
        return found

    def words(self) -> str:
        """Such as 'block (2,0,0), warp 1'."""
        parts = [] if self.block is None else [f"block {dim3_text(self.block)}"]
        parts += [] if self.warp is None else [f"warp {self.warp}"]
        parts += [] if self.lane is None else [f"lane {self.lane}"]
        return ", ".join(parts) or "all threads"


def dim3_text(index: Dim3) -> str:
    return f"({index[0]},{index[1]},{index[2]})"


def thread_name(trace: Trace, thread: int) -> str:
    """Such as 'block (2,0,0) thread (3,1,0)'."""
    return f"block {dim3_text(trace.block_index(thread))} thread {dim3_text(trace.thread_index(thread))}"


def parse_index(text: str) -> Dim3:
    """An index such as `3,1`, `(3,1,0)` or `3`. Raises EvaluationError."""
    found = _INDEX.fullmatch(text.strip())
    if found is None:
        raise EvaluationError(f"{text.strip()[:40]} is no index; expected is one such as 3, 3,1 or (3,1,0)")
    return int(found[1]), int(found[2] or 0), int(found[3] or 0)


def find_thread(trace: Trace, index: Dim3, block: Dim3 | None = None) -> int:
    """The number of a thread. Raises OtherBlock for a block that was not recorded, EvaluationError for no thread."""
    if block is not None:
        _require_recorded(trace, block)
    if not is_inside(index, trace.block_dim):
        where = "" if block is None else f" of block {dim3_text(block)}"
        raise EvaluationError(f"there is no thread {dim3_text(index)}{where}; {extent_words(trace)}")
    return trace.thread_at(index, block)


def is_inside(index: Dim3, extents: Dim3) -> bool:
    """Whether there is such a thread in a block, or such a block in a grid."""
    return all(at < extent for at, extent in zip(index, extents, strict=True))


def _require_recorded(trace: Trace, block: Dim3) -> None:
    if block in trace.blocks:
        return
    if is_inside(block, trace.grid):
        raise OtherBlock(block, f"block {dim3_text(block)} was not recorded; {extent_words(trace)}")
    x, y, z = (extent - 1 for extent in trace.grid)
    raise EvaluationError(f"there is no block {dim3_text(block)}; the grid has (0,0,0) to ({x},{y},{z})")


def extent_words(trace: Trace) -> str:
    """Which threads there are, in words."""
    x, y, z = (extent - 1 for extent in trace.block_dim)
    blocks = " and ".join(map(dim3_text, trace.blocks))
    many = "s" if len(trace.blocks) > 1 else ""
    return f"recorded are threads (0,0,0) to ({x},{y},{z}) of block{many} {blocks}, {trace.block_warps} warps each"
