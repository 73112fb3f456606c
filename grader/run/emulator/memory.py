"""Emulated global memory: arrays by name, each in its own address slot, and the table that native code reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator import layout
from grader.run.emulator.aligned import aligned_bytes
from grader.run.emulator.backing import allocate_filled
from grader.run.emulator.heap import Heap, Run
from grader.run.emulator.watch import Watch

COPIED_BYTES = 1 << 28
"""What may be copied before launches of few threads until the arrays are replaced: some 100 ms."""


@dataclass(frozen=True)
class Array:
    """A placed array: the emulated `address` of its first byte, and `data`, its live bytes with its type and shape."""

    name: str
    address: int
    data: NDArray[Any]
    plain: bool = False
    """Bytes of an unknown type: the element size is that of an access."""
    freed: bool = False
    read_only: bool = False
    """No kernel may write to it."""

    @property
    def itemsize(self) -> int:
        return int(self.data.itemsize)


class Memory:
    """The device memory of one emulated program: arrays by name and by address, which last from launch to launch.

    Addresses are emulated 64-bit addresses, as kernels see them. Each array is alone in 64 GB of addresses, so that an
    out-of-bounds index hits no other array; there is room for some 2000 arrays. Methods that take the address of an
    array raise KeyError if no array was ever placed there.

    Shared memory named `compilers_own` is laid out by the compiler alone, and races in it are not the kernel's.
    """

    def __init__(self, compilers_own: str = "") -> None:
        self.compilers_own = compilers_own
        entries, _ = aligned_bytes(2 * layout.TABLE_BYTES)
        # The entries that loads use, and those that writes use.
        self.table, self._writable = entries.view(np.uint64).reshape(2, layout.SLOT_COUNT, layout.ENTRY.size // 8)
        self.watch = Watch()
        self._slots: dict[int, Array] = {}
        self._names: dict[str, Array] = {}
        self._next = layout.FIRST_ARRAY_SLOT
        self.variables: dict[int, Any] = {}
        self.fill = 0
        """The byte that fills memory of the heap which a kernel gets."""
        self.copies_left = COPIED_BYTES
        self.left_over: NDArray[np.uint8] = np.zeros(0, np.uint8)
        """What the last block left in shared memory, of launches whose shared memory may be read unset."""
        self.heap = Heap(self._place_chunk, self._gave, self._took)
        self.watch.free_spans = self.heap.free_spans

    def place(self, name: str, data: NDArray[Any], written: bool = True) -> int:
        """Copies an array, of any type and shape, into emulated memory under a name; returns its address.

        If it is not `written`, a kernel that reads an element before anything has written it reads uninitialised
        memory. Raises MemoryError if there is no room for another array.
        """
        slot = self._next_slot()
        array = self.place_at(slot, name, data)
        # Only these have names: a submission's variable may have the name of an array.
        self._names[name] = array
        if not written:
            self.watch.add_unwritten(slot, data.nbytes)
        return array.address

    def _next_slot(self) -> int:
        if self._next >= layout.SLOT_COUNT - 1:
            raise MemoryError(f"more than {layout.SLOT_COUNT - 1 - layout.FIRST_ARRAY_SLOT} arrays placed")
        self._next += 1
        return self._next - 1

    def place_at(self, slot: int, name: str, data: NDArray[Any], read_only: bool = False) -> Array:
        """Places an array in a given address slot (see layout.py), without a name to `read` it by."""
        backing, _ = aligned_bytes(data.nbytes)
        view = backing.view(data.dtype).reshape(data.shape)
        view[...] = data
        return self._enter(slot, Array(name, layout.array_address(slot), view, read_only=read_only))

    def _enter(self, slot: int, array: Array) -> Array:
        host = array.data.ctypes.data
        delta = (host - array.address) % (1 << 64)
        self.table[slot] = layout.ENTRY.words(delta=delta, base=array.address, size=array.data.nbytes, shadow=0)
        self._writable[slot] = 0 if array.read_only else self.table[slot]
        self._slots[slot] = array
        return array

    def allocate(self, name: str, size: int, fill: int) -> int:
        """Places `size` unwritten bytes of the value `fill` as an array of untyped elements; returns its address.

        Raises MemoryError if there is no room.
        """
        data = allocate_filled(size, fill)
        return self._allocate(self._next_slot(), name, data)

    def allocate_again(self, address: int, name: str, size: int, fill: int) -> None:
        """Allocates like `allocate`, at the address of an array that was freed."""
        self._names.pop(self._slots[address >> layout.SLOT_BITS].name, None)
        self._allocate(address >> layout.SLOT_BITS, name, allocate_filled(size, fill))

    def _allocate(self, slot: int, name: str, data: NDArray[np.uint8]) -> int:
        self.watch.add_unwritten(slot, data.nbytes)
        array = self._names[name] = self._enter(slot, Array(name, layout.array_address(slot), data, plain=True))
        return array.address

    def _place_chunk(self, slot: int, size: int) -> None:
        """Places an array that memory of the heap comes from."""
        data, _ = aligned_bytes(size)
        self._enter(slot, Array("heap", layout.array_address(slot), data, plain=True))
        self.table[slot, layout.ENTRY["shadow"] // 8] = self.watch.add_heap(slot, size)

    def _gave(self, run: Run) -> None:
        slot, offset = run.address >> layout.SLOT_BITS, run.address & layout.SLOT_MIDDLE - 1
        self._slots[slot].data[offset : offset + run.end - run.address] = self.fill
        self.watch.gave(slot, offset, [(block.size, block.room) for block in run.blocks])

    def _took(self, run: Run) -> None:
        slot, offset = run.address >> layout.SLOT_BITS, run.address & layout.SLOT_MIDDLE - 1
        self.watch.took(slot, offset, run.end - run.address)

    def free(self, address: int) -> None:
        """Frees the array at this address: a later access faults, and the fault says that it was freed."""
        slot = address >> layout.SLOT_BITS
        array = self._slots[slot]
        # It keeps its size, for messages, but occupies one byte.
        gone = np.broadcast_to(np.uint8(0), (array.data.nbytes,))
        self._slots[slot] = self._names[array.name] = replace(array, data=gone, freed=True)
        self.table[slot] = self._writable[slot] = 0
        self.watch.remove(slot)

    def span(self, address: int, size: int) -> NDArray[np.uint8]:
        """Returns a view of `size` live bytes at an address. Raises ValueError if they are not all inside one array."""
        array = self.at(address)
        offset = address - array.address if array is not None else -1
        if array is None or array.freed or not 0 <= offset <= offset + size <= array.data.nbytes:
            raise ValueError(f"{size} bytes from {address:#x} on are not inside an array")
        return array.data.reshape(-1).view(np.uint8)[offset : offset + size]

    def wrote(self, address: int, size: int) -> None:
        """Records that the host has written `size` bytes of one array."""
        slot = address >> layout.SLOT_BITS
        self.watch.wrote(slot, address - self._slots[slot].address, size)

    def copied(self, target: int, source: int, size: int) -> None:
        """Records that the host has copied `size` bytes: unwritten bytes of the source stay unwritten in the target."""
        places = [(a >> layout.SLOT_BITS, a - self._slots[a >> layout.SLOT_BITS].address) for a in (target, source)]
        self.watch.copied(places[0], places[1], size)

    def is_written(self, address: int, size: int) -> NDArray[np.bool_]:
        """Returns, for each of `size` bytes of one array, whether the host or a kernel has written it."""
        slot = address >> layout.SLOT_BITS
        return self.watch.is_written(slot, address - self._slots[slot].address, size)

    def sizes(self) -> dict[int, int]:
        """Returns the bytes of all live arrays and variables, by slot."""
        arrays = self._slots.items()
        return {slot: a.data.nbytes for slot, a in arrays if slot >= layout.FIRST_VARIABLE_SLOT and not a.freed}

    def writable(self, slots: Collection[int] | None) -> list[tuple[int, Array]]:
        """Returns the live arrays that kernels may write to, by slot; of these `slots` only, if given."""
        arrays = self._slots.items()
        return [(s, a) for s, a in arrays if not (a.freed or a.read_only) and (slots is None or s in slots)]

    def show(self, records: Mapping[int, int]) -> None:
        """Gives native code the addresses of the records of watched arrays, by slot; no others are watched."""
        self.table[:, layout.ENTRY["shadow"] // 8] = 0
        for slot, address in records.items():
            self.table[slot, layout.ENTRY["shadow"] // 8] = address

    def clear(self) -> None:
        """Removes the placed arrays. The variables of modules stay, as between two launches on a GPU."""
        self.watch.clear(layout.FIRST_ARRAY_SLOT)
        for slot in range(layout.FIRST_ARRAY_SLOT, self._next):
            self.table[slot] = self._writable[slot] = 0
            del self._slots[slot]
        self._names.clear()
        self._next = layout.FIRST_ARRAY_SLOT
        self.copies_left = COPIED_BYTES

    def read(self, name: str) -> NDArray[Any]:
        """Returns the live array of that name, with the type and shape it was placed with; kernels change it.

        Raises KeyError for an unknown name.
        """
        return self._names[name].data

    def at(self, address: int) -> Array | None:
        """Returns the array that an address was meant for, in bounds or not; None if there is none."""
        return self._slots.get(address >> layout.SLOT_BITS)

    def bytes_from(self, address: int) -> bytes:
        """Returns the bytes from an address to the end of its array; empty if there is none."""
        array = self.at(address)
        if array is None or array.freed:
            return b""
        offset = address - array.address
        data = array.data.reshape(-1).view(np.uint8)
        return data[offset:].tobytes() if 0 <= offset < data.nbytes else b""
