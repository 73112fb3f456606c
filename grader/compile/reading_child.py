"""The confined process that reads one submission's text: recognises, compiles and highlights it.

A compiler that it starts has the same confinement. Its answers are plain data.
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
from grader.sandbox.serving import Message, by_name, serve


def preload() -> None:
    """Loads modules that most texts need. What can't be loaded is reported when it is used."""
    import grader.compile.highlight
    import grader.compile.nvrtc
    import grader.compile.parse  # noqa: F401
    from grader.compile.nvrtc_call import load_compiler

    with suppress(ToolMissing):
        load_compiler()


def recognise(text: str) -> Message:
    """Recognises the form of a text, its kernels, and its macros."""
    from grader.compile.parse import parse

    facts = parse(text)
    return {
        "form": facts.form,
        "kernels": [kernel.qualified_name for kernel in facts.kernels],
        "macros": [[macro.name, macro.value] for macro in facts.macros],
    }


def recognise_python(text: str) -> Message:
    """Recognises which language a text in Python uses."""
    from grader.compile.python_text import language_of

    return {"language": language_of(text)}


def kernels_of_python(text: str) -> Message:
    """The names of the kernels of a text in Python, by Python's own parser, which some texts crash."""
    from grader.compile.python_text import kernels_of

    return {"kernels": kernels_of(text)}


def kernel(
    source: str, file_name: str, kernel: str, parameters: Sequence[Sequence[str]], time_limit: float, **more: Any
) -> Message:
    """Compiles as `compile_kernel`; `parameters` are pairs of C type and name. The judge limits the time."""
    from grader.compile.nvrtc import compile_kernel
    from grader.compile.nvrtc_call import limited_memory

    pairs = [(c_type, name) for c_type, name in parameters]
    with limited_memory():
        return _compiled(lambda: compile_kernel(source, file_name, kernel, pairs, **more))


def solve(source: str, file_name: str, parameters: Sequence[Sequence[str]] | None, **more: Any) -> Message:
    """Compiles as `compile_solve`."""
    from grader.compile.nvcc import compile_solve

    pairs = None if parameters is None else [(c_type, name) for c_type, name in parameters]
    # Its child processes are in this process's sandbox already.
    return _compiled(lambda: compile_solve(source, file_name, pairs, sandbox=Sandbox(None), **more))


def highlight(text: str, python: bool = False) -> Message:
    """Returns the words of each of the text's lines with their classes."""
    from grader.compile.highlight import words_of

    return {"lines": words_of(text, python)}


def _compiled(compile_it: Callable[[], Program]) -> Message:
    try:
        return {"program": program_to_json(compile_it())}
    except CompileFailure as failure:
        return {"failure": [asdict(diagnostic) for diagnostic in failure.diagnostics], "log": failure.log}


def main() -> None:
    # NVRTC writes the working directory into its output, which should be reproducible.
    os.chdir("/")
    serve(by_name(recognise, recognise_python, kernels_of_python, kernel, solve, highlight))


if __name__ == "__main__":
    main()
