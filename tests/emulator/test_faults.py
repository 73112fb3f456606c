"""What the emulator says of a kernel that goes wrong: which array, which element, which line, which thread."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from grader.run.emulator import Fault, LaunchResult, Limits, Memory, Module, UnsupportedPtx
from grader.run.emulator.launch import INSTRUCTIONS_OF_A_WARP

from .emulated import loaded
from .harness import KERNELS, kernel_ptx, scalar_bytes

SOURCE = (KERNELS / "faults.cu").read_text().splitlines()


def line_of(mark: str) -> int:
    """The line of `faults.cu` that ends in `// <- mark`."""
    return next(i for i, text in enumerate(SOURCE, 1) if text.endswith(f"// <- {mark}"))


def launch(
    kernel: str, grid: Any, block: Any, *arguments: Any, file: str = "faults.cu", **options: Any
) -> LaunchResult:
    """Arrays are placed under their names in `options["names"]`, by default a, b, c."""
    names = iter(options.pop("names", "abcdef"))
    memory = options.pop("memory", None) or Memory()
    values = [
        struct.pack("<Q", memory.place(next(names), a)) if isinstance(a, np.ndarray) else scalar_bytes(a)
        for a in arguments
    ]

    def triple(n: Any) -> tuple[int, int, int]:
        return (n, 1, 1) if isinstance(n, int) else n

    return loaded(kernel_ptx(file)).launch(kernel, triple(grid), triple(block), values, memory, **options)


def fault_of(*arguments: Any, **options: Any) -> Fault:
    result = launch(*arguments, **options)
    assert result.status == "fault", result
    assert result.fault is not None
    return result.fault


def f4(n: int) -> np.ndarray[Any, Any]:
    return np.arange(n, dtype="f4")


def i4(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, "i4")


# Global memory


def test_a_right_kernel_has_no_fault() -> None:
    memory = Memory()
    result = launch("copy", 4, 32, f4(100), f4(100) * 0, 100, 0, memory=memory)
    assert (result.status, result.fault) == ("done", None)
    assert result.instructions > 0
    np.testing.assert_array_equal(memory.read("b"), f4(100))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("size", "shift", "index", "block", "thread", "threads"),
    [
        (100, 1, 100, (3, 0, 0), (3, 0, 0), 1),
        (100, 40, 100, (1, 0, 0), (28, 0, 0), 40),
        (100, -1, -1, (0, 0, 0), (0, 0, 0), 1),
        (100, -5, -5, (0, 0, 0), (0, 0, 0), 5),
        (64, 0, 64, (2, 0, 0), (0, 0, 0), 36),
        (70, 0, 70, (2, 0, 0), (6, 0, 0), 30),
    ],
)
def test_read_out_of_bounds(
    size: int, shift: int, index: int, block: tuple[int, ...], thread: tuple[int, ...], threads: int, workers: int
) -> None:
    """`block` and `thread` are the first at fault; `threads` counts those of all blocks."""
    fault = fault_of("copy", 4, 32, f4(size), f4(100), 100, shift, workers=workers)
    assert (fault.kind, fault.access, fault.array) == ("out_of_bounds", "read", "a")
    assert (fault.index, fault.extent, fault.itemsize, fault.bytes) == (index, size, 4, 4)
    assert (fault.line, fault.kernel) == (line_of("copy read"), "copy")
    assert (fault.block, fault.thread, fault.threads) == (block, thread, threads)
    assert fault.instruction.startswith("ld.global")
    assert all(word in fault.message for word in ("read of 4 bytes", " a", str(index), str(size)))


def test_write_out_of_bounds() -> None:
    fault = fault_of("copy", 4, 32, f4(100), f4(99), 100, 0)
    assert (fault.kind, fault.access, fault.array, fault.index, fault.extent) == ("out_of_bounds", "write", "b", 99, 99)
    assert fault.line == line_of("copy write")
    assert (fault.block, fault.thread, fault.threads) == ((3, 0, 0), (3, 0, 0), 1)


@pytest.mark.parametrize("distance", [1, 2, 7, 60, 63, 64, 500, 5000])
def test_overrun_never_lands_in_the_neighbour(distance: int) -> None:
    memory = Memory()
    where = np.arange(32, dtype="i4")
    where[17] = 31 + distance
    neighbour = np.full(8192, -1, "i4")
    fault = fault_of("scatter", 1, 32, np.zeros(32, "i4"), where, names=["target", "where"], memory=memory)
    assert (fault.array, fault.index, fault.extent) == ("target", 31 + distance, 32)
    assert fault.thread == (17, 0, 0)
    memory = Memory()
    before = memory.place("before", neighbour)
    target = memory.place("target", np.zeros(32, "i4"))
    after = memory.place("after", neighbour)
    pointers = [struct.pack("<Q", p) for p in (target, memory.place("where", where))]
    result = loaded(kernel_ptx("faults.cu")).launch("scatter", (1, 1, 1), (32, 1, 1), pointers, memory)
    assert result.fault is not None and (result.fault.array, result.fault.index) == ("target", 31 + distance)
    assert before != after
    np.testing.assert_array_equal(memory.read("before"), neighbour)
    np.testing.assert_array_equal(memory.read("after"), neighbour)


@pytest.mark.parametrize("distance", [-1, -2, -33, -600])
def test_underrun_names_the_array_it_was_meant_for(distance: int) -> None:
    where = np.arange(32, dtype="i4")
    where[5] = distance
    fault = fault_of("scatter", 1, 32, np.zeros(32, "i4"), where, names=["target", "where"])
    assert (fault.kind, fault.array, fault.index, fault.thread) == ("out_of_bounds", "target", distance, (5, 0, 0))


def test_element_size_follows_the_array() -> None:
    fault = fault_of("column", 1, 4, np.zeros((3, 4)), np.zeros(4), 3, 4)
    assert (fault.array, fault.index, fault.extent, fault.itemsize, fault.bytes) == ("a", 12, 12, 8, 8)
    assert (fault.line, fault.threads) == (line_of("column"), 4)


def test_atomic_out_of_bounds() -> None:
    fault = fault_of("count", 1, 8, np.zeros(4, "i4"), i4(0, 1, 2, 3, 3, 9, 2, 1))
    assert (fault.kind, fault.access, fault.array, fault.index) == ("out_of_bounds", "atomic", "a", 9)
    assert (fault.line, fault.thread, fault.threads) == (line_of("count"), (5, 0, 0), 1)


def test_vector_load_half_outside() -> None:
    fault = fault_of("wide_load", 1, 4, f4(14), f4(4), 0)
    assert (fault.kind, fault.array, fault.bytes, fault.extent) == ("out_of_bounds", "a", 16, 14)
    assert fault.index in (12, 14)
    assert (fault.thread, fault.line) == ((3, 0, 0), line_of("wide_load"))


def test_threads_of_a_whole_block_in_three_dimensions() -> None:
    fault = fault_of("scatter", (1, 1, 1), (4, 2, 3), np.zeros(32, "i4"), np.full(4, 40, "i4"))
    assert fault.thread == (0, 0, 0)
    assert fault.threads == 24


def test_null_pointer() -> None:
    fault = fault_of("through_null", 1, 32, np.uint64(0))
    assert (fault.kind, fault.access) == ("out_of_bounds", "write")
    assert "null" in fault.message
    assert (fault.line, fault.threads) == (line_of("through_null"), 32)


def test_wild_pointer() -> None:
    fault = fault_of("through_null", 1, 32, np.uint64(0xDEAD_BEEF_0000_0000))
    assert (fault.kind, fault.line) == ("out_of_bounds", line_of("through_null"))


def test_fault_inside_a_function_names_kernel_and_line() -> None:
    fault = fault_of("in_a_function", 1, 8, i4(*range(8)), i4(*range(8)), 2)
    assert (fault.kernel, fault.line, fault.index, fault.thread) == ("in_a_function", line_of("pick"), 8, (4, 0, 0))


def test_constant_memory_out_of_bounds() -> None:
    fault = fault_of("constant_table", 1, 4, i4(0, 1, 4, 3), i4(0, 0, 0, 0))
    assert (fault.kind, fault.array, fault.extent, fault.index) == ("out_of_bounds", "table", 16, 16) or (
        fault.array,
        fault.index,
        fault.extent,
    ) == ("table", 4, 4)
    assert (fault.line, fault.thread) == (line_of("constant_table"), (2, 0, 0))


# Alignment


def test_misaligned_vector_load() -> None:
    fault = fault_of("wide_load", 1, 4, f4(64), f4(4), 1)
    assert (fault.kind, fault.access, fault.array, fault.bytes) == ("misaligned", "read", "a", 16)
    assert (fault.line, fault.threads, fault.thread) == (line_of("wide_load"), 4, (0, 0, 0))


@pytest.mark.parametrize("at", [1, 2, 3, 6])
def test_misaligned_store(at: int) -> None:
    fault = fault_of("odd_address", 1, 1, np.zeros(64, "i1"), at)
    assert (fault.kind, fault.access, fault.array, fault.bytes) == ("misaligned", "write", "a", 4)
    assert fault.line == line_of("odd_address")


def test_aligned_store_is_fine() -> None:
    assert launch("odd_address", 1, 1, np.zeros(64, "i1"), 8).status == "done"


# Shared and local memory


@pytest.mark.parametrize(("at", "index", "thread"), [(1, 32, 31), (31, 32, 1), (-1, -1, 0)])
def test_shared_array_overrun_into_the_next(at: int, index: int, thread: int) -> None:
    fault = fault_of("two_tiles", 1, 32, f4(32), at)
    assert (fault.kind, fault.access, fault.line) == ("out_of_bounds", "write", line_of("two_tiles"))
    assert fault.array == "first"
    assert fault.thread == (thread, 0, 0)
    assert (fault.index, fault.extent) in ((index, 32), (4 * index, 128))


def test_shared_array_within_its_bounds() -> None:
    assert launch("two_tiles", 1, 32, f4(32), 0).status == "done"


def test_dynamic_shared_memory_has_the_size_of_the_launch() -> None:
    assert launch("dynamic_tile", 1, 32, i4(*range(32)), 0, shared_bytes=128).status == "done"
    fault = fault_of("dynamic_tile", 1, 32, i4(*range(32)), 0, shared_bytes=124)
    assert (fault.kind, fault.array, fault.line) == ("out_of_bounds", "tile", line_of("dynamic_tile"))
    assert (fault.thread, fault.threads) == ((31, 0, 0), 1)


def test_dynamic_shared_memory_that_was_not_asked_for() -> None:
    fault = fault_of("dynamic_tile", 1, 32, i4(*range(32)), 0)
    assert (fault.kind, fault.threads) == ("out_of_bounds", 32)


@pytest.mark.parametrize("where", [8, 9, -1, 4000])
def test_local_array_out_of_bounds(where: int) -> None:
    indices = np.arange(8, dtype="i4")
    indices[6] = where
    fault = fault_of("local_array", 1, 8, indices, np.zeros(8, "i4"))
    assert (fault.kind, fault.access, fault.line) == ("out_of_bounds", "write", line_of("local_array"))
    assert (fault.thread, fault.threads) == ((6, 0, 0), 1)


# Time and waiting


def test_endless_loop_ends_at_the_instruction_budget() -> None:
    result = launch("spins", 1, 32, i4(0), limits=Limits(instructions=100_000))
    assert (result.status, result.fault) == ("limit", None)
    assert result.lines[0] == line_of("spins")
    assert 100_000 <= result.instructions < 5_000_000


def test_endless_loop_ends_when_its_seconds_are_over() -> None:
    result = launch("spins", 1, 32, i4(0), limits=Limits(instructions=10**15, seconds=0.3))
    assert (result.status, result.lines[0]) == ("limit", line_of("spins"))
    assert 0.3 <= result.seconds < 3


def test_what_others_take_of_the_processors_is_not_counted() -> None:
    launch("spins", 1, 32, i4(0), limits=Limits(instructions=1000))
    program = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(program) for _ in range(len(os.sched_getaffinity(0)))]
    try:
        before = time.process_time()
        result = launch("spins", 1, 32, i4(0), limits=Limits(instructions=10**15, seconds=0.3))
        assert result.status == "limit"
        # By the wall's seconds it would have had half of them.
        assert time.process_time() - before >= 0.28
    finally:
        for process in others:
            process.kill()
            process.wait()


def test_budget_counts_all_blocks() -> None:
    # A block comes to four or five times what it brings to the budget.
    budget = Limits(instructions=9 * INSTRUCTIONS_OF_A_WARP)
    assert launch("counts_to", 4, 32, i4(0), INSTRUCTIONS_OF_A_WARP, limits=budget).status == "limit"
    assert launch("counts_to", 1, 32, i4(0), INSTRUCTIONS_OF_A_WARP, limits=budget).status == "done"


def test_a_large_grid_of_short_threads_has_time_for_all() -> None:
    result = launch("copy", 1000, 32, f4(100), f4(100), 100, 0, limits=Limits(instructions=100))
    assert result.status == "done"
    assert result.instructions > 1000


def test_deadlock_at_different_barriers() -> None:
    fault = fault_of("other_barriers", 1, 64, i4(*range(64)))
    assert fault.kind == "deadlock"
    assert fault.line in (line_of("other_barriers"), line_of("other_barriers") + 2)
    assert fault.threads in (32, 64)


def test_lanes_that_wait_for_lanes_at_a_barrier() -> None:
    fault = fault_of("lonely_shuffle", 1, 32, np.zeros(32, "i4"))
    assert (fault.kind, fault.line, fault.threads) == ("barrier_divergence", line_of("lonely_shuffle"), 32)


def test_endless_recursion_is_a_fault_and_no_crash() -> None:
    fault = fault_of("endless_recursion", 2, 64, np.zeros(64, "i4"))
    assert fault.line in range(line_of("endless_recursion") - 4, line_of("endless_recursion") + 1)
    assert "recursion" in fault.message


def test_division_by_zero_goes_on() -> None:
    memory = Memory()
    a, b = i4(7, -7, -(2**31), 5), i4(0, 2, -1, 3)
    assert launch("divides", 1, 4, a, b, np.zeros(8, "i4"), memory=memory).status == "done"
    out = memory.read("c")
    # The result for a zero divisor is the hardware's own; the others are C's, with the quotient wrapped.
    np.testing.assert_array_equal(out[1:4], [-3, -(2**31), 1])
    np.testing.assert_array_equal(out[5:], [-1, 0, 2])


# Deliberate stops


def test_assert_carries_its_text() -> None:
    fault = fault_of("checks", 2, 32, np.where(np.arange(64) == 37, 99, 5).astype("i4"), 50)
    assert (fault.kind, fault.line, fault.kernel) == ("trap", line_of("checks"), "checks")
    assert "value in range" in fault.message
    assert (fault.block, fault.thread) == ((1, 0, 0), (5, 0, 0))


def test_assert_that_holds() -> None:
    assert launch("checks", 2, 32, np.zeros(64, "i4"), 50).status == "done"


def test_trap() -> None:
    fault = fault_of("stops", 1, 8, i4(0, 1, 2, 3, 3, 5, 6, 7))
    assert (fault.kind, fault.line) == ("trap", line_of("stops"))
    assert (fault.thread, fault.threads) == ((3, 0, 0), 2)


# What is refused


def test_unknown_opcode_is_named_with_its_line() -> None:
    ptx = kernel_ptx("jump_table.ptx").replace("mul.lo.s32 \t%r3, %r3, 3;", "frobnicate.s32 \t%r3, %r3, 3;")
    assert "frobnicate" in ptx
    memory = Memory()
    pointers = [struct.pack("<Q", memory.place(n, np.zeros(64, "i4"))) for n in ("x", "out")]
    with pytest.raises(UnsupportedPtx) as raised:
        Module(ptx).launch("jump_table", (1, 1, 1), (64, 1, 1), pointers, memory)
    assert "frobnicate.s32" in raised.value.message
    assert "frobnicate.s32" in raised.value.instruction
    assert raised.value.line == 2


def test_text_that_is_no_ptx() -> None:
    with pytest.raises(UnsupportedPtx):
        Module(".version 8.0\n.visible .entry broken( {{{")


@pytest.mark.parametrize(
    ("grid", "block", "words"),
    [
        (1, (1025, 1, 1), "1024"),
        (1, (32, 32, 2), "1024"),
        (1, (1, 1, 65), "65"),
        (0, (32, 1, 1), "grid"),
        ((1, 0, 1), (32, 1, 1), "grid"),
        (1, (0, 1, 1), "block"),
        ((1, 65536, 1), (1, 1, 1), "65536"),
    ],
)
def test_impossible_geometry(grid: Any, block: Any, words: str) -> None:
    fault = fault_of("through_null", grid, block, np.uint64(0))
    assert (fault.kind, fault.kernel) == ("launch_failure", "through_null")
    assert words in fault.message


def test_shared_memory_up_to_the_largest() -> None:
    out = np.zeros(32, "i4")
    assert launch("much_shared", 1, 32, out, shared_bytes=227 * 1024).status == "done"
    fault = fault_of("much_shared", 1, 32, out, shared_bytes=227 * 1024 + 1)
    assert fault.kind == "launch_failure"
    assert str(227 * 1024) in fault.message


def test_arguments_that_do_not_fit_the_parameters() -> None:
    with pytest.raises(ValueError, match="copy"):
        launch("copy", 1, 32, f4(4), f4(4), 4)
    with pytest.raises(KeyError):
        launch("no_such_kernel", 1, 32)


def test_effects_before_a_fault_stay_visible() -> None:
    memory = Memory()
    launch("copy", 1, 96, f4(64), np.full(100, -1, "f4"), 96, 0, memory=memory, workers=1)
    np.testing.assert_array_equal(memory.read("b")[64:], np.full(36, -1, "f4"))
