"""A program of several kernels in the solve form, and plans for it, as the tests of all runners use them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grader.compile.nvrtc import compile_kernel
from grader.compile.program import Kernel, Program
from grader.core.plan import (
    ALL_STREAMS,
    Alloc,
    Copy,
    Free,
    Launch,
    Memset,
    RecordEvent,
    Step,
    Synchronize,
    Upload,
    WaitEvent,
)
from grader.core.verdict import Form
from grader.plan.runner import DeviceMemory
from grader.problem import Problem

MAP = Path(__file__).parents[2] / "problems" / "map"
N = 1000
SIZES = {"N": N}
BLOCK = 128
GRID = -(-N // BLOCK)
TABLE = np.array([1, 2, 3, 4], np.float32)

SOURCE = r"""
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__constant__ float table[4];
__device__ int runs;
__device__ int named_by_nobody[3];

__global__ void map_kernel(const float* input, float* output, int N) {}

extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}

extern "C" __global__ void add_table(float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += table[i % 4];
    if (i == 0) printf("run %d\n", ++runs);
}

// Each element less the mean of all: partial has a place for each block.
extern "C" __global__ void centre(const float* x, float* y, float* partial, int n) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&sum, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
    cooperative_groups::this_grid().sync();
    float total = 0;
    for (int block = 0; block < gridDim.x; block++) total += partial[block];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] - total / n;
}

// Through shared memory, of which it needs all n elements.
extern "C" __global__ void reverse(const float* x, float* y, int n) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = s[n - 1 - i];
}

// One thread that takes its time.
extern "C" __global__ void slow(float* y, int rounds) {
    float v = y[0];
    for (int k = 0; k < rounds; k++) v = v * 0.5f + 1.0f;
    y[0] = v;
}

struct alignas(128) Map { char bytes[128]; };

// A tile of 32 by 8 of a matrix, by the bulk tensor copy engine (PTX ISA, cp.async.bulk.tensor).
extern "C" __global__ void tile(const __grid_constant__ Map map, float* y, int column, int row) {
#if __CUDA_ARCH__ >= 900
    alignas(128) __shared__ float s[8 * 32];
    __shared__ unsigned long long barrier;
    const unsigned where = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(where));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" :: "r"(where) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];"
                     :: "r"((unsigned)__cvta_generic_to_shared(s)), "l"(&map), "r"(column), "r"(row), "r"(where)
                     : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }"
                 :: "r"(where) : "memory");
    for (int i = threadIdx.x; i < 8 * 32; i += blockDim.x) y[i] = s[i];
#endif
}

// Each block's rank in its cluster, and how many blocks that has.
extern "C" __global__ void ranks(float* y) {
#if __CUDA_ARCH__ >= 900
    unsigned rank, size;
    asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %cluster_nctarank;" : "=r"(size));
    if (threadIdx.x == 0) y[blockIdx.x] = rank + 100.0f * size;
#endif
}
"""
PARAMETERS = {
    "scale": (8, 8, 4, 4),
    "add_table": (8, 4),
    "centre": (8, 8, 8, 4),
    "reverse": (8, 8, 4),
    "slow": (8, 4),
    "tile": (128, 8, 4, 4),
    "ranks": (8,),
}


def several(problem: Problem, cache: Path, gpu_target: str | None = None) -> Program:
    """The program; each kernel's name in the source is its symbol's with "the " before it."""
    built = compile_kernel(SOURCE, "mine.cu", problem.kernel, problem.c_parameters, {}, gpu_target=gpu_target)
    kernels = tuple(Kernel(f"the {name}", name, sizes) for name, sizes in PARAMETERS.items())
    return Program(Form.SOLVE, built.target, built.image, kernels, cubin=built.cubin)


def launch(kernel: str, *arguments: int | float | bytes, **more: object) -> Launch:
    """A launch with these arguments: whole numbers become as many bytes as the kernel takes."""
    sizes = PARAMETERS[kernel]
    packed = tuple(
        value
        if isinstance(value, bytes)
        else struct.pack("<f", value)
        if isinstance(value, float)
        else value.to_bytes(size, "little")
        for value, size in zip(arguments, sizes, strict=True)
    )
    shape = {"grid": (GRID, 1, 1), "block": (BLOCK, 1, 1), "shared_bytes": 0}
    return Launch(kernel, arguments=packed, **{**shape, **more})  # type: ignore[arg-type]


def floats(data: bytes) -> NDArray[np.float32]:
    return np.frombuffer(data, np.float32)


def inputs_of(problem: Problem, seed: int = 1) -> Mapping[str, NDArray[np.float32]]:
    from grader.problem.inputs import make_inputs

    made: Mapping[str, NDArray[np.float32]] = make_inputs(problem, SIZES, "normal", seed)
    return made


def steps_of(device: DeviceMemory, at: Mapping[str, int], n: int = N) -> tuple[int, list[Step]]:
    """Scratch, and steps that leave twice the input plus a table in the output."""
    scratch, table = device.allocate(4 * n), device.symbol("table")
    assert scratch is not None and table is not None
    return scratch, [
        Alloc(scratch, 4 * n),
        Memset(scratch, 0, 4 * n),
        Upload(table, TABLE.tobytes(), 1),
        launch("scale", at["input"], scratch, 2.0, n, stream=1, grid=(-(-n // BLOCK), 1, 1)),
        RecordEvent(1, 1),
        WaitEvent(1, 2),
        Synchronize(ALL_STREAMS),
        Copy(at["output"], scratch, 4 * n, 2),
        launch("add_table", at["output"], n, stream=2, grid=(-(-n // BLOCK), 1, 1)),
        Free(scratch),
    ]
