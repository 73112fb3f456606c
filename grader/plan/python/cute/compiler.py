"""CuTe DSL's compiler, told to leave PTX, to compile nothing twice, and to run host code on a recording runtime."""

from __future__ import annotations

import hashlib
import io
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cutlass._mlir_helpers.op import dsl_user_op
from cutlass.base_dsl import dsl
from cutlass.base_dsl.common import DSLUserCodeError
from cutlass.base_dsl.compile_backend import CompileContext, LegacyCompilerBackend
from cutlass.base_dsl.compiler import Compiler, KeepCUBIN, KeepPTX
from cutlass.base_dsl.env_manager import EnvironmentVarManager
from cutlass.base_dsl.jit_executor import JitExecutor
from cutlass.cute import arch
from cutlass.cutlass_dsl import cutlass as family
from cutlass.cutlass_dsl.cuda_jit_executor import CudaDialectJitCompiledFunction

from grader.plan.python.cute.runtime import HostRuntime, Kernels, parameters_of
from grader.plan.python.driver import Memo
from grader.plan.python.tape import Tape

SUFFIXED = 9
"""The first major compute capability whose target has a suffix: sm_90a."""
MISSING_HINT = "leave it to the kernels' arguments: solve() gets its arrays allocated"

_MISSING = re.compile(r"Symbols not found: \[\s*([^\],\s]+)")


@dataclass(frozen=True)
class _Launched:
    """What a trace knows of a launch: the function's name and the line."""

    name: str
    line: int


def architecture(tape: Tape) -> str:
    """The target that the DSL compiles for, such as sm_89 or sm_90a."""
    major, minor = tape.device.capability
    return f"sm_{major}{minor}{'a' if major >= SUFFIXED else ''}"


@dataclass(frozen=True)
class Compiled:
    """A function that was compiled or was known, and how much was recorded before it was called."""

    function: Any
    recorded: int


def play_compiler(runtime: HostRuntime, memo: Memo, tape: Callable[[], Tape], made: list[Compiled]) -> None:
    """Changes the DSL for the rest of the process. What it compiles is added to `made`."""
    EnvironmentVarManager.arch = property(lambda _: architecture(tape()))
    for language in (family.CuTeDSL, family.CuteExperimentalDSL):
        settings = language._get_dsl().envar
        settings.lineinfo = settings.no_cache = settings.disable_file_caching = True
        settings.warnings_ignore = True
    # The values of arguments have no place in a name: what is compiled would differ from size to size.
    family.CutlassBaseDSL.mangle_name = lambda _, name, args, signature: f"cutlass_{name}"
    launched: dict[str, _Launched] = {}
    dsl.get_compiler_backend = lambda language: _Backend(language, memo, tape, launched, made)
    _give_atomics_lines()
    _note_launches(launched)
    _bind(runtime)
    _load_into(runtime)


class _Backend(LegacyCompilerBackend):
    """Compiles a traced module once, by its text and all that the compiler is told."""

    def __init__(
        self,
        language: Any,
        memo: Memo,
        tape: Callable[[], Tape],
        launched: dict[str, _Launched],
        made: list[Compiled],
    ) -> None:
        super().__init__(language)
        self._made = made
        self._memo = memo
        self._tape = tape
        self._launched = launched

    def compile(self, ctx: CompileContext) -> Any:
        machine_code = self._tape().machine_code
        options = self._dsl.compile_options
        # What was set for another function may still be there.
        _keep(options, "any", machine_code)
        text = io.BytesIO()
        ctx.module.operation.write_bytecode(text)
        told = f"{self._dsl.envar.arch} {options.to_str()} {ctx.pipeline} {ctx.sig} {ctx.no_jit_engine} {machine_code}"
        key = "cute", hashlib.sha256(text.getvalue() + told.encode()).hexdigest()
        if key not in self._memo:
            self._tape().compiling("a kernel")
            with TemporaryDirectory(prefix="cute", dir=Path.cwd()) as folder:
                self._memo[key] = self._compile(ctx, Path(folder) / "made", machine_code)
        self._made.append(Compiled(self._memo[key], self._tape().count))
        return self._memo[key]

    def _compile(self, ctx: CompileContext, made: Path, machine_code: bool) -> Any:
        _keep(self._dsl.compile_options, str(made), machine_code)
        try:
            function = super().compile(ctx)
        except DSLUserCodeError as error:
            missing = _MISSING.search(str(error.context))
            if missing is None:
                raise
            name = missing[1].lstrip("_")
            self._tape().refuse(name, f"host code of this file calls {name}, which a recording has not", MISSING_HINT)
        files = {file.suffix: file.read_bytes() for file in made.parent.iterdir()}
        ptx = files.get(".ptx", b"").decode()
        known = {symbol: self._launched[symbol] for symbol in function.kernel_info}
        function.kgrade_kernels = Kernels(
            ptx,
            files.get(".cubin", b""),
            {symbol: one.name for symbol, one in known.items()},
            {symbol: one.line for symbol, one in known.items()},
            parameters_of(ptx),
        )
        return function


def _keep(options: Any, path: str, machine_code: bool) -> None:
    """Has the compiler leave files whose names begin with a path: by itself it would put all types into a name."""
    for kind, wanted in ((KeepPTX, True), (KeepCUBIN, machine_code)):
        options.options[kind].value = wanted
        options.options[kind].dump_path = path


def _give_atomics_lines() -> None:
    """Lets atomic operations and votes take the line of their call. They lack what gives it to others, and get that of
    the host function."""
    for name, function in list(vars(arch).items()):
        if name.startswith(("atomic_", "vote_")) and callable(function) and not hasattr(function, "__wrapped__"):
            setattr(arch, name, dsl_user_op(function))


def _note_launches(launched: dict[str, _Launched]) -> None:
    """Notes the line of each launch while a host function is traced, by the symbol that the launch gets."""
    usual = family.KernelLauncher.launch

    def launch(self: Any, *args: Any, **kwargs: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_globals.get("__name__", "").startswith("cutlass.") and frame.f_back is not None:
            frame = frame.f_back
        answer = usual(self, *args, **kwargs)
        launched[self._launch_name] = _Launched(self.funcBody.__name__, frame.f_lineno)
        return answer

    family.KernelLauncher.launch = launch


def _bind(runtime: HostRuntime) -> None:
    """Gives each execution engine the recording runtime in place of the DSL's library."""

    def jit(self: Any, module: Any, opt_level: int = 2, shared_libs: Any = ()) -> Any:
        engine = self.execution_engine.ExecutionEngine(module, opt_level=opt_level, shared_libs=[])
        runtime.bind(engine)
        return engine

    Compiler.jit = jit


def _load_into(runtime: HostRuntime) -> None:
    """Tells the runtime whose kernels a compiled function loads, and raises what its calls have raised."""
    load, run = CudaDialectJitCompiledFunction._load_cuda_library, JitExecutor.run_compiled_program

    def load_known(self: Any) -> Any:
        with runtime.loading(self.kgrade_kernels):
            return load(self)

    def run_checked(self: Any, arguments: list[Any]) -> Any:
        try:
            return run(self, arguments)
        finally:
            runtime.check()

    CudaDialectJitCompiledFunction.num_devices = 1
    CudaDialectJitCompiledFunction._load_cuda_library = load_known
    JitExecutor.run_compiled_program = run_checked
