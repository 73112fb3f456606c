"""The judge's side of the process that imports a submission in Python and calls its solve().

A process reads one submission. It is confined like a compiler, since that is what the languages' packages are; what it
says is parsed by grader.plan.frames and checked by grader.plan.validate. It is trusted until it has the submission's
text: from then on whatever it says, or that it says nothing, is an outcome of the submission.
"""

from __future__ import annotations

import hashlib
import json
import signal
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
from grader.plan.frames import FRAME_LIMIT, TOTAL_LIMIT, Hurried, Malformed, number, parse, parse_steps, places, text
from grader.plan.recorder_call import Call, Ended
from grader.plan.recording import Argument, Recording
from grader.plan.runner import DeviceMemory
from grader.plan.stopped import RecordingStopped, Stop, told_with_line, took_too_long
from grader.sandbox import Confinement, Profile, Sandbox, SandboxLimits
from grader.sandbox.children import Child, ChildDied, ChildTimeout
from grader.sandbox.serving import FAILURE

MODULES: Mapping[LanguageName, str] = {
    name: f"grader.plan.python.{name}.child" for name in LanguageName if name is not LanguageName.CUDA
}
"""What the process of each language runs. They differ in what a template of them has loaded."""
LOAD_SECONDS = 60.0
"""For importing a language, on a loaded machine."""
IMPORT_SECONDS = 60.0
"""For importing the submission, which may compile what it launches."""
COMPILE_SECONDS = 60.0
"""For one call of solve(), which compiles its kernels when it launches them."""
LIMITS = SandboxLimits(
    memory=24 << 30, cpu_seconds=None, file_bytes=64 << 20, processes=256, descriptors=256, data=6 << 30
)
"""With its libraries a language takes 1 GB of address space, of which it computes with a quarter. PyTorch's builds for
CUDA map ten times as much. What `data` does not count is memory that is shared from the start."""
MOST_CODE = 16 << 20
"""Characters of PTX, or bytes of machine code, of one kernel. What is kept of one script has as much room."""
MOST_CODE_TOGETHER = 64 << 20
MOST_KERNELS = 512
"""Of one script: a kernel is compiled anew for other types, other constants and numbers that 16 divides."""
_LARGEST_MIXED = 32 << 20
"""Bytes of a frame that is not plain hexadecimal: PTX has line ends, which JSON escapes."""
_LEAST_COUNTED = 1024
"""Bytes that a frame counts as, however short it is."""
FILE = "submission.py"
"""The file's name for Python and the compilers, which write it into their code: not all of them take any name."""
_AT_HOME = "Let solve() do the work, and the file itself define functions only."
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
_KEY_LENGTH = 200
_PRINTED = 10_000


class ScriptRecorder:
    """Records a program that is a script. One process answers all calls, up to one that fails.

    What it compiles is kept for the next grading in `kept`, the folder of such caches, until `start_anew` is called:
    what it then compiles may tell of sizes that nobody is to know. Another process of this grading gets nothing of it:
    a script could put into it what it has read.
    """

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
        process = _Process(self._process(), self._seconds)
        program = replace(self._program, kept=self._kept is not None)
        call = _ScriptCall(program, arguments, properties, device, process, self.lines, self._known)
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
            if not call.is_over:
                # It may still be on its way, and what it says then would be taken for the next call's.
                self.forget()
            (line,) = self.lines([end.stop.at])
            raise RecordingStopped(told_with_line(end.stop, None), line, process.printed) from None
        except BaseException:
            self.forget()
            raise
        self._kernels |= call.kernels
        self._notes.update(dict.fromkeys(call.notes[: MOST_NOTES - len(self._notes)]))
        if self._kept is not None:
            self._kept.add(process.compiled)
        return call.recording(time.perf_counter() - started, process.printed)

    def _process(self) -> Child:
        if self._child is None:
            try:
                self._child = _take(self._program) or _opened(
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
        self._left = TOTAL_LIMIT
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
            payload = self._child.receive_bytes(max(self._until - time.monotonic(), 0.0))
        except ChildTimeout:
            self.alive = False
            raise Hurried from None
        except ChildDied as died:
            self._note(died)
            return None
        self._left -= max(len(payload), _LEAST_COUNTED)
        if self._left < 0:
            raise Malformed(f"more than {TOTAL_LIMIT >> 20} MiB of frames")
        frame = parse(payload, _LARGEST_MIXED)
        if FAILURE in frame:
            raise Ended(_own_failure(frame))
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
        if died is not None and died.signal is signal.SIGKILL:
            message = "the process of solve() was ended by the system, most likely because its memory ran out"
            return Stop(Verdict.MEMORY_LIMIT_EXCEEDED, message, hint="arrays belong to the device")
        how = "" if died is None else f" ({died.signal.name})" if died.signal else f" (exit code {died.returncode})"
        message = f"the process of solve() ended before solve() returned{how}"
        return Stop(Verdict.RUNTIME_ERROR, message, hint="return from solve() instead")

    def _note(self, died: ChildDied) -> None:
        self.alive, self._death = False, died


def _own_failure(frame: Mapping[str, Any]) -> Stop:
    """The Stop for a failure that the process tells of itself, such as a file that was taken from under it."""
    failure = frame[FAILURE]
    said = text(failure, "message") if isinstance(failure, dict) else ""
    return Stop(Verdict.RUNTIME_ERROR, f"the process of solve() fails: {said}", hint="leave its own objects alone")


class _ScriptCall(Call):
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
        process: _Process,
        lines: Callable[[Sequence[Sequence[int]]], Sequence[int | None]],
        known: Known,
    ) -> None:
        super().__init__((), arguments, properties, device, process, lines)
        self.kernels: dict[str, Kernel] = {}
        self.is_over = False
        self.notes: list[Diagnostic] = []
        self._program = program
        self._known = known

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
        with self.own_time():
            seconds = self.device.time(steps)
        self._process.send(b"%d" % int(seconds * 1e9))

    def _note(self, frame: Mapping[str, Any]) -> None:
        line = next((one for one in places(frame) if one), None)
        if len(self.notes) < MOST_NOTES:
            self.notes.append(Diagnostic("note", text(frame, "text"), line))

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
    if not _is_hexadecimal(cubin):
        raise Malformed("no hexadecimal bytes")
    parameters = tuple(number({"size": size}, "size", 1 << 16) for size in sizes)
    return Kernel(name, symbol, parameters, handle), ptx, bytes.fromhex(cubin)


