"""The Program: a submission after compiling, ready for a runner of one target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.report import Diagnostic
from grader.verdict import Form


@dataclass(frozen=True)
class Kernel:
    """One `__global__` function: its name in the source, its symbol in the image, its parameters' sizes in bytes."""

    name: str
    symbol: str
    parameter_bytes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Program:
    """A compiled submission. `image` is PTX text for the emulator; `constants` are launch constants such as TILE.

    `cubin` is machine code for one GPU's own target, empty where none was asked for; `spills` are the bytes that
    its kernels spill, by symbol, as grader.compile.resources counts them. `shared_object` is the solve form's shared
    library with its host code, empty for the kernel form.
    """

    form: Form
    target: str
    image: str
    kernels: tuple[Kernel, ...]
    constants: Mapping[str, int] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    cubin: bytes = b""
    spills: Mapping[str, int] = field(default_factory=dict)
    shared_object: bytes = b""
    debug: bool = False
    """Whether it is a debug build, in which the emulator follows local variables and looks for nothing else."""
