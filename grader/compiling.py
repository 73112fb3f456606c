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

SECONDS = 30.0
SOLVE_SECONDS = 120.0
"""Device-wide libraries of templates take nvcc a minute."""


def compile_debug(problem: Problem, submission: Submission, cache: Path) -> Program:
    """A debug build of a submission of the kernel form, for the emulator. Raises as `compile_submission` does."""
    return _compile_kernel(problem, submission, cache, debug=True)


def compile_submission(
    problem: Problem, submission: Submission, cache: Path, gpu: Gpu | None, sandbox: Sandbox | None = None
) -> Program:
    """A program for the emulator and, where one is named, a GPU. `cache` is the folder of all caches.

    `sandbox` is where the compiler of the solve form runs. Raises CompileFailure, ToolMissing, or a JudgeError.
    """
    target = None if gpu is None else target_of(gpu)
    # A problem that brings its own tests has no launch code: a file without solve() is told so.
    if submission.form is Form.SOLVE or problem.tests:
        from grader.compile.nvcc import compile_solve

        return compile_solve(
            submission.text,
            submission.path_name,
            problem.c_parameters if submission.form is Form.SOLVE else None,
            time_limit=SOLVE_SECONDS,
            cache=cache / "programs",
            gpu_target=target,
            sandbox=sandbox,
        )
    return _compile_kernel(problem, submission, cache, gpu_target=target)


def _compile_kernel(
    problem: Problem, submission: Submission, cache: Path, *, gpu_target: str | None = None, debug: bool = False
) -> Program:
    return compile_kernel(
        submission.text,
        submission.path_name,
        problem.kernel,
        problem.c_parameters,
        problem.constants,
        time_limit=SECONDS,
        cache=cache / "programs",
        gpu_target=gpu_target,
        debug=debug,
    )
