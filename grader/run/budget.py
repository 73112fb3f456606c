"""A runner as launch code sees it while it is recorded, with one time limit for all that runs meanwhile."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.run.runner import Limits, Runner, RunnerStopped, RunStatus

if TYPE_CHECKING:
    from grader.plan.plan import Step


class Budgeted:
    """A Device for one recording. Steps that it runs for reads use up the seconds of `limits`."""

    def __init__(self, runner: Runner, limits: Limits) -> None:
        self._runner = runner
        self._limits = limits
        self._used = 0.0

    @property
    def grows(self) -> bool:
        """Whether freed scratch may be given again with more room than it had: only emulated memory can."""
        return self._runner.device == "emulator"

    def allocate(self, size: int) -> int | None:
        return self._runner.allocate(size)

    def symbol(self, name: str) -> int | None:
        return self._runner.symbol(name)

    def read(self, steps: Sequence[Step], address: int, size: int) -> bytes:
        began = time.monotonic()
        try:
            return self._runner.read(steps, address, size, self.left())
        finally:
            self._used += time.monotonic() - began

    def left(self) -> Limits:
        """What later steps may take. Raises RunnerStopped where nothing is left."""
        seconds = self._limits.seconds - self._used
        if seconds <= 0:
            message = f"still running after {self._limits.seconds:g} s, with what solve() copied to the host in between"
            raise RunnerStopped(RunStatus.TIME, message)
        return replace(self._limits, seconds=seconds)
