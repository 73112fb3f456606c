"""One call of a script's solve(): its kernels as they are compiled, steps to time, and notes, each bounded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader.compile.program import Kernel, Program
from grader.core.plan import Alloc, Free
from grader.core.report import Diagnostic
from grader.core.verdict import Form, Verdict
from grader.plan.device_table import DeviceTable
from grader.plan.frames import Malformed, number, parse_steps, places, text
from grader.plan.recorder_call import Call, Ended, Process
from grader.plan.recording import Argument, Recording
from grader.plan.runner import DeviceMemory
from grader.plan.scripts.kept import MOST_CODE, is_hexadecimal
from grader.plan.stopped import Stop

MOST_CODE_TOGETHER = 64 << 20
MOST_KERNELS = 512
"""Kernels of one script at most: one is compiled anew for other types, other constants and numbers that 16 divides."""
MOST_TUNED = 1000
"""Steps that are timed at once."""
MOST_TRIALS = 4096
"""Times that one call may ask for: a tuner's configurations are kernels, of which there are fewer."""
MOST_NOTES = 16
_NAME_LENGTH = 1000


class Known:
    """The code of a script's kernels that this grading has seen, by their handles: none may stand for two."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._size = 0

    def add(self, kernel: Kernel, ptx: str, cubin: bytes) -> None:
        """Adds a kernel. Raises Malformed for a handle of other code, Ended for too much code."""
        told = (kernel.name, kernel.symbol, *map(str, kernel.parameter_bytes), ptx)
        digest = hashlib.sha256("\0".join(told).encode() + b"\0" + cubin).hexdigest()
        if self._digests.setdefault(kernel.handle, digest) != digest:
            raise Malformed("two kernels of one handle")
        self._size += len(ptx) + len(cubin)
        if len(self._digests) > MOST_KERNELS or self._size > MOST_CODE_TOGETHER:
            message = (
                f"solve() has {len(self._digests)} kernels of {self._size:,} bytes of code compiled, where "
                f"{MOST_KERNELS} of {MOST_CODE_TOGETHER:,} are allowed"
            )
            raise Ended(Stop(Verdict.MEMORY_LIMIT_EXCEEDED, message, hint="compile a kernel once for all sizes"))


class ScriptCall(Call):
    """A call of a script's solve(), which tells of kernels as it compiles them, and may launch no others.

    `kernels` are those that it told of, by their handles, `notes` what it told readers of the report; `is_over` is
    whether the process told of its end.
    """

    def __init__(
        self,
        program: Program,
        arguments: Sequence[Argument],
        properties: DeviceTable,
        device: DeviceMemory,
        process: Process,
        lines: Callable[[Sequence[Sequence[int]]], Sequence[int | None]],
        known: Known,
    ) -> None:
        super().__init__((), arguments, properties, device, process, lines)
        self.kernels: dict[str, Kernel] = {}
        self.is_over = False
        self.notes: list[Diagnostic] = []
        self._program = program
        self._known = known
        self._trials = 0

    def take(self, frame: Mapping[str, Any]) -> bool:
        op = frame.get("op")
        if op == "time":
            self._time(frame)
        elif op == "note":
            self._note(frame)
        elif op == "kernel":
            self._add_kernel(frame)
        else:
            self.is_over = op in ("end", "stop")
            return super().take(frame)
        return False

    def _add_kernel(self, frame: Mapping[str, Any]) -> None:
        kernel, image, cubin = _kernel(frame)
        if kernel.handle in self.kernels:
            raise Malformed("a kernel that is told twice")
        self._known.add(kernel, image, cubin)
        self.kernels[kernel.handle] = kernel
        self.validator.add_kernel(kernel)
        with self.own_time():
            self.device.extend(
                Program(
                    form=Form.SOLVE,
                    target="",
                    image=image,
                    kernels=(kernel,),
                    cubin=cubin,
                    language=self._program.language,
                    script=self._program.script,
                    kept=self._program.kept,
                )
            )

    def _time(self, frame: Mapping[str, Any]) -> None:
        """Answers how many nanoseconds these steps take, which are not part of the plan."""
        steps = [recorded.step for recorded in parse_steps(frame, MOST_TUNED)]
        if any(isinstance(step, (Alloc, Free)) or self.validator.fault_of(step) for step in steps):
            raise Malformed("steps to time that no plan may have")
        self._trials += 1
        if self._trials > MOST_TRIALS:
            message = f"solve() times more than {MOST_TRIALS:,} trials in one call"
            raise Ended(Stop(Verdict.TIME_LIMIT_EXCEEDED, message, hint="let the tuner have fewer configurations"))
        with self.own_time():
            seconds = self.device.time(steps)
        self._process.send(b"%d" % int(seconds * 1e9))

    def _note(self, frame: Mapping[str, Any]) -> None:
        line = next((one for one in places(frame) if one), None)
        if len(self.notes) < MOST_NOTES:
            # One line: the next one could be taken for a word of kgrade's.
            self.notes.append(Diagnostic("note", text(frame, "text").replace("\n", " "), line))

    def recording(self, seconds: float, printed: str) -> Recording:
        # Python frees what nobody refers to any more.
        return replace(super().recording(seconds, printed), leaked=())


def _kernel(frame: Mapping[str, Any]) -> tuple[Kernel, str, bytes]:
    """The kernel that a frame tells of, its PTX and its machine code. Raises Malformed."""
    words = [frame.get(key) for key in ("name", "symbol", "handle", "ptx", "cubin")]
    if not all(isinstance(word, str) and word.isascii() and len(word) <= MOST_CODE for word in words):
        raise Malformed("a kernel without names and code")
    name, symbol, handle, ptx, cubin = map(str, words)
    if not all(0 < len(word) <= _NAME_LENGTH and word.isprintable() for word in (name, symbol, handle)):
        raise Malformed("a kernel's name")
    sizes = frame.get("parameter_bytes")
    if not isinstance(sizes, list) or len(sizes) > 4096:
        raise Malformed("a kernel's parameters")
    if not is_hexadecimal(cubin):
        raise Malformed("no hexadecimal bytes")
    parameters = tuple(number({"size": size}, "size", 1 << 16) for size in sizes)
    return Kernel(name, symbol, parameters, handle), ptx, bytes.fromhex(cubin)
