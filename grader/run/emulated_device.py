"""The emulator as a device that replays plans: arrays, scratch, variables, and what each step does to them.

The process that owns it handles problems, inputs and outputs.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.core.verdict import FaultClass
from grader.plan.extents import SCRATCH_FILL, Extents, Outside, Unwritten, bytes_of, scratch_name
from grader.plan.poison import Poison
from grader.run import emulator
from grader.run.between import Between
from grader.run.fault_words import Launched, Piece, has_grid_barrier, traps_of, word_fault
from grader.run.handover import PRINTED_LIMIT
from grader.sandbox.serving import Message, by_name

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

SCRATCH_LIMIT = 1 << 30
"""Bytes of scratch that may be in use at one time."""
ORDER_ONLY = ("record_event", "wait_event", "synchronize", "download")
"""Steps that only order others. The recorded order is one that they allow."""

_MOST_REMARKS = 4

FOREIGN_KERNEL = "inline PTX has put another kernel in the place of this one"
ONLY_NEWER = "a launch with tensor maps or clusters: they need compute capability 9.0, the emulator is of 8.9"


class EmulatedDevice:
    """Loaded modules and their memory. `image` is that of the first, empty for none; `symbols`: each kernel's symbol,
    by the name that plans use.

    With `count`, launches are not checked for races, and `counted` has the cost of each. With `values`, for a debug
    build, they are only checked for uses of unset local variables. `compilers_own` is that of emulator.Memory.
    """

    def __init__(
        self,
        image: str,
        symbols: Mapping[str, str],
        objects: emulator.Objects | None,
        races_are_fatal: bool = True,
        count: bool = False,
        values: bool = False,
        compilers_own: str = "",
    ) -> None:
        self._compilers_own = compilers_own
        self.symbols = dict(symbols)
        self._races_are_fatal = races_are_fatal
        self.refusals: dict[str, Message] = {}
        self.counted: list[tuple[Message, emulator.LaunchCounts]] = []
        self._modules: dict[str, emulator.Module] = {}
        self._objects, self._count, self._values = objects, count, values
        self._memory = emulator.Memory(compilers_own)
        self._extents = Extents()
        self._scratch: dict[int, Piece] = {}
        self._between = Between()
        self._fill = 0
        self._has_grid_barrier = has_grid_barrier(image)
        self._traps = traps_of(image) if self._has_grid_barrier else frozenset()
        self._main: emulator.Module | None = None
        self._step = by_name(self.launch, self.memset, self.copy, self.upload, self.alloc, self.free)
        self._main = self._load(image, symbols) if image else None

    def extend(self, image: str, symbols: Mapping[str, str]) -> list[Message]:
        """Adds the kernels of another image, of which plans know no variables; describes them."""
        self.symbols.update(symbols)
        self._load(image, symbols)
        return self.describe(symbols)

    def _load(self, image: str, symbols: Mapping[str, str]) -> emulator.Module | None:
        try:
            module = self._module_of(image)
        except emulator.UnsupportedPtx as error:
            # Reported when it is launched: what cannot be executed is a fault of a launch like any other.
            self.refusals.update(dict.fromkeys(symbols, _unsupported(error)))
            return None
        self._modules.update(dict.fromkeys(symbols, module))
        return module

    def _module_of(self, image: str) -> emulator.Module:
        """Loads an image. Raises UnsupportedPtx."""
        return emulator.Module(image, self._objects, sanitize=not self._count, count=self._count, values=self._values)

    def describe(self, names: Iterable[str] | None = None) -> list[Message]:
        """Returns what a block or thread of each kernel needs, or of those with these names."""
        wanted = self.symbols if names is None else names
        images = ((name, self._image_of(name)) for name in wanted)
        return [
            {"name": name, "shared_bytes": image.shared_bytes, "local_bytes": image.local_bytes}
            for name, image in images
            if image is not None
        ]

    def _image_of(self, name: str) -> emulator.KernelImage | None:
        module = self._modules.get(name)
        return module.kernels.get(self.symbols[name]) if module is not None else None

    def translate(self, names: Sequence[str]) -> None:
        """Compiles these kernels ahead of their launches."""
        for name in names:
            if self._image_of(name) is not None:
                try:
                    self._modules[name].prepare(self.symbols[name])
                except emulator.UnsupportedPtx as error:
                    self.refusals[name] = _unsupported(error)

    def place(self, arrays: Mapping[str, Array], fill: int, outputs: Collection[str] = ()) -> dict[str, int]:
        """Replaces all arrays by these; returns their addresses. New scratch is filled with the byte `fill`.

        `outputs` count as unwritten, like scratch.
        """
        # A kernel's variables stay, as on a GPU: that finds a kernel that remembers results.
        self._memory.clear()
        self._extents.clear()
        self._scratch.clear()
        self._between = Between()
        self._fill = self._memory.fill = fill
        placed = arrays.items()
        addresses = {name: self._memory.place(name, array, name not in outputs) for name, array in placed}
        for name, address in addresses.items():
            self._extents.add(name, address, arrays[name].nbytes)
        return addresses

    def allocate(self, size: int) -> int | None:
        """Returns the address of `size` bytes of new scratch; None if there is no room."""
        if self._in_use() + size > SCRATCH_LIMIT:
            return None
        name = scratch_name(len(self._scratch) + 1)
        try:
            address = self._memory.allocate(name, size, self._fill)
        except MemoryError:
            return None
        self._scratch[address] = Piece(name, size)
        self._extents.add(name, address, size)
        return address

    def _in_use(self) -> int:
        return sum(piece.size for piece in self._scratch.values() if not piece.freed)

    def symbol(self, name: str) -> int | None:
        """Returns the address of a variable in device memory; None if the program has none of this name."""
        found = self._main.symbol(name, self._memory) if self._main is not None else None
        if found is None:
            return None
        address, size = found
        self._extents.add(name, address, size)
        return address

    def array(self, name: str) -> Array:
        """Returns the live array of that name."""
        return self._memory.read(name)

    def bytes_at(self, address: int, size: int) -> Array:
        """Returns part of the memory, as the host may see it.

        Raises Outside, and Unwritten if none of the bytes is written. Unwritten bytes are random: poison would tell one
        run from another.
        """
        self._extents.check("copy to the host", address, size)
        written = self._memory.is_written(address, size)
        if size and not written.any():
            raise Unwritten(self._extents.name_at(address), size)
        drawn = np.frombuffer(os.urandom(size), np.uint8) if not written.all() else self._memory.span(address, size)
        found: Array = np.where(written, self._memory.span(address, size), drawn)
        return found

    def run(self, steps: Sequence[Message], instructions: int, seconds: float) -> Message:
        """Runs steps until one fails; returns the outcome.

        `instructions`: the limit of one launch. `seconds`: the limit of all launches together.
        """
        answer: Message = {"status": "done", "instructions": 0, "printed": "", "remarks": []}
        self._instructions, self._seconds_left = instructions, seconds
        # The second run of a case, which has other scratch.
        other = self._fill == SCRATCH_FILL[Poison.FINITE]
        for step in self._between.begin(steps, self._memory, other):
            try:
                outcome = self._between.around(step, self._memory, self._once)
            except Outside as outside:
                outcome = {"status": "fault", "fault": outside.fault}
            answer["instructions"] += outcome.pop("instructions", 0)
            answer["printed"] = (answer["printed"] + outcome.pop("printed", ""))[:PRINTED_LIMIT]
            answer["remarks"] += outcome.pop("remarks", ())
            answer.update(outcome)
            if answer["status"] != "done":
                # On a GPU too, a failed launch destroys what its program had in memory.
                self._memory = emulator.Memory(self._compilers_own)
                self._extents.clear()
                self._scratch.clear()
                break
        return {**answer, "seconds": seconds - self._seconds_left}

    @property
    def in_no_order(self) -> bool:
        """Whether steps since `place` may also run in another order."""
        return self._between.found_open

    def _once(self, step: Message) -> Message:
        return {} if step["do"] in ORDER_ONLY else self._step(dict(step))

    # The steps of a plan, with the fields of `step_to_json`

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
        line: int | None = None,
    ) -> Message:
        if kernel in self.refusals:
            return _refused(kernel, self.refusals[kernel])
        symbol, values = self.symbols[kernel], [bytes.fromhex(text) for text in arguments]
        image = self._image_of(kernel)
        if image is None or image.parameter_bytes != tuple(map(len, values)):
            # The compiler has checked the source's kernel; this one comes from inline PTX.
            return _refused(kernel, _unsupported(emulator.UnsupportedPtx(FOREIGN_KERNEL)))
        if tensor_maps or any(cluster):
            return _refused(kernel, _unsupported(emulator.UnsupportedPtx(ONLY_NEWER)))
        if self._seconds_left <= 0:
            return {"status": "limit", "lines": [line] if line else []}
        try:
            result = self._run_kernel(
                kernel,
                symbol,
                grid=_three(grid),
                block=_three(block),
                arguments=values,
                memory=self._memory,
                shared_bytes=shared_bytes,
                limits=emulator.Limits(self._instructions, self._seconds_left, self._races_are_fatal),
                cooperative=cooperative,
            )
        except emulator.UnsupportedPtx as error:
            return _refused(kernel, _unsupported(error))
        self._seconds_left -= result.seconds
        if result.counts is not None:
            shape = {"kernel": kernel, "grid": list(grid), "block": list(block), "shared_bytes": shared_bytes}
            self.counted.append((shape, result.counts))
        launched = Launched(values, cooperative, self._has_grid_barrier, self._traps)
        return {
            "status": result.status,
            "fault": self._fault(result.fault, kernel, launched) if result.fault else None,
            "lines": list(result.lines),
            "instructions": result.instructions,
            "printed": result.printed,
            "remarks": [
                {"message": one.message, "line": one.line, "undefined": one.undefined}
                for one in result.remarks[:_MOST_REMARKS]
            ],
        }

    def _run_kernel(self, kernel: str, symbol: str, **launch: Any) -> emulator.LaunchResult:
        """Runs one launch, with the arguments of Module.launch."""
        return self._modules[kernel].launch(symbol, **launch)

    def memset(self, address: int, value: int, size: int, **_: Any) -> Message:
        self._extents.check("memset", address, size)
        self._memory.span(address, size)[:] = value
        self._memory.wrote(address, size)
        return {}

    def copy(self, target: int, source: int, size: int, **_: Any) -> Message:
        self._extents.check("copy", source, size)
        self._extents.check("copy", target, size)
        self._memory.span(target, size)[:] = self._memory.span(source, size).copy()
        self._memory.copied(target, source, size)
        return {}

    def upload(self, target: int, data: str, **_: Any) -> Message:
        values = np.frombuffer(base64.b64decode(data), np.uint8)
        self._extents.check("upload", target, values.size)
        self._memory.span(target, values.size)[:] = values
        self._memory.wrote(target, values.size)
        return {}

    def alloc(self, address: int, size: int, line: int | None = None, **_: Any) -> Message:
        piece = self._scratch.get(address)
        if piece is None:
            raise Outside(f"cudaMalloc of {bytes_of(size)} at {address:#x}, which was not given")
        if piece.freed:
            if self._in_use() + size > SCRATCH_LIMIT:
                message = f"{bytes_of(size)} of scratch more, beside {bytes_of(self._in_use())} in use"
                return {"status": "memory", "message": message}
            self._memory.allocate_again(address, piece.name, size, self._fill)
            self._extents.add(piece.name, address, size)
        self._scratch[address] = Piece(piece.name, size, line)
        return {}

    def free(self, address: int, line: int | None = None, **_: Any) -> Message:
        piece = self._scratch.get(address)
        if piece is None or piece.freed:
            raise Outside(f"cudaFree of {address:#x}, where no live scratch begins")
        self._extents.remove(address)
        self._memory.free(address)
        piece.freed, piece.freed_line = True, line
        return {}

    def _fault(self, fault: emulator.Fault, kernel: str, launched: Launched) -> Message:
        piece = next((piece for piece in self._scratch.values() if piece.name == fault.array), None)
        told = word_fault(_told(fault, kernel), launched, piece)
        del told["bytes"]
        return told


def _three(numbers: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = numbers
    return x, y, z


def _told(fault: emulator.Fault, kernel: str) -> Message:
    names = ("message", "line", "access", "bytes", "array", "index", "extent", "threads", "instruction")
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
