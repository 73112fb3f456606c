"""The process that imports a script and calls its solve(), as the judge sees it.

It is confined like a compiler, since that is what the languages' packages are; what it says is parsed by
grader.plan.frames. It is trusted until it has the submission's text: from then on whatever it says, or that it says
nothing, is an outcome of the submission.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping, Sequence
from typing import Any

from grader.compile.compiler import CompileFailure
from grader.compile.program import Program
from grader.core.report import Diagnostic
from grader.core.verdict import LanguageName, Verdict
from grader.machine.own_packages import packages_folder, packages_of
from grader.plan.device_table import EMULATED, DeviceTable
from grader.plan.frames import FRAME_LIMIT, TOTAL_LIMIT, Hurried, Malformed, parse, places, text
from grader.plan.recorder_call import Ended
from grader.plan.stopped import Stop, took_too_long
from grader.sandbox import Confinement, Profile, Sandbox, SandboxLimits
from grader.sandbox.children import Child, ChildDied, ChildTimeout
from grader.sandbox.serving import FAILURE

MODULES: Mapping[LanguageName, str] = {
    name: f"grader.plan.python.{name}.child" for name in LanguageName if name is not LanguageName.CUDA
}
"""What the process of each language runs. They differ in what a template of them has loaded."""
LOAD_SECONDS = 60.0
"""What importing a language may take on a loaded machine."""
LIMITS = SandboxLimits(
    memory=24 << 30, cpu_seconds=None, file_bytes=64 << 20, processes=256, descriptors=256, data=6 << 30
)
"""With its libraries a language takes 1 GB of address space, of which it computes with a quarter. PyTorch's builds for
CUDA map ten times as much. What `data` does not count is memory that is shared from the start."""
_LARGEST_MIXED = 32 << 20
"""Bytes of a frame that is not plain hexadecimal: PTX has line ends, which JSON escapes."""
_LEAST_COUNTED = 1024
"""Bytes that a frame counts as, however short it is."""
FILE = "submission.py"
"""The file's name for Python and the compilers, which write it into their code: not all of them take any name."""
_AT_HOME = "Let solve() do the work, and the file itself define functions only."
_PRINTED = 10_000
_SHOWN = 100
"""Characters of a function's name."""


class ScriptProcess:
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
        self._late = False
        self._compiling = ""

    def ask(self, message: Mapping[str, Any]) -> None:
        """Sends a request. If the process has ended or takes none, the next `receive` shows it."""
        try:
            self._child.send(message)
        except ChildTimeout:
            self.alive, self._late = False, True
        except ChildDied as died:
            self._note(died)

    def send(self, payload: bytes) -> None:
        self.ask({"payload": payload.hex()})

    def receive(self) -> Mapping[str, Any] | None:
        while (frame := self._receive()) is not None and frame.get("op") == "compiling":
            self._compiling = text(frame, "name")[:_SHOWN]
        self._compiling = ""
        return frame

    def _receive(self) -> Mapping[str, Any] | None:
        if self._late:
            raise Hurried
        try:
            if not self.alive:
                return None
            payload = self._child.receive_bytes(max(self._until - time.monotonic(), 0.0))
        except ChildTimeout:
            self.alive, self._late = False, True
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
        return took_too_long(self._seconds, self._compiling)

    def explain_death(self) -> Stop:
        died = self._death
        if died is not None and died.full:
            message = "solve() wrote more into its folder than it may"
            return Stop(Verdict.MEMORY_LIMIT_EXCEEDED, message, hint="leave no files behind")
        if died is not None and died.broke:
            message = f"the process of solve() {died.broke}"
            return Stop(Verdict.RUNTIME_ERROR, message, hint="leave descriptors alone that solve() did not open")
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


def confinement_of(sandbox: Sandbox, language: LanguageName) -> Confinement | None:
    """The confinement of a language's process; None if there is no sandbox."""
    shown = tuple(own.place for own in packages_of(language, for_gpu=True) if own.place.is_dir())
    return Confinement(sandbox, Profile.COMPILE, shown, limits=LIMITS) if sandbox.protects else None


class _ScriptChild(Child):
    """The process: none of its messages is larger than a frame of a recorder."""

    message_limit = FRAME_LIMIT


def open_script(
    program: Program, parameters: Sequence[str], sandbox: Sandbox, given: Mapping[str, str], seconds: float
) -> Child:
    """A process that has imported the script. Raises CompileFailure if the script does not let it."""
    child = _ScriptChild(MODULES[program.language], confinement=confinement_of(sandbox, program.language), scratch=())
    try:
        own = {"packages": str(packages_folder()), "torch": "torch" in program.script}
        child.send({"do": "load", "language": str(program.language), "kept": dict(given), **own})
        child.receive(LOAD_SECONDS)
        # No shorter, or a frame could be late before solve() is, which is what is told then.
        child.transfer_seconds = seconds
        process = ScriptProcess(child, seconds)
        # From here on it is the script's.
        asked = {"text": program.script, "file": FILE, "parameters": list(parameters)}
        # An import asks and records nothing, so that any device will do.
        process.ask({"do": "open", **asked, "device": device_to_json(EMULATED)})
        diagnostic = _what_keeps(process, seconds, program.script)
        if diagnostic is not None:
            raise CompileFailure([diagnostic])
    except BaseException:
        child.close()
        raise
    return child


def _what_keeps(process: ScriptProcess, seconds: float, script: str) -> Diagnostic | None:
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


def device_to_json(table: DeviceTable) -> dict[str, Any]:
    """A device as the process is told of it."""
    attributes = {str(number): value for number, value in table.attributes.items()}
    return {"name": table.name, "memory": table.total_memory, "attributes": attributes}
