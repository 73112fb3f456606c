"""Columns of a Trace as bytes that compress well; templates/player/columns.js reads them too.

A column of numbers is stored as the differences of its neighbours: most are 0 or 1. Of the values of accesses most
follow from earlier ones: they are stored as a column of guesses that are right, and the others in full.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from grader.replay.model import LANES, SHARED, SPACES, VARIABLE, Accesses, Bits, Column, Dim3

_HEAD = struct.Struct("<IB")
"""Of a piece: how many numbers, and their bytes each."""
MOST = 1 << 21
"""Numbers of a piece: those of 0 bytes would cost a hostile process nothing, and its reader gigabytes."""
PLACE, READ, NEIGHBOUR, NEW = range(4)
"""What a value is: that of the place before, what its thread read last, that of the access before, none of these."""


class Reader:
    """Takes pieces from bytes, one after the other. Raises ValueError where they end too early."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = memoryview(data), at

    def numbers(self) -> NDArray[np.uint64]:
        """A piece that `numbers` made."""
        head = self._take(_HEAD.size)
        count, width = _HEAD.unpack(head)
        if width > 8 or count > MOST:
            raise ValueError(f"{count} numbers of {width} bytes: at most {MOST} of 8 are read")
        planes = np.frombuffer(self._take(count * width), np.uint8).reshape(width, count)
        found = np.zeros((count, 8), np.uint8)
        found[:, :width] = planes.T
        return found.view("<u8").reshape(-1).astype(np.uint64)

    def column(self) -> Column:
        """A piece that `column` made."""
        coded = self.numbers()
        differences = (coded >> np.uint64(1)).astype(np.int64) ^ -(coded & np.uint64(1)).astype(np.int64)
        return np.cumsum(differences, dtype=np.int64)

    def values(self, parts: Sequence[Accesses], block: Dim3) -> list[Bits]:
        """The values of what `values` got, whose other columns are known."""
        merged = _Merged(parts, block)
        codes = self.numbers().astype(np.int64)
        if len(codes) != len(merged.order):
            raise ValueError("each access has a value")
        found = np.zeros(len(codes), np.uint64)
        for size in self.numbers().tolist():
            found[(codes == NEW) & (merged.size == size)] = self.numbers()
        # Each leads to one before it, and that to another one, up to a value in full.
        source = np.arange(len(codes))
        for code, guess in enumerate(merged.guesses()):
            source[codes == code] = guess[codes == code]
        if (source < 0).any():
            raise ValueError("a value leads to no access")
        while not np.array_equal(source, further := source[source]):
            source = further
        values = np.empty(len(codes), np.uint64)
        values[merged.order] = found[source]
        return np.split(values, np.cumsum([len(part.step) for part in parts])[:-1])

    def _take(self, size: int) -> memoryview:
        piece = self._data[self._at : self._at + size]
        if len(piece) < size:
            raise ValueError("the columns end too early")
        self._at += size
        return piece


def numbers(column: NDArray[np.uint64]) -> bytes:
    """Numbers as bytes: the lowest byte of all, then the next one of all."""
    width = -(-int(column.max()).bit_length() // 8) if len(column) else 0
    planes = column.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width].T.tobytes()
    return _HEAD.pack(len(column), width) + bytes(planes)


def column(column: Column) -> bytes:
    """A column as bytes: its differences, a sign in the lowest bit."""
    differences = np.diff(column, prepend=0)
    return numbers(((differences << 1) ^ (differences >> 63)).view(np.uint64))


def values(parts: Sequence[Accesses], block: Dim3) -> bytes:
    """The values of what memory holds at first, of reads and of writes: which guess is right of each, then those for
    which none is, by size. `block` is its dimensions."""
    merged = _Merged(parts, block)
    value = np.concatenate([part.value for part in parts])[merged.order]
    codes = np.full(len(value), NEW, np.uint64)
    for code, guess in reversed(list(enumerate(merged.guesses()))):
        codes[(guess >= 0) & (value[guess] == value)] = code
    new = codes == NEW
    sizes = np.unique(merged.size[new]).astype(np.uint64)
    pieces = [numbers(value[new & (merged.size == size)]) for size in sizes.tolist()]
    return b"".join((numbers(codes), numbers(sizes), *pieces))


class _Merged:
    """Accesses as they happened, of one step reads before writes."""

    def __init__(self, parts: Sequence[Accesses], block: Dim3) -> None:
        self._parts = parts
        self.order = np.argsort(np.concatenate([part.step for part in parts]), kind="stable")
        """The numbers of the accesses in this order, counting one part after the other."""
        self._thread, self.size = self._column("thread"), self._column("size")
        self._block = self._thread // (-(-prod(block) // LANES) * LANES)

    def guesses(self) -> tuple[Column, Column, Column]:
        """For each access, by PLACE, READ and NEIGHBOUR, the earlier one that its value may be that of; -1 for none."""
        space, variable = self._column("space"), SPACES.index(VARIABLE)
        owner = np.where(space == SPACES.index(SHARED), self._block, 0)
        owner[space == variable] = self._thread[space == variable]
        call = np.where(space == variable, self._column("call"), 0)
        place = (space, self._column("target"), self._column("offset"), self.size, owner, call)
        every = np.ones(len(space), bool)
        is_read = self.order < len(space) - len(self._parts[-1].step)
        return _before(place, every), _before((self._thread,), is_read), np.arange(len(space)) - 1

    def _column(self, name: str) -> Column:
        column: Column = np.concatenate([getattr(part, name) for part in self._parts])[self.order]
        return column


def _before(keys: Sequence[Column], counted: NDArray[np.bool_]) -> Column:
    """For each row the last row before it that has the same keys and is counted; -1 if there is none."""
    rows = np.arange(len(counted))
    order = np.lexsort((rows, *keys))
    first = np.ones(len(rows), bool)
    first[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    # The last counted one up to each row, of any keys; one before the begin of its keys is none of theirs.
    last = np.maximum.accumulate(np.where(counted[order], rows, -1))
    begin = np.maximum.accumulate(np.where(first, rows, 0))
    before = np.concatenate([[-1], last[:-1]]) if len(rows) else last
    found = np.full(len(rows), -1)
    found[order] = np.where(before >= begin, order[before], -1)
    return found
