"""Reports as the judge makes them, for what shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from grader.core.report import (
    CaseResult,
    Ceilings,
    ElementError,
    ErrorMap,
    FaultReport,
    Interval,
    KernelInfo,
    Measurement,
    OutputCheck,
    Report,
    SizeMeasurement,
)
from grader.core.verdict import FaultClass, Form, Verdict, WrongKind

SOURCE = """\
__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    C[row * K + column] = 0.0f;
}
"""


def case(sizes: Sequence[int], verdict: Verdict = Verdict.ACCEPTED, **more: Any) -> CaseResult:
    return CaseResult(sizes=dict(zip("MNK", sizes, strict=True)), family="normal", seed=11, verdict=verdict, **more)


def accepted_report() -> Report:
    return Report(
        problem="matmul",
        title="Matrix multiplication",
        form=Form.KERNEL,
        device="emulator",
        user="ada",
        file="mine.cu",
        source=SOURCE,
        source_hash="0" * 64,
        submitted="2026-01-02T03:04:05+00:00",
        seed=7,
        verdict=Verdict.ACCEPTED,
        headline="Accepted on the emulator",
        cases=(case((1, 1, 1)), case((16, 16, 16))),
        launch={"TILE": 16},
        seconds=0.5,
    )


def measured_report(*, ratio: float | None = 9.61, throttled: tuple[str, ...] = (), kernels: int = 1) -> Report:
    """As on an H200: a naive kernel at two sizes, the second with a time that scatters."""
    ceilings = Ceilings("NVIDIA H200", "GPU-1f5c2a44", "580.95.05", 4.31e12, 51.2e12, 4.8e12, 66.9e12, 1.19e-6)
    found = []
    for n, time in ((1024, Interval(410e-6, 409.6e-6, 410.8e-6)), (8192, Interval(0.214, 0.195, 0.24))):
        paired = None if ratio is None else Interval(ratio, ratio * 0.999, ratio * 1.001)
        flops, moved = 2 * n**3, 12 * n**2
        sol = flops / ceilings.flops / time.value
        sizes = {"M": n, "N": n, "K": n}
        found.append(
            SizeMeasurement(sizes, time, paired, flops, moved, sol, 30, 1, 24, 1.19e-6, (1905.0, 1980.0), throttled)
        )
    kernel = KernelInfo("matrix_multiplication_kernel", 255, 2048, 0, 416, 0.125, "registers")
    return replace(
        accepted_report(),
        device="NVIDIA H200",
        score=0.1013,
        kernels=(kernel,) * kernels,
        measurement=Measurement(tuple(found), ceilings, Interval(1.0, 0.999, 1.001)),
    )


def faulty_report() -> Report:
    fault = FaultReport(
        FaultClass.OUT_OF_BOUNDS,
        "C[4] of 4 elements",
        line=4,
        text="C[row * K + column] = 0.0f;",
        kernel="matrix_multiplication_kernel",
        access="write",
        array="C",
        index=4,
        extent=4,
        block=(0, 0, 0),
        thread=(4, 0, 0),
        threads=12,
    )
    failing = case((2, 2, 2), Verdict.RUNTIME_ERROR, fault=fault, line=4, message=fault.message)
    return replace(
        accepted_report(),
        verdict=Verdict.RUNTIME_ERROR,
        headline="Writes C out of bounds: C[4] of 4 elements, line 4",
        fault=fault,
        line=4,
        explanation=("12 threads did the same in this line.",),
        cases=(case((16, 16, 16)), failing),
        smallest=failing,
        pattern="Fails whenever M is not a multiple of 16.",
    )


def wrong_report() -> Report:
    cells = tuple(tuple(1.0 if row > 15 or column > 15 else 0.0 for column in range(20)) for row in range(20))
    output = OutputCheck(
        array="C",
        shape=(20, 20),
        wrong=144,
        total=400,
        worst=3.5e6,
        gate="G0",
        kind=WrongKind.WRONG_VALUE,
        explanation="144 of 400 elements of C are wrong",
        elements=(
            ElementError((0, 16), 12.0, 0.0, 3.5e6),
            ElementError((0, 17), float("nan"), -1.5, float("inf")),
            ElementError((0, 18), 1.0, 0.0, float("inf"), unwritten=True),
        ),
        map=ErrorMap((20, 20), 1, 1, cells),
    )
    failing = case((20, 20, 20), Verdict.WRONG_ANSWER, kind=WrongKind.WRONG_VALUE, outputs=(output,))
    return replace(
        accepted_report(),
        verdict=Verdict.WRONG_ANSWER,
        headline="144 of 400 elements of C are wrong",
        kind=WrongKind.WRONG_VALUE,
        cases=(case((16, 16, 16)), failing),
        smallest=failing,
        pattern="Fails whenever M is not a multiple of 16.",
    )
