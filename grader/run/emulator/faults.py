"""What a launch can end in: the result, and the fault that explains itself.

The kinds of fault are the words of NVIDIA's compute-sanitizer where it has one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.run.emulator.counts import LaunchCounts

Index3 = tuple[int, int, int]


@dataclass(frozen=True)
class Fault:
    """What a kernel has done wrong, at one instruction.

    `kind` is out_of_bounds, misaligned, data_race, uninitialized_read, barrier_divergence, deadlock, trap (also of an
    assertion), illegal_instruction or launch_failure; `message` says it in words. `line` is the line of the
    CUDA source, 0 where it is unknown; `instruction` is PTX.

    Of a memory access, `access` is what it does ("read", "write", "atomic"), `bytes` its size for one thread, `array`
    the array that was meant, and `index` and `extent` count elements of `itemsize` bytes, from 0; `index` may lie
    outside of the array. `block` and `thread` are the indices (x, y, z) of the first thread at fault, `threads` how
    many threads did the same at this instruction.
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
    undefined: bool = False
    """Of a remark: a value is used that nobody has, so that a GPU may compute something else."""


@dataclass(frozen=True)
class Limits:
    """What a launch may take before it ends with status "limit".

    `instructions` counts those of all warps together, one for a whole warp; matrix instructions, printf, and what
    threads wait by count as several. `seconds` counts as LaunchResult.seconds does; None is no limit. Where
    `races_are_fatal` is False, data races are remarks instead of faults.
    """

    instructions: int = 64_000_000
    seconds: float | None = None
    races_are_fatal: bool = True


@dataclass(frozen=True)
class LaunchResult:
    """What became of a launch.

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
    """What is no fault by itself: threads that write the same value to one place, or exit before a barrier; and that
    checks rested, of the launch as a whole and therefore without a line."""
    counts: LaunchCounts | None = None
    """What it cost; None where the module does not count."""
    seconds: float = 0.0
    """Seconds on the wall, or seconds of processor time for each worker where that is less: a busy machine makes
    these no more."""
