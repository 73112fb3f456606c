"""Uses of local variables that have no value, seen in a debug build; copies of them are none."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from grader.compile.nvrtc import compile_kernel
from grader.run.emulator import LaunchResult, Memory, Module

from .harness import KERNELS

FILE = KERNELS / "unset.cu"
SOURCE = FILE.read_text()
FAULTY = [name for name in re.findall(r"__global__ void (\w+)", SOURCE) if name != "right"]
PARAMETERS = [("float*", "out"), ("const float*", "in"), ("int", "n")]


def line_in(kernel: str) -> int:
    """The marked line of a kernel."""
    begin = SOURCE.index(f"void {kernel}(")
    return SOURCE[: SOURCE.index("// found", begin)].count("\n") + 1


@cache
def debug_build() -> Module:
    program = compile_kernel(SOURCE, FILE.name, "right", PARAMETERS, {}, time_limit=60, debug=True)
    return Module(program.image, values=True)


def launch(kernel: str) -> LaunchResult:
    memory = Memory()
    places = [memory.place(name, np.zeros(1024, "f4")) for name in ("out", "in")]
    arguments = [*(place.to_bytes(8, "little") for place in places), np.int32(7).tobytes()]
    return debug_build().launch(kernel, (2, 1, 1), (32, 1, 1), arguments, memory, workers=1)


@pytest.mark.parametrize("kernel", FAULTY)
def test_the_line_that_uses_it_is_told(kernel: str) -> None:
    result = launch(kernel)
    assert [(fault.kind, fault.line) for fault in result.faults] == [("uninitialized_read", line_in(kernel))]


def test_only_the_lanes_without_a_value_are_at_fault() -> None:
    fault = launch("one_lane_only").fault
    assert fault is not None
    assert (fault.thread, fault.threads) == ((5, 0, 0), 2)


def test_copies_padding_and_bit_fields_are_no_uses() -> None:
    result = launch("right")
    assert result.status == "done", result.fault


def test_a_block_begins_without_what_another_has_given() -> None:
    """Each of the 64 threads adds to four elements, in local memory that both blocks have."""
    fault = launch("an_array").fault
    assert fault is not None and fault.threads == 64 * 4
