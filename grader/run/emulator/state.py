"""Reads the state of a block in flight, as native code left it at an event."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from grader.run.emulator.faults import Index3
from grader.run.emulator.layout import CONTEXT, WARP


@dataclass(frozen=True)
class Shape:
    """A launch's grid and block."""

    grid: Index3
    block: Index3

    def block_index(self, number: int) -> Index3:
        return _index(number, self.grid)

    def thread_index(self, linear: int) -> Index3:
        return _index(linear, self.block)


def _index(number: int, extents: Index3) -> Index3:
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)


@dataclass(frozen=True)
class State:
    """The addresses of a block's context and of the warp that raised an event."""

    shape: Shape
    context: int
    warp: int

    def word(self, name: str) -> int:
        """Returns a 32-bit field of the block's context."""
        return ctypes.c_uint32.from_address(self.context + CONTEXT[name]).value

    def wide(self, name: str) -> int:
        """Returns a 64-bit field of the block's context."""
        return ctypes.c_uint64.from_address(self.context + CONTEXT[name]).value

    def set_wide(self, name: str, value: int) -> None:
        """Sets a 64-bit field of the block's context."""
        ctypes.c_uint64.from_address(self.context + CONTEXT[name]).value = value

    @property
    def block(self) -> int:
        """The block's number in its grid."""
        return self.wide("block")

    @property
    def block_index(self) -> Index3:
        return self.shape.block_index(self.block)

    def linear(self, lane: int) -> int:
        """Returns a lane's thread number in its block."""
        return 32 * ctypes.c_uint32.from_address(self.warp + WARP["index"]).value + lane

    def thread_index(self, lane: int) -> Index3:
        return self.shape.thread_index(self.linear(lane))

    def counters(self) -> list[int]:
        """Returns the program counters of the warp's lanes."""
        return list((ctypes.c_uint32 * 32).from_address(self.warp + WARP["pc"]))

    def lane_word(self, offset: int, lane: int) -> int:
        """Returns a lane's 32-bit word of the warp's state, at an offset."""
        return ctypes.c_uint32.from_address(self.warp + offset + 4 * lane).value

    def scratch(self, name: str, lane: int) -> int:
        """Returns a lane's 64 bits of a scratch field, which native code leaves for Python."""
        return ctypes.c_uint64.from_address(self.warp + WARP[name] + 8 * lane).value

    def scratches(self, name: str) -> ctypes.Array[ctypes.c_uint64]:
        """Returns a scratch field, by lane; native code reads what is put there."""
        return (ctypes.c_uint64 * 32).from_address(self.warp + WARP[name])

    def local(self, lane: int) -> bytes:
        """Returns a lane's local memory."""
        base = ctypes.c_uint64.from_address(self.warp + WARP["local"]).value + lane * self.wide("local_stride")
        return ctypes.string_at(base, self.wide("local_bytes"))


def lanes_of(bits: int) -> list[int]:
    """Returns the numbers of the lanes whose bits are set."""
    return [lane for lane in range(32) if bits >> lane & 1]
