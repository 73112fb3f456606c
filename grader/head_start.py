"""Runners' processes started before the judge itself is loaded: Python, NumPy and CuPy take them a second.

They wait for their first request and have touched no GPU. Which are used is decided later; `end` ends the others.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.process import Child
from grader.run.gpu.devices import environment_of, find_gpus

EMULATOR = "grader.run.emulator_child"
GPU = "grader.run.gpu.child"
REFEREE = "grader.referee_child"

_started: list[tuple[str, Mapping[str, str], Child]] = []


def begin(device: str) -> None:
    """Starts what a grading on `device` (auto, gpu, gpu:N, emulator) is going to need, as far as that can be told."""
    _start(EMULATOR, {})
    number = device.partition(":")[2] or "0"
    gpus = [] if device == "emulator" else find_gpus()
    for gpu in gpus:
        if str(gpu.index) == number:
            for module in (GPU, REFEREE):
                _start(module, environment_of(gpu))


def take(module: str, environment: Mapping[str, str]) -> Child:
    """A process of this module with this environment: one that was started ahead, else a new one."""
    for place, (started, told, child) in enumerate(_started):
        if (started, told) == (module, environment):
            del _started[place]
            return child
    return Child(module, environment=environment)


def end() -> None:
    """Ends the processes that nobody took."""
    while _started:
        _started.pop()[2].close()


def _start(module: str, environment: Mapping[str, str]) -> None:
    _started.append((module, environment, Child(module, environment=environment)))
