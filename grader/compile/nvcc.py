"""Compiles a file with its own solve() with nvcc in the sandbox, to a Program or to diagnostics.

Host code goes into a shared library that is not linked with a CUDA runtime; the device images are extracted from it.
Nothing of the submission is run here.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.compile.compiler import TARGET, CompileFailure
from grader.compile.cubin import KernelFacts, read_cubin
from grader.compile.elf import ElfError
from grader.compile.facts import Facts
from grader.compile.fatbin import FatbinError
from grader.compile.hints import add_hints
from grader.compile.nvcc_log import how_it_died, read_nvcc_log
from grader.compile.parse import parse
from grader.compile.program import Kernel, Program
from grader.compile.ptx import has_unnamed, number_first, plain_name, read_kernels
from grader.compile.resources import TELL, read_spills, without_resources
from grader.compile.shared_object import read_file, read_library
from grader.compile.signature import Parameters
from grader.compile.solve_remarks import order_remarks, stream_remarks
from grader.compile.solve_signature import MARK, check_of, explain
from grader.compile.toolkit import Nvcc, find_host_compiler, find_nvcc
from grader.core.errors import JudgeError
from grader.core.report import Diagnostic
from grader.core.verdict import Form
from grader.sandbox import Ended, Profile, Sandbox, SandboxLimits

__all__ = ["TIME_LIMIT", "CompileFailure", "compile_solve"]

TIME_LIMIT = 30.0

FUNCTION = "solve"

MEMORY_LIMIT = 6 << 30
"""Memory per process: the largest libraries of templates, compiled for Hopper, take more than 4 GB."""

FILE_LIMIT = 256 << 20
LOG_LIMIT = 256 << 10

LANGUAGE = "-std=c++17"

OPTIONS = (
    LANGUAGE,
    "-shared",
    # Runtime calls stay undefined: the program that loads the library provides them.
    *("-cudart", "none"),
    *("-Xcompiler", "-fPIC"),
    # Source lines of host code.
    *("-Xcompiler", "-g1"),
    "--no-compress",
    # Architectures are compiled in parallel.
    *("--threads", "2"),
    TELL,
)

LINES, DEBUG = "-lineinfo", "-G"
"""Options for source lines of device code, or for a debug build, which has them too."""

DEVICE_ONLY = (LANGUAGE, DEBUG, "--ptx", "-arch", TARGET)
"""Options for the PTX of a debug build, in a third of the time that it takes with host code."""

EXTENSIONS = ("--extended-lambda", "--expt-relaxed-constexpr")
"""Options that files with Thrust or CUTLASS often need. nvcc's errors name a missing one; they cost half a second for
any file.
"""

_OUTPUT = "output"

_WORDS = 4
"""Part of every cache key: increase it when the same source gets other diagnostics."""

_CHECK_FAILED = re.compile(rf"static assertion failed.{{0,9}}{re.escape(MARK)}")

_OWN_TARGET = "sm_89"
"""The target of machine code without a GPU, from which parameters, registers and shared memory are read."""


def compile_solve(
    source: str,
    file_name: str,
    parameters: Parameters | None = None,
    *,
    time_limit: float = TIME_LIMIT,
    gpu_target: str | None = None,
    sandbox: Sandbox | None = None,
    debug: bool = False,
) -> Program:
    """Compiles a solve-form submission for the emulator and, if given, a GPU's target ("sm_90a").

    `parameters` are those that solve() has to have, None for any. A file that compiles only for the GPU's target gives
    a Program with an empty `image`. `time_limit` is in seconds; `sandbox` defaults to this machine's. `debug` makes a
    debug build for the emulator only, without a `shared_object` where another build's solve() can launch its kernels.
    Raises CompileFailure, ToolMissing, or another JudgeError if the compiler itself fails.
    """
    nvcc = find_nvcc()
    file = file_name if re.fullmatch(r"\w[\w.+-]*\.cu", file_name, re.ASCII) else "submission.cu"
    check = "" if parameters is None else check_of(parameters)
    box = sandbox or Sandbox.find()
    until, host = time.monotonic() + time_limit, find_host_compiler(nvcc)
    task = _Task(nvcc, host, box, source, file, until, time_limit, check, parameters or (), debug)
    return task.run(gpu_target or _OWN_TARGET)


def identity(nvcc: Nvcc) -> list[Any]:
    """Data that identifies the installed compiler without starting it, and its options; for cache keys."""
    status = nvcc.program.stat()
    host = shutil.which("g++")
    host_status = [Path(host).stat().st_size, Path(host).stat().st_mtime_ns] if host else []
    asked = [_WORDS, TARGET, *OPTIONS, *EXTENSIONS]
    return [str(nvcc.program), status.st_size, status.st_mtime_ns, *map(str, nvcc.includes), host, *host_status, *asked]


@dataclass(frozen=True)
class _Made:
    """The result of one call of nvcc: the library or the PTX, None if it failed, and the log."""

    output: bytes | None
    log: str


@dataclass(frozen=True)
class _Task:
    """One submission to compile; `until` is the deadline on the monotonic clock."""

    nvcc: Nvcc
    host_compiler: Path
    sandbox: Sandbox
    source: str
    file: str
    until: float
    time_limit: float
    check: str
    parameters: Parameters
    debug: bool

    def run(self, target: str) -> Program:
        source = self.source + self.check
        if self.debug and (built := self._build_device_code(source)) is not None:
            return built
        extensions: Sequence[str] = ()
        made = self._compile(source, target)
        if made.output is None and any(word in made.log for word in ("extended-lambda", "relaxed-constexpr")):
            extensions = EXTENSIONS
            made = self._compile(source, target, extensions)
        if made.output is None and target != _OWN_TARGET:
            # Code for newer GPUs only is no mistake; there is just nothing to emulate.
            made = self._compile(source, target, extensions, with_ptx=False)
        facts = parse(self.source)
        if made.output is None:
            raise self._explain(made, facts)
        return self._finish(made.output, made.log, facts)

    def _build_device_code(self, source: str) -> Program | None:
        """A debug build of the kernels alone; None if that fails, or if only its own host code knows their names."""
        made = self._call(source, [*self._compiler(), *DEVICE_ONLY])
        if made.output is None:
            return None
        image = number_first(made.output.decode(), self.file)
        if has_unnamed(image):
            return None
        return Program(Form.SOLVE, TARGET, image, read_kernels(image), debug=True)

    def _compile(self, source: str, target: str, extensions: Sequence[str] = (), *, with_ptx: bool = True) -> _Made:
        return self._call(source, [*self._command(target, with_ptx), *extensions])

    def _call(self, source: str, command: Sequence[str]) -> _Made:
        """Calls nvcc in a folder with the source."""
        with _folder() as folder:
            (folder / self.file).write_text(source, encoding="utf-8")
            ended = self._run(folder, [*command, "-o", _OUTPUT, self.file])
            if ended.timed_out:
                message = f"compiling took longer than {self.time_limit:g} seconds and was stopped"
                hint = "Look for templates that call themselves, long unrolled loops, or huge initialised arrays."
                raise CompileFailure([Diagnostic("error", message, hint=hint)], ended.output)
            if not ended.ok:
                return _Made(None, ended.output)
            return _Made(read_file(folder / _OUTPUT), ended.output)

    def _command(self, target: str, with_ptx: bool) -> list[str]:
        code = f"arch={target.replace('sm_', 'compute_')},code={target}"
        ptx = f"arch={TARGET},code={TARGET}"
        if self.debug:
            targets = [ptx]
        elif with_ptx and target == _OWN_TARGET:
            targets = [f"arch={TARGET},code=[{TARGET},{target}]"]
        else:
            targets = [ptx, code] if with_ptx else [code]
        return [
            *self._compiler(),
            *OPTIONS,
            DEBUG if self.debug else LINES,
            *(word for target in targets for word in ("-gencode", target)),
        ]

    def _compiler(self) -> list[str]:
        elsewhere = [folder for folder in self.nvcc.includes if not folder.is_relative_to(self.nvcc.root)]
        return [
            str(self.nvcc.program),
            *("-ccbin", str(self.host_compiler)),
            *(word for folder in elsewhere for word in ("-isystem", str(folder))),
        ]

    def _run(self, folder: Path, command: Sequence[str]) -> Ended:
        left = max(0.1, self.until - time.monotonic())
        limits = SandboxLimits(
            memory=MEMORY_LIMIT,
            cpu_seconds=int(left) + 1,
            file_bytes=FILE_LIMIT,
            processes=64,
            descriptors=256,
            output_bytes=LOG_LIMIT,
        )
        # A compiler outside /usr has its own programs beside it.
        readable = [self.nvcc.root, *self.nvcc.includes, self.host_compiler.parent.parent]
        process = self.sandbox.start(
            command,
            readable=readable,
            writable=folder,
            limits=limits,
            environment={"TMPDIR": str(folder)},
            profile=Profile.COMPILE,
        )
        with process:
            return process.wait(left)

    def _explain(self, made: _Made, facts: Facts) -> Exception:
        """The error to raise: the submission's fault, unless the compiler can't compile anything."""
        diagnostics = tuple(one for one in self._diagnose(made.log, facts) if MARK not in one.message)
        wrong = any(one.severity == "error" for one in diagnostics)
        if _CHECK_FAILED.search(made.log) or (MARK in made.log and not wrong):
            return CompileFailure([explain(self.parameters, facts)], made.log)
        if wrong:
            return CompileFailure(diagnostics, made.log)
        died = how_it_died(made.log)
        if died is None:
            check = self._compile(f'extern "C" void {FUNCTION}() {{}}\n', _OWN_TARGET)
            if check.output is None:
                return JudgeError("nvcc compiles nothing on this machine", check.log.strip()[:2000])
            lines = without_resources(made.log).splitlines()
            said = next((line.strip() for line in lines if re.search("error|fatal", line)), "no reason given")
            died = Diagnostic("error", f"nvcc does not compile this file: {said[:300]}")
        return CompileFailure([died, *diagnostics], made.log)

    def _diagnose(self, log: str, facts: Facts) -> tuple[Diagnostic, ...]:
        includes = [str(folder) for folder in self.nvcc.includes]
        found = read_nvcc_log(without_resources(log), self.source, self.file, includes, facts)
        return add_hints(found, self.source, facts)

    def _finish(self, library: bytes, log: str, facts: Facts) -> Program:
        try:
            parts = read_library(library)
            kernels = read_cubin(parts.cubin) if parts.cubin else {}
            image = number_first(parts.ptx.rstrip(b"\0").decode(), self.file)
        except (ElfError, FatbinError, UnicodeDecodeError) as error:
            # A hand-written section of the same name ends up here.
            message = f"the device code of the library can't be read: {error}"
            raise CompileFailure([Diagnostic("error", message)], log) from None
        if FUNCTION not in parts.exported:
            raise CompileFailure([_explain_solve(facts)], log)
        return Program(
            form=Form.SOLVE,
            target=TARGET,
            image=image,
            kernels=_merge(kernels, read_kernels(image)),
            # Compilation succeeded, so an error line in the log was written by the source.
            diagnostics=(
                *(one for one in self._diagnose(log, facts) if one.severity != "error"),
                *order_remarks(self.parameters, facts),
                *stream_remarks(self.source),
            ),
            cubin=parts.cubin,
            spills=read_spills(log),
            shared_object=library,
            debug=self.debug,
        )


@contextmanager
def _folder() -> Iterator[Path]:
    # Resolved, because the sandbox shows it at this path, and a symbolic link in it would lead outside.
    with tempfile.TemporaryDirectory(prefix="kgrade-", ignore_cleanup_errors=True) as name:
        yield Path(name).resolve()


def _merge(compiled: Mapping[str, KernelFacts], emulated: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """The kernels of the machine code, followed by those only in the PTX."""
    own = [Kernel(plain_name(symbol), symbol, facts.parameter_bytes) for symbol, facts in compiled.items()]
    return (*own, *(kernel for kernel in emulated if kernel.symbol not in compiled))


def _explain_solve(facts: Facts) -> Diagnostic:
    """Why the library exports no solve()."""
    named = [function for function in facts.functions if function.name == FUNCTION and function.space != "kernel"]
    function = next((one for one in named if one.defined), None)
    if function is None:
        return Diagnostic("error", f"there is no {FUNCTION}()", hint=f'Write extern "C" void {FUNCTION}(...).')
    message = f"{FUNCTION}() can't be called by its name"
    hint = f'Write extern "C" before void {FUNCTION}(, outside of any namespace, and no static.'
    return Diagnostic("error", message, function.line, hint=hint)
