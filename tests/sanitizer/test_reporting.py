"""What is told of a place that goes wrong thousands of times: a few times that it does, and all else that does."""

from __future__ import annotations

import numpy as np

from grader.run.emulator import LaunchResult, Limits, Memory, Module
from grader.run.emulator.native.reporting import MOST_RACES
from tests.emulator.harness import compile_ptx

HEAD = 'extern "C" __global__ void k(float* out) { __shared__ float s[256], u[256]; int t = threadIdx.x; s[t] = t;'
HOT = "for (int d = 128; d; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }"


def run(body: str, grid: int = 64, fatal: bool = True) -> LaunchResult:
    memory = Memory()
    out = memory.place("out", np.zeros(256, "f4"))
    module = Module(compile_ptx(f"{HEAD} {body} }}"), sanitize=True)
    limits = Limits(races_are_fatal=fatal)
    return module.launch("k", (grid, 1, 1), (256, 1, 1), [out.to_bytes(8, "little")], memory, limits=limits, workers=1)


def test_a_hot_race_hides_no_other() -> None:
    result = run(f"{HOT}\nif (t == 0) out[0] += s[0];")
    assert {fault.array for fault in result.faults} == {"s", "out"}


def test_a_hot_race_hides_no_read_of_what_nobody_wrote() -> None:
    result = run(f"{HOT}\nif (t < 128) u[t] = s[0]; __syncthreads(); out[t] = u[t];", grid=1, fatal=False)
    assert [fault.array for fault in result.faults] == ["u"]


def test_it_is_told_a_few_times() -> None:
    result = run("for (int i = 0; i < 100; ++i) out[100] = out[100] + s[t];", grid=16)
    assert result.fault is not None and result.fault.kind == "data_race"
    assert max(fault.threads for fault in result.faults) <= 4 * MOST_RACES
