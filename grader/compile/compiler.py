"""Calls NVRTC with kgrade's options: source text in; PTX, machine code or a log out.

It distinguishes failures of the compiler from failures of the source; the log is interpreted elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.compile.headers import IMPLICIT
from grader.compile.nvrtc_call import compile_source
from grader.compile.paths import without_paths
from grader.compile.toolkit import Toolkit
from grader.core.errors import JudgeError, ToolMissing
from grader.core.report import Diagnostic
from grader.machine.cuda_packages import reinstall_nvrtc_command

TARGET = "compute_89"

OPTIONS = (
    "--std=c++17",
    "--generate-line-info",
    # nvcc has __int128 if the host compiler does.
    "--device-int128",
    f"--pre-include={IMPLICIT}",
)


class CompileFailure(Exception):
    """The submission does not compile; the diagnostics say why. It is the student's fault, so no KgradeError."""

    def __init__(self, diagnostics: Sequence[Diagnostic], log: str = "") -> None:
        super().__init__(diagnostics[0].message if diagnostics else "the source does not compile")
        self.diagnostics = tuple(replace(one, message=without_paths(one.message)) for one in diagnostics)
        self.log = log


@dataclass(frozen=True)
class Compiled:
    """One result of the compiler: PTX, or a cubin if a GPU's target was named.

    `symbol` is the kernel's symbol in it, if requested.
    """

    ok: bool
    log: str
    ptx: str = ""
    symbol: str = ""
    cubin: bytes = b""


class Compiler:
    """NVRTC in this process, for all texts that one submission needs. `file` is their file name in messages."""

    usual = OPTIONS

    def __init__(self, toolkit: Toolkit, file: str) -> None:
        self.file = file
        self.includes = tuple(str(folder) for folder in toolkit.includes)

    def compile(
        self, source: str, kernel: str | None = None, options: Sequence[str] = (), target: str = TARGET
    ) -> Compiled:
        """Compiles a text; `kernel` is the function whose symbol is wanted. A `target` such as "sm_90a" gives a cubin.

        Raises CompileFailure if the source is too large for the compiler, ToolMissing, or a JudgeError.
        """
        includes = [f"--include-path={folder}" for folder in self.includes]
        request = {
            "source": source,
            "file": self.file,
            "name": kernel,
            "options": [f"--gpu-architecture={target}", *self.usual, *includes, *options],
            "cubin": target.startswith("sm_"),
        }
        answer = compile_source(request)
        if not answer["ok"]:
            _check_status(answer["status"], answer["log"])
            return Compiled(False, answer["log"])
        return Compiled(True, answer["log"], answer["ptx"], answer["symbol"], answer["cubin"])


def _check_status(status: str, log: str) -> None:
    """Raises for all failures of NVRTC except compile errors, the only ones caused by the source's text."""
    if "NVRTC_ERROR_COMPILATION" in status:
        return
    if "BUILTIN" in status:
        raise ToolMissing(f"NVRTC is installed incompletely: {status}", f"type: {reinstall_nvrtc_command()}")
    if "OUT_OF_MEMORY" in status:
        hint = "Templates or arrays in the source are too large."
        raise CompileFailure([Diagnostic("error", "the compiler ran out of memory", hint=hint)], log)
    raise JudgeError(f"NVRTC failed: {status}", log.strip())
