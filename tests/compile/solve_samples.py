"""Files with their own solve(), and what tests with nvcc need of the machine."""

from __future__ import annotations

import pytest

from grader.compile.toolkit import find_host_compiler, find_nvcc
from grader.core.errors import ToolMissing
from grader.sandbox import Sandbox

SOLVE = """
__global__ void scale(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
extern "C" void solve(const float* in, float* out, int n) {
    scale<<<(n + 127) / 128, 128>>>(in, out, n);
}
"""


def _missing() -> str:
    try:
        find_host_compiler(find_nvcc())
    except ToolMissing as missing:
        return f"{missing.message} ({missing.hint})"
    return ""


needs_nvcc = pytest.mark.skipif(bool(_missing()), reason=_missing())
needs_sandbox = pytest.mark.skipif(
    not Sandbox.find().protects, reason=f"{Sandbox.find().reason} (scripts/install-test-packages)"
)
