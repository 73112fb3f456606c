"""The Recording of one call of a submission's solve(): its arguments and what it asked for.

Plain data, made by grader.plan.recorder.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.core.plan import Alloc, Plan
from grader.plan.frames import CallError


@dataclass(frozen=True)
class Argument:
    """One argument of solve(). `kind` is "int64" (pointers too), "float32" or "float64"; `bits` is the raw value.

    For an array, `bits` is its address and `size` its size in bytes.
    """

    name: str
    kind: str
    bits: int
    size: int = 0


@dataclass(frozen=True)
class Recording:
    """What one call of solve() asked for. `at` holds the call stack of each step (host_lines maps it to lines).

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
