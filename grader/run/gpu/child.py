"""The process that owns a GPU for one submission: makes inputs, replays plans, hands the outputs back.

Its code is trusted and runs untrusted device code; no reference result and no later seed ever comes here.
"""

from __future__ import annotations

import base64
import ctypes
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.core.errors import KgradeError
from grader.core.paths import place_cupy_cache
from grader.plan.device_table import ATTRIBUTES
from grader.plan.extents import Extents, Outside
from grader.plan.poison import Poison, make_poisoned
from grader.problem import Problem, load_problem
from grader.problem.harness import LaunchRefused
from grader.problem.inputs import HOST, Place, make_inputs
from grader.run.gpu.buffers import GUARD, DeviceArray, read_memory
from grader.run.gpu.duelling import Contesting
from grader.run.gpu.faults import (
    DURING,
    OUT_OF_MEMORY,
    launch_fault,
    overrun_fault,
    refused_fault,
    running_fault,
)
from grader.run.gpu.measuring import Measuring
from grader.run.gpu.occupancy import describe_launch
from grader.run.gpu.philox import GpuPlace
from grader.run.gpu.rehearsal import rehearse, rehearse_timing, start_cuda
from grader.run.gpu.replay import Kernels, LaunchError, Replay, status_of
from grader.run.gpu.scratch import Scratch
from grader.run.gpu.timed import find_overrun
from grader.run.gpu.timing import NOT_READY, Overtime
from grader.run.gpu.tuning import time_replay
from grader.run.handover import PRINTED_LIMIT, Outputs, first_changes
from grader.sandbox.serving import Channel, Message, by_name, child_connection, serve, shared_memory

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

POLL_SECONDS = 0.0002
STREAM = 0
"""The default stream, which copies use too: the GPU itself keeps copies and kernels in order."""
MADE_ON_GPU = 8 << 20
"""Bytes of arrays from which on the GPU makes them; below, the CPU is faster."""


