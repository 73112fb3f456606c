"""The devices that exist, and which one the words of `--device` mean.

With a GPU the emulator comes first, at small sizes: it sees faults that go unnoticed on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.core.errors import UsageError
from grader.core.limits import USUAL_LIMITS, Limits
from grader.machine.cuda_packages import require_fit, usable
from grader.machine.gpus import Gpu, find_gpus
from grader.plan.device_table import DeviceTable
from grader.plan.runner import Runner
from grader.problem import Problem
from grader.problem.cases import Case, draw_cases, draw_largest, fits_emulator, gpu_limits_of, limits_of
from grader.run.device import Device, Part, Progress, Stopwatch
from grader.run.emulator_runner import EmulatorRunner
from grader.run.gpu.gpu_runner import GpuRunner
from grader.run.gpu.lock import Turn
from grader.run.gpu.memcheck import memcheck_runner
from grader.run.gpu.referee import Referee
from grader.run.gpu.sanitizer import find_sanitizer
from grader.sandbox import Sandbox

EMULATED_CASES = 6
"""How many cases of a GPU grading the emulator checks as well."""


def choose_device(words: str, present: Sequence[Gpu] | None = None) -> Device:
    """Returns the device that `auto`, `emulator`, `gpu` or `gpu:N` means.

    `present`: the GPUs to choose from, by default this machine's. Raises UsageError if there is no such device.
    """
    gpu = choose_gpu(words, present)
    return EmulatorDevice() if gpu is None else GpuDevice(gpu)


def choose_gpu(device: str, present: Sequence[Gpu] | None = None) -> Gpu | None:
    """Returns the GPU that the words of `choose_device` mean; None for the emulator. Raises UsageError."""
    if device == "emulator":
        return None
    kind, _, number = device.partition(":")
    if device not in ("auto", "gpu") and not (kind == "gpu" and number.isdecimal()):
        raise UsageError(f"there is no device {device!r}", "use one of: auto, emulator, gpu, gpu:0, gpu:1, …")
    gpus = find_gpus() if present is None else present
    if device == "auto":
        gpus = [gpu for gpu in gpus if usable(gpu)]
    if device == "auto" or (gpus and device == "gpu"):
        return _fitting(gpus[0]) if gpus else None
    if not gpus:
        raise UsageError(
            "no NVIDIA GPU was found on this machine", "type: --device emulator; 'kgrade doctor' says what is here"
        )
    if int(number) >= len(gpus):
        here = ", ".join(f"gpu:{gpu.index} ({gpu.name})" for gpu in gpus)
        raise UsageError(f"there is no {device}; this machine has {here}", f"type: --device gpu:{gpus[-1].index}")
    return _fitting(gpus[int(number)])


def _fitting(gpu: Gpu) -> Gpu:
    require_fit(gpu)
    return gpu


class EmulatorDevice:
    """The emulator alone."""

    name: str = EmulatorRunner.device
    gpu: Gpu | None = None

    def draw(
        self,
        problem: Problem,
        seed: int,
        count: int,
        given: Sequence[Mapping[str, int]],
        constants: Mapping[str, int] | None = None,
    ) -> list[Case]:
        return draw_cases(problem, seed, count, given, constants)

    def start(self, problem: Problem, sandbox: Sandbox, cache: Path, progress: Progress) -> Sequence[Part]:
        runner = EmulatorRunner(problem.folder, sandbox, cache / "kernels")
        return [Part(runner, (), lambda problem, case: limits_of(problem, case.sizes), emulated=True)]


class GpuDevice:
    """A GPU, helped by the emulator."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu: Gpu | None = gpu
        self.name = gpu.name
        self._gpu = gpu

    def draw(
        self,
        problem: Problem,
        seed: int,
        count: int,
        given: Sequence[Mapping[str, int]],
        constants: Mapping[str, int] | None = None,
    ) -> list[Case]:
        cases = draw_cases(problem, seed, count, given, constants, on_gpu=True)
        if given or problem.tests:
            return cases
        return [*cases, draw_largest(problem, seed, len(cases), self._gpu.memory)]

    def start(self, problem: Problem, sandbox: Sandbox, cache: Path, progress: Progress) -> Sequence[Part]:
        gpu = self._gpu
        emulator = EmulatorRunner(problem.folder, sandbox, cache / "kernels")
        started: list[EmulatorRunner | GpuRunner] = [emulator]
        try:
            runner = GpuRunner(gpu, problem.folder, sandbox)
            started.append(runner)
            referee = Referee(gpu, problem)
        except BaseException:
            for each in started:
                each.close()
            raise
        return [
            Part(emulator, (), helping_limits, helps="on the emulator"),
            GpuPart(
                *(runner, (), lambda problem, case: gpu_limits_of(problem, case.sizes)),
                referee=referee,
                stopwatch=Stopwatch(gpu, runner, referee),
                turn=Turn(gpu.uuid, lambda: progress(f"waiting for {gpu.name}: another grading uses it")),
                make_memcheck=lambda: memcheck_runner(gpu, problem.folder, sandbox, find_sanitizer()),
            ),
        ]


@dataclass(frozen=True)
class GpuPart(Part):
    """The part on a GPU. `make_memcheck` starts compute-sanitizer's runner; it returns None if not installed."""

    referee: Referee = field(kw_only=True)
    stopwatch: Stopwatch = field(kw_only=True)
    turn: Turn = field(kw_only=True)
    make_memcheck: Callable[[], Runner | None] = field(kw_only=True)

    def begin(self) -> None:
        if self.turn.try_now():
            self.stopwatch.runner.rehearse()
            self.referee.begin()

    def device_table(self) -> DeviceTable:
        return self.stopwatch.runner.device_table()

    @contextmanager
    def take_turn(self) -> Iterator[None]:
        """When it ends, the processes that used the GPU have ended too."""
        with self.turn:
            try:
                yield
            finally:
                self.close()

    def stand_in(self, cases: Sequence[Case]) -> Part | None:
        runner = self.make_memcheck()
        return None if runner is None else Part(runner, cases, self.limits, helps="by memcheck", search=self.search)

    def close(self) -> None:
        # Both first: a process that used CUDA takes a tenth of a second to end.
        self.stopwatch.runner.kill()
        self.referee.kill()
        super().close()
        self.referee.close()
        self.turn.release()


def deal(parts: Sequence[Part], problem: Problem, cases: Sequence[Case]) -> list[Part]:
    """Returns the parts with their cases: all of them, or a few small ones for the emulator beside a GPU."""
    small = spread([case for case in cases if fits_emulator(problem, case)], EMULATED_CASES)
    return [replace(part, cases=small if part.helps else cases) for part in parts]


def helping_limits(problem: Problem, case: Case) -> Limits:
    """Returns what the emulator may spend when it helps a GPU."""
    return limits_of(problem, case.sizes) if problem.cost_is_known else USUAL_LIMITS


def spread(cases: Sequence[Case], count: int) -> list[Case]:
    """Returns at most `count` of the cases, evenly spread from the first to the last."""
    if len(cases) <= count:
        return list(cases)
    return [cases[round(i * (len(cases) - 1) / (count - 1))] for i in range(count)]
