"""Emulated global memory: arrays by name, each in an address slot of its own, and the table that native code reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    plain: bool = False
    """Bytes, of which nobody has told the type: an access says what its elements are."""
    freed: bool = False

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

    def allocate(self, name: str, size: int, fill: int) -> int:
        """Places so many bytes, each of this value, as an array whose elements have no type; returns its address."""
        address = self.place(name, np.full(size, fill, np.uint8))
        slot = address >> layout.SLOT_BITS
        self._slots[slot] = self._names[name] = replace(self._slots[slot], plain=True)
        return address

    def free(self, address: int) -> None:
        """Takes the array at this address away for good: an access finds nothing, and is told that it is freed."""
        slot = address >> layout.SLOT_BITS
        array = self._slots[slot]
        # Of the same size, for the message, and of one byte in truth.
        gone = np.broadcast_to(np.uint8(0), (array.data.nbytes,))
        self._slots[slot] = self._names[array.name] = replace(array, data=gone, freed=True)
        self.table[slot] = 0

    def span(self, address: int, size: int) -> NDArray[np.uint8]:
        """The live bytes of part of one array. Raises ValueError where they are not all inside one."""
        array = self.at(address)
        offset = address - array.address if array is not None else -1
        if array is None or array.freed or not 0 <= offset <= offset + size <= array.data.nbytes:
            raise ValueError(f"{size} bytes from {address:#x} on are not inside an array")
        return array.data.reshape(-1).view(np.uint8)[offset : offset + size]

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
        if array is None or array.freed:
            return b""
        offset = address - array.address
        data = array.data.reshape(-1).view(np.uint8)
        return data[offset:].tobytes() if 0 <= offset < data.nbytes else b""
