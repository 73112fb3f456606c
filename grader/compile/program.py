"""The Program: a compiled submission, ready for a runner."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from grader.core.report import Diagnostic
from grader.core.verdict import Form, LanguageName


@dataclass(frozen=True)
class Kernel:
    """One `__global__` function: its source name, its symbol in the image, and its parameters' sizes in bytes.

    `own_handle` is what a recorded plan calls it, where several images have kernels of one symbol.
    """

    name: str
    symbol: str
    parameter_bytes: tuple[int, ...] = ()
    own_handle: str = ""

    @property
    def handle(self) -> str:
        """What a recorded plan calls it."""
        return self.own_handle or self.symbol


@dataclass(frozen=True)
class Program:
    """A compiled submission. `image` is PTX text for the emulator; `constants` are launch constants such as TILE.

    `cubin` is machine code for one GPU's target, empty if none was requested; `spills` are the bytes that its kernels
    spill, by symbol, as counted by grader.compile.resources. `shared_object` is the solve form's shared library with
    its host code, empty for the kernel form. A program in another language than CUDA C++ has no image of its own: its
    kernels are compiled when solve() of its `script` launches them. `script` is its text, `file` that text's name.
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
    """Whether it is a debug build, in which the emulator checks only local variables."""
    language: LanguageName = LanguageName.CUDA
    script: str = ""
    file: str = ""
    kept: bool = True
    """Whether a later grading may find what this one compiled it to."""


def program_to_json(program: Program) -> dict[str, Any]:
    """The program as plain data for JSON."""
    plain = {
        "constants": dict(program.constants),
        "cubin": base64.b64encode(program.cubin).decode(),
        "shared_object": base64.b64encode(program.shared_object).decode(),
        "spills": dict(program.spills),
    }
    return {**asdict(program), **plain}


def program_from_json(data: Mapping[str, Any]) -> Program:
    """The inverse of `program_to_json`. Raises ValueError, KeyError or TypeError for anything that is no program."""
    return Program(
        form=Form(data["form"]),
        target=str(data["target"]),
        image=str(data["image"]),
        kernels=tuple(
            Kernel(str(k["name"]), str(k["symbol"]), tuple(int(size) for size in k["parameter_bytes"]))
            for k in data["kernels"]
        ),
        constants={str(name): int(value) for name, value in data["constants"].items()},
        diagnostics=tuple(diagnostic_from_json(diagnostic) for diagnostic in data["diagnostics"]),
        cubin=base64.b64decode(data["cubin"], validate=True),
        shared_object=base64.b64decode(data["shared_object"], validate=True),
        spills={str(symbol): int(size) for symbol, size in data["spills"].items()},
        debug=bool(data["debug"]),
    )


def diagnostic_from_json(data: Mapping[str, Any]) -> Diagnostic:
    """A diagnostic from JSON data. Raises as `program_from_json` does."""
    severity = str(data["severity"])
    if severity not in ("error", "warning", "note"):
        raise ValueError(f"a diagnostic has no severity {severity!r}")
    line, column = (None if data[name] is None else int(data[name]) for name in ("line", "column"))
    return Diagnostic(severity, str(data["message"]), line, column, str(data["hint"]))
