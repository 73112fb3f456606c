"""What a grading runs on: the protocol of a device, and the part that each of its runners has in a grading.

A device examines nothing; the judge does that, with the runners that the device starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from grader.core.limits import SOLVE_SECONDS, USUAL_SEARCH, Limits, Search
from grader.machine.gpus import Gpu
from grader.plan.device_table import EMULATED, DeviceTable
from grader.plan.runner import Runner
from grader.problem import Problem
from grader.problem.cases import SURE_BYTES, Case
from grader.run.gpu.gpu_runner import GpuRunner
from grader.run.gpu.referee import Referee
from grader.sandbox import Sandbox

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Stopwatch:
    """Times a program that was found right: the GPU, its runner, and the referee that checks the outputs."""

    gpu: Gpu
    runner: GpuRunner
    referee: Referee


@dataclass(frozen=True)
class Part:
    """One runner's part in a grading: its cases, the limits of a run, how it gets its device and gives it back.

    `helps` says how a part that does not decide looks: "on the emulator", "by memcheck". If such a part cannot execute
    something, or not in time, that says nothing. Empty for the part that decides. `referee` checks large cases, and
    `stopwatch` times what is right, if the device has them.
    """

    runner: Runner
    cases: Sequence[Case]
    limits: Callable[[Problem, Case], Limits]
    helps: str = field(default="", kw_only=True)
    emulated: bool = field(default=False, kw_only=True)
    """Whether the emulator alone decides."""
    referee: Referee | None = field(default=None, kw_only=True)
    stopwatch: Stopwatch | None = field(default=None, kw_only=True)
    solve_seconds: float = field(default=SOLVE_SECONDS, kw_only=True)
    """What one call of the submission's own solve() may take on the host."""
    sure_bytes: int = field(default=SURE_BYTES, kw_only=True)
    """Cases of so many bytes have to end on the emulator also where nobody knows their work."""
    search: Search = field(default=USUAL_SEARCH, kw_only=True)

    @property
    def decides(self) -> bool:
        return not self.helps

    def begin(self) -> None:
        """Starts what takes the processes time once, while others work, if that disturbs nobody."""

    def device_table(self) -> DeviceTable:
        """Returns what launch code may ask about the device; called while it is this part's turn."""
        return EMULATED

    def take_turn(self) -> AbstractContextManager[None]:
        """Waits until the device is free; it belongs to this part inside the context."""
        return nullcontext()

    def stand_in(self, cases: Sequence[Case]) -> Part | None:
        """Returns a part that checks these cases on this device, when a helping part met an unknown instruction.

        None if there is no such part; the caller closes it.
        """
        return None

    def close(self) -> None:
        """Ends the processes."""
        self.runner.close()


class Device(Protocol):
    """What a grading runs on, made from the words of `--device`. Nothing is started or touched yet."""

    @property
    def name(self) -> str:
        """The name in reports."""

    @property
    def gpu(self) -> Gpu | None:
        """The GPU to compile submissions for besides the emulator; None for the emulator alone."""

    def draw(
        self,
        problem: Problem,
        seed: int,
        count: int,
        given: Sequence[Mapping[str, int]],
        constants: Mapping[str, int] | None = None,
    ) -> list[Case]:
        """Returns the cases of a grading, small to large; `given` and `constants` are those of `draw_cases`.

        Raises UsageError for sizes that the device cannot take.
        """

    def start(self, problem: Problem, sandbox: Sandbox, cache: Path, progress: Progress) -> Sequence[Part]:
        """Starts the runners, in the order in which they take part; the last one decides. The caller closes each.

        They have no cases yet, and a GPU is not touched before its turn.
        """


ChooseDevice = Callable[[str], Device]
"""Makes a Device from the words of `--device`. Raises UsageError if there is no such device."""
