"""Languages for gradings in tests: what a compiler makes is given, or it has more or less time than usual."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from grader.compile.compiler import CompileFailure
from grader.compile.program import Program
from grader.compile.submission import Submission
from grader.core.verdict import Form
from grader.languages.cuda import CudaKernel, CudaSolve
from grader.languages.language import Language
from grader.machine.gpus import Gpu
from grader.problem import Problem
from grader.sandbox import Sandbox


class PlayedKernel(CudaKernel):
    """Kernels that nothing compiles: `make` returns the program, for a GPU where one is named. No debug builds."""

    def __init__(self, make: Callable[[Problem, Gpu | None], Program]) -> None:
        super().__init__()
        self._make = make

    def compile(
        self, problem: Problem, submission: Submission, cache: Path, gpu: Gpu | None, sandbox: Sandbox
    ) -> Program:
        return self._make(problem, gpu)

    def compile_debug(self, problem: Problem, submission: Submission, cache: Path, sandbox: Sandbox) -> Program:
        raise CompileFailure(())


class DebugBuild(CudaKernel):
    """Kernels whose debug build is what `change` makes of it."""

    def __init__(self, change: Callable[[Program], Program]) -> None:
        super().__init__()
        self._change = change

    def compile_debug(self, problem: Problem, submission: Submission, cache: Path, sandbox: Sandbox) -> Program:
        return self._change(super().compile_debug(problem, submission, cache, sandbox))


def with_time(submission: Submission, seconds: float) -> Language:
    """CUDA C++, whose compilers may take so many seconds."""
    return CudaSolve(seconds) if submission.form is Form.SOLVE else CudaKernel(seconds)
