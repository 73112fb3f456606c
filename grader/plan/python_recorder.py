"""The judge's side of the process that imports a submission in Python and calls its solve().

A process reads one submission. It is confined like a compiler, since that is what the languages' packages are; what it
says is parsed by grader.plan.frames and checked by grader.plan.validate.
"""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader import __version__
from grader.compile.cache import make_key
from grader.compile.compiler import CompileFailure
from grader.compile.program import Kernel, Program
from grader.core.files import write_whole
from grader.core.plan import Alloc, Free
from grader.core.report import Diagnostic
from grader.core.verdict import Form, LanguageName, Verdict
from grader.machine.own_packages import packages_folder, packages_of
from grader.plan.device_table import EMULATED, DeviceTable
from grader.plan.frames import Hurried, Malformed, number, parse_steps, places, text
from grader.plan.recorder_call import Call, Ended
from grader.plan.recording import Argument, Recording
from grader.plan.runner import DeviceMemory
from grader.plan.stopped import RecordingStopped, Stop, told_with_line, took_too_long
from grader.sandbox import Confinement, Profile, Sandbox, SandboxLimits
from grader.sandbox.children import Child, ChildDied, ChildTimeout

MODULES: Mapping[LanguageName, str] = {
    name: f"grader.plan.python.{name}_child" for name in LanguageName if name is not LanguageName.CUDA
}
"""What the process of each language runs. They differ in what a template of them has loaded."""
IMPORT_SECONDS = 60.0
"""For importing a language and the submission, on a loaded machine."""
COMPILE_SECONDS = 60.0
"""For one call of solve(), which compiles its kernels when it launches them."""
LIMITS = SandboxLimits(memory=None, cpu_seconds=None, file_bytes=256 << 20, processes=256, descriptors=256)
MOST_CODE = 16 << 20
"""Characters of PTX, or bytes of machine code, of one kernel."""
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
MOST_TUNED = 1000
"""Steps that are timed at once."""
MOST_NOTES = 16
_NAME_LENGTH = 1000
_PRINTED = 10_000


class ScriptRecorder:
    """Records a program that is a script. One process answers all calls, up to one that fails.

    What it compiles is kept for the next process in `cache`, the folder of all caches, until `start_anew` is called:
    what it then compiles may tell of sizes that nobody is to know.
    """

    def __init__(
        self, program: Program, parameters: Sequence[str], sandbox: Sandbox, seconds: float, cache: Path
    ) -> None:
        self._program = program
        self._parameters = parameters
        self._sandbox = sandbox
        self._kept: KeptCode | None = KeptCode(cache, program)
        self._seconds = max(seconds, COMPILE_SECONDS)
        self._kernels: dict[str, Kernel] = {}
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
        if self._child is None:
            kept = {} if self._kept is None else self._kept.load()
            self._child = _take(self._program) or _opened(self._program, self._parameters, self._sandbox, kept)
        process = _Process(self._child, self._seconds)
        call = _ScriptCall(
            self._program, arguments, properties, device, process, self.lines, self._kernels, self._notes
        )
        # The emulator's compute capability is that of its own table.
        question = {
            "do": "solve",
            "arguments": [_argument_to_json(argument) for argument in arguments],
            "device": _device_to_json(properties),
            "machine_code": properties is not EMULATED,
        }
        try:
            process.ask(question)
            call.run()
        except Ended as end:
            if not process.alive:
                self._child = None
            (line,) = self.lines([end.stop.at])
            raise RecordingStopped(told_with_line(end.stop, None), line, process.printed) from None
        except BaseException:
            self._child.close()
            self._child = None
            raise
        if self._kept is not None:
            self._kept.add(process.compiled)
        return call.recording(time.perf_counter() - started, process.printed)

    def start_anew(self) -> None:
        """Ends the process: the next call knows nothing of those before."""
        self._kept = None
        if self._child is not None:
            self._child.close()
            self._child = None

    def lines(self, calls: Sequence[Sequence[int]]) -> list[int | None]:
        """The line that the process itself named for each call."""
        return [at[0] if at and at[0] else None for at in calls]


class _Process:
    """The process, as grader.plan.recorder_call sees it. `printed` is what solve() printed, `compiled` new code of its
    kernels, by keys of its own."""

    def __init__(self, child: Child, seconds: float) -> None:
        self.printed = ""
        self.compiled: Mapping[str, str] = {}
        self.alive = True
        self._child = child
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._death: ChildDied | None = None

    def ask(self, message: Mapping[str, Any]) -> None:
        """Sends a request."""
        try:
            self._child.send(message)
        except ChildDied as died:
            self._note(died)

    def send(self, payload: bytes) -> None:
        self.ask({"payload": payload.hex()})

    def receive(self) -> Mapping[str, Any] | None:
        try:
            if not self.alive:
                return None
            frame = self._child.receive(max(self._until - time.monotonic(), 0.0))
        except ChildTimeout:
            self.alive = False
            raise Hurried from None
        except ChildDied as died:
            self._note(died)
            return None
        if isinstance(frame.get("kept"), dict):
            self.compiled = frame["kept"]
        self.printed = text(frame, "printed")[:_PRINTED] if "printed" in frame else self.printed
        return frame

    def wait_longer(self, seconds: float) -> None:
        self._until += seconds

    def end_late(self) -> Stop:
        return took_too_long(self._seconds)

    def explain_death(self) -> Stop:
        died = self._death
        how = "" if died is None else f" ({died.signal.name})" if died.signal else f" (exit code {died.returncode})"
        message = f"the process of solve() ended before solve() returned{how}"
        return Stop(Verdict.RUNTIME_ERROR, message, hint="return from solve() instead")

    def _note(self, died: ChildDied) -> None:
        self.alive, self._death = False, died


