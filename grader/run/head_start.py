"""Starts the runners' processes before the judge itself is loaded: Python, NumPy and CuPy take them a second.

They wait for their first request and touch no GPU. Which are used is decided later; `end` ends the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grader.machine.gpus import environment_of, find_gpus
from grader.run.confined import compute, on_gpu, own_code
from grader.sandbox import Confinement, Sandbox
from grader.sandbox.children import Child

EMULATOR = "grader.run.emulator_child"
RECORDING = "grader.replay.child"
"""The emulator that records what a failing case does."""
COUNTER = "grader.run.counting_child"
SAMPLER = "grader.model.child"
"""The emulator that runs samples of large launches."""
GPU = "grader.run.gpu.child"
REFEREE = "grader.run.gpu.referee_child"


class HeadStart:
    """The processes that were started ahead, by `make`, and that nobody has taken yet."""

    def __init__(self, make: Callable[..., Child] = Child) -> None:
        self._make = make
        self._started: list[tuple[str, Mapping[str, str], Confinement | None, Sequence[Path] | None, Child]] = []

    def begin(self, device: str, folder: Path, sandbox: Sandbox) -> None:
        """Starts what grading a problem on `device` (auto, gpu, gpu:N, emulator) is going to need, as far as can be
        told.

        `folder` is the problem's.
        """
        self._start(EMULATOR, {}, compute(sandbox, folder))
        number = device.partition(":")[2] or "0"
        gpus = [] if device == "emulator" else find_gpus()
        for gpu in gpus:
            if str(gpu.index) == number:
                copies = own_code() if sandbox.protects else None
                self._start(GPU, environment_of(gpu), on_gpu(sandbox, folder), copies)
                self._start(REFEREE, environment_of(gpu))

    def take(
        self,
        module: str,
        environment: Mapping[str, str],
        confinement: Confinement | None = None,
        scratch: Sequence[Path] | None = None,
    ) -> Child:
        """A process of this module, with all of this as for a Child: one that was started ahead, else a new one."""
        for place, (*started, child) in enumerate(self._started):
            if started == [module, environment, confinement, scratch]:
                del self._started[place]
                return child
        return self._make(module, environment=environment, confinement=confinement, scratch=scratch)

    def end(self) -> None:
        """Ends the processes that nobody took."""
        while self._started:
            self._started.pop()[-1].close()

    def _start(
        self,
        module: str,
        environment: Mapping[str, str],
        confinement: Confinement | None = None,
        scratch: Sequence[Path] | None = None,
    ) -> None:
        child = self._make(module, environment=environment, confinement=confinement, scratch=scratch)
        self._started.append((module, environment, confinement, scratch, child))


_OF_THIS_PROCESS = HeadStart()

begin, take, end = _OF_THIS_PROCESS.begin, _OF_THIS_PROCESS.take, _OF_THIS_PROCESS.end
