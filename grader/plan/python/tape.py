"""What solve() asks for, as it is told to the judge: kernels, launches, scratch, fills and copies.

Every language's driver records through one Tape. The judge trusts nothing of it: hostile code shares this process.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from grader.plan.limits import COPY_LIMIT, MOST_STEPS

BATCH = 256
"""Steps that are told at a time."""
MAJOR, MINOR = 75, 76
"""The numbers of CUdevice_attribute (cuda.h) for the compute capability."""

_ASSEMBLY = re.compile(r"// begin inline asm\n.*?// end inline asm", re.DOTALL)
_LOC = re.compile(r"[ \t]*\.loc[^\n]*\n")


class Judge(Protocol):
    """The channel to the judge."""

    def receive(self) -> dict[str, Any]: ...

    def send(self, message: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True)
class Device:
    """The device that this process plays: its name, bytes of memory, and attributes by CUdevice_attribute's numbers."""

    name: str
    memory: int
    attributes: Mapping[int, int]

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability, such as (8, 9)."""
        return self.attributes[MAJOR], self.attributes[MINOR]


class Refusal(Exception):
    """solve() asks for what a plan can't hold. `call` is its name as the submission writes it."""

    def __init__(self, call: str, message: str, hint: str) -> None:
        super().__init__(f"{call}: {message}; {hint}")
        self.call = call
        self.message = message
        self.hint = hint


class OutOfMemory(Exception):
    """The device has no room for an allocation."""


