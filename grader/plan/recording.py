"""A Recording: what one call of a submission's solve() was given, and what it asked for.

Plain data; grader.plan.recorder makes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.core.plan import Alloc, Plan
from grader.plan.frames import CallError


@dataclass(frozen=True)
class Argument:
    """One argument of solve(). `kind` is "int64" (also for pointers), "float32" or "float64", `bits` its register.

    For an array `bits` is its address, and `size` its bytes.
    """

    name: str
    kind: str
    bits: int
    size: int = 0


@dataclass(frozen=True)
class Recording:
    """What one call of solve() asked for. `at` holds for each step the calls that led to it (host_lines knows lines).

    `reads` copies to the host gave solve() `read_bytes` bytes; the first `executed` steps were run for them already.
    `leaked` was allocated and not freed. `errors` were answers of the runtime that did not end the recording.
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
