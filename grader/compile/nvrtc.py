"""Compiles a kernel submission with NVRTC, to a Program or to diagnostics.

The compiler is called again if its first answer leaves open what is at fault: the submission, its host code, its
kernel's signature or a launch constant. Nothing is run here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.compile.compiler import OPTIONS, TARGET, Compiled, CompileFailure, Compiler
from grader.compile.constants import check_values, explain_macros, note_unused
from grader.compile.diagnostics import cap, read_log, read_remarks
from grader.compile.facts import Facts
from grader.compile.hints import add_hints
from grader.compile.host_code import without_host_code
from grader.compile.includes import find_foreign_include
from grader.compile.parse import parse
from grader.compile.probe import Lookup, append_probes, read_answer
from grader.compile.program import Kernel, Program
from grader.compile.ptx import number_first, read_kernels, take_constants
from grader.compile.resources import TELL, read_spills, without_resources
from grader.compile.signature import differing_parameters, explain_kernel, explain_undefined
from grader.compile.toolkit import Toolkit, find_toolkit
from grader.core.errors import JudgeError
from grader.core.report import Diagnostic
from grader.core.verdict import Form
from grader.machine.cuda_packages import installed_extras

__all__ = ["CompileFailure", "compile_kernel"]

# For templates and constexpr functions without __device__, after other host code has been removed.
_DEVICE_DEFAULT = "--device-as-default-execution-space"

# Headers with such functions. Their templates take tens of seconds, too long to compile once more to find that out.
_CUTLASS = re.compile(r"[<\"](cute|cutlass)/")

_DEBUG = "--device-debug"


def compile_kernel(
    source: str,
    file_name: str,
    kernel: str,
    c_parameters: Sequence[tuple[str, str]],
    constants: Mapping[str, int],
    *,
    gpu_target: str | None = None,
    debug: bool = False,
) -> Program:
    """Compiles a kernel submission for the emulator and, if `gpu_target` names one ("sm_90a"), for a GPU.

    `kernel` and `c_parameters` (C type, name) are the problem's; `constants` are its launch constants with their
    default values. A `debug` build is not optimised.
    Raises CompileFailure, ToolMissing, or another JudgeError if the compiler itself fails.
    """
    toolkit = find_toolkit()
    file = file_name if re.fullmatch(r"[\w.+-]+", file_name, re.ASCII) else "submission.cu"
    compiler = Compiler(toolkit, file)
    task = _Task(compiler, source, kernel, tuple(c_parameters), constants, gpu_target, debug)
    return replace(task.run(), debug=debug)


def identity(toolkit: Toolkit) -> list[Any]:
    """Data that identifies the installed compiler without loading it, and its options; for cache keys."""
    folders = [*(extra.name for extra in installed_extras()), *map(str, toolkit.includes), TARGET, *OPTIONS]
    if toolkit.nvrtc is None:
        return folders
    status = toolkit.nvrtc.stat()
    return [str(toolkit.nvrtc), status.st_size, status.st_mtime_ns, *folders]


@dataclass
class _Task:
    """One submission to compile: `text` and `options` go to the compiler, `notes` say what was changed."""

    compiler: Compiler
    source: str
    kernel: str
    c_parameters: Sequence[tuple[str, str]]
    constants: Mapping[str, int]
    gpu_target: str | None
    debug: bool
    facts: Facts = field(init=False)
    text: str = field(init=False)
    options: tuple[str, ...] = ()
    notes: tuple[Diagnostic, ...] = ()

    def __post_init__(self) -> None:
        self.facts = parse(self.source)
        self.text = self.source
        if any(_CUTLASS.match(include.path) for include in self.facts.includes):
            self.options = (_DEVICE_DEFAULT,)

    def run(self) -> Program:
        self._refuse_foreign_files()
        lookups = dict.fromkeys(self.constants, Lookup.DEFAULT)
        compiled = self._compile(lookups)
        if not compiled.ok:
            self._find_what_compiles()
            compiled = self._compile(lookups) if self.options else compiled
        while not compiled.ok:
            # The text compiles without the probes, so an error is in a probe: the answer to its question is no.
            lookups = self._read_answers(compiled.log, lookups)
            compiled = self._compile(lookups)
        return self._finish(compiled, lookups)

    def _compile(
        self, lookups: Mapping[str, Lookup], target: str = TARGET, more_options: Sequence[str] = ()
    ) -> Compiled:
        types = [c_type for c_type, _ in self.c_parameters]
        text = append_probes(self.text, self.kernel, types, lookups)
        debug = (_DEBUG,) if self.debug else ()
        return self.compiler.compile(text, self.kernel, (*self.options, *debug, *more_options), target)

    def _refuse_foreign_files(self) -> None:
        """Raises CompileFailure for an include of a foreign file, which the compiler would read and quote."""
        found = find_foreign_include(self.source, [Path(folder) for folder in self.compiler.includes])
        if found is None:
            return
        if found.named:
            message = f"{found.target} can't be included: a submission is one file"
        else:
            message = 'an #include has to name its file, as <file> or "file"'
        hint = "CUDA's own headers are included by name, such as <cuda_fp16.h>."
        raise CompileFailure([Diagnostic("error", message, found.line, hint=hint)])

    def _find_what_compiles(self) -> None:
        """Leaves out host code if that helps. Raises CompileFailure if nothing compiles."""
        alone = self.compiler.compile(self.text)
        if alone.ok:
            return
        text, notes = without_host_code(self.source, self.facts)
        if notes or "in JIT mode" in alone.log:
            self.text, self.notes, self.options = text, notes, (_DEVICE_DEFAULT,)
            alone = self.compiler.compile(self.text, None, self.options)
        if not alone.ok:
            differing = differing_parameters(self.kernel, self.c_parameters, self.facts)
            raise CompileFailure((*self._read_log(alone.log), *differing), alone.log)

    def _read_log(self, log: str) -> tuple[Diagnostic, ...]:
        diagnostics = read_log(log, self.source, self.compiler.file, self.compiler.includes)
        if self.notes:
            # Code used only by the host code that was left out is not worth a remark.
            diagnostics = tuple(d for d in diagnostics if "never referenced" not in d.message)
        return add_hints(diagnostics, self.source, self.facts)

    def _read_answers(self, log: str, lookups: Mapping[str, Lookup]) -> dict[str, Lookup]:
        """Returns where else to look for launch constants. Raises CompileFailure if a probe shows what is wrong."""
        errors = [remark for remark in read_remarks(log) if remark.severity == "error"]
        read = [(answer, remark.message) for remark in errors if (answer := read_answer(remark.file))]
        answers = [(a, message) for a, message in read if a.question == "kernel" or a.name in self.constants]
        wrong: tuple[Diagnostic, ...] = ()
        if any(answer.question == "kernel" for answer, _ in answers):
            wrong += (explain_kernel(self.kernel, self.c_parameters, self.facts),)
        macros = [answer.name for answer, _ in answers if answer.question == "macro"]
        wrong += explain_macros(macros, self.constants, self.source, self.facts)
        if wrong:
            raise CompileFailure(wrong, log)
        variables = {a.name: message for a, message in answers if a.question == "variable"}
        if all(lookups[name] is Lookup.NONE for name in variables):
            raise JudgeError("the compiler's answer can't be understood", log.strip())
        # A constant in an unnamed namespace is ambiguous with the default; without the default it is found.
        found = {
            name: Lookup.PLAIN if "is ambiguous" in message and lookups[name] is Lookup.DEFAULT else Lookup.NONE
            for name, message in variables.items()
        }
        return {**lookups, **found}

    def _finish(self, compiled: Compiled, lookups: Mapping[str, Lookup]) -> Program:
        image, values = take_constants(number_first(compiled.ptx, self.compiler.file), self.text)
        kernels = read_kernels(image)
        chosen = next((k for k in kernels if k.symbol == compiled.symbol), None)
        if chosen is None:
            raise CompileFailure([explain_undefined(self.kernel, self.facts)], compiled.log)
        used, wrong = check_values(values, self.constants, self.source, self.facts)
        if wrong:
            raise CompileFailure(wrong, compiled.log)
        unused = note_unused(lookups, used, self.source, self.facts)
        cubin, spills = self._compile_cubin(lookups, chosen.symbol) if self.gpu_target else (b"", {})
        own = Kernel(self.kernel, chosen.symbol, chosen.parameter_bytes)
        return Program(
            form=Form.KERNEL,
            target=TARGET,
            image=image,
            kernels=(own, *(kernel for kernel in kernels if kernel is not chosen)),
            constants=used,
            diagnostics=cap([*self.notes, *unused, *self._read_log(compiled.log)]),
            cubin=cubin,
            spills=spills,
        )

    def _compile_cubin(self, lookups: Mapping[str, Lookup], symbol: str) -> tuple[bytes, Mapping[str, int]]:
        """Machine code of the same text, and its spills. Raises CompileFailure if only the assembler refuses it."""
        assert self.gpu_target is not None
        compiled = self._compile(lookups, self.gpu_target, (TELL,))
        if not compiled.ok:
            log = without_resources(compiled.log)
            said = next((line.strip() for line in log.splitlines() if line.strip()), "no reason given")
            unread = (Diagnostic("error", f"does not compile for {self.gpu_target}: {said}"),)
            found = self._read_log(log)
            wrong = found if any(d.severity == "error" for d in found) else (*found, *unread)
            raise CompileFailure(wrong, log)
        if compiled.symbol != symbol:
            raise JudgeError(f"the kernel is {compiled.symbol} for the GPU and {symbol} for the emulator")
        return compiled.cubin, read_spills(compiled.log)
