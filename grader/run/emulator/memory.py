"""Emulated global memory: arrays by name, each in an address slot of its own, and the table that native code reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator import layout

_PAD = 64


@dataclass(frozen=True)
class Array:
    """A placed array: `address` of its first byte, `data` the live bytes viewed with its type and shape."""

    name: str
    address: int
    data: NDArray[Any]

    @property
    def itemsize(self) -> int:
        return int(self.data.itemsize)


class Memory:
    """The device memory of one emulated program."""

    def __init__(self) -> None:
        entries = np.zeros((layout.SLOT_COUNT, layout.ENTRY_BYTES // 8), np.uint64)
        self.table = entries
        self._slots: dict[int, Array] = {}
        self._names: dict[str, Array] = {}
        self._next = layout.FIRST_ARRAY_SLOT
        self.variables: dict[int, Any] = {}

    def place(self, name: str, data: NDArray[Any]) -> int:
        """Copies an array into emulated memory under a name; returns its address."""
        if self._next >= layout.SLOT_COUNT - 1:
            raise MemoryError(f"more than {layout.SLOT_COUNT - 1 - layout.FIRST_ARRAY_SLOT} arrays placed")
        slot = self._next
        self._next += 1
        array = self.place_at(slot, name, data)
        # Only these have names: a submission's variable may be called as an array is.
        self._names[name] = array
        return array.address

    def place_at(self, slot: int, name: str, data: NDArray[Any]) -> Array:
        """Like `place`, in a given slot."""
        backing = np.empty(data.nbytes + 2 * _PAD, np.uint8)
        start = -backing.ctypes.data % _PAD
        view = backing[start : start + data.nbytes].view(data.dtype).reshape(data.shape)
        view[...] = data
        array = Array(name, layout.array_address(slot), view)
        host = backing.ctypes.data + start
        self.table[slot] = ((host - array.address) % (1 << 64), array.address, data.nbytes, 0)
        self._slots[slot] = array
        return array

    def clear(self) -> None:
        """Takes the placed arrays away. The variables of modules stay, as between two launches on a GPU."""
        for slot in range(layout.FIRST_ARRAY_SLOT, self._next):
            self.table[slot] = 0
            del self._slots[slot]
        self._names.clear()
        self._next = layout.FIRST_ARRAY_SLOT

    def read(self, name: str) -> NDArray[Any]:
        """The live array of that name."""
        return self._names[name].data

    def at(self, address: int) -> Array | None:
        """The array whose slot holds the address, in bounds or not."""
        return self._slots.get(address >> layout.SLOT_BITS)

    def bytes_from(self, address: int) -> bytes:
        """The bytes from an address to the end of its array; empty where there is none."""
        array = self.at(address)
        if array is None:
            return b""
        offset = address - array.address
        data = array.data.reshape(-1).view(np.uint8)
        return data[offset:].tobytes() if 0 <= offset < data.nbytes else b""
