"""The emulator's own process: makes a case's inputs, runs plans on the emulator, hands the outputs back.

It holds trusted code that runs untrusted device code; no reference result and no later seed ever comes here.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.inputs import make_inputs
from grader.problem import Problem, load_problem
from grader.process import serve
from grader.run import emulator
from grader.run.handover import PRINTED_LIMIT, Outputs, first_changes
from grader.run.poison import Poison, poisoned
from grader.verdict import FaultClass

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

Message = dict[str, Any]

MEMORY_LIMIT = 4 << 30
MEMORY_PER_THREAD = 16 << 20
"""Private memory that this process may hold: a fixed part, and the stack and heap of one thread a core."""

FOREIGN_KERNEL = "inline PTX has put another kernel in the place of this one"


class Worker:
    """Answers the judge's requests, one at a time."""

    def __init__(self) -> None:
        self._outputs = Outputs()
        self._problem: Problem | None = None
        self._module: emulator.Module | None = None
        self._refusal: Message | None = None
        self._symbols: Mapping[str, str] = {}
        self._memory = emulator.Memory()
        self._addresses: dict[str, int] = {}
        self._inputs: Mapping[str, Array] = {}

    def answer(self, request: Message) -> Message:
        operations: dict[str, Callable[..., Message]] = {
            "open": self.open,
            "load": self.load,
            "prepare": self.prepare,
            "execute": self.execute,
        }
        try:
            return operations[request.pop("do")](**request)
        except MemoryError:
            return {"error": f"it needed more than {MEMORY_LIMIT >> 30} GiB of memory on the judge's machine"}

    def open(self, folder: str) -> Message:
        self._problem = load_problem(Path(folder))
        return {"outputs": self._outputs.descriptor}

    def load(self, image: str, symbols: Mapping[str, str], cache: str | None) -> Message:
        self._symbols = symbols
        self._memory = emulator.Memory()
        try:
            self._module = emulator.Module(image, cache=Path(cache) if cache else None)
            for symbol in symbols.values():
                # Translated here, so that the first case's time is its own.
                self._module.prepare(symbol)
        except emulator.UnsupportedPtx as error:
            # Told when it is run: what can't be executed is a fault of a launch, like any other.
            self._refusal = _unsupported(error)
            return {"kernels": []}
        kernels = self._module.kernels
        return {
            "kernels": [
                {"name": name, "shared_bytes": k.shared_bytes, "local_bytes": k.local_bytes}
                for name, symbol in symbols.items()
                for k in [kernels[symbol]]
            ]
        }

    def prepare(self, sizes: Mapping[str, int], family: str, seed: int, poison: str) -> Message:
        assert self._problem is not None
        # What a kernel left in its variables is still there, as on a GPU: a remembered result is found out.
        self._memory.clear()
        self._inputs = make_inputs(self._problem, sizes, family, seed)
        arrays = dict(self._inputs)
        for name, array in self._problem.outputs.items():
            arrays[name] = poisoned(array.shape(sizes), np.dtype(array.dtype.numpy), Poison(poison))
        self._addresses = {name: self._memory.place(name, array) for name, array in arrays.items()}
        return {"addresses": self._addresses}

    def execute(self, steps: Sequence[Message], instructions: int, seconds: float) -> Message:
        if self._refusal is not None:
            return {"status": "fault", "fault": self._refusal}
        began = time.monotonic()
        answer: Message = {"status": "done", "instructions": 0, "printed": ""}
        for step in steps:
            if "memset" in step:
                self._set(*step["memset"])
                continue
            left = seconds - (time.monotonic() - began)
            outcome = self._launch(step, instructions, left)
            answer["instructions"] += outcome.pop("instructions", 0)
            answer["printed"] = (answer["printed"] + outcome.pop("printed", ""))[:PRINTED_LIMIT]
            answer.update(outcome)
            if answer["status"] != "done":
                break
        answer["seconds"] = time.monotonic() - began
        if answer["status"] == "done":
            assert self._problem is not None
            read = self._memory.read
            answer["changed"] = first_changes(self._inputs, ((name, read(name)) for name in self._inputs))
            answer["outputs"] = self._outputs.hand_over((name, read(name)) for name in self._problem.outputs)
        else:
            # On a GPU, too, a failed launch is the end of what its program had in memory.
            self._memory = emulator.Memory()
        return answer

    def _launch(self, step: Message, instructions: int, seconds: float) -> Message:
        assert self._module is not None
        symbol = self._symbols[step["kernel"]]
        arguments = [bytes.fromhex(text) for text in step["arguments"]]
        if self._module.kernels[symbol].parameter_bytes != tuple(map(len, arguments)):
            # The compiler has checked the source's kernel: this one comes from inline PTX.
            return {"status": "fault", "fault": _unsupported(emulator.UnsupportedPtx(FOREIGN_KERNEL))}
        try:
            result = self._module.launch(
                symbol,
                grid=tuple(step["grid"]),
                block=tuple(step["block"]),
                arguments=arguments,
                memory=self._memory,
                shared_bytes=step["shared_bytes"],
                limits=emulator.Limits(instructions=instructions, seconds=max(seconds, 0.1)),
            )
        except emulator.UnsupportedPtx as error:
            return {"status": "fault", "fault": _unsupported(error)}
        return {
            "status": result.status,
            "fault": _fault(result.fault, step["kernel"]) if result.fault else None,
            "lines": list(result.lines),
            "instructions": result.instructions,
            "printed": result.printed,
        }

    def _set(self, address: int, value: int, size: int) -> None:
        """A memset; `solve()` is the problem's own code and asks for whole arrays only."""
        for name, start in self._addresses.items():
            data = self._memory.read(name).reshape(-1).view(np.uint8)
            if start == address and size == data.nbytes:
                data[:] = value


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


def _unsupported(error: emulator.UnsupportedPtx) -> Message:
    return {
        "fault": str(FaultClass.ILLEGAL_INSTRUCTION),
        "message": str(error),
        "line": error.line,
        "instruction": error.instruction,
    }


def limit_memory() -> None:
    """A kernel that asks for endless local memory ends in a MemoryError, not in a machine that swaps."""
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
