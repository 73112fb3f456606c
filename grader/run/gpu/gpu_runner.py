"""One GPU as a Runner: what its process is told of a program, and when that process has to end.

How the process is started, asked and replaced is the same for every runner and is written elsewhere.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from grader.compile.program import Program
from grader.plan.plan import Plan
from grader.run.child_runner import ChildRunner
from grader.run.gpu.devices import Gpu
from grader.run.runner import Limits, Run, RunStatus
from grader.workspace import cache_folder

MODULE = "grader.run.gpu.child"
CHECKS = (
    "writes beyond the ends of each array",
    "errors of every launch",
    "two runs with different fillings, compared bit by bit",
)


class GpuRunner(ChildRunner):
    """Runs one submission on one GPU. The GPU is not touched before `load`."""

    checks: tuple[str, ...] = CHECKS

    def __init__(self, gpu: Gpu, folder: Path, module: str = MODULE) -> None:
        self.device = gpu.name
        # CuPy makes its cache folder when it is imported: in kgrade's, not in the home folder.
        places = {"CUDA_VISIBLE_DEVICES": gpu.uuid, "CUPY_CACHE_DIR": str(cache_folder() / "cupy")}
        super().__init__(folder, module, places)

    def execute(self, plan: Plan, limits: Limits) -> Run:
        run = super().execute(plan, limits)
        if run.status is not RunStatus.DONE:
            # After most of CUDA's errors its context is of no use, and a kernel may still be running.
            self.close()
        return run

    def _image_of(self, program: Program) -> dict[str, Any]:
        symbols = {kernel.name: kernel.symbol for kernel in program.kernels}
        return {"image": base64.b64encode(program.cubin).decode(), "symbols": symbols}
