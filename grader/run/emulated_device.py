"""The emulator as a device that replays plans: arrays, scratch, variables, and what each step does to them.

Problems, inputs and outputs are the business of the process that owns it.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.process import Message, by_name
from grader.run import emulator
from grader.run.extents import Extents, Outside, scratch_name
from grader.run.handover import PRINTED_LIMIT
from grader.verdict import FaultClass

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

SCRATCH_LIMIT = 1 << 30
"""Bytes that one plan may allocate in all."""
ORDER_ONLY = ("alloc", "record_event", "wait_event", "synchronize")
"""Steps that say when others may run. The order in which they were recorded is one that they allow."""

FOREIGN_KERNEL = "inline PTX has put another kernel in the place of this one"
ONLY_NEWER = "a launch with tensor maps or clusters: they need compute capability 9.0, the emulator is of 8.9"


class EmulatedDevice:
    """One loaded module and its memory. `symbols` gives each kernel's symbol by the name that plans use."""

    def __init__(self, image: str, symbols: Mapping[str, str], cache: Path | None) -> None:
        self.symbols = symbols
        self.refusals: dict[str, Message] = {}
        self._module: emulator.Module | None = None
        self._memory = emulator.Memory()
        self._extents = Extents()
        self._scratch: dict[int, int] = {}
        self._allocated = 0
        self._count = 0
        self._fill = 0
        self._step = by_name(self.launch, self.memset, self.copy, self.upload, self.free)
        try:
            self._module = emulator.Module(image, cache=cache, sanitize=True)
        except emulator.UnsupportedPtx as error:
            # Told when it is run: what can't be executed is a fault of a launch, like any other.
            self.refusals = dict.fromkeys(symbols, _unsupported(error))

    def describe(self) -> list[Message]:
        """What a block or thread of each kernel takes."""
        kernels = self._module.kernels if self._module is not None else {}
        images = ((name, kernels.get(symbol)) for name, symbol in self.symbols.items())
        return [
            {"name": name, "shared_bytes": image.shared_bytes, "local_bytes": image.local_bytes}
            for name, image in images
            if image is not None
        ]

    def translate(self, names: Sequence[str]) -> None:
        """Makes these kernels ready to be launched."""
        for name in names:
            if self._module is not None and self.symbols[name] in self._module.kernels:
                try:
                    self._module.prepare(self.symbols[name])
                except emulator.UnsupportedPtx as error:
                    self.refusals[name] = _unsupported(error)

    def place(self, arrays: Mapping[str, Array], fill: int) -> dict[str, int]:
        """These arrays in place of all others, and their addresses. Scratch will be full of the byte `fill`."""
        # What a kernel left in its variables is still there, as on a GPU: a remembered result is found out.
        self._memory.clear()
        self._extents.clear()
        self._scratch.clear()
        self._allocated = self._count = 0
        self._fill = fill
        addresses = {name: self._memory.place(name, array) for name, array in arrays.items()}
        for name, address in addresses.items():
            self._extents.add(name, address, arrays[name].nbytes)
        return addresses

    def allocate(self, size: int) -> int | None:
        """The address of new scratch; None where there is no room for it."""
        if self._allocated + size > SCRATCH_LIMIT:
            return None
        name = scratch_name(self._count + 1, size)
        try:
            address = self._memory.allocate(name, size, self._fill)
        except MemoryError:
            return None
        self._count += 1
        self._allocated += size
        self._scratch[address] = size
        self._extents.add(name, address, size)
        return address

    def symbol(self, name: str) -> int | None:
        """The address of a variable in device memory; None where the program has none of this name."""
        found = self._module.symbol(name, self._memory) if self._module is not None else None
        if found is None:
            return None
        address, size = found
        self._extents.add(name, address, size)
        return address

    def array(self, name: str) -> Array:
        """The live array of that name."""
        return self._memory.read(name)

    def bytes_at(self, address: int, size: int) -> Array:
        """Part of the memory. Raises Outside."""
        self._extents.check("copy to the host", address, size)
        return self._memory.span(address, size)

    def run(self, steps: Sequence[Message], instructions: int, seconds: float) -> Message:
        """Runs steps until one fails. `instructions` are the most of a launch, `seconds` are for all together."""
        answer: Message = {"status": "done", "instructions": 0, "printed": ""}
        self._instructions, self._until = instructions, time.monotonic() + seconds
        for step in steps:
            if step["do"] in ORDER_ONLY:
                continue
            try:
                outcome = self._step(dict(step))
            except Outside as outside:
                outcome = {"status": "fault", "fault": outside.fault}
            answer["instructions"] += outcome.pop("instructions", 0)
            answer["printed"] = (answer["printed"] + outcome.pop("printed", ""))[:PRINTED_LIMIT]
            answer.update(outcome)
            if answer["status"] != "done":
                # On a GPU, too, a failed launch is the end of what its program had in memory.
                self._memory = emulator.Memory()
                self._extents.clear()
                break
        return answer

    # The steps of a plan, with the fields that `told` gives them.

    def launch(
        self,
        kernel: str,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        arguments: Sequence[str],
        cooperative: bool,
        cluster: Sequence[int],
        tensor_maps: Sequence[Message],
        stream: int,
    ) -> Message:
        if kernel in self.refusals:
            return _refused(kernel, self.refusals[kernel])
        assert self._module is not None
        symbol, values = self.symbols[kernel], [bytes.fromhex(text) for text in arguments]
        image = self._module.kernels.get(symbol)
        if image is None or image.parameter_bytes != tuple(map(len, values)):
            # The compiler has checked the source's kernel: this one comes from inline PTX.
            return _refused(kernel, _unsupported(emulator.UnsupportedPtx(FOREIGN_KERNEL)))
        if tensor_maps or any(cluster):
            return _refused(kernel, _unsupported(emulator.UnsupportedPtx(ONLY_NEWER)))
        try:
            result = self._module.launch(
                symbol,
                grid=_three(grid),
                block=_three(block),
                arguments=values,
                memory=self._memory,
                shared_bytes=shared_bytes,
                limits=emulator.Limits(self._instructions, max(self._until - time.monotonic(), 0.1)),
                cooperative=cooperative,
            )
        except emulator.UnsupportedPtx as error:
            return _refused(kernel, _unsupported(error))
        return {
            "status": result.status,
            "fault": _fault(result.fault, kernel) if result.fault else None,
            "lines": list(result.lines),
            "instructions": result.instructions,
            "printed": result.printed,
        }

    def memset(self, address: int, value: int, size: int, stream: int) -> Message:
        self._extents.check("memset", address, size)
        self._memory.span(address, size)[:] = value
        return {}

    def copy(self, target: int, source: int, size: int, stream: int) -> Message:
        self._extents.check("copy", source, size)
        self._extents.check("copy", target, size)
        self._memory.span(target, size)[:] = self._memory.span(source, size).copy()
        return {}

    def upload(self, target: int, data: str, stream: int) -> Message:
        values = np.frombuffer(base64.b64decode(data), np.uint8)
        self._extents.check("upload", target, values.size)
        self._memory.span(target, values.size)[:] = values
        return {}

    def free(self, address: int) -> Message:
        if self._scratch.pop(address, None) is None:
            raise Outside(f"cudaFree of {address:#x}, where no live scratch begins")
        self._extents.remove(address)
        self._memory.free(address)
        return {}


def _three(numbers: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = numbers
    return x, y, z


def _fault(fault: emulator.Fault, kernel: str) -> Message:
    names = ("message", "line", "access", "array", "index", "extent", "threads", "instruction")
    told = {name: getattr(fault, name) for name in names}
    return {
        **told,
        "fault": str(fault.kind),
        "kernel": kernel,
        "block": list(fault.block) if fault.block else None,
        "thread": list(fault.thread) if fault.thread else None,
    }


def _refused(kernel: str, fault: Message) -> Message:
    return {"status": "fault", "fault": {**fault, "kernel": kernel}}


def _unsupported(error: emulator.UnsupportedPtx) -> Message:
    return {
        "fault": str(FaultClass.ILLEGAL_INSTRUCTION),
        "message": str(error),
        "line": error.line,
        "instruction": error.instruction,
    }
