"""Words a fault of the emulator for launch code: what of it comes from cudaFree, from the host, from the launch.

The emulator knows addresses and arrays; this module knows who passed them, and how the kernel was launched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grader.core.verdict import FaultClass
from grader.plan.extents import bytes_of
from grader.sandbox.serving import Message

HOST_END = 1 << 47
"""No process has memory at a higher address, and the emulator places no array at a lower one."""
HOST_START = 1 << 16
NEAR = 1 << 36
"""The most that an index can add to an address."""

VERBS = {"read": "reads", "write": "writes", "atomic": "updates"}

_NOWHERE = re.compile(r"outside of all arrays: address (0x[0-9a-f]+)$")

_LATER = (
    "Free it after the last work that uses it was launched: cudaFree() waits for all of that, cudaFreeAsync() for that "
    "of its stream."
)
_NO_GRID = "grid.sync() in an ordinary launch: only cudaLaunchCooperativeKernel() launches a grid that has a barrier"
_COOPERATIVE = (
    "Launch this kernel by cudaLaunchCooperativeKernel(), with no more blocks than fit on the GPU at once, or make two "
    "kernels of it."
)
_ON_THE_HOST = (
    "A kernel reaches the memory of the device only: allocate there with cudaMalloc(), copy with cudaMemcpy() and pass "
    "that address. A small struct or a number is best passed by value."
)


@dataclass
class Piece:
    """Scratch as launch code allocated it: its size in bytes, and the lines that allocate and free it, if known."""

    name: str
    size: int
    line: int | None = None
    freed: bool = False
    freed_line: int | None = None

    @property
    def origin(self) -> str:
        """Where it was allocated and freed, in words."""
        words = [f"{self.name}: {bytes_of(self.size)}"]
        if self.line:
            words.append(f"allocated in line {self.line}")
        if self.freed_line:
            words.append(f"freed in line {self.freed_line}")
        return ", ".join(words) + "."


@dataclass(frozen=True)
class Launched:
    """How a kernel was launched, whether its file has a grid barrier, and the lines where it executes __trap()."""

    arguments: Sequence[bytes]
    cooperative: bool
    has_grid_barrier: bool
    own_traps: frozenset[int]


def word_fault(fault: Message, launched: Launched, piece: Piece | None) -> Message:
    """Returns the emulator's fault, with what is known of the launch and of the scratch that it names."""
    verb = VERBS.get(fault["access"], "uses")
    if piece is not None and piece.freed:
        by = f"line {piece.freed_line}" if piece.freed_line else "solve()"
        message = f"the kernel {verb} memory that {by} has freed"
        return {**_without_place(fault), "message": message, "hint": f"{piece.origin} {_LATER}"}
    outside = _NOWHERE.search(fault["message"])
    if outside is not None and HOST_START <= int(outside[1], 16) < HOST_END:
        return {**fault, **_of_the_host(int(outside[1], 16), verb, launched.arguments)}
    if _is_grid_barrier(fault, launched):
        return {**fault, "message": _NO_GRID, "hint": _COOPERATIVE}
    if piece is not None:
        fault = {**fault, "hint": piece.origin}
    if fault["extent"] == 0 and fault["array"] and fault["fault"] == FaultClass.OUT_OF_BOUNDS:
        size = f"has only {bytes_of(piece.size)}" if piece is not None else "is smaller"
        message = f"the kernel {verb} {bytes_of(fault['bytes'])} of {fault['array']}, which {size}"
        return {**_without_place(fault), "message": message}
    return fault


def _without_place(fault: Message) -> Message:
    return {**fault, "array": "", "index": None, "extent": None}


def _of_the_host(address: int, verb: str, arguments: Sequence[bytes]) -> dict[str, Any]:
    for number, argument in enumerate(arguments, 1):
        for at in range(0, len(argument) - 7, 8):
            word = int.from_bytes(argument[at : at + 8], "little")
            if HOST_START <= word < HOST_END and abs(address - word) < NEAR:
                what = f"argument {number} of its launch {'is' if len(argument) == 8 else 'holds'} {word:#x}"
                return {
                    "message": f"the kernel {verb} memory of the host: {what}, an address of the host",
                    "hint": _ON_THE_HOST,
                }
    message = f"the kernel {verb} memory at {address:#x}, an address that no array of the device has but the host may"
    return {"message": message, "hint": _ON_THE_HOST}


def _is_grid_barrier(fault: Message, launched: Launched) -> bool:
    """Whether the trap is that of cooperative_groups in a launch without a grid barrier."""
    trapped = fault["fault"] == FaultClass.TRAP and not fault["message"].startswith("assertion")
    return (
        trapped and launched.has_grid_barrier and not launched.cooperative and fault["line"] not in launched.own_traps
    )


def traps_of(image: str) -> frozenset[int]:
    """Returns the lines of the submission that execute a trap, by its PTX."""
    return frozenset(int(line) for line in re.findall(r"^\.loc[ \t]+1 ([0-9]{1,9}) [^\n]*\n[ \t]*trap;", image, re.M))


def has_grid_barrier(image: str) -> bool:
    """Returns whether device code uses the grid's barrier, which %envreg1 and %envreg2 locate."""
    return "%envreg2" in image
