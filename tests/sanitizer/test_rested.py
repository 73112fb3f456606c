"""A launch with more barriers than the checks have epochs: it is said that they rested, and the next one is checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from grader.core.verdict import Verdict
from grader.judge.conductor import Options, grade
from grader.languages.registry import make_submission
from grader.problem import load_problem
from grader.run.emulator import LaunchResult, Limits, Memory, Module, watch
from grader.run.emulator.layout import LAST_EPOCH
from tests.emulator.harness import compile_ptx

ROOM = 1000
ROUNDS = """extern "C" __global__ void k(float* out, int rounds) {
    __shared__ float s[64];
    int t = threadIdx.x;
    for (int i = 0; i < rounds; ++i) { s[t] = i; __syncthreads(); s[t] += s[t]; __syncthreads(); }
    s[t] = rounds;
    out[64 * blockIdx.x + t] = s[63 - t];
}"""
IN_PROBLEM = """__global__ void reduction_kernel(const float* input, float* output, int N) {
    for (int i = threadIdx.x; i < N; i += blockDim.x) if (blockIdx.x == 0) atomicAdd(output, input[i]);
    if (threadIdx.x >= 32) return;
    for (int i = 0; i < 4300000; ++i) __syncthreads();
}"""


def launch(memory: Memory, out: int, rounds: int, grid: int = 2) -> LaunchResult:
    module = Module(compile_ptx(ROUNDS), sanitize=True)
    given = [out.to_bytes(8, "little"), np.int32(rounds).tobytes()]
    return module.launch("k", (grid, 1, 1), (64, 1, 1), given, memory, limits=Limits(), workers=1)


def test_it_is_said_and_the_next_launch_is_checked() -> None:
    memory = Memory()
    memory.watch.few_epochs = ROOM
    memory.watch._epoch = LAST_EPOCH - ROOM
    out = memory.place("out", np.zeros(128, "f4"))
    few = launch(memory, out, 10)
    assert few.fault is not None and few.fault.kind == "data_race"
    assert not any("looked for" in remark.message for remark in few.remarks)
    memory.watch._epoch = LAST_EPOCH - ROOM
    many = launch(memory, out, 4 * ROOM)
    assert many.status == "done"
    assert "not after those" in many.remarks[0].message
    again = launch(memory, out, 10)
    assert again.fault is not None and again.fault.kind == "data_race"


def test_a_launch_has_millions_of_epochs() -> None:
    memory = Memory()
    memory.watch._epoch = LAST_EPOCH - watch.FEW_EPOCHS + 1
    out = memory.place("out", np.zeros(128, "f4"))
    assert launch(memory, out, 10).fault is not None
    assert memory.watch._epoch < watch.FEW_EPOCHS


def test_the_report_says_it(tmp_path: Path) -> None:
    problem = load_problem(Path(__file__).parents[2] / "problems" / "reduce")
    options = Options(seed=11, cache=tmp_path, device="emulator", sizes=[{"N": 200}])
    report = grade(problem, make_submission("mine.cu", IN_PROBLEM.encode()), options)
    assert report.verdict is Verdict.ACCEPTED
    (said,) = (one for one in report.diagnostics if one.line is None)
    assert (said.severity, "not after those" in said.message) == ("warning", True)
