"""The values of one scalar variable over time, by thread: what a condition asks for at each step of a run."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from grader.replay.model import SPACES, VARIABLE
from grader.replay.trace import Trace


class History:
    """The writes to a variable of `size` bytes; `initial` are its bits before the first."""

    def __init__(self, size: int, initial: int | None, writes: dict[int, tuple[list[int], list[int]]]) -> None:
        self.size, self._initial, self._writes = size, initial, writes

    def before(self, step: int, thread: int) -> int | None:
        """The bits in a thread before `step` runs; None if it has no value yet."""
        steps, values = self._writes.get(thread, ((), ()))
        at = bisect_left(steps, step)
        return values[at - 1] if at else self._initial


def history_of(trace: Trace, number: int) -> History | None:
    """The history of a variable of the kernel itself, always written as a whole; None for any other."""
    declared, writes = trace.variables[number], trace.writes
    type = trace.types[declared.type]
    found = np.flatnonzero((writes.space == SPACES.index(VARIABLE)) & (writes.target == number))
    whole = (writes.offset[found] == 0) & (writes.size[found] == type.size)
    # Of a device function each call has its own variables.
    calls = writes.call[found] if len(writes.call) else np.full(len(found), -1)
    if type.kind not in ("scalar", "pointer") or declared.shared >= 0 or not whole.all() or (calls >= 0).any():
        return None
    found = found[np.argsort(writes.thread[found], kind="stable")]
    threads = writes.thread[found]
    by_thread = {}
    for part in np.split(found, np.flatnonzero(np.diff(threads)) + 1) if len(found) else ():
        by_thread[int(writes.thread[part[0]])] = (writes.step[part].tolist(), writes.value[part].tolist())
    return History(type.size, declared.initial, by_thread)
