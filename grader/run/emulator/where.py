"""Names the array and the element that an address belongs to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.run.emulator import layout
from grader.run.emulator.memory import Memory
from grader.run.emulator.names import source_name
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.translate.storage import Storage


@dataclass(frozen=True)
class Place:
    """An element of an array; `index` may be outside of `extent`. `words` describes it, to end a sentence with."""

    array: str = ""
    index: int | None = None
    extent: int | None = None
    itemsize: int = 0
    words: str = ""
    freed: bool = False
    read_only: bool = False
    """The address is inside, but no kernel may write there."""


def _element(name: str, offset: int, size: int, itemsize: int, what: str = "") -> Place:
    index = offset // itemsize
    extent = size // itemsize
    return Place(
        name, index, extent, itemsize, f"{what}{name}: index {index} of {extent} element{'' if extent == 1 else 's'}"
    )


class Where:
    """Locates addresses in the arrays of a memory and in the shared arrays of a kernel."""

    def __init__(self, memory: Memory, storage: Storage, dynamic_shared: int) -> None:
        self.memory = memory
        self._dynamic_shared = dynamic_shared
        self._shared = {slot: name for name, slot in storage.shared.items()}
        self._storage = storage

    def locate(self, instruction: Instruction, address: int, access_bytes: int) -> Place:
        """Returns the place that an access meant; `access_bytes` is the element size if the array's is unknown."""
        spaces = instruction.modifiers
        if any(m.startswith("shared") for m in spaces):
            return self.in_shared(address, access_bytes)
        if "local" in spaces:
            return self._in_local(address, access_bytes)
        window = address >> layout.SLOT_BITS
        if window == layout.SHARED_WINDOW >> layout.SLOT_BITS and not {"global", "const"} & set(spaces):
            return self.in_shared(address - layout.SHARED_WINDOW, access_bytes)
        if window == layout.LOCAL_WINDOW >> layout.SLOT_BITS and not {"global", "const"} & set(spaces):
            return self._in_local(address - layout.LOCAL_WINDOW, access_bytes)
        return self.in_global(address, access_bytes)

    def in_global(self, address: int, access_bytes: int) -> Place:
        """Returns the place of an address in global memory."""
        array = self.memory.at(address)
        if array is None:
            if address < 1 << layout.SLOT_BITS:
                return Place("", words=f"all arrays: address {address:#x} is a null pointer, or an offset from one")
            return Place("", words=f"all arrays: address {address:#x}")
        if address >> layout.SLOT_BITS in layout.HEAP_SLOTS:
            return self._in_heap(address, max(access_bytes, 1))
        is_variable = layout.FIRST_VARIABLE_SLOT <= address >> layout.SLOT_BITS < layout.FIRST_ARRAY_SLOT
        itemsize = max(access_bytes if is_variable or array.plain else array.itemsize, 1)
        place = _element(source_name(array.name), address - array.address, array.data.nbytes, itemsize)
        inside = 0 <= address - array.address < array.data.nbytes
        return replace(place, freed=array.freed, read_only=array.read_only and inside)

    def _in_heap(self, address: int, itemsize: int) -> Place:
        block = self.memory.heap.nearest(address)
        if block is None:
            return Place("heap", words="what malloc() or new gave")
        element = _element("", address - block.address, block.size, itemsize).words
        size = f"{block.size} byte{'' if block.size == 1 else 's'}"
        return Place("heap", words=f"the {size} that malloc() or new gave{element}", freed=not block.live)

    def in_shared(self, address: int, access_bytes: int) -> Place:
        """Returns the place of an address in shared memory."""
        slot = address >> layout.SHARED_SLOT_BITS
        name = self._shared.get(slot)
        if name is None:
            return Place("", words=f"all shared arrays: shared address {address:#x}")
        size = self._storage.shared_offsets.get(slot, (0, 0))[1]
        if slot == self._storage.dynamic_slot:
            size = self._dynamic_shared
        return _element(source_name(name), address - layout.shared_address(slot), size, access_bytes, "shared array ")

    def _in_local(self, address: int, access_bytes: int) -> Place:
        signed = address - (1 << 64) if address >> 63 else address
        return Place(
            "local memory",
            signed // access_bytes,
            None,
            access_bytes,
            f"the thread's local arrays: byte {signed}",
        )
