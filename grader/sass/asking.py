"""The confined process that runs NVIDIA's assembler or disassembler, as the judge asks it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.sandbox import Confinement, Profile, Sandbox, SandboxLimits
from grader.sandbox.children import Child

MODULE = "grader.sass.child"
SECONDS = 60.0
"""What one run of one program may take."""
LIMITS = SandboxLimits(memory=4 << 30, cpu_seconds=180, file_bytes=256 << 20, processes=8)

_GRACE_SECONDS = 30.0
"""What starting it and reading its output may take besides."""


def ask(request: Mapping[str, Any], program: Path, seconds: float, sandbox: Sandbox) -> dict[str, Any]:
    """The answer of `grader.sass.child`, which may run `program` for so many seconds. Raises JudgeError."""
    confinement = Confinement(sandbox, Profile.COMPILE, (program,), limits=LIMITS) if sandbox.protects else None
    with Child(MODULE, confinement=confinement, scratch=()) as child:
        child.send({**request, "seconds": SECONDS})
        return child.receive(seconds + _GRACE_SECONDS)
