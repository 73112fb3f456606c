"""The emulator as a Runner: what its process is told of a program, and what its runs are checked for.

How the process is started, asked and replaced is the same for every runner and is written elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.compile.program import Program
from grader.run.child_runner import ChildRunner

MODULE = "grader.run.emulator_child"
CHECKS = ("accesses out of bounds of each array", "misaligned accesses", "deadlocks")


class EmulatorRunner(ChildRunner):
    """Runs one submission on the emulator. `cache` is where translated kernels are kept."""

    device: str = "emulator"
    checks: tuple[str, ...] = CHECKS

    def __init__(self, folder: Path, cache: Path | None = None, module: str = MODULE) -> None:
        self._cache = cache
        super().__init__(folder, module)

    def _image_of(self, program: Program) -> dict[str, Any]:
        symbols = {kernel.name: kernel.symbol for kernel in program.kernels}
        return {"image": program.image, "symbols": symbols, "cache": str(self._cache) if self._cache else None}
