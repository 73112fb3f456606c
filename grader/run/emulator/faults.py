"""What a launch can end in: the result, and the fault that explains itself.

The kinds of fault are the words of NVIDIA's compute-sanitizer where it has one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.run.emulator.counts import LaunchCounts

Index3 = tuple[int, int, int]


@dataclass(frozen=True)
class Fault:
    """Undefined behaviour, seen. `index` and `extent` count elements of `itemsize` bytes; `bytes` is the access's size.

    `block` and `thread` are those of the first thread at fault, `threads` how many did the same in this instruction.
    """

    kind: str
    message: str
    line: int = 0
    kernel: str = ""
    access: str = ""
    bytes: int = 0
    array: str = ""
    index: int | None = None
    extent: int | None = None
    itemsize: int = 0
    block: Index3 | None = None
    thread: Index3 | None = None
    threads: int = 0
    instruction: str = ""


@dataclass(frozen=True)
class Limits:
    """`instructions` counts warp instructions of a launch; `seconds` is wall-clock time, None for no limit.

    Where `races_are_fatal` is not set, data races are remarks.
    """

    instructions: int = 64_000_000
    seconds: float | None = None
    races_are_fatal: bool = True


@dataclass(frozen=True)
class LaunchResult:
    """`status` is "done", "fault" or "limit"; `lines` says for "limit" where the threads were, most of them first."""

    status: str
    fault: Fault | None = None
    instructions: int = 0
    lines: tuple[int, ...] = ()
    printed: str = ""
    faults: tuple[Fault, ...] = field(default=())
    remarks: tuple[Fault, ...] = ()
    """What is no fault by itself: threads that write the same value to one place, or exit before a barrier."""
    counts: LaunchCounts | None = None
    """What it cost, where that was asked for."""
