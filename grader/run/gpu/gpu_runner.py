"""One GPU as a Runner: what its process gets to know of a program, and when that process has to end.

How the process is started, asked and replaced is the same for every runner and is written elsewhere.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from grader.compile.program import Program
from grader.core.limits import USUAL_LIMITS, Limits
from grader.core.plan import Plan, Step, step_to_json
from grader.core.report import KernelInfo
from grader.machine.gpus import Gpu, environment_of
from grader.measure.samples import Timing, from_data
from grader.plan.device_table import DeviceTable, table_of
from grader.plan.runner import Run, RunnerStopped, RunStatus
from grader.problem.harness import LaunchRefused
from grader.run import head_start
from grader.run.child_runner import LOAD_SECONDS, ChildRunner, launch_names, symbols_of
from grader.run.confined import is_kept, keep_own_code, on_gpu, own_code
from grader.sandbox import Profile, Sandbox

MODULE = head_start.GPU

Check = Callable[[Mapping[str, Any]], str]
Record = Callable[[Mapping[str, Any]], Plan]

CHECKS = (
    "writes beyond the ends of each array",
    "errors of every launch",
    "two runs with different fillings, compared bit by bit",
)


class GpuRunner(ChildRunner):
    """Runs one submission on one GPU, in a sandbox. The GPU is not touched before `rehearse` or `load`."""

    checks: tuple[str, ...] = CHECKS
    profile = Profile.GPU
    timing_limits, timing_seconds = 12, 30.0
    """How long one answer may take while timing: the rounds of the slowest kernel that is let through, the judge's."""
    needs_folder = False
    """Whether the process needs its own folder even if it is not confined."""
    when_killed = RunStatus.CRASHED
    """A kernel's memory is the GPU's: it cannot fill that of the process."""

    def __init__(
        self,
        gpu: Gpu,
        folder: Path,
        sandbox: Sandbox,
        module: str = MODULE,
    ) -> None:
        self.device = gpu.name
        confinement = on_gpu(sandbox, folder, self.profile, self._readable())
        # Unconfined, a process keeps what it compiles by itself.
        copies = own_code() if confinement is not None or self.needs_folder else None
        super().__init__(folder, module, environment_of(gpu), confinement, copies)

    @property
    def keeps_code(self) -> bool:
        """Whether to keep what this process compiles before it has seen a submission."""
        return self._confinement is not None and self.profile is Profile.GPU

    def _readable(self) -> Sequence[Path]:
        """Returns further paths that the process has to see."""
        return ()

    def rehearse(self) -> None:
        """Lets the process start CUDA and what else takes time once, without waiting for it."""
        self._ask_later({"do": "rehearse"})

    def load(self, program: Program) -> tuple[KernelInfo, ...]:
        if self.keeps_code and self._child is not None and not is_kept(self._folder.name, self.device):
            # Once per machine: code compiled after a submission has been seen is not kept.
            self.rehearse()
            self._ask({"do": "attributes"}, LOAD_SECONDS)
            assert self._child.scratch is not None
            keep_own_code(self._child.scratch, self._folder.name, self.device)
        return _with_spills(program, super().load(program))

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        return _with_spills(program, super().extend(program))

    def device_table(self) -> DeviceTable:
        """Returns the GPU's attributes, from its driver. Raises RunnerStopped."""
        self.load_anew()
        answer = self._ask({"do": "attributes"}, self.start_seconds)
        asked = {int(number): int(value) for number, value in answer["attributes"].items()}
        return table_of(self.device, int(answer["memory"]), asked.get)

    def time(self, steps: Sequence[Step], limits: Limits = USUAL_LIMITS) -> float:
        request = {"do": "elapsed", "steps": [step_to_json(step) for step in steps], **asdict(limits)}
        answer = self._ask(request, self._wall_seconds(limits))
        if "elapsed" not in answer:
            run = self.run_of(answer)
            self.close()
            raise RunnerStopped(run.status, run.message, run=run)
        return float(answer["elapsed"])

    def read(self, steps: Sequence[Step], address: int, size: int, limits: Limits = USUAL_LIMITS) -> bytes:
        try:
            return super().read(steps, address, size, limits)
        except RunnerStopped:
            # As after `execute`.
            self.close()
            raise

    def execute(self, plan: Plan, limits: Limits) -> Run:
        run = super().execute(plan, limits)
        if run.status is not RunStatus.DONE:
            # After most of CUDA's errors its context is unusable, and a kernel may still be running.
            self.close()
        return run

    def measure(self, request: Mapping[str, Any], check: Check, record: Record | None = None) -> Timing | Run:
        """Times the loaded program as `Measuring` is asked to; returns a Run if it did not finish.

        `check` and `record` are those of `converse`. Raises RunnerStopped, and JudgeError for an invalid answer.
        """
        seconds = self.timing_limits * request["limit"] + self.timing_seconds
        answer = self.converse({"do": "measure", **request}, seconds, check, record)
        if answer["status"] == "done":
            return from_data(answer["timing"])
        self.close()
        return self.run_of(answer)

    def converse(
        self, request: Mapping[str, Any], seconds: float, check: Check, record: Record | None
    ) -> dict[str, Any]:
        """Sends a request, answers the process's questions meanwhile, and returns its last answer.

        Each answer may take `seconds`. `check` gets each of the outputs that were kept, and returns "go_on" or
        "hand_over". `record` gets the `addresses` of a buffer set and returns the plan for them; meanwhile this runner
        is its Device, and steps that it ran for reads are not part of the plan. What either raises ends the process,
        except LaunchRefused.
        """
        self.load_anew()
        try:
            answer = self._ask(request, seconds)
            while True:
                if "kept" in answer:
                    answer = self._ask({"do": check(answer["kept"])}, seconds)
                elif "record" in answer and record is not None:
                    answer = self._ask(_recorded(record, answer["record"]), seconds)
                else:
                    return answer
        except BaseException:
            self.close()
            raise

    def _image_of(self, program: Program) -> dict[str, Any]:
        # What has no machine code for this GPU is compiled by its driver.
        code = program.cubin or (program.image.encode() + b"\0" if program.kernels else b"")
        return {"image": base64.b64encode(code).decode(), "symbols": symbols_of(program)}


def _with_spills(program: Program, told: Sequence[KernelInfo]) -> tuple[KernelInfo, ...]:
    """What the process describes, all kernels of a program in their order or none, with the bytes that they spill."""
    kernels = zip(launch_names(program).values(), told, strict=bool(told))
    return tuple(replace(info, spill_bytes=program.spills.get(kernel.symbol)) for kernel, info in kernels)


def _recorded(record: Record, question: Mapping[str, Any]) -> dict[str, Any]:
    try:
        plan = record(question)
    except LaunchRefused as refused:
        return {"do": "refuse", "message": refused.message}
    return {"do": "replay", "steps": [step_to_json(step) for step in plan.steps]}
