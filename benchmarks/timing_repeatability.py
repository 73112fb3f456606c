"""Measures how well timings repeat on this machine's GPU: kgrade's method and the usual ones, each in fresh processes.

    python benchmarks/timing_repeatability.py --section spread --repeats 12
    python benchmarks/timing_repeatability.py --section order

`spread` times kernels of about 300, 10 and 2 µs and shorter; `order` times two kernels that differ by 1 %; `null`
times the baseline against itself. The usual ways are an event pair around each launch after a 256 MB flush, and
triton.testing.do_bench where triton is installed. Spread is max / min - 1 over the processes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from grader.measure.samples import Timing
from grader.measure.statistics import StoppingRule, ratio_interval, summarise
from grader.run.gpu.buffer_set import BufferSet
from grader.run.gpu.cublas import Cublas
from grader.run.gpu.device_code import load_module
from grader.run.gpu.refill import Span
from grader.run.gpu.timing import MakeSet, measure

FLUSH = 256 << 20
PLAIN_LAUNCHES = 100

SOURCE = """
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int n) {
    __shared__ float a[16][16], b[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        a[threadIdx.y][threadIdx.x] = A[row * n + t + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = B[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    C[row * n + column] = sum;
}

extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = 2.5f * x[i] + y[i];
}

// The same work, four elements a thread: the baseline of saxpy.
extern "C" __global__ void saxpy4(const float4* x, const float4* y, float4* z, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4) return;
    const float4 u = x[i], v = y[i];
    z[i] = make_float4(2.5f * u.x + v.x, 2.5f * u.y + v.y, 2.5f * u.z + v.z, 2.5f * u.w + v.w);
}

// As long as `steps` says: two of these differ by a known share.
extern "C" __global__ void chain(const float* x, const float* y, float* z, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < steps; k++) v = v * 0.999f + y[i];
    z[i] = v;
}
"""


@dataclass(frozen=True)
class Subject:
    """A kernel and its launch: three arrays of `count` elements, and the number that it is given beside them."""

    kernel: str
    count: int
    number: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]


def matmul(n: int) -> Subject:
    return Subject("matmul", n * n, n, (n // 16, n // 16, 1), (16, 16, 1))


def saxpy(n: int, name: str = "saxpy", lanes: int = 1) -> Subject:
    return Subject(name, n, n, (-(-n // (256 * lanes)), 1, 1), (256, 1, 1))


def chain(steps: int) -> Subject:
    return Subject("chain", 1 << 16, steps, (256, 1, 1), (256, 1, 1))


SUBJECTS = {
    "matmul 1024": (matmul(1024), None),
    "matmul 256": (matmul(256), None),
    "matmul 32": (matmul(32), None),
    "saxpy 250,000": (saxpy(250_000), saxpy(250_000, "saxpy4", 4)),
    "saxpy 1,000": (saxpy(1_000), saxpy(1_000, "saxpy4", 4)),
    "saxpy 64M": (saxpy(64_000_000), saxpy(64_000_000, "saxpy4", 4)),
}
"""Candidate and baseline; the baseline of a matmul is cuBLAS."""

WAYS = ("kgrade", "ratio", "events", "do_bench")


def make_sets(module: Any, subject: Subject) -> MakeSet:
    import cupy

    kernel = module.get_function(subject.kernel)

    def make(_number: int) -> BufferSet:
        arrays = [cupy.empty(subject.count, dtype=cupy.float32) for _ in range(3)]
        arguments = (*arrays, np.int32(subject.number))
        spans = [Span(array.data.ptr, array.size) for array in arrays]

        def launch(stream: Any) -> None:
            kernel(subject.grid, subject.block, arguments, stream=stream)

        return BufferSet(spans[:2], spans[2:], launch, arrays)

    return make


def make_cublas_sets(n: int) -> MakeSet:
    import cupy

    library = Cublas()

    def make(_number: int) -> BufferSet:
        arrays = [cupy.empty((n, n), dtype=cupy.float32) for _ in range(3)]
        a, b, c = (array.data.ptr for array in arrays)
        spans = [Span(array.data.ptr, array.size) for array in arrays]

        def launch(stream: Any) -> None:
            library.matmul(stream, "float32", a, b, c, n, n, n)

        return BufferSet(spans[:2], spans[2:], launch, arrays)

    return make


def time_once(name: str, with_usual: bool) -> dict[str, float]:
    """One process's figures: seconds by way of timing, the ratio to the baseline, and how they were come by."""
    module = load_module(SOURCE)
    subject, baseline = SUBJECTS[name]
    candidate = make_sets(module, subject)
    reference = make_sets(module, baseline) if baseline else make_cublas_sets(subject.number)
    began = perf_counter()
    timing = measure(candidate, reference, seed=1)
    figures = {**described(timing), "took": perf_counter() - began}
    return figures | usual(candidate(0)) if with_usual else figures


