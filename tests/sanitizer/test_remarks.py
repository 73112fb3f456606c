"""What is seen and is no fault stands in the report as a warning at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.verdict import Verdict
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
