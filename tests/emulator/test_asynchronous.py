"""Copies from global to shared memory that go on beside their threads, and barriers that are objects there."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from grader.run.emulator import Fault, LaunchResult, Memory, Module, UnsupportedPtx

from .harness import KERNELS, kernel_ptx, scalar_bytes

FILE = "asynchronous.cu"
SOURCE = (KERNELS / FILE).read_text().splitlines()
Words = np.ndarray[Any, np.dtype[np.int32]]


def line_of(mark: str) -> int:
    return next(number for number, text in enumerate(SOURCE, 1) if text.endswith(f"// <- {mark}"))


def launch(kernel: str, threads: int, memory: Memory, *arguments: Any, sanitize: bool, **options: Any) -> LaunchResult:
    values = [
        struct.pack("<Q", memory.place(name, value)) if isinstance(value, np.ndarray) else scalar_bytes(value)
        for name, value in zip("abcd", arguments, strict=False)
    ]
    module = Module(kernel_ptx(FILE), sanitize=sanitize)
    return module.launch(kernel, (1, 1, 1), (threads, 1, 1), values, memory, **options)


def fault_of(kernel: str, threads: int, *arguments: Any) -> Fault:
    fault = launch(kernel, threads, Memory(), *arguments, sanitize=False).fault
    assert fault is not None
    return fault


def i4(size: int) -> Words:
    return np.arange(1, size + 1, dtype="i4")


def expected_row(row: Words, thread: int) -> Words:
    """What `forms` makes of a thread's row."""
    wanted = np.full(32, -1, "i4")

    def copied(at: int, words: int, size: int) -> None:
        data = row[at : at + words].tobytes()[:size].ljust(4 * words, b"\0")
        wanted[at : at + words] = np.frombuffer(data, "i4")

    for at, words, size in (
        (0, 1, 4),
        (2, 2, 8),
        (4, 4, 16),
        (8, 4, min(thread, 16)),
        (12, 2, 4),
        (16, 4, 16),
        (20, 1, thread % 5),
        (24, 4, 0 if thread % 2 else 16),
        (28, 4, 0),
    ):
        copied(at, words, size)
    return wanted


@pytest.mark.parametrize("count", [False, True])
def test_sizes_and_spellings(count: bool) -> None:
    memory = Memory()
    given = np.random.default_rng(1).integers(1, 1 << 30, (32, 32)).astype("i4")
    arguments = [struct.pack("<Q", memory.place(n, a)) for n, a in (("in", given), ("out", np.zeros_like(given)))]
    module = Module(kernel_ptx(FILE), count=count)
    result = module.launch("forms", (1, 1, 1), (32, 1, 1), arguments, memory)
    assert result.status == "done", result.fault
    np.testing.assert_array_equal(memory.read("out"), [expected_row(given[t], t) for t in range(32)])


def test_copies_are_counted_as_a_read_and_a_write() -> None:
    memory = Memory()
    arguments = [struct.pack("<Q", memory.place(n, i4(64))) for n in ("in", "out")] + [scalar_bytes(64)]
    counts = (
        Module(kernel_ptx(FILE), count=True)
        .launch("many", (1, 1, 1), (32, 1, 1), arguments, memory, shared_bytes=256)
        .counts
    )
    assert counts is not None
    copies = [row for row in counts.rows if row.opcode == "cp"]
    sums = [sum(getattr(r, name) for r in copies) for name in ("requests", "sectors", "shared_requests", "wavefronts")]
    assert sums == [2, 8, 2, 2]


def test_bytes_arrive_when_their_group_is_waited_for() -> None:
    memory = Memory()
    assert launch("groups", 1, memory, i4(4), np.zeros(16, "i4"), sanitize=False).status == "done"
    steps = memory.read("b").reshape(4, 4)
    np.testing.assert_array_equal(steps, [[0, 0, 0, 0], [1, 0, 0, 0], [1, 2, 0, 0], [1, 2, 3, 4]])


def test_each_lane_has_groups_of_its_own() -> None:
    memory = Memory()
    assert launch("groups_of_lanes", 32, memory, i4(32), np.zeros(32, "i4"), sanitize=False).status == "done"
    np.testing.assert_array_equal(memory.read("b"), np.where(np.arange(32) % 2, i4(32), 0))


