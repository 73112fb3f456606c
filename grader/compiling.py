"""Compiling a submission of either form for the devices that will run it.

Which compiler a form needs is decided here; how each is driven is `grader.compile`'s.
"""

from __future__ import annotations

from pathlib import Path

from grader.compile.nvrtc import compile_kernel
from grader.compile.program import Program
from grader.problem import Problem
from grader.run.gpu.devices import Gpu, target_of
from grader.sandbox import Sandbox
from grader.submission import Submission
from grader.verdict import Form

SECONDS = 120.0
"""Device-wide libraries of templates take nvcc a minute; CuTe's take the front end of both compilers half of one."""
DEBUG_SECONDS = 10.0
"""Only a small debug build is of use, and that is made in a second: CuTe's take minutes."""


def compile_debug(problem: Problem, submission: Submission, cache: Path, sandbox: Sandbox | None = None) -> Program:
    """A debug build of a submission, for the emulator. Raises as `compile_submission` does."""
    return _compile(problem, submission, cache, sandbox=sandbox, time_limit=DEBUG_SECONDS, debug=True)


def compile_submission(
    problem: Problem, submission: Submission, cache: Path, gpu: Gpu | None, sandbox: Sandbox | None = None
) -> Program:
    """A program for the emulator and, where one is named, a GPU. `cache` is the folder of all caches.

    `sandbox` is where the compiler of the solve form runs. Raises CompileFailure, ToolMissing, or a JudgeError.
    """
    target = None if gpu is None else target_of(gpu)
    return _compile(problem, submission, cache, gpu_target=target, sandbox=sandbox, time_limit=SECONDS)


def _compile(
    problem: Problem,
    submission: Submission,
    cache: Path,
    *,
    gpu_target: str | None = None,
    sandbox: Sandbox | None = None,
    time_limit: float,
    debug: bool = False,
) -> Program:
    # A problem that brings its own tests has no launch code: a file without solve() is told so.
    if submission.form is Form.SOLVE or problem.tests:
        from grader.compile.nvcc import compile_solve

        return compile_solve(
            submission.text,
            submission.path_name,
            problem.c_parameters if submission.form is Form.SOLVE else None,
            time_limit=time_limit,
            cache=cache / "programs",
            gpu_target=gpu_target,
            sandbox=sandbox,
            debug=debug,
        )
    return compile_kernel(
        submission.text,
        submission.path_name,
        problem.kernel,
        problem.c_parameters,
        problem.constants,
        time_limit=time_limit,
        cache=cache / "programs",
        gpu_target=gpu_target,
        debug=debug,
    )