def described(timing: Timing) -> dict[str, float]:
    summary = summarise(timing.quads)
    assert summary.ratio is not None
    assert timing.consistent
    return {
        "kgrade": summary.time.value,
        "ratio": summary.ratio.value,
        "half_width": (summary.time.high - summary.time.low) / 2 / summary.time.value,
        "quads": summary.quads,
        "dropped": summary.dropped,
        "late": timing.late,
        "copies": timing.copies["candidate"],
        "tick": timing.tick,
        "floor": timing.floor,
        "warm_replays": timing.warm_replays,
        "warm": timing.warm,
        "clock_low": summary.clock_mhz[0],
        "clock_high": summary.clock_mhz[1],
    }


def usual(buffers: BufferSet) -> dict[str, float]:
    import cupy

    stream = cupy.cuda.Stream.null
    flush = cupy.empty(FLUSH, dtype=cupy.uint8)
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    times = []
    for _ in range(PLAIN_LAUNCHES):
        flush.fill(0)
        start.record()
        buffers.launch(stream)
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end) * 1e-3)
    found = {"events": median(times)}
    try:
        import torch
        from triton.testing import do_bench
    except ImportError:
        return found

    def launch() -> None:
        buffers.launch(cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream))

    found["do_bench"] = do_bench(launch, return_mode="median") * 1e-3
    return found


def show_spread(names: Sequence[str], repeats: int, with_usual: bool) -> None:
    for name in names:
        command = [sys.executable, __file__, "--once", name, *([] if with_usual else ["--alone"])]
        runs = [json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) for _ in range(repeats)]
        print(f"\n{name}, {repeats} processes")
        for way in WAYS:
            values = [run[way] for run in runs if way in run]
            if values:
                unit, scale = ("", 1.0) if way == "ratio" else ("µs", 1e6)
                spread = 100 * (max(values) / min(values) - 1)
                print(f"  {way:9} median {median(values) * scale:10.4f} {unit:3} spread {spread:7.3f} %")
        figures = {key: [run[key] for run in runs] for key in runs[0] if key not in WAYS}
        print("  " + ", ".join(f"{key} {min(v):.4g} to {max(v):.4g}" for key, v in figures.items()), flush=True)


def show_order(repeats: int) -> None:
    """Two kernels, the second 1 % longer: how often the ratio says so, and how often beyond its interval."""
    module = load_module(SOURCE)
    right = sure = 0
    ratios = []
    for number in range(repeats):
        shorter, longer = make_sets(module, chain(2000)), make_sets(module, chain(2020))
        ratio = ratio_interval(measure(longer, shorter, seed=number).quads)
        assert ratio is not None
        ratios.append(ratio.value)
        right += ratio.value > 1
        sure += ratio.low > 1
    print(f"\n1 % apart: ordered rightly in {right} of {repeats}, with certainty in {sure}")
    print(f"  ratios {min(ratios):.5f} to {max(ratios):.5f}")


def show_null(repeats: int) -> None:
    module = load_module(SOURCE)
    rule = StoppingRule(seconds=1.0)
    tests: dict[str, Callable[[], Timing]] = {
        "cuBLAS 1024": lambda: measure(make_cublas_sets(1024), seed=1, rule=rule, null=rule),
        "saxpy 250,000": lambda: measure(make_sets(module, saxpy(250_000)), seed=1, rule=rule, null=rule),
    }
    for name, test in tests.items():
        logs = [median(quad.log_ratio for quad in test().null) for _ in range(repeats)]
        print(f"\nnull test, {name}: {repeats} ratios from {exp(min(logs)):.5f} to {exp(max(logs)):.5f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--section", choices=("spread", "order", "null"), action="append")
    parser.add_argument("--kernel", choices=SUBJECTS, action="append", help="of the spread; all by default")
    parser.add_argument("--repeats", type=int, default=12)
    parser.add_argument("--alone", action="store_true", help="without the usual ways")
    parser.add_argument("--once", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        json.dump(time_once(options.once, not options.alone), sys.stdout)
        return
    sections = options.section or ["spread", "order", "null"]
    if "spread" in sections:
        show_spread(options.kernel or list(SUBJECTS), options.repeats, not options.alone)
    if "order" in sections:
        show_order(options.repeats)
    if "null" in sections:
        show_null(options.repeats)


if __name__ == "__main__":
    main()
