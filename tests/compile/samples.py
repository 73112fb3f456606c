"""What the tests of compiling share: one small problem and ways to compile for it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from grader.compile.nvrtc import CompileFailure, compile_kernel
from grader.compile.program import Program

PARAMETERS = (("const float*", "input"), ("float*", "output"), ("int", "N"))
EXPECTED = "expected: __global__ void map_kernel(const float* input, float* output, int N)"
KERNEL = (
    "__global__ void map_kernel(const float* a, float* b, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) b[i] = expf(a[i]);\n"
    "}\n"
)


def build(source: str, constants: Mapping[str, int] | None = None) -> Program:
    return compile_kernel(source, "mine.cu", "map_kernel", PARAMETERS, constants or {})


def refusal(source: str, constants: Mapping[str, int] | None = None) -> CompileFailure:
    with pytest.raises(CompileFailure) as caught:
        build(source, constants)
    return caught.value


def kernel_with(statement: str) -> str:
    return f"__global__ void map_kernel(const float* a, float* b, int n) {{\n  {statement}\n}}\n"
