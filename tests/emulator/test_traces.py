"""Traces of a counted launch: the way of each warp, and the sectors that it touches."""

from __future__ import annotations

import struct

import numpy as np

from grader.run.emulator import Memory, Module
from grader.run.emulator.traces import Traces
from tests.emulator.harness import compile_ptx

SOURCE = """
extern "C" __global__ void k(const float* x, float* y, int n) {
    float sum = 0.0f;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        sum += x[t + 64 * i];
    }
    y[t] = sum;
}
"""


def run(traces, rounds=3, block=1):
    module, memory = Module(compile_ptx(SOURCE), count=True), Memory()
    x, y = (memory.place(name, np.ones(1024, "f4")) for name in "xy")
    arguments = [struct.pack("<Q", x), struct.pack("<Q", y), struct.pack("<i", rounds)]
    only = range(block, block + 1)
    result = module.launch("k", (4, 1, 1), (64, 1, 1), arguments, memory, only_blocks=only, traces=traces)
    assert result.status == "done" and result.counts is not None
    return result.counts, x, y


def test_the_way_of_a_warp_is_as_long_as_its_counts():
    traces = Traces(1000, 1000)
    counts, _, _ = run(traces)
    warps, blocks = traces.steps()
    assert not traces.is_full and set(warps.tolist()) == {0, 1}
    for number in set(blocks.tolist()):
        executed = next(row.executed for row in counts.rows if row.block == number)
        assert np.count_nonzero(blocks == number) == executed


def test_touches_are_the_sectors_in_their_order():
    traces = Traces(1000, 1000)
    _, x, y = run(traces)
    touches = traces.touches()
    mine = touches.warps == 0
    sectors = touches.sectors[mine].tolist()
    loads = [(x + 4 * 64 * (1 + i)) // 32 + part for i in range(3) for part in range(4)]
    assert sectors == [*loads, *((y + 4 * 64) // 32 + part for part in range(4))]
    assert touches.requests[mine][:12].tolist() == sorted(touches.requests[mine][:12].tolist())


def test_a_full_trace_says_so_and_counts_go_on():
    traces = Traces(5, 7)
    counts, _, _ = run(traces)
    assert traces.is_full and traces.steps_are_full
    assert len(traces.touches().sectors) == 7 and len(traces.steps()[0]) == 5
    assert sum(row.sectors for row in counts.rows) == 2 * 4 * 4
