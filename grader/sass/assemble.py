"""Assembles PTX in the sandbox, for kernels that were compiled to PTX alone: those of languages in Python."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from grader import __version__
from grader.core.errors import JudgeError
from grader.core.files import Room, keep, read_kept
from grader.sandbox import Sandbox
from grader.sass.asking import SECONDS, ask

_ROOM = Room(files=300, size=256 << 20)


def assemble(ptx: str, target: str, program: Path, cache: Path, sandbox: Sandbox) -> bytes:
    """The cubin that ptxas, the file `program`, makes of PTX for a target such as "sm_90a"; once for the same text.

    Raises JudgeError where it makes none, with what it said.
    """
    status = program.stat()
    digest = hashlib.sha256(ptx.encode(errors="replace")).hexdigest()
    parts = [__version__, str(program), status.st_size, status.st_mtime_ns, target, digest]
    kept = cache / "sass" / f"{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}.cubin"
    try:
        return read_kept(kept)
    except OSError:
        pass
    answer = ask({"do": "assemble", "program": str(program), "ptx": ptx, "target": target}, program, SECONDS, sandbox)
    try:
        cubin = base64.b64decode(str(answer["cubin"]), validate=True)
    except (KeyError, ValueError) as error:
        raise JudgeError(f"ptxas's process answered what is no machine code: {error}") from None
    keep(kept, cubin, _ROOM)
    return cubin
