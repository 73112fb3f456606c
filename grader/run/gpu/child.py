"""The process that owns a GPU for one submission: makes inputs, replays plans, hands the outputs back.

It holds trusted code that runs untrusted device code; no reference result and no later seed ever comes here.
"""

from __future__ import annotations

import base64
import ctypes
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.inputs import make_inputs
from grader.problem import Problem, load_problem
from grader.process import serve
from grader.run.gpu.buffers import DeviceArray
from grader.run.gpu.faults import DURING, OUT_OF_MEMORY, launch_fault, overrun_fault, running_fault
from grader.run.gpu.replay import Kernels, LaunchError, status_of
from grader.run.handover import PRINTED_LIMIT, Outputs, first_changes
from grader.run.poison import Poison, poisoned

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

Message = dict[str, Any]

POLL_SECONDS = 0.0002
STREAM = 0
"""The default stream, which copies use too: the GPU itself keeps copies and kernels in their order."""
NOT_READY = 600
"""CUDA's answer while work goes on in a stream; no error."""


class Worker:
    """Answers the judge's requests, one at a time."""

    def __init__(self) -> None:
        self._outputs = Outputs()
        self._printed = os.memfd_create("kgrade-printed")
        self._problem: Problem | None = None
        self._cubin = b""
        self._symbols: Mapping[str, str] = {}
        self._kernels: Kernels | None = None
        self._asked: Message = {}
        self._inputs: Mapping[str, Array] = {}
        self._arrays: dict[str, DeviceArray] = {}

    def answer(self, request: Message) -> Message:
        operations: dict[str, Callable[..., Message]] = {
            "open": self.open,
            "load": self.load,
            "prepare": self.prepare,
            "execute": self.execute,
        }
        return operations[request.pop("do")](**request)

    def open(self, folder: str) -> Message:
        # What kernels print goes to standard output: it is kept, and never mixed with the judge's channel.
        os.dup2(self._printed, 1)
        self._problem = load_problem(Path(folder))
        import cupy.cuda  # noqa: F401  (takes a third of a second: while the judge compiles)

        return {"outputs": self._outputs.descriptor}

    def load(self, image: str, symbols: Mapping[str, str]) -> Message:
        self._cubin, self._symbols = base64.b64decode(image), symbols
        try:
            kernels = self._load_again()
        except RuntimeError as error:
            if status_of(error) != OUT_OF_MEMORY:
                raise
            return {"error": "the kernel's own variables do not fit into the GPU's memory"}
        return {"kernels": kernels.describe()}

    def prepare(self, sizes: Mapping[str, int], family: str, seed: int, poison: str) -> Message:
        from cupy.cuda import runtime

        assert self._problem is not None
        asked = {"sizes": sizes, "family": family, "seed": seed}
        arrays = {
            name: poisoned(array.shape(sizes), np.dtype(array.dtype.numpy), Poison(poison))
            for name, array in self._problem.outputs.items()
        }
        if asked != self._asked:
            self._inputs, self._asked = make_inputs(self._problem, sizes, family, seed), asked
        while self._arrays:
            self._arrays.popitem()[1].free()
        # Variables in the GPU's memory start anew as well: a run must not know of the one before.
        self._load_again()
        self._arrays = {name: DeviceArray(array) for name, array in {**self._inputs, **arrays}.items()}
        # A copy from pageable memory may still be on its way when the call returns.
        runtime.deviceSynchronize()
        return {"addresses": {name: array.pointer for name, array in self._arrays.items()}}

    def execute(self, steps: Sequence[Message], seconds: float, instructions: int) -> Message:
        # Nothing counts instructions here: `instructions` is for the emulator.
        assert self._kernels is not None
        began = time.monotonic()
        os.ftruncate(self._printed, 0)
        os.lseek(self._printed, 0, os.SEEK_SET)
        kernel = ""
        try:
            kernel = self._kernels.replay(steps, STREAM)
            finished = self._wait(began + seconds)
        except LaunchError as refused:
            return self._refused(refused)
        except RuntimeError as error:
            status = status_of(error)
            if not status:
                raise
            return {"status": "fault", "fault": running_fault(kernel, status, error), **self._text()}
        answer = {"status": "done" if finished else "limit", "seconds": time.monotonic() - began}
        if not finished:
            return answer
        return {**answer, **self._text(), **self._results(kernel)}

    def _load_again(self) -> Kernels:
        if self._kernels is not None:
            self._kernels.unload()
        self._kernels = Kernels(self._cubin, self._symbols)
        return self._kernels

    def _wait(self, until: float) -> bool:
        """Whether the stream's work came to its end in time. Raises CUDA's error where it failed."""
        from cupy.cuda import runtime

        while runtime.streamQuery(STREAM) == NOT_READY:
            if time.monotonic() > until:
                return False
            time.sleep(POLL_SECONDS)
        runtime.streamSynchronize(STREAM)
        return True

    def _refused(self, refused: LaunchError) -> Message:
        if refused.status == OUT_OF_MEMORY:
            return {"status": "memory", "message": "the launch needs more than the GPU's memory"}
        if refused.status in DURING:
            # An earlier launch of the plan failed, and this one is told of it.
            return {"status": "fault", "fault": running_fault(refused.kernel, refused.status, refused.cause)}
        return {"status": "fault", "fault": launch_fault(refused.kernel, refused.cause)}

    def _results(self, kernel: str) -> Message:
        """What the run left: writes outside arrays as a fault, else changed inputs and the outputs."""
        assert self._problem is not None
        for name, array in self._arrays.items():
            overrun = array.check_guards()
            if overrun is not None:
                size = array.nbytes // array.dtype.itemsize
                return {"status": "fault", "fault": overrun_fault(kernel, name, size, overrun)}
        arrays = self._arrays
        return {
            "changed": first_changes(self._inputs, ((name, arrays[name].read()) for name in self._inputs)),
            "outputs": self._outputs.hand_over((name, arrays[name].read()) for name in self._problem.outputs),
        }

    def _text(self) -> Message:
        ctypes.CDLL(None).fflush(None)
        return {"printed": os.pread(self._printed, PRINTED_LIMIT, 0).decode(errors="replace")}


def main() -> None:
    serve(Worker().answer)


if __name__ == "__main__":
    main()
