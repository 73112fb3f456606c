"""Faults of kernels in the words of launch code: freed memory, the host's memory, a barrier that the grid has not."""

from __future__ import annotations

from typing import Any

import pytest

from grader.run.fault_words import Launched, Piece, has_grid_barrier, traps_of, word_fault

FAULT: dict[str, Any] = {
    "fault": "out_of_bounds",
    "message": "read of 4 bytes outside of scratch 1: index 9 of 8 elements",
    "line": 5,
    "access": "read",
    "bytes": 4,
    "array": "scratch 1",
    "index": 9,
    "extent": 8,
}
NOWHERE = {**FAULT, "array": "", "index": None, "extent": None}
PLAIN = Launched((), False, False, frozenset())


def nowhere(address: int, *arguments: bytes) -> dict[str, Any]:
    fault = {**NOWHERE, "message": f"read of 4 bytes outside of all arrays: address {address:#x}"}
    return word_fault(fault, Launched(arguments, False, False, frozenset()), None)


def word(value: int) -> bytes:
    return value.to_bytes(8, "little")


@pytest.mark.parametrize(
    ("access", "freed_line", "message"),
    [
        ("read", 7, "the kernel reads memory that line 7 has freed"),
        ("write", None, "the kernel writes memory that solve() has freed"),
        ("atomic", 7, "the kernel updates memory that line 7 has freed"),
    ],
)
def test_freed_memory_has_no_elements(access: str, freed_line: int | None, message: str) -> None:
    told = word_fault({**FAULT, "access": access}, PLAIN, Piece("scratch 1", 1, 3, True, freed_line))
    assert (told["message"], told["array"], told["index"], told["extent"]) == (message, "", None, None)
    where = f", freed in line {freed_line}" if freed_line else ""
    assert told["hint"].startswith(f"scratch 1: 1 byte, allocated in line 3{where}. Free it after")


def test_scratch_in_use_keeps_its_place_and_says_where_it_is_from() -> None:
    told = word_fault(FAULT, PLAIN, Piece("scratch 1", 32, 3))
    assert told == {**FAULT, "hint": "scratch 1: 32 bytes, allocated in line 3."}
    assert word_fault(FAULT, PLAIN, None) == FAULT


def test_an_access_wider_than_its_array() -> None:
    told = word_fault({**FAULT, "array": "table", "extent": 0}, PLAIN, None)
    assert (told["message"], told["array"]) == ("the kernel reads 4 bytes of table, which is smaller", "")
    told = word_fault({**FAULT, "extent": 0}, PLAIN, Piece("scratch 1", 3))
    assert told["message"] == "the kernel reads 4 bytes of scratch 1, which has only 3 bytes"


def test_an_address_of_the_host_is_found_among_the_arguments() -> None:
    stack = 0x7FFD_0000_1000
    assert "argument 2 of its launch is 0x7ffd00001000" in nowhere(stack + 400, word(1), word(stack))["message"]
    assert "argument 1 of its launch holds 0x7ffd00001000" in nowhere(stack, word(8) + word(stack))["message"]
    # A number, and an address far away, are not what the kernel has used.
    other = nowhere(stack, word(12), word(0x5500_0000_0000), b"\0" * 4)
    assert "at 0x7ffd00001000, an address that no array of the device has" in other["message"]
    assert "cudaMalloc()" in other["hint"]


@pytest.mark.parametrize("address", [0, 64, 1 << 47, (1 << 48) + 8])
def test_other_addresses_are_left_alone(address: int) -> None:
    assert "hint" not in nowhere(address, word(address))


GRID = """
.loc\t2 180 13, function_name $L__info_string5, inlined_at 1 11 5

trap;
.loc\t1 20 5
trap;
.loc\t1 30 5, function_name $L__info_string1, inlined_at 1 40 5
trap;
.loc\t1 50 5
mov.u32 %r8, %envreg2;
"""


def test_the_barrier_of_a_grid_is_told_from_other_traps() -> None:
    assert has_grid_barrier(GRID) and not has_grid_barrier("mov.u32 %r8, %tid.x;")
    assert traps_of(GRID) == {20, 30}
    trap = {**NOWHERE, "fault": "trap", "message": "the kernel executed a trap instruction", "line": 11}
    grid = Launched((), False, True, traps_of(GRID))
    told = word_fault(trap, grid, None)
    assert told["message"].startswith("grid.sync() in an ordinary launch")
    assert "cudaLaunchCooperativeKernel()" in told["hint"]
    for other, launched in (
        ({**trap, "line": 20}, grid),
        ({**trap, "message": "assertion failed: n > 0"}, grid),
        (trap, Launched((), True, True, frozenset())),
        (trap, PLAIN),
    ):
        assert word_fault(other, launched, None) == other
