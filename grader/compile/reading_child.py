"""The confined process that reads one submission's text: what it is, what the compilers make of it, how it is coloured.

A compiler that it starts has the same confinement. What it answers is plain data.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from grader.compile.compiler import CompileFailure
from grader.compile.program import Program, program_to_json
from grader.core.errors import ToolMissing
from grader.sandbox import Sandbox
from grader.sandbox.children import Message, by_name, serve


def preload() -> None:
    """Loads what most texts need. What can't be loaded says so when it is asked for."""
    import grader.compile.highlight
    import grader.compile.nvrtc
    import grader.compile.parse  # noqa: F401
    from grader.compile.nvrtc_call import load_compiler

    with suppress(ToolMissing):
        load_compiler()


def recognise(text: str) -> Message:
    """What kind of submission a text is, its kernels, and its macros."""
    from grader.compile.parse import parse

    facts = parse(text)
    return {
        "form": facts.form,
        "kernels": [kernel.qualified_name for kernel in facts.kernels],
        "macros": [[macro.name, macro.value] for macro in facts.macros],
    }


def kernel(
    source: str, file_name: str, kernel: str, parameters: Sequence[Sequence[str]], time_limit: float, **more: Any
) -> Message:
    """As `compile_kernel` does it; `parameters` are pairs of C type and name. The time is for the judge to limit."""
    from grader.compile.nvrtc import compile_kernel
    from grader.compile.nvrtc_call import limited_memory

    pairs = [(c_type, name) for c_type, name in parameters]
    with limited_memory():
        return _compiled(lambda: compile_kernel(source, file_name, kernel, pairs, **more))


def solve(source: str, file_name: str, parameters: Sequence[Sequence[str]] | None, **more: Any) -> Message:
    """As `compile_solve` does it."""
    from grader.compile.nvcc import compile_solve

    pairs = None if parameters is None else [(c_type, name) for c_type, name in parameters]
    # What it starts is in this process's own sandbox already.
    return _compiled(lambda: compile_solve(source, file_name, pairs, sandbox=Sandbox(None), **more))


def highlight(text: str) -> Message:
    """The words of each of the text's lines with their classes."""
    from grader.compile.highlight import words_of

    return {"lines": words_of(text)}


def _compiled(compile_it: Callable[[], Program]) -> Message:
    try:
        return {"program": program_to_json(compile_it())}
    except CompileFailure as failure:
        return {"failure": [asdict(diagnostic) for diagnostic in failure.diagnostics], "log": failure.log}


def main() -> None:
    # NVRTC writes the working folder into what it makes, which is to be the same each time.
    os.chdir("/")
    serve(by_name(recognise, kernel, solve, highlight))


if __name__ == "__main__":
    main()
