"""The heap of a device: the memory that kernels get by malloc() and new, and give back by free() and delete.

Its memory comes in chunks, each an array of its own. A block that was given back is used again only when a chunk has
come to its end, and behind each block a gap stays free, so that the checks find who uses what is not theirs.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from grader.run.emulator import layout

HEAP_BYTES = 8 << 20
"""What a GPU has at first (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations")."""
ALIGN = 16
GAP = 16
"""Bytes behind each block that belong to nobody."""
_FIRST_CHUNK = 1 << 18
_MOST_BYTES = 2 * HEAP_BYTES
"""Bytes of all chunks: with gaps, and where blocks of many sizes leave holes, HEAP_BYTES take more."""


@dataclass(slots=True)
class Block:
    """`size` bytes from an emulated address on, as a thread asked for them; `live` until they are given back.

    It takes up `room` bytes, the gap behind it included.
    """

    address: int
    size: int
    room: int
    live: bool = True


@dataclass(slots=True)
class Run:
    """Blocks of which each lies right behind the one before it."""

    address: int
    end: int
    blocks: list[Block]


def runs(blocks: Iterable[Block]) -> list[Run]:
    """Joins blocks to runs, as the threads of a warp get them."""
    found: list[Run] = []
    end = -1
    for block in blocks:
        if block.address == end:
            found[-1].blocks.append(block)
        else:
            found.append(Run(block.address, 0, [block]))
        end = found[-1].end = block.address + block.room
    return found


class _Chunk:
    """One array of the heap. The blocks in it that were given back stay in its list until `sweep`."""

    def __init__(self, slot: int, size: int) -> None:
        self.begin = layout.array_address(slot)
        self.end = self.begin + size
        self.holes = [(self.begin, self.end)]
        """Where blocks may go, the next one last."""
        self.blocks: dict[int, Block] = {}
        self.starts: list[int] = []

    def put(self, size: int, align: int) -> Block | None:
        """Places a block in the first hole from here on that it fits into; those before it are not tried again."""
        room = -(-size // ALIGN) * ALIGN + GAP
        while self.holes:
            begin, end = self.holes[-1]
            address = -(-begin // align) * align
            if address + room <= end:
                self.holes[-1] = address + room, end
                block = self.blocks[address] = Block(address, size, room)
                insort(self.starts, address)
                return block
            self.holes.pop()
        return None

    def sweep(self) -> None:
        """Forgets the blocks that were given back, and finds the holes that they left."""
        self.blocks = {start: block for start, block in self.blocks.items() if block.live}
        self.starts = sorted(self.blocks)
        self.holes = []
        at = self.begin
        for start in self.starts:
            if start > at:
                self.holes.append((at, start))
            at = start + self.blocks[start].room
        self.holes.append((at, self.end))
        self.holes.reverse()

    def nearest(self, address: int) -> Block | None:
        """Returns the block that an address was meant for: the one around it, else that with the nearest end."""
        after = bisect_right(self.starts, address)
        found = [self.blocks[start] for start in self.starts[max(after - 1, 0) : after + 1]]
        return min(found, key=lambda b: max(b.address - address, address - b.address - b.size + 1, 0), default=None)


class Heap:
    """The blocks of one memory. `place(slot, bytes)` adds the array of a chunk.

    `given` and `taken` are called with the blocks that change hands, as `runs` has them.
    """

    def __init__(
        self, place: Callable[[int, int], None], given: Callable[[Run], None], taken: Callable[[Run], None]
    ) -> None:
        self._place, self._given, self._taken = place, given, taken
        self._chunks: dict[int, _Chunk] = {}
        self._used = 0
        self._dead = 0
        """Bytes given back since the holes were last looked for."""

    def prepare(self, whole: bool) -> None:
        """Adds the first chunk if there is none. With `whole` there will be no other: it is all of the heap."""
        if not self._chunks:
            self._add(_MOST_BYTES if whole else _FIRST_CHUNK)

    def give(self, wanted: Sequence[tuple[int, int]]) -> list[int]:
        """Returns the address of memory for each (bytes, align); 0 for no bytes, or if there is no room for them."""
        blocks = [self._block(size, align) for size, align in wanted]
        for run in runs(block for block in blocks if block is not None):
            self._given(run)
        return [0 if block is None else block.address for block in blocks]

    def _block(self, size: int, align: int) -> Block | None:
        if not 0 < size <= HEAP_BYTES - self._used or align & (align - 1):
            return None
        block = self._put(size, max(align, ALIGN))
        if block is not None:
            self._used += block.room - GAP
        return block

    def _put(self, size: int, align: int) -> Block | None:
        block = self._try(size, align)
        if block is None and 4 * self._dead >= self._bytes:
            block = self._try_again(size, align)
        if block is None and self._add(size + align + GAP):
            block = self._try(size, align)
        if block is None and self._dead:
            block = self._try_again(size, align)
        return block

    def _try(self, size: int, align: int) -> Block | None:
        for chunk in reversed(self._chunks.values()):
            block = chunk.put(size, align)
            if block is not None:
                return block
        return None

    def _try_again(self, size: int, align: int) -> Block | None:
        for chunk in self._chunks.values():
            chunk.sweep()
        self._dead = 0
        return self._try(size, align)

    @property
    def _bytes(self) -> int:
        return sum(chunk.end - chunk.begin for chunk in self._chunks.values())

    def _add(self, least: int) -> bool:
        """Adds a chunk of at least so many bytes; returns whether there was room for it."""
        number, left = len(self._chunks), _MOST_BYTES - self._bytes
        size = min(max(_FIRST_CHUNK << number, -(-least // ALIGN) * ALIGN), left)
        if size < least or number == len(layout.HEAP_SLOTS):
            return False
        slot = layout.HEAP_SLOTS[number]
        self._chunks[slot] = _Chunk(slot, size)
        self._place(slot, size)
        return True

    def take(self, addresses: Sequence[int]) -> list[str]:
        """Takes blocks back; returns what is wrong with each address, "" for nothing. 0 is no block, and right."""
        taken: list[Block] = []
        wrong = [self._take(address, taken) if address else "" for address in addresses]
        for run in runs(taken):
            self._taken(run)
        return wrong

    def _take(self, address: int, taken: list[Block]) -> str:
        chunk = self._chunks.get(address >> layout.SLOT_BITS)
        block = chunk.blocks.get(address) if chunk is not None else None
        if block is not None and block.live:
            block.live = False
            self._used -= block.room - GAP
            self._dead += block.room
            taken.append(block)
            return ""
        if block is not None:
            return f"free() of {_bytes(block.size)} that were given back before"
        near = chunk.nearest(address) if chunk is not None else None
        if near is not None and near.address < address < near.address + near.size:
            return f"free() of an address {_bytes(address - near.address)} into what malloc() or new gave"
        return "free() of an address that malloc() or new did not give"

    def nearest(self, address: int) -> Block | None:
        """Returns the block that an address was meant for, None if there is none near it."""
        chunk = self._chunks.get(address >> layout.SLOT_BITS)
        return chunk.nearest(address) if chunk is not None else None

    def free_spans(self, slot: int) -> list[tuple[int, int]]:
        """Returns the (begin, end) of what nobody uses of a chunk, as offsets in its array."""
        chunk = self._chunks[slot]
        spans, at = [], 0
        for start in chunk.starts:
            block = chunk.blocks[start]
            if block.live:
                spans.append((at, start - chunk.begin))
                at = start + block.size - chunk.begin
        return [*spans, (at, chunk.end - chunk.begin)]


def _bytes(count: int) -> str:
    return f"{count} byte{'' if count == 1 else 's'}"
