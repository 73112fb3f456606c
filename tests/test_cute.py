"""Kernels with CuTe's headers, of both forms: each under tests/cute/ gets its declared verdict on the emulator.

Their first lines are those of tests/solve/README.md. Where the headers are missing, the report says what to type.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grader.compile.compiler import CompileFailure
from grader.compile.nvcc import compile_solve
from grader.compile.nvrtc import compile_kernel
from grader.compile.toolkit import find_toolkit
from grader.core.errors import ToolMissing
from grader.core.verdict import Form, Verdict
from grader.languages.cuda import CudaSolve
from grader.languages.registry import read_submission
from grader.machine.cuda_packages import cutlass_command
from grader.problem import load_problem
from grader.sandbox import Sandbox
from tests.plan.recorded import shared_cache
from tests.test_solve_files import PROBLEMS, SolveFile, check, needs_tools, read_solve_file

FILES = [read_solve_file(file) for file in sorted((Path(__file__).parent / "cute").glob("*.cu"))]
LAYOUTS = next(file for file in FILES if file.file.stem == "transpose_swizzled")
FMA = next(file for file in FILES if file.file.stem == "matmul_fma")


def _missing() -> str:
    try:
        includes = find_toolkit().includes
    except ToolMissing as missing:
        return f"{missing.message} ({missing.hint})"
    if any((folder / "cute" / "tensor.hpp").is_file() for folder in includes):
        return ""
    return f"CuTe's headers are not installed; type: {cutlass_command()}"


MISSING = _missing()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


def test_both_forms_use_cute() -> None:
    assert {read_submission(file.file).form for file in FILES} == {Form.KERNEL, Form.SOLVE}
    assert {one.verdict for file in FILES for one in file.expected(on_gpu=False)} > {Verdict.ACCEPTED}


@needs_tools
@pytest.mark.skipif(bool(MISSING), reason=MISSING)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.file.stem)
def test_a_kernel_on_the_emulator(file: SolveFile, cache: Path) -> None:
    check(file.grade("emulator", cache), file.expected(on_gpu=False))


def test_a_debug_build_has_a_limit_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(CompileFailure, match=r"longer than 0\.01 seconds"):
        CudaSolve(debug_seconds=0.01).compile_debug(
            load_problem(PROBLEMS / "transpose"), read_submission(LAYOUTS.file), tmp_path, Sandbox.find()
        )


@needs_tools
@pytest.mark.parametrize("form", ["kernel", "solve"])
def test_missing_headers_are_told_with_what_to_type(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cutlass_library", None)
    problem = load_problem(PROBLEMS / "transpose")
    with pytest.raises(CompileFailure) as caught:
        if form == "kernel":
            parameters, constants = problem.c_parameters, problem.constants
            compile_kernel(LAYOUTS.file.read_text(), "mine.cu", problem.kernel, parameters, constants)
        else:
            compile_solve(FMA.file.read_text(), "mine.cu")
    (first, *_) = caught.value.diagnostics
    assert first.message == 'cannot open source file "cute/tensor.hpp"'
    assert cutlass_command() in first.hint
