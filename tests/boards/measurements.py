"""Measurements made by hand, as on an H200: a naive matrix multiplication, and an addition of vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grader.core.report import Ceilings, Interval, Measurement, SizeMeasurement

H200 = Ceilings(
    "NVIDIA H200", "GPU-1f5c2a44-9d0e-4c1b-8f65-2d3c4b5a6978", "580.95.05", 4.31e12, 51.2e12, 4.8e12, 66.9e12, 1.19e-6
)


def timed(
    sizes: dict[str, int], seconds: float, flops: int, moved: int, baseline: float | None = None, **changes: Any
) -> SizeMeasurement:
    """A size as it is timed on an H200: within 0.2 %, at a clock that hardly changed."""
    light = max(moved / H200.bandwidth, flops / H200.flops, H200.floor)
    ratio = None if baseline is None else seconds / baseline
    values: dict[str, Any] = {
        "sizes": sizes,
        "time": Interval(seconds, seconds * 0.999, seconds * 1.002),
        "ratio": ratio and Interval(ratio, ratio * 0.9985, ratio * 1.0012),
        "flops": flops,
        "bytes": moved,
        "sol": light / seconds,
        "quads": 30,
        "dropped": 1,
        "verified": 24,
        "floor": H200.floor,
        "clock_mhz": (1905.0, 1980.0),
    }
    return SizeMeasurement(**(values | changes))


def multiplied(m: int, n: int, k: int, seconds: float, baseline: float, **changes: Any) -> SizeMeasurement:
    moved = 4 * (m * n + n * k + m * k)
    return timed({"M": m, "N": n, "K": k}, seconds, 2 * m * n * k, moved, baseline, **changes)


def matmul_times(faster: float = 1.0) -> Measurement:
    """A naive matrix multiplication on an H200, or one that is `faster` than it."""
    sizes = (
        multiplied(1024, 1024, 1024, 410e-6 / faster, 55.2e-6),
        multiplied(4096, 4096, 4096, 26.04e-3 / faster, 2.71e-3),
        multiplied(8192, 8192, 8192, 214.1e-3 / faster, 21.6e-3),
        multiplied(4095, 2049, 1023, 3.311e-3 / faster, 0.402e-3),
    )
    return Measurement(sizes, H200, Interval(1.0002, 0.9991, 1.0011))


def vector_times() -> Measurement:
    """An addition of vectors without a baseline: the smallest size takes as long as a launch, and one is suspect."""
    sizes = tuple(
        timed({"N": n}, seconds, n, 12 * n, **changes)
        for n, seconds, changes in (
            (1_000, 1.24e-6, {}),
            (1_000_000, 3.9e-6, {"time": Interval(3.9e-6, 3.6e-6, 4.4e-6)}),
            (64_000_000, 191.3e-6, {"throttled": ("power cap", "thermal slowdown"), "clock_mhz": (1410.0, 1410.0)}),
            (300_000_000, 780e-6, {}),
        )
    )
    return Measurement(sizes, replace(H200, datasheet_bandwidth=None), Interval(1.0102, 1.0091, 1.0111))
