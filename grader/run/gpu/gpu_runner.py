"""One GPU as a Runner: what its process is told of a program, and when that process has to end.

How the process is started, asked and replaced is the same for every runner and is written elsewhere.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.compile.program import Program
from grader.measure.samples import Timing, from_data
from grader.plan.plan import Plan
from grader.report import KernelInfo
from grader.run.child_runner import ChildRunner
from grader.run.gpu.devices import Gpu
from grader.run.runner import Limits, Run, RunStatus
from grader.workspace import cache_folder

MODULE = "grader.run.gpu.child"

LIMITS, TIMING_SECONDS = 12, 30.0
"""How long one answer may take while timing: the rounds of the slowest kernel that is let through, and the judge's."""
CHECKS = (
    "writes beyond the ends of each array",
    "errors of every launch",
    "two runs with different fillings, compared bit by bit",
)


class GpuRunner(ChildRunner):
    """Runs one submission on one GPU. The GPU is not touched before `load`."""

    checks: tuple[str, ...] = CHECKS

    def __init__(
        self,
        gpu: Gpu,
        folder: Path,
        module: str = MODULE,
        prefix: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.device = gpu.name
        # CuPy makes its cache folder when it is imported: in kgrade's, not in the home folder.
        places = {"CUDA_VISIBLE_DEVICES": gpu.uuid, "CUPY_CACHE_DIR": str(cache_folder() / "cupy")}
        super().__init__(folder, module, {**places, **(environment or {})}, prefix)

    def load(self, program: Program) -> tuple[KernelInfo, ...]:
        symbols = {kernel.name: kernel.symbol for kernel in program.kernels}
        return tuple(
            replace(kernel, spill_bytes=program.spills.get(symbols[kernel.name])) for kernel in super().load(program)
        )

    def execute(self, plan: Plan, limits: Limits) -> Run:
        run = super().execute(plan, limits)
        if run.status is not RunStatus.DONE:
            # After most of CUDA's errors its context is of no use, and a kernel may still be running.
            self.close()
        return run

    def measure(self, request: Mapping[str, Any], check: Callable[[Mapping[str, Any]], str]) -> Timing | Run:
        """Times the loaded program as `Measuring` is asked to; a Run where it did not come to an end.

        `check` is given each of the outputs that were kept, and says "go_on" or "hand_over"; what it raises ends the
        process. Raises RunnerStopped, and JudgeError for an answer that is none.
        """
        seconds = LIMITS * request["limit"] + TIMING_SECONDS
        self.load_anew()
        try:
            answer = self._ask({"do": "measure", **request}, seconds)
            while "kept" in answer:
                answer = self._ask({"do": check(answer["kept"])}, seconds)
        except BaseException:
            self.close()
            raise
        if answer["status"] == "done":
            return from_data(answer["timing"])
        self.close()
        return self.run_of(answer)

    def _image_of(self, program: Program) -> dict[str, Any]:
        symbols = {kernel.name: kernel.symbol for kernel in program.kernels}
        return {"image": base64.b64encode(program.cubin).decode(), "symbols": symbols}
