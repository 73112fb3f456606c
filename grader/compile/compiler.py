"""The judge's side of the compiler's process: source text in; PTX, machine code or a log out, in time.

It tells a compiler that fails from a source that fails it; what a log means it doesn't know.
"""

from __future__ import annotations

import base64
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from grader.compile.headers import IMPLICIT
from grader.compile.toolkit import Toolkit
from grader.errors import JudgeError, ToolMissing
from grader.extras import reinstall_nvrtc_command
from grader.process import Child, ChildDied, ChildTimeout
from grader.report import Diagnostic

TARGET = "compute_89"

OPTIONS = (
    "--std=c++17",
    "--generate-line-info",
    # nvcc has __int128 where the host compiler does.
    "--device-int128",
    f"--pre-include={IMPLICIT}",
)

_MODULE = "grader.compile.nvrtc_child"
_CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)


class CompileFailure(Exception):
    """The submission does not compile; the diagnostics say why. The student's fault, so no KgradeError."""

    def __init__(self, diagnostics: Sequence[Diagnostic], log: str = "") -> None:
        super().__init__(diagnostics[0].message if diagnostics else "the source does not compile")
        self.diagnostics = tuple(diagnostics)
        self.log = log


@dataclass(frozen=True)
class Compiled:
    """One answer of the compiler: PTX, or a cubin where a GPU's target was named.

    `symbol` is the kernel's name in it, where it was asked for.
    """

    ok: bool
    log: str
    ptx: str = ""
    symbol: str = ""
    cubin: bytes = b""


class Compiler:
    """NVRTC in a child process, for as many texts as one submission needs within its time limit."""

    def __init__(self, toolkit: Toolkit, file: str, time_limit: float) -> None:
        self.file = file
        self.includes = tuple(str(folder) for folder in toolkit.includes)
        self._time_limit = time_limit
        self._until = time.monotonic() + time_limit
        self._child = Child(_MODULE)

    def __enter__(self) -> Compiler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._child.close()

    def compile(
        self, source: str, kernel: str | None = None, options: Sequence[str] = (), target: str = TARGET
    ) -> Compiled:
        """Compile a text; `kernel` is the function whose symbol is wanted. A `target` such as "sm_90a" gives a cubin.

        Raises CompileFailure where the source hangs or crashes the compiler, ToolMissing, or a JudgeError.
        """
        includes = [f"--include-path={folder}" for folder in self.includes]
        request = {
            "source": source,
            "file": self.file,
            "name": kernel,
            "options": [f"--gpu-architecture={target}", *OPTIONS, *includes, *options],
            "cubin": target.startswith("sm_"),
        }
        try:
            self._child.send(request)
            answer = self._child.receive(max(0.01, self._until - time.monotonic()))
        except ChildTimeout:
            message = f"compiling took longer than {self._time_limit:g} seconds and was stopped"
            hint = "Look for templates that call themselves, long unrolled loops, or huge initialised arrays."
            raise CompileFailure([Diagnostic("error", message, hint=hint)]) from None
        except ChildDied as died:
            raise _explain_crash(died) from None
        if not answer["ok"]:
            _check_status(answer["status"], answer["log"])
            return Compiled(False, answer["log"])
        cubin = base64.b64decode(answer["cubin"])
        return Compiled(True, answer["log"], answer["ptx"], answer["symbol"], cubin)


def _explain_crash(died: ChildDied) -> Exception:
    """A crash is the submission's doing only if the compiler works without it."""
    if died.signal not in _CRASHES:
        return died
    options = list(OPTIONS)
    with Child(_MODULE) as child:
        child.send(
            {"source": "__global__ void k() {}", "file": "k.cu", "name": "k", "options": options, "cubin": False}
        )
        if not child.receive(60.0)["ok"]:
            return died
    message = f"the compiler itself crashed on this source ({died.signal.name})"
    hint = "Take parts of the file out until it compiles; the part that crashes it is among those."
    return CompileFailure([Diagnostic("error", message, hint=hint)], died.output)


def _check_status(status: str, log: str) -> None:
    """Only one of NVRTC's ways to fail is about the text of the source."""
    if "NVRTC_ERROR_COMPILATION" in status:
        return
    if "BUILTIN" in status:
        raise ToolMissing(f"NVRTC is installed incompletely: {status}", f"type: {reinstall_nvrtc_command()}")
    if "OUT_OF_MEMORY" in status:
        hint = "Templates or arrays in the source are too large."
        raise CompileFailure([Diagnostic("error", "the compiler ran out of memory", hint=hint)], log)
    raise JudgeError(f"NVRTC failed: {status}", log.strip())
