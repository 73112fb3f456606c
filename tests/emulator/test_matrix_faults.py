"""Matrix instructions that go wrong, told with line, array and element; and what they are counted to cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grader.run.emulator import Fault, Memory, Module

from .harness import KERNELS, compile_ptx, kernel_ptx
from .test_faults import launch

FILE = "matrix_faults.cu"
SOURCE = (KERNELS / FILE).read_text().splitlines()


def line_of(mark: str) -> int:
    return next(i for i, text in enumerate(SOURCE, 1) if text.endswith(f"// <- {mark}"))


def fault_of(*arguments: Any, **options: Any) -> Fault:
    result = launch(*arguments, file=FILE, **options)
    assert result.fault is not None and result.faults == (result.fault,)
    return result.fault


def halves(count: int) -> np.ndarray[Any, Any]:
    return np.ones(count, "f2")


def floats(count: int) -> np.ndarray[Any, Any]:
    return np.zeros(count, "f4")


@pytest.mark.parametrize(("at", "stride", "index"), [(16, 16, 256), (0, 24, 264), (256, 16, 256), (-16, 16, -16)])
def test_load_outside_of_its_array(at: int, stride: int, index: int) -> None:
    fault = fault_of("loads", 1, 32, halves(256), floats(256), at, stride)
    assert (fault.kind, fault.access, fault.array, fault.extent) == ("out_of_bounds", "read", "a", 256)
    assert (fault.index, fault.itemsize, fault.line) == (index, 2, line_of("load"))


def test_load_inside() -> None:
    assert launch("loads", 1, 32, halves(15 * 24 + 16), floats(256), 0, 24, file=FILE).status == "done"


def test_store_outside_of_its_array() -> None:
    fault = fault_of("stores", 1, 32, floats(256), 16, 16)
    assert (fault.kind, fault.access, fault.array, fault.index) == ("out_of_bounds", "write", "a", 256)
    assert (fault.itemsize, fault.line) == (4, line_of("store"))


@pytest.mark.parametrize(("at", "stride"), [(4, 16), (0, 20), (1, 17)])
def test_lines_that_are_not_aligned(at: int, stride: int) -> None:
    fault = fault_of("loads", 1, 32, halves(400), floats(256), at, stride)
    assert (fault.kind, fault.access, fault.array, fault.bytes) == ("misaligned", "read", "a", 16)
    assert (fault.index, fault.line) == (at or stride, line_of("load"))
    assert "multiple of 16 bytes" in fault.message


def test_shared_elements_are_counted_in_halves() -> None:
    fault = fault_of("in_shared", 1, 32, floats(32), 128)
    assert (fault.kind, fault.array, fault.index, fault.extent) == ("out_of_bounds", "tile", 256, 256)
    assert fault.line == line_of("shared")


def test_row_of_one_lane_outside() -> None:
    fault = fault_of("rows", 1, 32, np.zeros(32, "u4"), 9, 256)
    assert (fault.kind, fault.access, fault.array) == ("out_of_bounds", "read", "tile")
    assert (fault.index, fault.extent) == (9 * 16 + 256, 256)
    assert (fault.thread, fault.threads, fault.line) == ((9, 0, 0), 1, line_of("rows"))


def test_row_of_one_lane_not_aligned() -> None:
    fault = fault_of("rows", 1, 32, np.zeros(32, "u4"), 3, 4)
    assert (fault.kind, fault.bytes, fault.array) == ("misaligned", 16, "tile")
    assert (fault.thread, fault.threads) == ((3, 0, 0), 1)


@pytest.mark.parametrize(("block", "many"), [(32, 16), (32, 31), (48, 32), (8, 32)])
def test_part_of_a_warp(block: int, many: int) -> None:
    fault = fault_of("some", 1, block, floats(256), many)
    assert (fault.kind, fault.line) == ("barrier_divergence", line_of("some"))
    assert fault.threads == (many if block == 32 else block % 32)


def test_part_of_a_warp_while_the_others_wait() -> None:
    fault = fault_of("some_wait", 1, 32, floats(288), 16)
    assert (fault.kind, fault.line) == ("barrier_divergence", line_of("some wait"))
    assert "warp" in fault.message


@pytest.mark.parametrize(("by", "more", "thread", "threads"), [(16, 0, 5, 1), (0, 8, 30, 2)])
def test_lanes_that_give_different_arguments(by: int, more: int, thread: int, threads: int) -> None:
    fault = fault_of("disagree", 1, 32, halves(1024), floats(32), by, more)
    assert (fault.kind, fault.line) == ("barrier_divergence", line_of("disagree"))
    assert (fault.thread, fault.threads) == ((thread, 0, 0), threads)
    assert "different" in fault.message


def test_lanes_that_come_apart_meet() -> None:
    memory = Memory()
    c = np.arange(256, dtype="f4")
    bias = np.arange(32, dtype="f4")
    assert launch("apart", 1, 32, c, bias, memory=memory, file=FILE).status == "done"
    lane = np.array([4 * (row % 8) + column % 8 // 2 for row in range(16) for column in range(16)])
    np.testing.assert_array_equal(memory.read("a"), c + np.where(lane % 2, bias[lane] * 2, bias[lane] + 5))


# What they cost


def counted(kernel: str, memory: Memory, *arguments: bytes) -> list[Any]:
    module = Module(kernel_ptx(FILE), count=True)
    result = module.launch(kernel, (1, 1, 1), (32, 1, 1), list(arguments), memory)
    assert result.counts is not None
    return [row for row in result.counts.rows if row.opcode in ("wmma", "ldmatrix")]


def test_sectors_of_a_load_and_a_store() -> None:
    """Words of 8 rows at a time, as GPUs load them: half a sector of each; stores write whole sectors."""
    memory = Memory()
    places = [memory.place(n, a).to_bytes(8, "little") for n, a in (("a", halves(1024)), ("c", floats(256)))]
    load, store = counted("loads", memory, *places, np.int32(0).tobytes(), np.int32(64).tobytes())
    assert (load.requests, load.sectors, load.bytes, load.array) == (4, 32, 512, "a")
    assert (store.requests, store.sectors, store.bytes, store.array) == (4, 32, 1024, "c")


@pytest.mark.parametrize(("pitch", "ways"), [(16, 2), (24, 1)])
def test_banks_of_ldmatrix(pitch: int, ways: int) -> None:
    """Eight rows of 16 bytes go at once: 32 bytes apart they meet in the same banks, 48 bytes apart they do not."""
    memory = Memory()
    place = memory.place("out", np.zeros(32, "u4")).to_bytes(8, "little")
    source = "\n".join(SOURCE).replace("tile[16 * 16]", f"tile[16 * {pitch}]").replace("% 16 * 16", f"% 16 * {pitch}")
    module = Module(compile_ptx(source), count=True)
    result = module.launch(
        "rows", (1, 1, 1), (32, 1, 1), [place, np.int32(99).tobytes(), np.int32(0).tobytes()], memory
    )
    assert result.counts is not None
    (row,) = (row for row in result.counts.rows if row.opcode == "ldmatrix")
    assert (row.shared_requests, row.wavefronts, row.ideal_wavefronts, row.ways) == (1, 4 * ways, 4, ways)
