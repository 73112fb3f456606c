"""Takes parts out of a Trace: one warp's accesses, which an explanation plays, and variables of some warps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grader.replay.model import LANES, SPACES, VARIABLE, Accesses, Column, Steps, Waits
from grader.replay.trace import Trace


def one_warp(trace: Trace, warp: int, most_steps: int) -> Trace:
    """The first `most_steps` steps of one warp, with what they access in shared and global memory.

    Other warps' writes to shared memory, the variables and the marks are left out.
    """
    kept = np.flatnonzero(trace.steps.warp == warp)[:most_steps]
    numbers = np.full(len(trace), -1)
    numbers[kept] = np.arange(len(kept))
    steps = Steps(**{name: column[kept] for name, column in vars(trace.steps).items()})
    parents = np.where(steps.parent >= 0, numbers[steps.parent], -1)
    # The step in which a barrier lets this warp go may be another warp's.
    released = _last_before(kept, trace.waits.step)
    inside = (trace.waits.warp == warp) & (released >= 0) & (trace.waits.step <= (kept[-1] if len(kept) else -1))
    waits = Waits(**{name: column[inside] for name, column in vars(trace.waits).items()})
    return replace(
        trace,
        steps=replace(steps, parent=parents),
        reads=_accesses(trace.reads, warp, numbers),
        writes=_accesses(trace.writes, warp, numbers),
        waits=replace(waits, step=released[inside]),
        variables=(),
        marks=(),
    )


def variables_of(trace: Trace, warps: Sequence[int]) -> Trace:
    """The trace with the variables of these warps alone."""
    writes = trace.writes
    kept = (writes.space != SPACES.index(VARIABLE)) | np.isin(writes.thread // LANES, warps)
    return replace(trace, writes=Accesses(**{name: column[kept] for name, column in vars(writes).items()}))


def _accesses(accesses: Accesses, warp: int, numbers: Column) -> Accesses:
    own = (
        (accesses.thread // LANES == warp) & (accesses.space != SPACES.index(VARIABLE)) & (numbers[accesses.step] >= 0)
    )
    kept = Accesses(**{name: column[own] for name, column in vars(accesses).items()})
    return replace(kept, step=numbers[kept.step])


def _last_before(kept: Column, steps: Column) -> Column:
    """Returns for each of `steps` the number of the last kept step at or before it."""
    return np.searchsorted(kept, steps, "right") - 1