def _is_hexadecimal(word: str) -> bool:
    # bytes.fromhex() alone would skip spaces.
    if word and not (word.isascii() and word.isalnum()):
        return False
    try:
        bytes.fromhex(word)
    except ValueError:
        return False
    return True


class KeptCode:
    """What processes compiled for one script, in hexadecimal, in a file of a folder.

    The script alone reads it: what a submission could spoil, nobody else gets. What can't be read or written is
    compiled again.
    """

    def __init__(self, folder: Path, program: Program) -> None:
        parts = {"script": program.script, "language": program.language, "version": __version__}
        self._file = folder / f"{make_key(parts)}.json"

    def load(self) -> dict[str, str]:
        """What is kept, by the keys of the process."""
        try:
            if self._file.stat().st_size > MOST_CODE:
                return {}
            data = json.loads(self._file.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) and _is_kept(data) else {}

    def add(self, compiled: Mapping[str, str]) -> None:
        """Keeps more."""
        if not compiled or not _is_kept(compiled) or sum(map(len, compiled.values())) > MOST_CODE:
            return
        data = json.dumps({**self.load(), **compiled}).encode()
        if len(data) <= MOST_CODE:
            with suppress(OSError):
                write_whole(self._file, data)


def _is_kept(data: Mapping[Any, Any]) -> bool:
    return all(
        isinstance(key, str)
        and len(key) <= _KEY_LENGTH
        and key.isascii()
        and key.isalnum()
        # The next process would end at what is no code.
        and isinstance(code, str)
        and _is_hexadecimal(code)
        for key, code in data.items()
    )


def import_once(
    program: Program, parameters: Sequence[str], sandbox: Sandbox, kept: Path, seconds: float = IMPORT_SECONDS
) -> None:
    """Imports a program's script in a process that is kept for its plans.

    Raises CompileFailure for what keeps the script from being a submission, ToolMissing, or another JudgeError.
    """
    end_waiting()
    _given[:] = [(program, KeptCode(kept, program).load())]
    _waiting.append((program, _opened(program, tuple(parameters), sandbox, _given[0][1], seconds)))


def _given_to(program: Program, kept: KeptCode) -> Mapping[str, str]:
    """What the processes of a program get: what was kept before it was imported, and nothing that came of it since."""
    return next((given for known, given in _given if known == program), kept.load())


_given: list[tuple[Program, Mapping[str, str]]] = []
"""What was kept for the last program that was imported."""
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


class _ScriptChild(Child):
    """The process: none of its messages is larger than a frame of a recorder."""

    message_limit = FRAME_LIMIT


def _opened(
    program: Program, parameters: Sequence[str], sandbox: Sandbox, given: Mapping[str, str], seconds: float
) -> Child:
    """A process that has imported the script. Raises CompileFailure if the script does not let it."""
    child = _ScriptChild(MODULES[program.language], confinement=confinement_of(sandbox, program.language), scratch=())
    child.transfer_seconds = min(child.transfer_seconds, seconds)
    try:
        packages = str(packages_folder())
        child.send({"do": "load", "language": str(program.language), "kept": dict(given), "packages": packages})
        child.receive(LOAD_SECONDS)
        process = _Process(child, seconds)
        # From here on it is the script's.
        asked = {"text": program.script, "file": FILE, "parameters": list(parameters)}
        # An import asks and records nothing, so that any device will do.
        process.ask({"do": "open", **asked, "device": _device_to_json(EMULATED)})
        diagnostic = _what_keeps(process, seconds, program.script)
        if diagnostic is not None:
            raise CompileFailure([diagnostic])
    except BaseException:
        child.close()
        raise
    return child


def _what_keeps(process: _Process, seconds: float, script: str) -> Diagnostic | None:
    """What keeps the script from being a submission; None if nothing does."""
    try:
        answer = process.receive()
        if answer is None:
            return Diagnostic("error", process.explain_death().message.replace("solve()", "this file"), hint=_AT_HOME)
        if text(answer, "op") == "end":
            return None
        said, call, hint = (text(answer, key) for key in ("message", "call", "hint"))
        lines = [at for at in places(answer) if 1 <= at <= script.count("\n") + 1]
    except Hurried:
        message = f"importing the file took longer than {seconds:g} seconds and was stopped"
        return Diagnostic("error", message, hint=_AT_HOME)
    except Malformed as error:
        return Diagnostic("error", f"importing the file writes to the judge's channel ({error})", hint=_AT_HOME)
    except Ended as ended:
        return Diagnostic("error", ended.stop.message, hint=_AT_HOME)
    return Diagnostic("error", f"{call}: {said}" if call else said, next(iter(lines), None), hint=hint)


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
