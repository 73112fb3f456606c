"""The machine code of counted kernels, for the target that explain is asked for, and what it takes of an SM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from grader.coach.counting import CountedKernel
from grader.compile.cubin import KernelFacts
from grader.compile.program import Program
from grader.core.errors import KgradeError
from grader.sandbox import Sandbox
from grader.sass import MachineCode, disassemble, file_of
from grader.sass.cubins import cubin_of, facts_in


def machine_code_of(
    program: Program, kernels: Sequence[CountedKernel], target: str, cache: Path, sandbox: Sandbox
) -> tuple[MachineCode | None, ...]:
    """The machine code of each of these kernels, None where the compiler made none. `cache` is the folder of all
    caches.

    Raises ToolMissing without NVIDIA's tools, and JudgeError where these refuse the code.
    """
    found: dict[str, Mapping[str, MachineCode]] = {}
    for image in _images(program, kernels):
        cubin = cubin_of(program, image, target, cache, sandbox, installs=True)
        found[image] = disassemble(cubin, file_of(image), cache, sandbox)
    return tuple(found.get(_image(program, kernel), {}).get(kernel.symbol) for kernel in kernels)


def facts_of(
    program: Program, kernels: Sequence[CountedKernel], target: str, cache: Path, sandbox: Sandbox
) -> tuple[KernelFacts | None, ...]:
    """Registers and memory of each of these kernels, None where they can't be had: without ptxas, or where it refuses
    the code. Nothing is installed for them. `cache` is the folder of all caches."""
    found: dict[str, Mapping[str, KernelFacts]] = {}
    for image in _images(program, kernels):
        with suppress(KgradeError):
            found[image] = facts_in(cubin_of(program, image, target, cache, sandbox))
    return tuple(found.get(_image(program, kernel), {}).get(kernel.symbol) for kernel in kernels)


def _images(program: Program, kernels: Sequence[CountedKernel]) -> list[str]:
    """The different PTX texts of kernels, without empty ones."""
    return [image for image in dict.fromkeys(_image(program, kernel) for kernel in kernels) if image]


def _image(program: Program, kernel: CountedKernel) -> str:
    return program.image if program.cubin else kernel.image
