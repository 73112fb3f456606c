"""What is seen and is no fault stands in the report as a warning at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.verdict import FaultClass, Verdict
from grader.judge.conductor import Options, grade
from grader.languages.registry import make_submission
from grader.problem import load_problem

REDUCE = Path(__file__).parents[2] / "problems" / "reduce"
HEAD = "__device__ int seen;\n__global__ void reduction_kernel(const float* input, float* output, int N) {\n"
LEAVES = """    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) return;
    s[threadIdx.x] = input[i];
    __syncthreads();
    atomicAdd(output, s[threadIdx.x]);
}
"""
ALL_SET = """    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < N) atomicAdd(output, input[i]);
    seen = 1;
}
"""


@pytest.mark.parametrize(("body", "line", "said"), [(LEAVES, 7, "have exited"), (ALL_SET, 5, "write the same value")])
def test_a_remark_is_a_warning_of_the_report(body: str, line: int, said: str, tmp_path: Path) -> None:
    options = Options(seed=11, cache=tmp_path, device="emulator", sizes=[{"N": 200}])
    report = grade(load_problem(REDUCE), make_submission("mine.cu", (HEAD + body).encode()), options)
    assert report.verdict is Verdict.ACCEPTED
    warnings = [d for d in report.diagnostics if d.severity == "warning"]
    assert [d.line for d in warnings] == [line]
    assert said in warnings[0].message


FAULTS = """    __shared__ float s[256];
    s[threadIdx.x] = input[threadIdx.x == 7 ? N : 0];
    __syncthreads();
    float next = __shfl_down_sync(0xffffffff, s[threadIdx.x], 1);
    if (threadIdx.x == 0) output[0] = s[1] + next;
}
"""


def test_threads_that_a_fault_has_ended_are_not_told_as_having_left(tmp_path: Path) -> None:
    options = Options(seed=11, cache=tmp_path, device="emulator", sizes=[{"N": 200}])
    report = grade(load_problem(REDUCE), make_submission("mine.cu", (HEAD + FAULTS).encode()), options)
    assert report.fault is not None and (report.fault.fault, report.line) == (FaultClass.OUT_OF_BOUNDS, 4)
    assert report.diagnostics == ()
