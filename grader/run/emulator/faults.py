"""What a launch can end in: its result, and faults that explain themselves.

The kinds of fault are the words of NVIDIA's compute-sanitizer where it has one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.run.emulator.counts import LaunchCounts

Index3 = tuple[int, int, int]


@dataclass(frozen=True)
class Fault:
    """What a kernel did wrong, at one instruction.

    `kind` is out_of_bounds, misaligned, data_race, uninitialized_read, barrier_divergence, deadlock, trap (also for an
    assertion), illegal_instruction or launch_failure; `message` explains it. `line` is the line of the CUDA source, 0
    if unknown; `instruction` is PTX.

    For a memory access, `access` is what it does ("read", "write", "atomic"), `bytes` its size for one thread, `array`
    the array that was meant; `index` and `extent` count elements of `itemsize` bytes, from 0, and `index` may lie
    outside of the array. `block` and `thread` are the indices (x, y, z) of the first thread at fault, `threads` the
    number of threads that did the same at this instruction.
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
    unset_shared: bool = False
    """What was read is shared memory that no thread of the block has written."""
    undefined: bool = False
    """The fault is a remark: the kernel uses an undefined value, so that a GPU may compute something else."""


@dataclass(frozen=True)
class Limits:
    """What a launch may take before it ends with status "limit".

    `instructions` counts warp instructions of all warps together; matrix instructions, printf, and what threads wait
    with count as several. `seconds` is measured as LaunchResult.seconds; None is no limit. If `races_are_fatal` is
    False, data races are remarks instead of faults. `unset_shared` is the word that shared memory holds where nobody
    has written, or layout.LEFT_OVER; if it is None, a read of it is a fault.
    """

    instructions: int = 64_000_000
    seconds: float | None = None
    races_are_fatal: bool = True
    unset_shared: int | None = None


@dataclass(frozen=True)
class LaunchResult:
    """The outcome of a launch.

    `status` is "done", "fault" or "limit". `fault` is the first of `faults`, None without any. `instructions` counts as
    Limits.instructions does. `lines` are, for a launch that was stopped, the lines of the CUDA source where threads
    were, those with most threads first. `printed` is the output of printf.
    """

    status: str
    fault: Fault | None = None
    instructions: int = 0
    lines: tuple[int, ...] = ()
    printed: str = ""
    faults: tuple[Fault, ...] = field(default=())
    remarks: tuple[Fault, ...] = ()
    """What is no fault by itself: threads that write the same value to one place, or exit before a barrier. Also,
    without a line, that the checks stopped early in this launch.
    """
    counts: LaunchCounts | None = None
    """The cost; None if the module does not count."""
    seconds: float = 0.0
    """Wall seconds, or CPU seconds per worker if those are fewer, so that a busy machine does not add to them."""
