"""Writes of one value to one place by blocks in no order: a remark, also while one is noted and not yet made."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from grader.run.emulator import LaunchResult, Memory, Module
from tests.emulator.harness import compile_ptx

SOURCE = """
extern "C" __global__ void k(float* out, int* flag) {
    if (blockIdx.x == 1) {
        while (atomicAdd(flag, 0) != 2) {}
    }
    out[0] = 1.0f;
    if (blockIdx.x == 0) atomicExch(flag, 1);
}
"""


def between_the_writes(late: float) -> LaunchResult:
    """Block 0's write is taken back before block 1 makes its own, and comes again as `late` 2 ms later."""
    memory = Memory()
    out, flag = np.zeros(1, "f4"), np.zeros(1, "i4")
    arguments = [memory.place(name, array).to_bytes(8, "little") for name, array in (("out", out), ("flag", flag))]
    placed: list[NDArray[np.uint8]] = []
    for address in arguments:
        array = memory.at(int.from_bytes(address, "little"))
        assert array is not None
        placed.append(array.data)
    out, flag = placed[0].view("f4"), placed[1].view("i4")

    def play_the_other_worker() -> None:
        while flag[0] != 1:
            time.sleep(0.0001)
        out[0] = 0
        flag[0] = 2
        time.sleep(0.002)
        out[0] = late

    other = threading.Thread(target=play_the_other_worker)
    other.start()
    result = Module(compile_ptx(SOURCE), sanitize=True).launch("k", (2, 1, 1), (1, 1, 1), arguments, memory, workers=1)
    other.join()
    return result


@pytest.mark.parametrize(("late", "status"), [(1.0, "done"), (2.0, "fault")])
def test_a_write_that_is_noted_and_not_yet_made(late: float, status: str) -> None:
    result = between_the_writes(late)
    assert result.status == status
    assert [one.message.startswith("threads write the same value") for one in result.remarks] == [True] * (late == 1.0)
