"""The emulator as a Runner: what its process is told of a program, and what its runs are checked for.

How the process is started, asked and replaced is the same for every runner and is written elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from grader import head_start
from grader.compile.program import Program
from grader.plan.plan import Launch, Plan, Step
from grader.report import FaultReport, KernelInfo
from grader.run.child_runner import LOAD_SECONDS, ChildRunner, symbols_of
from grader.run.runner import USUAL_LIMITS, Limits, Run, RunnerStopped, RunStatus
from grader.verdict import FaultClass

MODULE = head_start.EMULATOR
CHECKS = (
    "accesses out of bounds of each array",
    "misaligned accesses",
    "data races in shared and global memory",
    "reads of shared and global memory that nobody wrote",
    "barriers that threads of a block reach at different places",
    "deadlocks",
)


class EmulatorRunner(ChildRunner):
    """Runs one submission on the emulator. `cache` is where translated kernels are kept."""

    device: str = "emulator"
    checks: tuple[str, ...] = CHECKS

    def __init__(self, folder: Path, cache: Path | None = None, module: str = MODULE) -> None:
        self._cache = cache
        self._translated: set[str] = set()
        super().__init__(folder, module)

    def load(self, program: Program) -> tuple[KernelInfo, ...]:
        if not program.image:
            message = "the file compiles for this GPU's own target alone, which the emulator does not know"
            fault = FaultReport(FaultClass.ILLEGAL_INSTRUCTION, message)
            raise RunnerStopped(RunStatus.FAULT, message, run=Run(RunStatus.FAULT, fault=fault))
        self._translated = set()
        kernels = super().load(program)
        if len(program.kernels) == 1:
            self._translate(symbols_of(program))
        return kernels

    def read(self, steps: Sequence[Step], address: int, size: int, limits: Limits = USUAL_LIMITS) -> bytes:
        self._translate_for(steps)
        return super().read(steps, address, size, limits)

    def execute(self, plan: Plan, limits: Limits) -> Run:
        self._translate_for(plan.steps)
        return super().execute(plan, limits)

    def _translate_for(self, steps: Sequence[Step]) -> None:
        # Of a library's many kernels only those that are launched.
        self._translate(dict.fromkeys(step.kernel for step in steps if isinstance(step, Launch)))

    def _translate(self, names: Iterable[str]) -> None:
        """Has kernels translated that are not yet, in time of its own."""
        new = [name for name in names if name not in self._translated]
        if new:
            self._ask({"do": "translate", "kernels": new}, LOAD_SECONDS)
            self._translated.update(new)

    def _image_of(self, program: Program) -> dict[str, Any]:
        cache = str(self._cache) if self._cache else None
        return {"image": program.image, "symbols": symbols_of(program), "cache": cache, "values": program.debug}
