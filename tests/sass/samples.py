"""A kernel whose machine code the tests know, compiled once for Hopper."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Mapping
from pathlib import Path

from grader.compile.compiler import Compiler
from grader.compile.toolkit import find_toolkit
from grader.sass import MachineCode, disassemble

FILE = "tiles.cu"
SOURCE = """
__device__ __forceinline__ float twice(float x) {
    return x + x;
}
extern "C" __global__ void tiles(const float4 *in, double *wide, float *out, int n) {
    __shared__ float tile[256];
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        tile[threadIdx.x] = in[i].x * in[i].y + in[i].z * in[i].w;
        __syncthreads();
        sum += tile[255 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = twice(sum);
    wide[threadIdx.x] = wide[threadIdx.x] * 3.0 + 1.0;
}
"""
SUM, LOAD, TWICE, OUT, WIDE = (
    1 + SOURCE[: SOURCE.index(text)].count("\n")
    for text in (*("sum += tile", "tile[threadIdx.x] = in", "return x", "out[threadIdx.x]", "wide[threadIdx.x]"),)
)


@functools.cache
def cubin() -> bytes:
    made = Compiler(find_toolkit(), FILE).compile(SOURCE, target="sm_90a")
    assert made.ok, made.log
    return made.cubin


def disassembled(cache: Path) -> Mapping[str, MachineCode]:
    return disassemble(cubin(), FILE, cache)


@functools.cache
def kernel() -> MachineCode:
    """The sample's machine code, disassembled once."""
    with tempfile.TemporaryDirectory() as folder:
        return disassembled(Path(folder))["tiles"]
