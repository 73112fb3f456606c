"""A runner as launch code sees it while it is recorded: all that runs for its reads shares one limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grader.core.limits import Limits
from grader.plan.runner import Runner

if TYPE_CHECKING:
    from grader.compile.program import Program
    from grader.core.plan import Step
    from grader.core.report import KernelInfo


class Limited:
    """A DeviceMemory for one recording. `added` are the kernels that became ready to run during it."""

    def __init__(self, runner: Runner, limits: Limits) -> None:
        self._runner = runner
        self._limits = limits
        self.added: list[KernelInfo] = []

    @property
    def grows(self) -> bool:
        """Whether freed scratch may be allocated again with more room: only emulated memory can."""
        return self._runner.device == "emulator"

    def allocate(self, size: int) -> int | None:
        return self._runner.allocate(size)

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        added = self._runner.extend(program)
        self.added += added
        return added

    def time(self, steps: Sequence[Step]) -> float:
        return self._runner.time(steps, self._limits)

    def symbol(self, name: str) -> int | None:
        return self._runner.symbol(name)

    def read(self, steps: Sequence[Step], address: int, size: int) -> bytes:
        return self._runner.read(steps, address, size, self._limits)
