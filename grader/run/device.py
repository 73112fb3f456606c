"""What a grading runs on: the protocol of a device, and the part that each of its runners takes in a grading.

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
    """What times a program that was found right: on this GPU, by this runner, with outputs that the referee checks."""

    gpu: Gpu
    runner: GpuRunner
    referee: Referee


@dataclass(frozen=True)
class Part:
    """One runner's part in a grading: its cases, what a run may take, how it comes to its device and leaves it.

    `helps` says of a part beside the one that decides how it looks: "on the emulator", "by memcheck". What such a part
    can't execute, or not in time, says nothing. Empty for the part that decides. `referee` checks large cases, and
    `stopwatch` times what is right, where the device has them.
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
    """For one call of the submission's own solve() on the host."""
    sure_bytes: int = field(default=SURE_BYTES, kw_only=True)
    """Cases of so many bytes have to end on the emulator also where nobody knows their work."""
    search: Search = field(default=USUAL_SEARCH, kw_only=True)

    @property
    def decides(self) -> bool:
        return not self.helps

    def begin(self) -> None:
        """Lets the processes do what takes time once, while others work, where that disturbs nobody."""

    def device_table(self) -> DeviceTable:
        """What launch code may ask about the device; asked while it is this part's turn."""
        return EMULATED

    def take_turn(self) -> AbstractContextManager[None]:
        """Waits until the device is free; inside, it is this part's."""
        return nullcontext()

    def stand_in(self, cases: Sequence[Case]) -> Part | None:
        """Who looks at these cases on this device where a part beside met an instruction that it does not know.

        None where nobody can; the caller closes it.
        """
        return None

    def close(self) -> None:
        """Ends the processes."""
        self.runner.close()


class Device(Protocol):
    """What a grading runs on, as a factory makes it of the words of `--device`. Nothing is started or touched yet."""

    @property
    def name(self) -> str:
        """As reports name it."""

    @property
    def gpu(self) -> Gpu | None:
        """The GPU that submissions are compiled for, beside what the emulator runs; None for that alone."""

    def draw(
        self,
        problem: Problem,
        seed: int,
        count: int,
        given: Sequence[Mapping[str, int]],
        constants: Mapping[str, int] | None = None,
    ) -> list[Case]:
        """The cases of a grading, small to large; `given` and `constants` are as for `draw_cases`.

        Raises UsageError for sizes that the device can't take.
        """

    def start(self, problem: Problem, sandbox: Sandbox, cache: Path, progress: Progress) -> Sequence[Part]:
        """Starts the runners, in the order in which they take part; the last one decides. The caller closes each.

        They have no cases yet, and a GPU is not touched before its turn.
        """


ChooseDevice = Callable[[str], Device]
"""Makes a Device of the words of `--device`. Raises UsageError where there is none of them."""
