"""A GPU as a Runner under memcheck: slow, exact about every access, for kernels that the emulator cannot execute.

Other modules find the program and parse its log; a kernel cannot write into that log.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from grader.compile.program import Program
from grader.core.report import KernelInfo
from grader.core.verdict import FaultClass
from grader.machine.gpus import Gpu
from grader.plan.extents import scratch_name
from grader.plan.poison import Poison
from grader.plan.runner import Run, RunStatus
from grader.run.gpu.gpu_runner import GpuRunner
from grader.run.gpu.sanitizer import watched
from grader.run.gpu.sanitizer_fault import Placed, fault_of
from grader.run.gpu.sanitizer_log import SanitizerLog, read_log
from grader.sandbox import Profile, Sandbox
from grader.sandbox.children import Child

if TYPE_CHECKING:
    from grader.problem import Problem

MODULE = "grader.run.gpu.memcheck_child"
CHECKS = ("reads and writes outside of arrays, of shared and of local memory", "misaligned accesses")

SETTLED_SECONDS = 0.2
"""A log that has not grown for this long is complete: one finding's lines are written together."""
LOG_LIMIT = 1 << 20
LOG = "log"
"""The log in the process's own folder, which goes with what compute-sanitizer leaves when it is killed."""

_FIRST_FILE = re.compile(r'^[ \t]*\.file[ \t]+1 "([^"]*)"', re.MULTILINE)


def memcheck_runner(gpu: Gpu, folder: Path, sandbox: Sandbox, sanitizer: Path | None) -> MemcheckRunner | None:
    """Returns a runner for the problem in `folder`; None without compute-sanitizer at `sanitizer`."""
    return None if sanitizer is None else MemcheckRunner(gpu, folder, sandbox, sanitizer)


class MemcheckRunner(GpuRunner):
    """Runs one submission on one GPU, in a sandbox, under the compute-sanitizer at `sanitizer`."""

    checks: tuple[str, ...] = CHECKS

    profile = Profile.WATCHED
    needs_folder = True
    log_seconds = 3.0
    """How long a finding may take from the GPU into the log."""

    def __init__(self, gpu: Gpu, folder: Path, sandbox: Sandbox, sanitizer: Path, module: str = MODULE) -> None:
        self._sanitizer = sanitizer
        self._file = ""
        self._names: Mapping[str, str] = {}
        self._arrays: Mapping[str, Placed] = {}
        self._declared: Mapping[str, Any] = {}
        super().__init__(gpu, folder, sandbox, module)

    def _new_child(self) -> Child:
        return Child(
            self._module,
            environment=self._environment,
            prefix=lambda scratch: watched(self._sanitizer, scratch / LOG),
            confinement=self._confinement,
            scratch=self._scratch,
        )

    def _readable(self) -> Sequence[Path]:
        # In a wheel, its other programs are in the same folder.
        return [self._sanitizer.parent, self._sanitizer.resolve().parent]

    def load(self, program: Program) -> tuple[KernelInfo, ...]:
        first = _FIRST_FILE.search(program.image)
        self._file = PurePosixPath(first[1]).name if first else ""
        self._names = {kernel.symbol: kernel.name for kernel in program.kernels}
        return super().load(program)

    def prepare(
        self, problem: Problem, sizes: Mapping[str, int], family: str, seed: int, poison: Poison = Poison.NAN
    ) -> dict[str, int]:
        addresses = super().prepare(problem, sizes, family, seed, poison)
        arrays = self._declared = {**problem.inputs, **problem.outputs}
        self._arrays = {
            name: Placed(address, arrays[name].nbytes(sizes), arrays[name].dtype.itemsize)
            for name, address in addresses.items()
        }
        return addresses

    def allocate(self, size: int) -> int | None:
        address = super().allocate(size)
        if address is not None:
            number = 1 + sum(name not in self._declared for name in self._arrays)
            self._arrays = {**self._arrays, scratch_name(number, size): Placed(address, size, 1)}
        return address

    def run_of(self, answer: Mapping[str, Any]) -> Run:
        """Returns the child's answer, with memcheck's finding in place of CUDA's error if there is one."""
        run = super().run_of(answer)
        if run.status not in (RunStatus.DONE, RunStatus.FAULT):
            return run
        refused = run.fault is not None and run.fault.fault is FaultClass.LAUNCH_FAILURE
        log = self._read_log(wait=run.status is RunStatus.FAULT and not refused)
        if log.findings:
            fault = fault_of(log.findings, self._arrays, self._names, self._file)
            return Run(RunStatus.FAULT, fault, printed=run.printed, seconds=run.seconds)
        if log.troubles or not log.started:
            why = log.troubles[0] if log.troubles else "it wrote no log"
            return replace(run, status=RunStatus.CRASHED, fault=None, message=f"compute-sanitizer failed: {why}")
        return run

    def _read_log(self, wait: bool) -> SanitizerLog:
        """Returns the log; with `wait`, once it has a finding and is complete, or LOG_SECONDS have passed."""
        text, now = self._text(), time.monotonic()
        until, grown = now + self.log_seconds, now
        while wait and now < until and (now < grown + SETTLED_SECONDS or not read_log(text).findings):
            time.sleep(0.02)
            before, text, now = text, self._text(), time.monotonic()
            grown = grown if text == before else now
        return read_log(text)

    def _text(self) -> str:
        try:
            assert self._child is not None
            assert self._child.scratch is not None
            with (self._child.scratch / LOG).open("rb") as file:
                return file.read(LOG_LIMIT).decode(errors="replace")
        except FileNotFoundError:
            return ""
