"""One runner's part in a grading: its cases, what a run may take, and how it comes to its device and leaves it.

It examines nothing; `grader.grading` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from grader.cases import Case
from grader.plan.device_table import EMULATED, DeviceTable
from grader.problem import Problem
from grader.referee import Referee
from grader.run.gpu.gpu_runner import GpuRunner
from grader.run.gpu.lock import Turn
from grader.run.runner import Limits, Runner


@dataclass(frozen=True)
class Part:
    """`helps` says of a part beside that on a GPU how it looks: "on the emulator", "by memcheck".

    What such a part can't execute, or not in time, says nothing. Empty for the part that decides.
    """

    runner: Runner
    cases: Sequence[Case]
    limits: Callable[[Problem, Case], Limits]
    helps: str = field(default="", kw_only=True)
    emulated: bool = field(default=False, kw_only=True)
    """Whether the emulator alone decides."""

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

    def close(self) -> None:
        """Ends the processes."""
        self.runner.close()


@dataclass(frozen=True)
class GpuPart(Part):
    """The part on a GPU. `timed` is its runner as one that can time, `referee` checks large cases.

    `make_memcheck` starts the runner that looks in the emulator's place, None where that is not installed.
    """

    timed: GpuRunner = field(kw_only=True)
    referee: Referee = field(kw_only=True)
    turn: Turn = field(kw_only=True)
    make_memcheck: Callable[[], Runner | None] = field(kw_only=True)

    def begin(self) -> None:
        if self.turn.try_now():
            self.timed.rehearse()
            self.referee.begin()

    def device_table(self) -> DeviceTable:
        return self.timed.device_table()

    @contextmanager
    def take_turn(self) -> Iterator[None]:
        """On its end the processes that used the GPU have ended too."""
        with self.turn:
            try:
                yield
            finally:
                self.close()

    def close(self) -> None:
        # Both at once: a process that used CUDA takes a tenth of a second to end.
        self.timed.kill()
        self.referee.kill()
        super().close()
        self.referee.close()
        self.turn.release()
