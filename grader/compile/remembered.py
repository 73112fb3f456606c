"""Compiles a text once: what was compiled before is remembered, by all that decides what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.compile.cache import Cache, make_key
from grader.compile.program import Program
from grader.compile.reading import compile_text
from grader.sandbox import Sandbox


def compile_once(request: Mapping[str, Any], tools: object, seconds: float, cache: Path, sandbox: Sandbox) -> Program:
    """The program for a request as `reading.compile_text` takes it. `tools` identifies the compilers in use, `cache` is
    the folder of all caches.

    Raises CompileFailure, ToolMissing, or another JudgeError.
    """
    store = Cache(cache / "programs" / "compile")
    key = make_key({"asked": request, "tools": tools})
    program = store.load(key)
    if program is None:
        program = compile_text(request, seconds, sandbox)
        store.store(key, program)
    return program
