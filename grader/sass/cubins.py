"""The cubins of kernels: CUDA C++ is compiled to them; a kernel in Python was compiled to PTX, for the emulator."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.compile.cubin import KernelFacts, read_cubin
from grader.compile.elf import ElfError
from grader.compile.program import Program
from grader.compile.toolkit import find_nvcc
from grader.core.errors import ToolMissing
from grader.core.verdict import LanguageName
from grader.machine.gpus import gpu_like, target_of
from grader.machine.own_packages import TILE_ASSEMBLER, install_once
from grader.sandbox import Sandbox
from grader.sass.assemble import assemble


def cubin_of(
    program: Program, image: str, target: str, cache: Path, sandbox: Sandbox, *, installs: bool = False
) -> bytes:
    """The cubin of a program's kernel: the program's own, else what ptxas makes of the kernel's PTX, `image`.

    `cache` is the folder of all caches. cuTile's assembler, where it is missing, is installed if this `installs`.
    Raises ToolMissing without an assembler, and JudgeError where it refuses the PTX.
    """
    if program.cubin:
        return program.cubin
    if program.language is not LanguageName.CUTILE:
        ptxas = find_nvcc().root / "bin" / "ptxas"
    elif installs or TILE_ASSEMBLER.file.is_file():
        # Its PTX is of a later release than the other compilers'.
        ptxas = install_once(TILE_ASSEMBLER, lambda words: None) / TILE_ASSEMBLER.proof
    else:
        raise ToolMissing("cuTile's assembler is not installed", "kgrade explain --sass installs it")
    return assemble(image, target_of(gpu_like(target)), ptxas, cache, sandbox)


def facts_in(cubin: bytes) -> Mapping[str, KernelFacts]:
    """Registers and memory of a cubin's kernels, by symbol; none of what can't be read."""
    try:
        return read_cubin(cubin)
    except ElfError:
        return {}
