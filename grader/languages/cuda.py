"""CUDA C++ in its two forms: the kernel alone, which the problem launches, and a file with its own solve().

NVRTC compiles the first. nvcc compiles the second, whose solve() is recorded in the sandbox for each plan.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.core.limits import SOLVE_SECONDS
from grader.core.verdict import Form, LanguageName

if TYPE_CHECKING:
    from grader.compile.program import Program
    from grader.compile.reading import Lines, Recognised
    from grader.compile.submission import Submission
    from grader.languages.language import AskTable
    from grader.machine.gpus import Gpu
    from grader.plan.planner import Planner
    from grader.problem import Problem
    from grader.sandbox import Sandbox

SECONDS = 120.0
"""Device-wide libraries of templates take nvcc a minute; CuTe's take the front end of both compilers half of one."""
DEBUG_SECONDS = 10.0
"""Only a small debug build is of use, and that is made in a second: CuTe's take minutes."""


class _Cuda:
    """What both forms have in common. The seconds are how long a compiler may take, None for the usual."""

    form: Form
    name = LanguageName.CUDA
    has_debug_build = True

    def __init__(self, seconds: float | None = None, debug_seconds: float = DEBUG_SECONDS) -> None:
        self._seconds = seconds
        self._debug_seconds = debug_seconds

    def recognise(self, path_name: str, text: str, sure: bool = False) -> Recognised | None:
        from grader.compile.reading import recognise

        found = recognise(text)
        return found if found.form is self.form else None

    def compile(
        self, problem: Problem, submission: Submission, cache: Path, gpu: Gpu | None, sandbox: Sandbox
    ) -> Program:
        from grader.compile.remembered import compile_once
        from grader.machine.gpus import target_of

        asked = {"gpu_target": None if gpu is None else target_of(gpu), "debug": False}
        request, tools = self._request(problem, submission)
        return compile_once({**asked, **request}, tools, self._seconds or SECONDS, cache, sandbox)

    def compile_debug(self, problem: Problem, submission: Submission, cache: Path, sandbox: Sandbox) -> Program:
        from grader.compile.remembered import compile_once

        request, tools = self._request(problem, submission)
        asked = {"gpu_target": None, "debug": True, **request}
        return compile_once(asked, tools, self._debug_seconds, cache, sandbox)

    def finish(self) -> None:
        from grader.compile.reading import end_waiting

        end_waiting()

    def highlight(self, text: str) -> Lines | None:
        from grader.compile.reading import highlight

        return highlight(text)

    def _request(self, problem: Problem, submission: Submission) -> tuple[dict[str, Any], object]:
        """What is asked of the process that compiles, and the tools whose versions decide what comes of it."""
        raise NotImplementedError


class CudaKernel(_Cuda):
    """A `__global__` function of the problem's name, launched by the problem's harness."""

    form = Form.KERNEL
    launches_itself = False
    has_machine_code = False

    def prepare(self, cache: Path, progress: Callable[[str], None]) -> None:
        """Nothing: the harness plans."""

    def planner(
        self,
        problem: Problem,
        program: Program,
        ask_table: AskTable,
        sandbox: Sandbox,
        cache: Path,
        seconds: float = SOLVE_SECONDS,
    ) -> Planner:
        from grader.plan.planner import HarnessPlanner

        return HarnessPlanner(problem, program.constants)

    def starter(self, problem: Problem) -> str:
        from grader.compile.starters import kernel_starter

        return kernel_starter(problem)

    def missing(self) -> str:
        return ""

    def _request(self, problem: Problem, submission: Submission) -> tuple[dict[str, Any], object]:
        if problem.tests:
            # Such a problem brings its own tests and no launch code: the compiler says that solve() is missing.
            return _solve_request(submission, None)
        from grader.compile.nvrtc import identity
        from grader.compile.toolkit import find_toolkit

        request = {
            **_source_of(submission),
            "do": "kernel",
            "kernel": problem.kernel,
            "parameters": list(problem.c_parameters),
            "constants": dict(problem.constants),
        }
        return request, identity(find_toolkit())


class CudaSolve(_Cuda):
    """A file with `extern "C" void solve(...)`, which launches its kernels itself."""

    form = Form.SOLVE
    launches_itself = True
    has_machine_code = True

    def prepare(self, cache: Path, progress: Callable[[str], None]) -> None:
        from grader.plan.recorder_build import build_recorder

        build_recorder(cache, say=lambda: progress("building the recorder, once on this machine"))

    def planner(
        self,
        problem: Problem,
        program: Program,
        ask_table: AskTable,
        sandbox: Sandbox,
        cache: Path,
        seconds: float = SOLVE_SECONDS,
    ) -> Planner:
        from grader.plan.planner import RecordingPlanner
        from grader.plan.recorder import LibraryRecorder

        return RecordingPlanner(problem, LibraryRecorder(program, sandbox, cache, seconds), ask_table)

    def starter(self, problem: Problem) -> str:
        from grader.compile.starters import solve_starter

        return solve_starter(problem)

    def missing(self) -> str:
        from grader.compile.toolkit import find_host_compiler, find_nvcc
        from grader.core.errors import ToolMissing

        try:
            find_host_compiler(find_nvcc())
        except ToolMissing as missing:
            return f"{missing.message} ({missing.hint})"
        return ""

    def _request(self, problem: Problem, submission: Submission) -> tuple[dict[str, Any], object]:
        return _solve_request(submission, problem.c_parameters)


def _source_of(submission: Submission) -> dict[str, Any]:
    return {"source": submission.text, "file_name": submission.path_name}


def _solve_request(submission: Submission, parameters: object) -> tuple[dict[str, Any], object]:
    from grader.compile.nvcc import identity
    from grader.compile.toolkit import find_nvcc

    return {**_source_of(submission), "do": "solve", "parameters": parameters}, identity(find_nvcc())