class Worker:
    """Answers the judge's requests, one at a time. Each array lies between guard zones of `guard` bytes."""

    def __init__(self, channel: Channel, guard: int = GUARD) -> None:
        self._guard = guard
        self._channel = channel
        self._outputs = Outputs(shared_memory())
        self._printed = os.memfd_create("kgrade-printed")
        self._problem: Problem | None = None
        self._images: list[tuple[bytes, Mapping[str, str]]] = []
        self._kernels: Kernels | None = None
        self._asked: Message = {}
        self._made: Message = {}
        self._inputs: Mapping[str, Array] = {}
        self._arrays: dict[str, DeviceArray] = {}
        self._extents = Extents()
        self._scratch = Scratch(self._extents)
        self._replays: list[Replay] = []
        self._launched: dict[str, Message] = {}
        self._seconds = 0.0
        self._operate = by_name(
            *(self.open, self.rehearse, self.load, self.extend, self.prepare, self.allocate, self.symbol),
            *(self.attributes, self.execute, self.read, self.elapsed, self.measure, self.contest),
        )

    def answer(self, request: Message) -> Message:
        return self._operate(request)

    def open(self, folder: str) -> Message:
        # What kernels print goes to standard output: it is kept apart from the judge's channel.
        os.dup2(self._printed, 1)
        self._problem = load_problem(Path(folder), trial=False)
        return {}

    def rehearse(self) -> Message:
        """Does what takes time once, before there is a program: starts CUDA, loads libraries and own kernels."""
        assert self._problem is not None
        # If the GPU's memory is too full or a library is missing, the program's own requests will report it.
        with suppress(RuntimeError, KgradeError):
            start_cuda()
            list(rehearse(self._problem))
            rehearse_timing(self._problem)
            self._free()
        return {}

    def load(self, image: str, symbols: Mapping[str, str]) -> Message:
        self._images = [(base64.b64decode(image), symbols)]
        try:
            kernels = self._load_again()
        except RuntimeError as error:
            if status_of(error) != OUT_OF_MEMORY:
                raise
            return {"error": "the kernel's own variables do not fit into the GPU's memory"}
        return {"kernels": kernels.describe()}

    def extend(self, image: str, symbols: Mapping[str, str]) -> Message:
        assert self._kernels is not None
        self._images.append((base64.b64decode(image), symbols))
        self._kernels.extend(*self._images[-1])
        return {"kernels": self._kernels.describe(symbols)}

    def prepare(self, sizes: Mapping[str, int], family: str, seed: int, poison: str) -> Message:
        from cupy.cuda import runtime

        assert self._problem is not None
        self._free()
        # Variables in GPU memory start anew as well: a run must not know of the one before.
        self._load_again()
        self._asked = {"sizes": sizes, "family": family, "seed": seed}
        xp, started = self._place().xp, self._problem.start_contents(sizes)
        for name, values in (*self._make_inputs().items(), *started.items()):
            self._arrays[name] = DeviceArray(values.shape, values.dtype, self._guard)
            self._arrays[name].write(values)
        for name, output in self._problem.outputs.items():
            if name in started:
                continue
            dtype = np.dtype(output.dtype.numpy)
            self._arrays[name] = DeviceArray(output.shape(sizes), dtype, self._guard)
            self._arrays[name].write(make_poisoned(output.shape(sizes), dtype, Poison(poison), xp))
        # A copy from pageable memory may still be in progress when the call returns.
        runtime.deviceSynchronize()
        for name, array in self._arrays.items():
            self._extents.add(name, array.pointer, array.nbytes)
        self._scratch = Scratch(self._extents, self._guard, Poison(poison))
        self._launched, self._seconds = {}, 0.0
        os.ftruncate(self._printed, 0)
        os.lseek(self._printed, 0, os.SEEK_SET)
        return {"addresses": {name: array.pointer for name, array in self._arrays.items()}}

    def attributes(self) -> Message:
        """Returns the device attributes that this GPU's driver knows, by number, and the bytes of its memory."""
        from cupy.cuda import runtime

        known = {}
        for number in ATTRIBUTES:
            # An older driver has fewer.
            with suppress(RuntimeError):
                known[number] = runtime.deviceGetAttribute(number, 0)
        return {"attributes": known, "memory": runtime.memGetInfo()[1]}

    def allocate(self, size: int) -> Message:
        return {"address": self._scratch.allocate(size)}

    def symbol(self, name: str) -> Message:
        assert self._kernels is not None
        found = self._kernels.variable(name)
        if found is None:
            return {"address": None}
        self._extents.add(name, *found)
        return {"address": found[0]}

    def execute(self, steps: Sequence[Message], seconds: float, instructions: int) -> Message:
        # Only the emulator counts instructions; they are ignored here.
        answer = self._run(steps, seconds)
        if answer["status"] != "done":
            return answer
        return {**answer, **self._text(), **self._results(), "occupancy": self._occupancy()}

    def read(self, steps: Sequence[Message], seconds: float, instructions: int, address: int, size: int) -> Message:
        """Runs these steps, which come before those of `execute`, and hands part of the memory over."""
        answer = self._run(steps, seconds)
        if answer["status"] != "done":
            return answer
        try:
            self._extents.check("copy to the host", address, size)
        except Outside as outside:
            return {"status": "fault", "fault": outside.fault}
        return {"data": self._outputs.hand_over([("data", read_memory(address, size))])["data"]}

    def elapsed(self, steps: Sequence[Message], seconds: float, instructions: int) -> Message:
        """Times these steps for a tuner; the arrays are what they were afterwards."""
        assert self._kernels is not None
        pieces = [*self._arrays.values(), *self._scratch.arrays.values()]
        kept = [array.view().copy() for array in pieces]
        answer = self._run(steps, seconds)
        if answer["status"] != "done":
            return answer
        timed = time_replay(Replay(self._kernels, steps), seconds)
        for array, copy in zip(pieces, kept, strict=True):
            array.write(copy)
        return {"elapsed": timed}

    def _run(self, steps: Sequence[Message], seconds: float) -> Message:
        """Runs these steps after all that ran since `prepare`."""
        assert self._kernels is not None
        began = time.monotonic()
        replay = None
        try:
            for step in steps:
                self._scratch.check_step(step)
            replay = Replay(self._kernels, steps)
            self._replays.append(replay)
            replay.enqueue(STREAM)
            finished = self._wait(began + seconds - self._seconds)
        except Outside as outside:
            return {"status": "fault", "fault": outside.fault}
        except LaunchError as refused:
            return self._refused(refused)
        except RuntimeError as error:
            status = status_of(error)
            if not status:
                raise
            if status == OUT_OF_MEMORY:
                return {"status": "memory", "message": "what it uploads does not fit into the GPU's memory"}
            kernel = replay.last if replay is not None else ""
            return {"status": "fault", "fault": running_fault(kernel, status, error), **self._text()}
        self._launched.update({step["kernel"]: step for step in steps if step["do"] == "launch"})
        self._seconds += time.monotonic() - began
        return {"status": "done" if finished else "limit", "seconds": self._seconds}

    def measure(self, **request: Any) -> Message:
        """Times the program at one size; see `Measuring` for the request."""
        assert self._problem is not None
        self._free()
        measuring = Measuring(self._problem, self._load_again(), self._outputs, self._ask)
        try:
            return measuring.answer(**request)
        except LaunchError as refused:
            return self._refused(refused)
        except LaunchRefused as refusal:
            return {"status": "fault", "fault": refused_fault(refusal.message)}
        except Outside as outside:
            return {"status": "fault", "fault": outside.fault}
        except Overtime:
            return {"status": "limit"}
        except RuntimeError as error:
            status = status_of(error)
            if status == OUT_OF_MEMORY:
                return {"status": "memory", "message": "its arrays do not fit into the GPU's memory"}
            if not status:
                raise
            # Which kernel of a recorded plan failed is not known.
            kernel = self._problem.kernel if request["constants"] is not None else ""
            return {"status": "fault", "fault": running_fault(kernel, status, error)}

    def contest(self, **request: Any) -> Message:
        """Times several programs in turns at one size; see `Contesting` for the request."""
        assert self._problem is not None
        return Contesting(self._problem, self._outputs, self._ask).answer(**request)

    def _occupancy(self) -> Message:
        """Returns the occupancy of each launched kernel."""
        assert self._kernels is not None
        return {
            name: describe_launch(self._kernels.function(name), prod(step["block"]), step["shared_bytes"])
            for name, step in self._launched.items()
        }

    def _ask(self, message: Message) -> Message:
        self._channel.send(message)
        return self._channel.receive()

    def _make_inputs(self) -> Mapping[str, Array]:
        """Returns the inputs of the current case."""
        assert self._problem is not None
        place = self._place()
        if place is not HOST:
            # Made anew each time: device code could reach a copy in GPU memory.
            return make_inputs(self._problem, **self._asked, place=place)
        if self._made != self._asked:
            self._inputs, self._made = make_inputs(self._problem, **self._asked), self._asked
        return self._inputs

    def _place(self) -> Place:
        """Returns where the arrays of the current case are made."""
        assert self._problem is not None
        return HOST if self._problem.array_bytes(self._asked["sizes"]) < MADE_ON_GPU else GpuPlace()

    def _free(self) -> None:
        while self._replays:
            self._replays.pop().free()
        self._scratch.free()
        self._extents.clear()
        while self._arrays:
            self._arrays.popitem()[1].free()
        # Memory that CuPy's pool keeps is not available to others.
        cupy = sys.modules["cupy"]
        cupy.get_default_memory_pool().free_all_blocks()

    def _load_again(self) -> Kernels:
        if self._kernels is not None:
            self._kernels.unload()
        self._kernels = Kernels(*self._images[0])
        for image, symbols in self._images[1:]:
            self._kernels.extend(image, symbols)
        return self._kernels

    def _wait(self, until: float) -> bool:
        """Returns whether the stream's work ended in time. Raises CUDA's error if it failed."""
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
            # An earlier launch of the plan failed, and this one reports it.
            return {"status": "fault", "fault": running_fault(refused.kernel, refused.status, refused.cause)}
        return {"status": "fault", "fault": launch_fault(refused.kernel, refused.cause)}

    def _results(self) -> Message:
        """Returns the results of the run: writes outside arrays as a fault, else changed inputs and the outputs."""
        assert self._problem is not None
        found = find_overrun([self._arrays, self._scratch.arrays])
        if found is not None:
            # With several kernels, the one at fault is not known.
            kernel = next(iter(self._launched)) if len(self._launched) == 1 else ""
            return {"status": "fault", "fault": overrun_fault(kernel, *found)}
        arrays, before = self._arrays, self._make_inputs()
        now = ((name, arrays[name].read() if self._place() is HOST else arrays[name].view()) for name in before)
        return {
            "changed": first_changes(before, now),
            "outputs": self._outputs.hand_over((name, arrays[name].read()) for name in self._problem.outputs),
        }

    def _text(self) -> Message:
        ctypes.CDLL(None).fflush(None)
        return {"printed": os.pread(self._printed, PRINTED_LIMIT, 0).decode(errors="replace")}


def main() -> None:
    channel = child_connection()
    place_cupy_cache()
    # It takes half a second, which may pass before the first request.
    import cupy.cuda  # noqa: F401

    serve(Worker(channel).answer, channel)


if __name__ == "__main__":
    main()
