"""The Recording of one call of a submission's solve(): its arguments and what it asked for.

Plain data, made by grader.plan.recorder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grader.core.plan import Alloc, Plan, with_line
from grader.plan.frames import CallError

Lines = Callable[[Sequence[Sequence[int]]], Sequence[int | None]]
"""The source line of each of these calls, given as `Recording.at` has them; None if unknown."""


@dataclass(frozen=True)
class Argument:
    """One argument of solve(). `kind` is "int64" (pointers too), "float32" or "float64"; `bits` is the raw value.

    For an array, `bits` is its address, `size` its size in bytes, `dtype` the name of its type, `shape` in elements.
    """

    name: str
    kind: str
    bits: int
    size: int = 0
    dtype: str = ""
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Recording:
    """What a call of solve() asked for, or several calls in one process.

    `at` holds the call stack of each step, which its recorder maps to lines. `begins` are the first steps of the calls.
    `reads` copies to the host gave solve() `read_bytes` bytes; the first `executed` steps were run for them already.
    `leaked` was allocated and not freed. `errors` are the runtime errors that did not end the recording.
    """

    plan: Plan
    at: tuple[tuple[int, ...], ...]
    reads: int
    read_bytes: int
    executed: int
    leaked: tuple[Alloc, ...]
    errors: tuple[CallError, ...]
    seconds: float
    printed: str
    begins: tuple[int, ...] = (0,)


def with_lines(recording: Recording, lines: Lines) -> Recording:
    """The recording with the source lines set in its steps."""
    found = lines(recording.at)
    steps = (with_line(step, line) for step, line in zip(recording.plan.steps, found, strict=True))
    return replace(recording, plan=Plan(tuple(steps)))
