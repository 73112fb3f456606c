"""The emulator's process: makes a case's inputs, runs plans on the emulator, hands the outputs back.

Its code is trusted and runs untrusted device code; no reference result and no later seed ever comes here.
"""

from __future__ import annotations

import base64
import os
import resource
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.core.memory import keep_freed_memory
from grader.plan.extents import SCRATCH_FILL, Outside
from grader.plan.poison import Poison, make_poisoned
from grader.problem import Problem, load_problem
from grader.problem.inputs import make_inputs
from grader.run.emulated_device import EmulatedDevice
from grader.run.emulator import Objects, prime
from grader.run.handover import PRINTED_LIMIT, Outputs, first_changes
from grader.sandbox.serving import Message, by_name, serve, shared_memory

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

MEMORY_LIMIT = 4 << 30
MEMORY_PER_THREAD = 16 << 20
"""Private memory of this process: a fixed part, and the stack and heap of one thread per core."""


_objects = Objects()
"""The object code this process knows; a forked process starts with that of its template."""
_primed: set[bool] = set()


def preload(objects: Mapping[str, str], count: bool = False) -> Mapping[str, str]:
    """Prepares a template, from object code that was kept; returns what is new. `count` is as for `prime`."""
    if count in _primed:
        # A template has several modules that need the same.
        return {}
    _primed.add(count)
    _objects.learn(_decoded(objects))
    prime(_objects, link=True, count=count)
    return _encoded(_objects.take_new())


def _decoded(objects: Mapping[str, str]) -> dict[str, bytes]:
    return {key: base64.b64decode(code) for key, code in objects.items()}


def _encoded(objects: Mapping[str, bytes]) -> dict[str, str]:
    return {key: base64.b64encode(code).decode() for key, code in objects.items()}


class Worker:
    """Answers the judge's requests, one at a time."""

    counting = False

    def __init__(self) -> None:
        keep_freed_memory()
        self._outputs = Outputs(shared_memory())
        self.objects = _objects
        self._problem: Problem | None = None
        self._device: EmulatedDevice | None = None
        self._inputs: Mapping[str, Array] = {}
        self._ran: Message = {}
        self._operate = by_name(
            *(self.open, self.load, self.extend, self.translate, self.prepare),
            *(self.allocate, self.symbol, self.execute, self.read),
        )

    def answer(self, request: Message) -> Message:
        """Returns the answer to a request, with the object code compiled for it."""
        try:
            answer = self._operate(request)
        except MemoryError:
            return {"error": f"it needed more than {MEMORY_LIMIT >> 30} GiB of memory on the judge's machine"}
        new = self.objects.take_new()
        return {**answer, "objects": _encoded(new)} if new else answer

    def open(self, folder: str, objects: Mapping[str, str]) -> Message:
        self._learn(objects)
        prime(self.objects, count=self.counting)
        self._problem = load_problem(Path(folder), trial=False)
        return {}

    def load(
        self,
        image: str,
        symbols: Mapping[str, str],
        objects: Mapping[str, str],
        values: bool = False,
        compilers_own: str = "",
    ) -> Message:
        self._learn(objects)
        self._device = self.make_device(image, symbols, values, compilers_own)
        return {"kernels": self._device.describe()}

    def make_device(self, image: str, symbols: Mapping[str, str], values: bool, compilers_own: str) -> EmulatedDevice:
        """The device that runs an image: a process that does more with it has another. Raises UnsupportedPtx."""
        fatal = self._problem is None or self._problem.races_are_fatal
        return EmulatedDevice(image, symbols, self.objects, fatal, values=values, compilers_own=compilers_own)

    def extend(self, image: str, symbols: Mapping[str, str], objects: Mapping[str, str]) -> Message:
        assert self._device is not None
        self._learn(objects)
        return {"kernels": self._device.extend(image, symbols)}

    def _learn(self, objects: Mapping[str, str]) -> None:
        self.objects.learn(_decoded(objects))

    def translate(self, kernels: Sequence[str]) -> Message:
        """Compiles kernels ahead of their first launch, so that the first case's time is its own."""
        assert self._device is not None
        self._device.translate(kernels)
        return {}

    def prepare(self, sizes: Mapping[str, int], family: str, seed: int, poison: str) -> Message:
        assert self._problem is not None and self._device is not None
        self._inputs = make_inputs(self._problem, sizes, family, seed)
        started = self._problem.start_contents(sizes)
        arrays = {**self._inputs, **started}
        unset = {name: array for name, array in self._problem.outputs.items() if name not in started}
        for name, array in unset.items():
            arrays[name] = make_poisoned(array.shape(sizes), np.dtype(array.dtype.numpy), Poison(poison))
        self._ran = {"instructions": 0, "printed": "", "remarks": [], "seconds": 0.0}
        return {"addresses": self._device.place(arrays, SCRATCH_FILL[Poison(poison)], unset)}

    def allocate(self, size: int) -> Message:
        assert self._device is not None
        return {"address": self._device.allocate(size)}

    def symbol(self, name: str) -> Message:
        assert self._device is not None
        return {"address": self._device.symbol(name)}

    def execute(self, steps: Sequence[Message], instructions: int, seconds: float) -> Message:
        assert self._device is not None
        answer = self._run(steps, instructions, seconds)
        if answer["status"] == "done":
            answer |= {"in_no_order": self._device.in_no_order, **self.results()}
        return answer

    def results(self) -> Message:
        """Hands the outputs over, and tells which inputs were changed."""
        assert self._problem is not None and self._device is not None
        array = self._device.array
        return {
            "changed": first_changes(self._inputs, ((name, array(name)) for name in self._inputs)),
            "outputs": self._outputs.hand_over((name, array(name)) for name in self._problem.outputs),
        }

    def read(self, steps: Sequence[Message], instructions: int, seconds: float, address: int, size: int) -> Message:
        """Runs these steps, which come before those of `execute`, and hands part of the memory over."""
        assert self._device is not None
        answer = self._run(steps, instructions, seconds)
        if answer["status"] == "done":
            try:
                answer["data"] = self._outputs.hand_over([("data", self._device.bytes_at(address, size))])["data"]
            except Outside as outside:
                return {**answer, "status": "fault", "fault": outside.fault}
        return answer

    def _run(self, steps: Sequence[Message], instructions: int, seconds: float) -> Message:
        """Runs these steps; returns the outcome of all steps since `prepare`."""
        assert self._device is not None
        before = self._ran
        answer = self._device.run(steps, instructions, seconds - before["seconds"])
        self._ran = {
            "instructions": before["instructions"] + answer["instructions"],
            "printed": (before["printed"] + answer["printed"])[:PRINTED_LIMIT],
            "remarks": [*before["remarks"], *(one for one in answer["remarks"] if one not in before["remarks"])],
            "seconds": before["seconds"] + answer["seconds"],
        }
        return {**answer, **self._ran}


def limit_memory() -> None:
    """Limits memory, so that endless local memory ends in a MemoryError and not in swapping."""
    limit = MEMORY_LIMIT + MEMORY_PER_THREAD * (os.cpu_count() or 1)
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def main() -> None:
    limit_memory()
    serve(Worker().answer)


if __name__ == "__main__":
    main()
