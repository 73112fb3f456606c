"""Kernels to time, honest ones and cheats, as buffer sets on the GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.run.gpu.buffer_set import BufferSet
from grader.run.gpu.device_code import load_module
from grader.run.gpu.refill import Span
from grader.run.gpu.timing import MakeSet

COUNT = 1 << 16
SIGMA = 3.0

SOURCE = """
extern "C" __global__ void chain(const float* x, const float* y, float* z, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < steps; k++) v = v * 0.5f + y[i];
    z[i] = v;
}

extern "C" __global__ void add(const float* x, const float* y, float* z, int) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i] + y[i];
}

__device__ float remembered[65536];
__device__ unsigned launches;

// Right for the first launches, and a copy of what it had then for ever after.
extern "C" __global__ void remember(const float* x, const float* y, float* z, int) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (launches < 2000) remembered[i] = x[i] + y[i];
    z[i] = remembered[i];
    if (i == 0) launches++;
}

// Works in the first launches only.
extern "C" __global__ void retire(const float* x, const float* y, float* z, int) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (launches < 2000) z[i] = x[i] + y[i];
    if (i == 0) launches++;
}

struct Set { const float *x, *y; float* z; };
__device__ Set sets[1024];
__device__ int known;

__device__ void learn(Set mine) {
    for (int n = 0; n < known; n++)
        if (sets[n].z == mine.z) return;
    sets[known++] = mine;
}

// Right for the first launches; from then on the launch on one set makes the sums of all.
__device__ void together(Set mine, int one) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool learning = launches < 2000;
    if (learning) mine.z[i] = mine.x[i] + mine.y[i];
    else if (mine.z == sets[one].z)
        for (int n = 0; n < known; n++) sets[n].z[i] = sets[n].x[i] + sets[n].y[i];
    if (i == 0 && learning) learn(mine);
    if (i == 0) launches++;
}

extern "C" __global__ void all_at_first(const float* x, const float* y, float* z, int) { together({x, y, z}, 0); }

extern "C" __global__ void all_at_last(const float* x, const float* y, float* z, int) {
    together({x, y, z}, known - 1);
}
"""


def sets_of(name: str, steps: int = 0) -> MakeSet:
    import cupy

    kernel = load_module(SOURCE).get_function(name)

    def make(_number: int) -> BufferSet:
        arrays = [cupy.empty(COUNT, dtype=cupy.float32) for _ in range(3)]
        spans = [Span(array.data.ptr, array.size) for array in arrays]

        def launch(stream: Any) -> None:
            kernel((COUNT // 256, 1, 1), (256, 1, 1), (*arrays, np.int32(steps)), stream=stream)

        return BufferSet(spans[:2], spans[2:], launch, arrays)

    return make
