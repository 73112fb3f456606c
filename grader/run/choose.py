"""Which device a grading uses, and the runners on it in the order in which they take part.

With a GPU the emulator comes first, at small sizes: it sees faults that pass unnoticed there. Nothing is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grader.cases import Case, draw_cases, draw_largest, fits_emulator, gpu_limits_of, limits_of
from grader.errors import UsageError
from grader.extras import require_fit, usable
from grader.problem import Problem
from grader.referee import Referee
from grader.run.emulator_runner import EmulatorRunner
from grader.run.gpu.devices import Gpu, find_gpus
from grader.run.gpu.gpu_runner import GpuRunner
from grader.run.gpu.lock import Turn
from grader.run.gpu.memcheck import memcheck_runner
from grader.run.part import GpuPart, Part
from grader.run.runner import USUAL_LIMITS, Limits

EMULATED_CASES = 6
"""How many of a GPU grading's cases the emulator checks as well."""

Progress = Callable[[str], None]


def choose_gpu(device: str) -> Gpu | None:
    """The GPU that `device` (auto, gpu, gpu:N or emulator) means; None for the emulator. Raises UsageError."""
    if device == "emulator":
        return None
    kind, _, number = device.partition(":")
    if device not in ("auto", "gpu") and not (kind == "gpu" and number.isdecimal()):
        raise UsageError(f"there is no device {device!r}", "use one of: auto, emulator, gpu, gpu:0, gpu:1, …")
    gpus = find_gpus()
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


def device_name(gpu: Gpu | None) -> str:
    """As a Report names the device."""
    return EmulatorRunner.device if gpu is None else gpu.name


def all_cases(
    problem: Problem, seed: int, count: int, given: Sequence[Mapping[str, int]], gpu: Gpu | None
) -> list[Case]:
    """The cases of a grading on this device, small to large. Raises UsageError for sizes that it can't take."""
    cases = draw_cases(problem, seed, count, given, on_gpu=gpu is not None)
    if gpu is None or given or problem.tests:
        return cases
    return [*cases, draw_largest(problem, seed, len(cases), gpu.memory)]


def start_parts(
    problem: Problem, cases: Sequence[Case], gpu: Gpu | None, cache: Path, progress: Progress
) -> list[Part]:
    """Starts the runners; the caller closes each. The GPU is not touched before its part's turn."""
    emulator = EmulatorRunner(problem.folder, cache / "kernels")
    if gpu is None:
        return [Part(emulator, cases, lambda problem, case: limits_of(problem, case.sizes), emulated=True)]
    started: list[EmulatorRunner | GpuRunner | Referee] = [emulator]
    try:
        runner = GpuRunner(gpu, problem.folder)
        started.append(runner)
        referee = Referee(gpu, problem)
    except BaseException:
        for each in started:
            each.close()
        raise
    turn = Turn(gpu.uuid, lambda: progress(f"waiting for {gpu.name}: another grading uses it"))
    small = spread([case for case in cases if fits_emulator(problem, case)], EMULATED_CASES)
    return [
        Part(emulator, small, helping_limits, helps="on the emulator"),
        GpuPart(
            runner,
            cases,
            lambda problem, case: gpu_limits_of(problem, case.sizes),
            timed=runner,
            referee=referee,
            turn=turn,
            make_memcheck=lambda: memcheck_runner(gpu, problem.folder),
        ),
    ]


def helping_limits(problem: Problem, case: Case) -> Limits:
    """What the emulator may spend beside a GPU, which decides."""
    return limits_of(problem, case.sizes) if problem.cost_is_known else USUAL_LIMITS


def spread(cases: Sequence[Case], count: int) -> list[Case]:
    """At most `count` of the cases, from the first to the last at equal distances."""
    if len(cases) <= count:
        return list(cases)
    return [cases[round(i * (len(cases) - 1) / (count - 1))] for i in range(count)]
