"""What a launch of the oracle holds: memory, kernel parameters, and the frames of calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import ptx
from .ptx import Function

Lanes = NDArray[np.uint64]
Index = NDArray[np.intp]
Group = tuple[int, int]
"""A frame's number and a program counter."""

SHARED, LOCAL, PARAM, GLOBAL = 0x0100_0000, 0x0200_0000, 0x0300_0000, 0x10_0000_0000
"""Where the windows of generic addresses begin."""

WINDOW = 0x0100_0000
LOCAL_BYTES = 1 << 15


class Trap(Exception):
    """The kernel stopped itself."""


class Stuck(Exception):
    """Every thread that is left waits, or the launch ran for too long."""


class Memory:
    """Global memory: named arrays far apart, with the kernel's own variables among them."""

    def __init__(self) -> None:
        self.arrays: dict[str, tuple[int, NDArray[Any]]] = {}
        self.functions: list[str] = []
        self._next = GLOBAL

    def place(self, name: str, array: NDArray[Any]) -> int:
        """Copies the array in; returns its address."""
        address = self._next
        self.arrays[name] = (address, array.copy())
        self._next += -(-array.nbytes // 256) * 256 + 256
        return address

    def read(self, name: str) -> NDArray[Any]:
        return self.arrays[name][1]

    def at(self, address: int, size: int) -> NDArray[np.uint8]:
        for base, array in self.arrays.values():
            if base <= address and address + size <= base + array.nbytes:
                return array.reshape(-1).view(np.uint8)[address - base :][:size]
        raise IndexError(f"no array holds {size} bytes at {address:#x}")

    def text(self, address: int) -> str:
        base, array = next(v for v in self.arrays.values() if v[0] <= address < v[0] + v[1].nbytes)
        return array.reshape(-1).view(np.uint8)[address - base :].tobytes().split(b"\0")[0].decode("latin1")


@dataclass(eq=False)
class Frame:
    """One call of a function by the threads that made it together."""

    number: int
    function: Function
    depth: int
    local_base: int
    threads: int
    parent: Frame | None = None
    return_to: int = 0
    returns: tuple[str, ...] = ()
    registers: dict[str, Lanes] = field(default_factory=dict)
    params: dict[str, NDArray[np.uint8]] = field(default_factory=dict)

    def register(self, name: str) -> Lanes:
        if name not in self.registers:
            self.registers[name] = np.zeros(self.threads, np.uint64)
        return self.registers[name]

    def param(self, name: str, size: int) -> NDArray[np.uint8]:
        if name not in self.params:
            self.params[name] = np.zeros((self.threads, size), np.uint8)
        return self.params[name]


def layout(variables: Iterable[ptx.Variable], start: int = 0) -> tuple[dict[str, int], int]:
    """Offsets of variables laid out in order, and the end."""
    places, at = {}, start
    for v in variables:
        at = -(-at // v.align) * v.align
        places[v.name] = at
        at += v.size
    return places, at


def local_variables(function: Function) -> list[ptx.Variable]:
    return [v for v in function.variables if v.space == "local"]


@dataclass
class Launch:
    module: ptx.Module
    kernel: Function
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    memory: Memory
    arguments: NDArray[np.uint8]
    shared: dict[str, int]
    shared_end: int
    symbols: dict[str, int]
    params: dict[str, int]
    printed: str = ""

    def function_address(self, name: str) -> int:
        if name not in self.memory.functions:
            self.memory.functions.append(name)
        return PARAM + 1 + self.memory.functions.index(name)