@pytest.mark.parametrize("sanitize", [False, True])
def test_more_copies_than_are_kept(sanitize: bool) -> None:
    memory, size = Memory(), 32 * 300
    result = launch("many", 32, memory, i4(size), np.zeros(size, "i4"), size, sanitize=sanitize, shared_bytes=4 * size)
    assert result.status == "done", result.fault
    np.testing.assert_array_equal(memory.read("b"), i4(size)[::-1])


@pytest.mark.parametrize(
    ("arguments", "kind", "array", "access", "index", "thread"),
    [
        ((0, 0, 16), "", "", "", 0, 0),
        ((4, 0, 16), "out_of_bounds", "a", "read", 60, 14),
        ((4, 0, 0), "", "", "", 0, 0),
        ((0, 4, 0), "out_of_bounds", "tile", "write", 64, 15),
        ((1, 0, 16), "misaligned", "a", "read", 1, 0),
        ((0, 1, 16), "misaligned", "tile", "write", 1, 0),
    ],
)
def test_both_sides_stay_in_their_arrays(
    arguments: tuple[int, ...], kind: str, array: str, access: str, index: int, thread: int
) -> None:
    size = 64 if arguments[0] < 4 else 60
    threads = 8 if kind == "misaligned" else 16
    result = launch("reaches", threads, Memory(), np.zeros(size, "f4"), *arguments, sanitize=False)
    if not kind:
        assert result.status == "done", result.fault
        return
    fault = result.fault
    assert fault is not None
    assert (fault.kind, fault.array, fault.access, fault.bytes) == (kind, array, access, 16)
    assert (fault.line, fault.thread) == (line_of("reaches"), (thread, 0, 0))
    assert fault.index is not None and fault.index * fault.itemsize == 4 * index // fault.itemsize * fault.itemsize


def test_states_and_phases_of_a_barrier_object() -> None:
    memory = Memory()
    result = launch("phases", 1, memory, np.full(18, 9, "u4"), sanitize=True)
    assert result.status == "done", result.fault
    seen = [4, 0, 3, 0, 1, 1, 1, 1, 0, 3, 0, 0, 1, 3, 0, 1]
    np.testing.assert_array_equal(memory.read("a"), [*seen, 9, 9])


@pytest.mark.parametrize("sanitize", [False, True])
def test_threads_drop_out_of_a_barrier_object(sanitize: bool) -> None:
    memory = Memory()
    result = launch("drops_out", 128, memory, np.zeros(1, "i4"), sanitize=sanitize)
    assert result.status == "done", result.fault
    assert memory.read("a")[0] == 1234


@pytest.mark.parametrize("sanitize", [False, True])
def test_a_barrier_object_that_never_opens_is_a_deadlock(sanitize: bool) -> None:
    fault = launch("waits_for_ever", 64, Memory(), np.zeros(1, "i4"), sanitize=sanitize).fault
    assert fault is not None
    assert (fault.kind, fault.line, fault.threads) == ("deadlock", line_of("waits_for_ever"), 64)
    assert fault.message.endswith("waits for bar: its phase has 64 of the 65 arrivals that it expects")


def test_what_is_discarded_is_gone() -> None:
    memory = Memory()
    assert launch("discards", 1, memory, np.ones(96, "f4"), 32, sanitize=False).status == "done"
    after = memory.read("a")
    assert np.isnan(after[32:64]).all() and (after[:32] == 1).all() and (after[64:] == 1).all()
    fault = fault_of("discards", 1, np.ones(48, "f4"), 32)
    assert (fault.kind, fault.access, fault.line) == ("out_of_bounds", "write", line_of("discards"))


def test_bulk_copies_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedPtx) as raised:
        launch("copies_a_tensor", 1, Memory(), np.zeros(64, "f4"), sanitize=False)
    assert "cp.async.bulk" in raised.value.message
    assert raised.value.line == line_of("copies_a_tensor")


@pytest.mark.parametrize("operation", ["frobnicate.shared.b64 [%rd1], 1", "inval.shared::cluster.b64 [%rd1]"])
def test_what_is_not_known_of_barrier_objects_is_refused_by_name(operation: str) -> None:
    ptx = f"""
        .version 8.0
        .target sm_80
        .address_size 64
        .visible .entry k() {{
            .reg .b64 %rd<2>;
            .shared .align 8 .b64 barrier;
            mov.u64 %rd1, barrier;
            mbarrier.{operation};
            ret;
        }}
    """
    with pytest.raises(UnsupportedPtx) as raised:
        Module(ptx).launch("k", (1, 1, 1), (1, 1, 1), [], Memory())
    assert f"mbarrier.{operation.split()[0]}" in raised.value.message
