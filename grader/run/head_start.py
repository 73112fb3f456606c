"""Starts the runners' processes before the judge itself is loaded: Python, NumPy and CuPy take them a second.

They wait for their first request and touch no GPU. Which are used is decided later; `end` ends the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.machine.gpus import environment_of, find_gpus
from grader.run.confined import compute, on_gpu, own_code
from grader.sandbox import Confinement, Sandbox
from grader.sandbox.children import Child

EMULATOR = "grader.run.emulator_child"
GPU = "grader.run.gpu.child"
REFEREE = "grader.run.gpu.referee_child"

_started: list[tuple[str, Mapping[str, str], Confinement | None, Sequence[Path] | None, Child]] = []


def begin(device: str, folder: Path, sandbox: Sandbox) -> None:
    """Starts the processes that grading a problem on `device` (auto, gpu, gpu:N, emulator) will probably need.

    `folder` is the problem's.
    """
    _start(EMULATOR, {}, compute(sandbox, folder))
    number = device.partition(":")[2] or "0"
    gpus = [] if device == "emulator" else find_gpus()
    for gpu in gpus:
        if str(gpu.index) == number:
            _start(GPU, environment_of(gpu), on_gpu(sandbox, folder), own_code() if sandbox.protects else None)
            _start(REFEREE, environment_of(gpu))


def take(
    module: str,
    environment: Mapping[str, str],
    confinement: Confinement | None = None,
    scratch: Sequence[Path] | None = None,
) -> Child:
    """Returns a process of this module, started ahead if there is one, else a new one.

    The arguments are those of a Child.
    """
    for place, (*started, child) in enumerate(_started):
        if started == [module, environment, confinement, scratch]:
            del _started[place]
            return child
    return Child(module, environment=environment, confinement=confinement, scratch=scratch)


def end() -> None:
    """Ends the processes that nobody took."""
    while _started:
        _started.pop()[-1].close()


def _start(
    module: str,
    environment: Mapping[str, str],
    confinement: Confinement | None = None,
    scratch: Sequence[Path] | None = None,
) -> None:
    child = Child(module, environment=environment, confinement=confinement, scratch=scratch)
    _started.append((module, environment, confinement, scratch, child))
