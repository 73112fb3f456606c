"""Records the calls of a script's solve(), and keeps the process that has imported the script for its planner."""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.compile.compiler import CompileFailure
from grader.compile.program import Kernel, Program
from grader.core.report import Diagnostic
from grader.core.verdict import Verdict
from grader.plan.device_table import DeviceTable
from grader.plan.recorder_call import Ended
from grader.plan.recording import Argument, Recording
from grader.plan.runner import DeviceMemory
from grader.plan.scripts.call import MOST_NOTES, Known, ScriptCall
from grader.plan.scripts.kept import KeptCode
from grader.plan.scripts.process import ScriptProcess, device_to_json, open_script
from grader.plan.stopped import RecordingStopped, Stop, told_with_line
from grader.sandbox import Sandbox
from grader.sandbox.children import Child

IMPORT_SECONDS = 60.0
"""What importing the submission may take, which may compile what it launches."""
COMPILE_SECONDS = 60.0
"""What one call of solve() may take, which compiles its kernels when it launches them."""
_TYPES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
    "i64": "int64",
    "i32": "int32",
    "u32": "uint32",
    "i8": "int8",
    "u8": "uint8",
}
"""The names of a problem's types in Python, which are PyTorch's; those of a set of challenges are so already."""


class ScriptRecorder:
    """Records a program that is a script. One process answers all calls, up to one that fails.

    What it compiles is kept for the next grading in `kept`, the folder of such caches, until `start_anew` is called:
    what it then compiles may tell of sizes that nobody is to know. Another process of this grading gets nothing of it:
    a script could put into it what it has read.
    """

    separate = False

    def __init__(
        self, program: Program, parameters: Sequence[str], sandbox: Sandbox, seconds: float, kept: Path
    ) -> None:
        self._program = program
        self._parameters = parameters
        self._sandbox = sandbox
        self._kept: KeptCode | None = KeptCode(kept, program)
        self._given = _given_to(program, self._kept)
        self._seconds = seconds
        self._kernels: dict[str, Kernel] = {}
        self._known = Known()
        self._notes: dict[Diagnostic, None] = {}
        self._child: Child | None = None

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        return tuple(self._notes)

    @property
    def kernels(self) -> Sequence[Kernel]:
        return tuple(self._kernels.values())

    def record(self, arguments: Sequence[Argument], properties: DeviceTable, device: DeviceMemory) -> Recording:
        """Calls solve() once, as `grader.plan.planner.Recorder` has it."""
        started = time.perf_counter()
        process = ScriptProcess(self._process(), self._seconds)
        program = replace(self._program, kept=self._kept is not None)
        call = ScriptCall(program, arguments, properties, device, process, self.lines, self._known)
        # The emulator's compute capability is that of its own table.
        question = {
            "do": "solve",
            "arguments": [_argument_to_json(argument) for argument in arguments],
            "device": device_to_json(properties),
            "machine_code": not properties.emulated,
        }
        try:
            process.ask(question)
            call.run()
        except Ended as end:
            if not call.is_over:
                # It may still be on its way, and what it says then would be taken for the next call's.
                self.forget()
            (line,) = self.lines([end.stop.at])
            raise RecordingStopped(told_with_line(end.stop, None), line, process.printed, call.begun()) from None
        except BaseException:
            self.forget()
            raise
        self._kernels |= call.kernels
        self._notes.update(dict.fromkeys(call.notes[: MOST_NOTES - len(self._notes)]))
        if self._kept is not None:
            self._kept.add(process.compiled)
        return call.recording(time.perf_counter() - started, process.printed)

    def record_series(self, calls: Sequence[Sequence[Argument]], properties: DeviceTable, device: DeviceMemory) -> None:
        """Nothing: one process answers all calls, so that what it keeps shows in the next one."""

    def _process(self) -> Child:
        if self._child is None:
            try:
                self._child = _take(self._program) or open_script(
                    self._program, self._parameters, self._sandbox, self._given, self._seconds
                )
            except CompileFailure as failure:
                # It was imported before, and is not the same each time.
                said = failure.diagnostics[0]
                stop = Stop(Verdict.RUNTIME_ERROR, f"the file can't be imported a second time: {said.message}")
                raise RecordingStopped(stop, said.line) from None
        return self._child

    def start_anew(self) -> None:
        """Ends the process: the next call knows nothing of those before, and nobody is to know of it."""
        self._kept = None
        self._known = Known()
        self.forget()

    def forget(self) -> None:
        """Ends the process: the next call knows as much as the first did."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def lines(self, calls: Sequence[Sequence[int]]) -> list[int | None]:
        """The line that the process itself named for each call; None if the text has no such line."""
        last = self._program.script.count("\n") + 1
        return [at[0] if at and 1 <= at[0] <= last else None for at in calls]


def import_once(
    program: Program, parameters: Sequence[str], sandbox: Sandbox, kept: Path, seconds: float = IMPORT_SECONDS
) -> None:
    """Imports a program's script in a process that is kept for its plans.

    Raises CompileFailure for what keeps the script from being a submission, ToolMissing, or another JudgeError.
    """
    end_waiting()
    _given[:] = [(program, KeptCode(kept, program).load())]
    _waiting.append((program, open_script(program, tuple(parameters), sandbox, _given[0][1], seconds)))


def _given_to(program: Program, kept: KeptCode) -> Mapping[str, str]:
    """What the processes of a program get: what was kept before it was imported, and nothing that came of it since."""
    return next((given for known, given in _given if known == program), kept.load())


_given: list[tuple[Program, Mapping[str, str]]] = []
"""What was kept for the last program that was imported."""
_waiting: list[tuple[Program, Child]] = []
"""The process, at most one, that has imported a program and waits for its planner."""


def end_waiting() -> None:
    """Ends the process that waits for a planner."""
    while _waiting:
        _waiting.pop()[1].close()


def _take(program: Program) -> Child | None:
    for pair in _waiting:
        if pair[0] == program:
            _waiting.remove(pair)
            return pair[1]
    return None


def _argument_to_json(argument: Argument) -> dict[str, Any]:
    if argument.size or argument.dtype:
        shape = list(argument.shape)
        dtype = _TYPES.get(argument.dtype, argument.dtype)
        return {"name": argument.name, "dtype": dtype, "shape": shape, "address": argument.bits}
    return {"name": argument.name, "kind": argument.kind, "value": _value(argument)}


def _value(argument: Argument) -> int | float:
    """The number that an argument's bits stand for."""
    if argument.kind == "int64":
        return argument.bits - (1 << 64 if argument.bits >> 63 else 0)
    size, form = (4, "<f") if argument.kind == "float32" else (8, "<d")
    found: float = struct.unpack(form, argument.bits.to_bytes(size, "little"))[0]
    return found
