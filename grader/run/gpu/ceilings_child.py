"""The process that measures a GPU's ceilings; `grader.run.gpu.ceilings` starts it.

Nothing of a submission comes here. It measures on request, and keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import ceil
from typing import Any

from grader.compile.toolkit import find_toolkit
from grader.core.errors import JudgeError, ToolMissing
from grader.core.paths import place_cupy_cache
from grader.machine.cuda_packages import install_command
from grader.run.gpu.filling import Filling
from grader.run.gpu.refill import SOURCE as REFILL
from grader.run.gpu.refill import Refill, Span
from grader.sandbox.serving import serve

SIZE = 2 << 30
"""Bytes of one array: many times any cache."""

MATRIX_SIDES = (4096, 8192)
MATRICES = {"fp32": "float32", "fp16": "float16", "int8": "int8"}
"""The precisions, and the matrix type that shows the rate of each."""
REPEATS, RUN_SECONDS = 15, 1e-3
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
    """Returns the figures of one GPU, by CUDA's index: bytes/s, operations/s, and the floor in seconds.

    Raises JudgeError if they cannot be measured, and ToolMissing.
    """
    # Before importing CuPy, so that a missing CuPy is reported with what to type.
    find_toolkit()
    import cupy

    try:
        with cupy.cuda.Device(request["gpu"]):
            return _measure()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise JudgeError(f"the ceilings of GPU {request['gpu']} can't be measured: {error}") from None
    except ImportError as error:
        raise ToolMissing(f"a library of CUDA can't be loaded: {error}", f"type: {install_command()}") from None


def _measure() -> dict[str, Any]:
    import cupy

    from grader.run.gpu.instruments import Instruments

    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        instruments = Instruments(stream)
        figures: dict[str, Any] = _bandwidths(stream)
        for name, dtype in MATRICES.items():
            figures[name] = max(_matrix_product(stream, side, dtype) for side in MATRIX_SIDES)
        # If the library has no product of bytes for this GPU, a kernel converts them to halves or floats.
        figures["int8"] = max(figures["int8"], figures["fp16"], figures["fp32"])
        figures["floor"] = instruments.floor()
    return figures


def _fill(stream: Any, *arrays: Any) -> None:
    """Fills arrays with random numbers.

    On zeros fewer transistors switch, and the clock is higher than with any real input.
    """
    from grader.run.gpu.device_code import load_module

    bytes_of_numbers = Filling("whole", "int8", -128, 127)
    spans = [
        Span(a.data.ptr, a.size, bytes_of_numbers if a.dtype == "int8" else Filling("normal", a.dtype.name))
        for a in arrays
    ]
    Refill(load_module(REFILL), [spans], []).enqueue(stream, 1, 1.0)
    # The table of addresses is freed with the Refill.
    stream.synchronize()


def _bandwidths(stream: Any) -> dict[str, float]:
    import cupy

    from grader.run.gpu.device_code import load_module

    module = load_module(SOURCE)
    # A quarter of the free memory if the GPU is small or in use.
    size = min(SIZE, cupy.cuda.runtime.memGetInfo()[0] // 4) // 4096 * 4096
    source, target = (cupy.empty(size // 4, dtype=cupy.float32) for _ in range(2))
    _fill(stream, source, target)
    processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    arguments = (source, target, cupy.uint64(size // 16))
    best: dict[str, float] = {}
    for name, arrays in STREAMS.items():
        kernel = module.get_function(name)
        # The best number of blocks differs between GPUs, and between reading and writing.
        grids = [(blocks * processors, 1, 1) for blocks in (4, 16, 64)]
        times = [_seconds(stream, partial(kernel, grid, (512, 1, 1), arguments)) for grid in grids]
        best[name] = arrays * size / min(times)
    times = [_seconds(stream, lambda: target.data.copy_from_device_async(source.data, size, stream))]
    best["copy"] = max(best["copy"], 2 * size / min(times))
    return best


def _matrix_product(stream: Any, side: int, dtype: str) -> float:
    """Returns operations/s of the vendor's product of two matrices, floats without TF32; 0 if it has none."""
    import cupy

    from grader.run.gpu.cublas import loaded

    a, b = (cupy.empty((side, side), dtype=dtype) for _ in range(2))
    c = cupy.empty((side, side), dtype="int32" if dtype == "int8" else dtype)
    _fill(stream, a, b)
    places = (a.data.ptr, b.data.ptr, c.data.ptr)
    try:
        return 2 * side**3 / _seconds(stream, lambda: loaded().matmul(stream, dtype, *places, side, side, side))
    except JudgeError:
        if dtype != "int8":
            raise
        return 0.0


def _seconds(stream: Any, call: Callable[[], object]) -> float:
    """Returns the seconds of the fastest run: a ceiling is what can be reached.

    Short calls are timed many at once, without gaps.
    """
    import cupy

    start, end = cupy.cuda.Event(), cupy.cuda.Event()

    def timed(count: int) -> float:
        start.record(stream)
        for _ in range(count):
            call()
        end.record(stream)
        stream.synchronize()
        return float(cupy.cuda.get_elapsed_time(start, end)) * 1e-3 / count

    # The first call may also load code.
    once = min(timed(1) for _ in range(2))
    count = ceil(RUN_SECONDS / once)
    return min(timed(count) for _ in range(REPEATS))


if __name__ == "__main__":
    place_cupy_cache()
    serve(answer)
