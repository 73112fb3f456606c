"""The machine code of counted kernels, for the target that explain is asked for, and what it takes of an SM.

CUDA C++ has it from its compilation. A kernel in Python was compiled to PTX for the emulator, and is assembled here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from grader.coach.counting import CountedKernel
from grader.coach.target import gpu_like
from grader.compile.cubin import KernelFacts, read_cubin
from grader.compile.elf import ElfError
from grader.compile.program import Program
from grader.compile.toolkit import find_nvcc
from grader.core.errors import KgradeError
from grader.core.verdict import LanguageName
from grader.machine.gpus import target_of
from grader.machine.own_packages import TILE_ASSEMBLER, install_once
from grader.sandbox import Sandbox
from grader.sass import MachineCode, disassemble, file_of
from grader.sass.assemble import assemble


def machine_code_of(
    program: Program, kernels: Sequence[CountedKernel], target: str, cache: Path, sandbox: Sandbox
) -> tuple[MachineCode | None, ...]:
    """The machine code of each of these kernels, None where the compiler made none. `cache` is the folder of all
    caches.

    Raises ToolMissing without NVIDIA's tools, and JudgeError where these refuse the code.
    """
    if program.cubin:
        found = disassemble(program.cubin, file_of(program.image), cache, sandbox)
        return tuple(found.get(kernel.symbol) for kernel in kernels)
    images = dict.fromkeys(kernel.image for kernel in kernels if kernel.image)
    assembled = {image: _assembled(program.language, image, target, cache, sandbox) for image in images}
    return tuple(assembled.get(kernel.image, {}).get(kernel.symbol) for kernel in kernels)


def facts_of(
    program: Program, kernels: Sequence[CountedKernel], target: str, cache: Path, sandbox: Sandbox
) -> tuple[KernelFacts | None, ...]:
    """Registers and memory of each of these kernels, None where they can't be had: without ptxas, or where it refuses
    the code. Nothing is installed for them. `cache` is the folder of all caches."""
    if program.cubin:
        found = _facts_in(program.cubin)
        return tuple(found.get(kernel.symbol) for kernel in kernels)
    facts: dict[str, Mapping[str, KernelFacts]] = {}
    if program.language is not LanguageName.CUTILE or TILE_ASSEMBLER.file.is_file():
        for image in dict.fromkeys(kernel.image for kernel in kernels if kernel.image):
            with suppress(KgradeError):
                facts[image] = _facts_in(_cubin_of(program.language, image, target, cache, sandbox))
    return tuple(facts.get(kernel.image, {}).get(kernel.symbol) for kernel in kernels)


def _facts_in(cubin: bytes) -> Mapping[str, KernelFacts]:
    try:
        return read_cubin(cubin)
    except ElfError:
        return {}


def _assembled(
    language: LanguageName, image: str, target: str, cache: Path, sandbox: Sandbox
) -> Mapping[str, MachineCode]:
    return disassemble(_cubin_of(language, image, target, cache, sandbox), file_of(image), cache, sandbox)


def _cubin_of(language: LanguageName, image: str, target: str, cache: Path, sandbox: Sandbox) -> bytes:
    if language is LanguageName.CUTILE:
        # Its PTX is of a later release than the other compilers'.
        ptxas = install_once(TILE_ASSEMBLER, lambda words: None) / TILE_ASSEMBLER.proof
    else:
        ptxas = find_nvcc().root / "bin" / "ptxas"
    return assemble(image, target_of(gpu_like(target)), ptxas, cache, sandbox)