class Excess(Exception):
    """solve() asks for more than the judge takes. `kind` is "steps" or "bytes"."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Tape:
    """The recording of one call of solve(). Addresses are integers, sizes are in bytes.

    With `machine_code` a GPU runs what is recorded, and every kernel needs a cubin for its compute capability; else
    the emulator runs its PTX. `file` is the submission's path here, whose lines the steps are said to come from.
    """

    def __init__(self, judge: Judge, device: Device, machine_code: bool, file: str) -> None:
        self.device = device
        self.machine_code = machine_code
        self._judge = judge
        self._file = file
        self._steps: list[dict[str, Any]] = []
        self._told: set[str] = set()
        self._aside = False
        self._recorded = self._copied = self._asked = 0

    @property
    def count(self) -> int:
        """How many steps were recorded so far, and questions asked."""
        return self._recorded + self._asked

    def compiling(self, name: str) -> None:
        """Tells the judge that this function is compiled from now on, until the next frame: if that takes all the time
        there is, nothing else can be told any more."""
        self._judge.send({"op": "compiling", "name": name})

    def kernel(self, name: str, symbol: str, parameter_bytes: Sequence[int], ptx: str, cubin: bytes = b"") -> str:
        """Tells the judge of a compiled kernel, once; returns the handle by which `launch` names it.

        `name` is the function's in the source, `symbol` its symbol in the PTX and in the machine code.
        """
        ptx = _without_asm_lines(ptx)
        code = hashlib.sha256(symbol.encode() + ptx.encode() + cubin).hexdigest()[:16]
        handle = f"{symbol}.{code}"
        if handle not in self._told:
            self.flush()
            self._judge.send(
                {
                    "op": "kernel",
                    "handle": handle,
                    "name": name,
                    "symbol": symbol,
                    "parameter_bytes": list(parameter_bytes),
                    "ptx": ptx,
                    "cubin": cubin.hex(),
                }
            )
            self._told.add(handle)
        return handle

    def launch(
        self,
        handle: str,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence[bytes],
        shared_bytes: int = 0,
        stream: int = 0,
        cluster: Sequence[int] = (0, 0, 0),
        cooperative: bool = False,
        tensor_maps: Sequence[Mapping[str, Any]] = (),
        line: int = 0,
    ) -> None:
        """Records a launch. `arguments` are the raw little-endian bytes of each parameter, `shared_bytes` is dynamic
        shared memory. `line` is for host code that is compiled, which leaves no frame on the stack."""
        self._add(
            "launch",
            kernel=handle,
            grid=_three(grid),
            block=_three(block),
            shared=shared_bytes,
            arguments=[argument.hex() for argument in arguments],
            stream=stream,
            cluster=list(cluster),
            cooperative=cooperative,
            tensor_maps=list(tensor_maps),
            **({"at": [line]} if line else {}),
        )

    def allocate(self, size: int) -> int:
        """The address of new scratch. Raises OutOfMemory."""
        self._count_steps(1)
        answer = self._ask({"op": "alloc", "size": max(size, 1), "at": self._at()})
        word, _, rest = answer.decode().partition(" ")
        if word != "address":
            raise OutOfMemory(rest)
        return int(rest)

    def free(self, address: int) -> None:
        """Gives scratch back."""
        self._add("free", address=address, stream=0)

    def fill(self, address: int, pattern: bytes, count: int, stream: int = 0) -> None:
        """Records `count` repetitions of a pattern of 1, 2, 4 or 8 bytes."""
        if not count:
            return
        if len(set(pattern)) == 1:
            self._add("memset", address=address, value=pattern[0], size=count * len(pattern), stream=stream)
        else:
            self.upload(address, pattern * count, stream)

    def copy(self, target: int, source: int, size: int, stream: int = 0) -> None:
        """Records a copy within device memory."""
        if size:
            self._add("copy", target=target, source=source, size=size, stream=stream)

    def upload(self, target: int, data: bytes, stream: int = 0) -> None:
        """Records a copy of the host's bytes to the device."""
        if data:
            self._count_bytes(len(data))
            self._add("upload", target=target, data=data.hex(), stream=stream)

    def read(self, address: int, size: int, stream: int = 0) -> bytes:
        """The bytes of device memory once all that was recorded has run. The judge limits how many solve() may read."""
        self._count_bytes(size)
        # A copy, and the wait for its end.
        self._count_steps(2)
        return self._ask({"op": "read", "address": address, "size": size, "stream": stream, "at": self._at()})

    def time(self, run: Callable[[], object]) -> float:
        """The seconds that the steps which `run` records take on the device; they are not part of the plan.

        0 where the device has no times.
        """
        self.flush()
        self._aside = True
        try:
            run()
        finally:
            steps, self._steps, self._aside = self._steps, [], False
        return int(self._ask({"op": "time", "steps": steps, "at": self._at()})) / 1e9

    def note(self, text: str) -> None:
        """Tells the judge what a reader of the report may want to know about this line."""
        self.flush()
        self._judge.send({"op": "note", "text": text, "at": self._at()})

    def synchronize(self, stream: int | None = None) -> None:
        """Records that the host waits for a stream, by default for all."""
        if stream is None:
            self._add("sync_device")
        else:
            self._add("sync_stream", stream=stream)

    def refuse(self, call: str, message: str, hint: str) -> NoReturn:
        """Refuses what can't be in a plan. Raises Refusal."""
        raise Refusal(call, message, hint)

    def flush(self) -> None:
        """Tells the judge of all that was recorded."""
        if self._steps and not self._aside:
            self._judge.send({"op": "steps", "steps": self._steps})
            self._steps = []

    def line(self) -> int:
        """The innermost line of the submission on the stack; 0 if there is none."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                return frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return 0

    def _at(self) -> list[int]:
        line = self.line()
        return [line] if line else []

    def _count_steps(self, count: int) -> None:
        self._recorded += count
        if self._recorded > MOST_STEPS:
            raise Excess("steps", f"more than {MOST_STEPS:,} launches, copies and allocations")

    def _count_bytes(self, size: int) -> None:
        self._copied += size
        if self._copied > COPY_LIMIT:
            raise Excess("bytes", f"more than {COPY_LIMIT >> 20} MiB between host and device")

    def _add(self, op: str, **fields: Any) -> None:
        self._count_steps(1)
        self._steps.append({"op": op, "at": self._at(), **fields})
        if len(self._steps) >= BATCH and not self._aside:
            self.flush()

    def _ask(self, question: Mapping[str, Any]) -> bytes:
        self._asked += 1
        self.flush()
        self._judge.send(question)
        return bytes.fromhex(self._judge.receive()["payload"])


class Blank(Tape):
    """That of an import: the file may ask about the device, and do nothing with it."""

    def flush(self) -> None:
        self.refuse("the import", "the file uses the device while it is imported", "do so in solve()")

    def _add(self, op: str, **fields: Any) -> None:
        self.flush()


def _without_asm_lines(ptx: str) -> str:
    """The text without the directives inside of assembly, whose lines LLVM counts on from that of its place."""
    return _ASSEMBLY.sub(lambda found: _LOC.sub("", found[0]), ptx)


def _three(numbers: Sequence[int]) -> list[int]:
    """Three sizes of a grid or block from one to three."""
    given = [int(number) for number in numbers]
    return given + [1] * (3 - len(given))
