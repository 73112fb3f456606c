"""Compiling a submission of either form for the devices that will run it.

Which compiler a form needs is decided here, and what was compiled before is remembered; how each is driven is
`grader.compile`'s.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.compile.cache import Cache, make_key
from grader.compile.program import Program
from grader.compile.reading import compile_text
from grader.compile.submission import Submission
from grader.compile.toolkit import find_nvcc, find_toolkit
from grader.core.verdict import Form
from grader.machine.gpus import Gpu, target_of
from grader.problem import Problem
from grader.sandbox import Sandbox

SECONDS = 120.0
"""Device-wide libraries of templates take nvcc a minute; CuTe's take the front end of both compilers half of one."""
DEBUG_SECONDS = 10.0
"""Only a small debug build is of use, and that is made in a second: CuTe's take minutes."""


def compile_debug(
    problem: Problem, submission: Submission, cache: Path, sandbox: Sandbox, seconds: float = DEBUG_SECONDS
) -> Program:
    """A debug build of a submission, for the emulator, within so many seconds. Raises as `compile_submission` does."""
    return _compile(problem, submission, cache, None, sandbox, seconds, debug=True)


def compile_submission(
    problem: Problem, submission: Submission, cache: Path, gpu: Gpu | None, sandbox: Sandbox
) -> Program:
    """A program for the emulator and, where one is named, a GPU. `cache` is the folder of all caches.

    Raises CompileFailure, ToolMissing, or a JudgeError.
    """
    target = None if gpu is None else target_of(gpu)
    return _compile(problem, submission, cache, target, sandbox, SECONDS, debug=False)


def _compile(
    problem: Problem,
    submission: Submission,
    cache: Path,
    gpu_target: str | None,
    sandbox: Sandbox,
    time_limit: float,
    *,
    debug: bool,
) -> Program:
    request: dict[str, Any] = {
        "source": submission.text,
        "file_name": submission.path_name,
        "gpu_target": gpu_target,
        "debug": debug,
    }
    # A problem that brings its own tests has no launch code: a file without solve() is told so.
    if submission.form is Form.SOLVE or problem.tests:
        from grader.compile.nvcc import identity as nvcc_identity

        tools = nvcc_identity(find_nvcc())
        parameters = problem.c_parameters if submission.form is Form.SOLVE else None
        request |= {"do": "solve", "parameters": parameters}
    else:
        from grader.compile.nvrtc import identity

        tools = identity(find_toolkit())
        request |= {"do": "kernel", "kernel": problem.kernel, "parameters": list(problem.c_parameters)}
        request |= {"constants": dict(problem.constants)}
    store = Cache(cache / "programs" / "compile")
    key = make_key({"asked": request, "tools": tools})
    program = store.load(key)
    if program is None:
        program = compile_text(request, time_limit, sandbox)
        store.store(key, program)
    return program
