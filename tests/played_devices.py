"""Devices for gradings in tests: their runners are given, so that nothing of kgrade has to be replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.machine.gpus import Gpu
from grader.plan.runner import Runner
from grader.problem import Problem
from grader.problem.cases import Case, gpu_limits_of
from grader.run.device import ChooseDevice, Device, Part, Stopwatch
from grader.run.devices import EmulatorDevice, GpuDevice, GpuPart, choose_device, helping_limits
from grader.sandbox import Sandbox


class AdjustedDevice:
    """A device of this machine, whose parts are as `adjust` gives them."""

    def __init__(self, device: Device, adjust: Callable[[Part], Part]) -> None:
        self._device, self._adjust = device, adjust
        self.name, self.gpu = device.name, device.gpu

    def draw(
        self,
        problem: Problem,
        seed: int,
        count: int,
        given: Sequence[Mapping[str, int]],
        constants: Mapping[str, int] | None = None,
    ) -> list[Case]:
        return self._device.draw(problem, seed, count, given, constants)

    def start(self, problem: Problem, sandbox: Sandbox, cache: Path, progress: Callable[[str], None]) -> Sequence[Part]:
        return [self._adjust(part) for part in self._device.start(problem, sandbox, cache, progress)]


def adjusted(adjust: Callable[[Part], Part]) -> ChooseDevice:
    """Chooses among this machine's devices, and has their parts adjusted."""
    return lambda words: AdjustedDevice(choose_device(words), adjust)


class PlayedEmulator(EmulatorDevice):
    """The emulator's part, taken by this runner."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def start(self, problem: Problem, sandbox: Sandbox, cache: Path, progress: Callable[[str], None]) -> list[Part]:
        return [Part(self._runner, (), lambda problem, case: helping_limits(problem, case), emulated=True)]


class PlayedGpu(GpuDevice):
    """The parts of the emulator and of a GPU, taken by these runners; `largest` is the case that fills the GPU."""

    def __init__(
        self, gpu: Gpu, emulator: Runner, runner: Any, referee: Any, turn: Any, memcheck: Runner | None, largest: Case
    ) -> None:
        super().__init__(gpu)
        self._emulator, self._runner, self._referee, self._turn = emulator, runner, referee, turn
        self._memcheck = memcheck
        self._largest = largest

    def draw(self, problem: Problem, seed: int, count: int, given: Any, constants: Any = None) -> list[Case]:
        cases = super().draw(problem, seed, count, given, constants)
        return cases if given else [*cases[:-1], self._largest]

    def start(self, problem: Problem, sandbox: Sandbox, cache: Path, progress: Callable[[str], None]) -> Sequence[Part]:
        gpu = self._gpu
        return [
            Part(self._emulator, (), helping_limits, helps="on the emulator"),
            GpuPart(
                *(self._runner, (), lambda problem, case: gpu_limits_of(problem, case.sizes)),
                referee=self._referee,
                stopwatch=Stopwatch(gpu, self._runner, self._referee),
                turn=self._turn(gpu.uuid, lambda: progress(f"waiting for {gpu.name}: another grading uses it")),
                make_memcheck=lambda: self._memcheck,
            ),
        ]
