"""Memcheck's findings as faults: which array and element, which line, which thread speaks for the others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.verdict import FaultClass
from grader.run.gpu.sanitizer_fault import HINT, Placed, fault_of
from grader.run.gpu.sanitizer_log import Allocation, Finding, Frame

BASE = 0x7F0000000000
ARRAYS = {"input": Placed(BASE, 4000, 4), "output": Placed(BASE + (1 << 20), 4000, 4)}
NAMES = {"_Z10map_kernelPKfPfi": "map_kernel"}
KERNEL = Frame("_Z10map_kernelPKfPfi", "mine.cu", 4)
READ = Finding(
    words="Invalid __global__ read of size 4 bytes",
    space="global",
    access="read",
    size=4,
    frames=(KERNEL,),
    thread=(232, 0, 0),
    block=(3, 0, 0),
    address=BASE + 4000,
    problem="out of bounds",
    nearest=Allocation(BASE, 4000, 1),
)


def test_an_access_behind_an_array_names_its_element() -> None:
    fault = fault_of([READ], ARRAYS, NAMES, "mine.cu")
    assert fault.fault is FaultClass.OUT_OF_BOUNDS
    assert fault.message == "read of 4 bytes outside of input: index 1000 of 1000 elements"
    assert (fault.line, fault.kernel, fault.access) == (4, "map_kernel", "read")
    assert (fault.array, fault.index, fault.extent) == ("input", 1000, 1000)
    assert (fault.block, fault.thread, fault.threads) == ((3, 0, 0), (232, 0, 0), 1)
    assert fault.hint == HINT


def test_an_access_before_an_array_has_a_negative_index() -> None:
    before = replace(READ, address=BASE - 8, nearest=Allocation(BASE, 4000, 4))
    assert fault_of([before], ARRAYS, NAMES, "mine.cu").index == -2


def test_the_first_thread_of_the_first_block_speaks_for_all_in_the_same_place() -> None:
    threads = [(9, 0, 1), (8, 1, 0), (31, 0, 0)]
    findings = [replace(READ, thread=thread, block=block) for block in ((5, 0, 0), (4, 0, 0)) for thread in threads]
    elsewhere = replace(READ, frames=(replace(KERNEL, line=2),), block=(0, 0, 0))
    fault = fault_of([*findings, elsewhere, findings[0]], ARRAYS, NAMES, "mine.cu")
    assert (fault.line, fault.block, fault.thread, fault.threads) == (4, (4, 0, 0), (31, 0, 0), 6)


def test_the_line_is_the_submissions_own_and_the_kernel_the_outermost_function() -> None:
    inside = replace(READ, frames=(Frame("_Z5__ldgPKf", "sm_32_intrinsics.hpp", 90), KERNEL))
    fault = fault_of([inside], ARRAYS, NAMES, "mine.cu")
    assert (fault.line, fault.kernel) == (4, "map_kernel")
    foreign = replace(READ, frames=(Frame("_Z5otherv", "else.cu", 90),))
    fault = fault_of([foreign], ARRAYS, NAMES, "mine.cu")
    assert (fault.line, fault.kernel) == (None, "other")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nearest": None}, "read of 4 bytes outside of all arrays: address 0x7f0000000fa0"),
        ({"nearest": Allocation(BASE, 4000, 1 << 30)}, "read of 4 bytes outside of all arrays: address 0x7f"),
        ({"nearest": Allocation(BASE + 512, 4000, 1)}, "read of 4 bytes outside of all arrays: address 0x7f"),
        ({"space": "shared", "nearest": None}, "read of 4 bytes outside of the block's shared memory: address 0x7f"),
        ({"space": "local", "size": 1}, "read of 1 byte outside of the thread's local memory: address 0x7f"),
    ],
)
def test_an_access_near_no_array_names_none(changes: dict[str, object], message: str) -> None:
    fault = fault_of([replace(READ, **changes)], ARRAYS, NAMES, "mine.cu")  # type: ignore[arg-type]
    assert fault.fault is FaultClass.OUT_OF_BOUNDS
    assert fault.message.startswith(message)
    assert (fault.array, fault.index, fault.extent) == ("", None, None)


def test_a_misaligned_access() -> None:
    nearest = Allocation(BASE, 4000, 0)
    finding = replace(READ, access="write", size=8, address=BASE + 4, problem="misaligned", nearest=nearest)
    fault = fault_of([finding], ARRAYS, NAMES, "mine.cu")
    assert fault.fault is FaultClass.MISALIGNED
    assert fault.message == "write of 8 bytes, not at a multiple of 8 bytes: input: index 1 of 1000 elements"
    assert (fault.access, fault.array, fault.index) == ("write", "input", 1)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("Lane misaligned address", FaultClass.MISALIGNED),
        ("Misaligned Shared or Local Address", FaultClass.MISALIGNED),
        ("Warp illegal address", FaultClass.OUT_OF_BOUNDS),
        ("Out-of-range Shared or Local Address", FaultClass.OUT_OF_BOUNDS),
        ("Stack overflow", FaultClass.OUT_OF_BOUNDS),
        ("Invalid read operation (permission denied)", FaultClass.OUT_OF_BOUNDS),
        ("Malloc/Free error encountered : Double free", FaultClass.TRAP),
        ("Warp assert", FaultClass.TRAP),
    ],
)
def test_other_errors_have_a_class_by_their_words(words: str, fault: FaultClass) -> None:
    finding = Finding(words, frames=(KERNEL,), thread=(0, 0, 0), block=(0, 0, 0))
    found = fault_of([finding], ARRAYS, NAMES, "mine.cu")
    assert (found.fault, found.message, found.line) == (fault, f"memcheck reports: {words}", 4)
