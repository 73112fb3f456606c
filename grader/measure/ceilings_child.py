"""The process that measures a GPU's ceilings; `grader.measure.ceilings` starts it.

Nothing of a submission comes here. It measures at once what is asked for, and keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from statistics import median
from typing import Any

from grader.errors import JudgeError, ToolMissing
from grader.process import serve

SIZE = 2 << 30
"""Bytes of one array: many times any cache."""

MATRIX_SIDES = (4096, 8192)
REPEATS = 15
STREAMS = {"read": 1, "write": 1, "copy": 2}
"""The kernels that measure bandwidth, and how many arrays each one moves."""

SOURCE = """
typedef unsigned long long word;

// A store that never happens, but that the compiler can't know of: else it would leave the loads out.
extern "C" __global__ void read(const float4* in, float4* out, word count) {
    float4 sum = make_float4(0, 0, 0, 0);
    for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (word)gridDim.x * blockDim.x) {
        const float4 v = in[i];
        sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w;
    }
    if (sum.x + sum.y + sum.z + sum.w == 1.2345678f) out[threadIdx.x] = sum;
}

extern "C" __global__ void write(const float4* in, float4* out, word count) {
    const word first = (word)blockIdx.x * blockDim.x + threadIdx.x;
    for (word i = first; i < count; i += (word)gridDim.x * blockDim.x) out[i] = make_float4(i, first, 1, 2);
}

extern "C" __global__ void copy(const float4* in, float4* out, word count) {
    for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (word)gridDim.x * blockDim.x)
        out[i] = in[i];
}
"""


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Figures of one GPU, by CUDA's index: bytes a second, operations a second, and the floor in seconds."""
    import cupy

    try:
        with cupy.cuda.Device(request["gpu"]):
            return _measure()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise JudgeError(f"the ceilings of GPU {request['gpu']} can't be measured: {error}") from None


def _measure() -> dict[str, Any]:
    import cupy

    from grader.run.gpu.instruments import Instruments

    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        instruments = Instruments(stream)
        figures: dict[str, Any] = _bandwidths(stream)
        figures["flops"] = max(_matrix_product(stream, side) for side in MATRIX_SIDES)
        figures["floor"] = instruments.floor()
    return figures


def _bandwidths(stream: Any) -> dict[str, float]:
    import cupy

    from grader.run.gpu.device_code import load_module

    module = load_module(SOURCE)
    # A quarter of what is free where the GPU is small or in use.
    size = min(SIZE, cupy.cuda.runtime.memGetInfo()[0] // 4) // 4096 * 4096
    source, target = (cupy.random.random(size // 4, dtype=cupy.float32) for _ in range(2))
    processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    arguments = (source, target, cupy.uint64(size // 16))
    best: dict[str, float] = {}
    for name, arrays in STREAMS.items():
        kernel = module.get_function(name)
        # How many blocks are best differs between GPUs and between reading and writing.
        grids = [(blocks * processors, 1, 1) for blocks in (4, 16, 64)]
        times = [_seconds(stream, partial(kernel, grid, (512, 1, 1), arguments)) for grid in grids]
        best[name] = arrays * size / min(times)
    times = [_seconds(stream, lambda: target.data.copy_from_device_async(source.data, size, stream))]
    best["copy"] = max(best["copy"], 2 * size / min(times))
    return best


def _matrix_product(stream: Any, side: int) -> float:
    """Operations a second of the vendor's product of two fp32 matrices, without TF32."""
    import cupy

    # On random data: a product of zeros switches fewer transistors and runs at a higher clock.
    a, b = (cupy.random.random((side, side), dtype=cupy.float32) - 0.5 for _ in range(2))
    c = cupy.empty_like(a)
    try:
        return 2 * side**3 / _seconds(stream, lambda: cupy.matmul(a, b, out=c))
    except ImportError as error:
        raise ToolMissing(f"cuBLAS can't be loaded: {error}", "type: pip install 'cuda-toolkit[cublas]'") from None


def _seconds(stream: Any, call: Callable[[], object]) -> float:
    import cupy

    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    times: list[float] = []
    for _ in range(REPEATS):
        start.record(stream)
        call()
        end.record(stream)
        stream.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end) * 1e-3)
    # The first ones find the GPU cold.
    return median(times[REPEATS // 3 :])


if __name__ == "__main__":
    serve(answer)