class _ScriptCall(Call):
    """A call of a script's solve(), which tells of kernels as it compiles them."""

    def __init__(
        self,
        program: Program,
        arguments: Sequence[Argument],
        properties: DeviceTable,
        device: DeviceMemory,
        process: _Process,
        lines: Callable[[Sequence[Sequence[int]]], Sequence[int | None]],
        kernels: dict[str, Kernel],
        notes: dict[Diagnostic, None],
    ) -> None:
        super().__init__(kernels.values(), arguments, properties, device, process, lines)
        self._program = program
        self._known = kernels
        self._notes = notes

    def take(self, frame: Mapping[str, Any]) -> bool:
        op = frame.get("op")
        if op == "time":
            self._time(frame)
            return False
        if op == "note":
            self._note(frame)
            return False
        if op != "kernel":
            return super().take(frame)
        kernel, image, cubin = _kernel(frame)
        self._known[kernel.handle] = kernel
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
                )
            )
        return False

    def _time(self, frame: Mapping[str, Any]) -> None:
        """Answers how many nanoseconds these steps take, which are not part of the plan."""
        steps = [recorded.step for recorded in parse_steps(frame, MOST_TUNED)]
        if any(isinstance(step, (Alloc, Free)) or self.validator.fault_of(step) for step in steps):
            raise Malformed("steps to time that no plan may have")
        with self.own_time():
            seconds = self.device.time(steps)
        self._process.send(b"%d" % int(seconds * 1e9))

    def _note(self, frame: Mapping[str, Any]) -> None:
        said, line = text(frame, "text"), next((one for one in places(frame) if one), None)
        if len(self._notes) < MOST_NOTES:
            self._notes[Diagnostic("note", said, line)] = None

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
    try:
        code = bytes.fromhex(cubin)
    except ValueError as error:
        raise Malformed("no hexadecimal bytes") from error
    parameters = tuple(number({"size": size}, "size", 1 << 16) for size in sizes)
    return Kernel(name, symbol, parameters, handle), ptx, code


class KeptCode:
    """What processes compiled for one script, in hexadecimal, in a file below `cache`.

    The script alone reads it: what a submission could spoil, nobody else gets. What can't be read or written is
    compiled again.
    """

    def __init__(self, cache: Path, program: Program) -> None:
        parts = {"script": program.script, "file": program.file, "language": program.language, "version": __version__}
        self._file = cache / "programs" / "python" / f"{make_key(parts)}.json"

    def load(self) -> dict[str, str]:
        """What is kept, by the keys of the process."""
        try:
            data = json.loads(self._file.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) and _is_kept(data) else {}

    def add(self, compiled: Mapping[str, str]) -> None:
        """Keeps more."""
        if not compiled or not _is_kept(compiled):
            return
        data = json.dumps({**self.load(), **compiled}).encode()
        if len(data) <= MOST_CODE:
            with suppress(OSError):
                write_whole(self._file, data)


def _is_kept(data: Mapping[Any, Any]) -> bool:
    return all(isinstance(word, str) and word.isascii() for pair in data.items() for word in pair)


def import_once(program: Program, parameters: Sequence[str], sandbox: Sandbox, cache: Path) -> None:
    """Imports a program's script in a process that is kept for its plans.

    Raises CompileFailure for what keeps the script from being a submission, ToolMissing, or another JudgeError.
    """
    end_waiting()
    _waiting.append((program, _opened(program, tuple(parameters), sandbox, KeptCode(cache, program).load())))


_waiting: list[tuple[Program, Child]] = []
"""At most one process that has imported a program and waits for its planner."""


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


def confinement_of(sandbox: Sandbox, language: LanguageName) -> Confinement | None:
    """The confinement of a language's process; None if there is no sandbox."""
    shown = tuple(own.place for own in packages_of(language, for_gpu=True) if own.place.is_dir())
    return Confinement(sandbox, Profile.COMPILE, shown, limits=LIMITS) if sandbox.protects else None


def _opened(program: Program, parameters: Sequence[str], sandbox: Sandbox, kept: Mapping[str, str]) -> Child:
    confinement = confinement_of(sandbox, program.language)
    child = Child(MODULES[program.language], confinement=confinement, scratch=())
    try:
        child.send(
            {
                "do": "open",
                "language": str(program.language),
                "text": program.script,
                "file": program.file,
                "parameters": list(parameters),
                "kept": dict(kept),
                "packages": str(packages_folder()),
                # An import asks and records nothing, so that any device will do.
                "device": _device_to_json(EMULATED),
            }
        )
        answer = child.receive(IMPORT_SECONDS)
    except ChildTimeout:
        message = f"importing the file took longer than {IMPORT_SECONDS:g} seconds and was stopped"
        raise CompileFailure([Diagnostic("error", message, hint="Let solve() do the work.")]) from None
    except BaseException:
        child.close()
        raise
    if answer.get("op") != "end":
        child.close()
        raise CompileFailure([_diagnostic(answer)])
    return child


def _diagnostic(answer: Mapping[str, Any]) -> Diagnostic:
    try:
        said, call = text(answer, "message"), text(answer, "call")
        line = next((one for one in places(answer) if one), None)
        hint = text(answer, "hint")
    except Malformed:
        return Diagnostic("error", "importing the file ended in no known way")
    named = f"{call}: {said}" if call else said
    return Diagnostic("error", named, line, hint=hint)


def _device_to_json(table: DeviceTable) -> dict[str, Any]:
    attributes = {str(number): value for number, value in table.attributes.items()}
    return {"name": table.name, "memory": table.total_memory, "attributes": attributes}


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
