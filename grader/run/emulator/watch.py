"""Records of global memory: which of it is written, and during a launch who reads and writes it.

Arrays that a launch cannot write to, and that are completely written, are not watched: nothing can go wrong with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator import layout
from grader.run.emulator.aligned import ALIGN, aligned_bytes
from grader.run.emulator.layout import LAUNCH
from grader.run.emulator.native.records import SITE_MASK, STRONG, UNOWNED, WRITTEN_BEFORE
from grader.run.emulator.structure import LANES

WATCHED_BYTES = 1 << 28
"""Bytes of the records of all watched arrays; if that is not enough, the largest are not watched."""
FEW_EPOCHS = 3 << 20
"""The epochs that a launch has at least; before one that would have fewer, the numbers start anew."""
_MOST_CHUNK_BITS = 8
_USED_AND_GAP = np.array([0, UNOWNED] * LANES, np.uint64)


def _runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Returns (begin, end) of the runs of true elements."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    return [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]


class _Records:
    """The records of one array: a plane for each field, a cell for each granule (bytes)."""

    def __init__(self, size: int, granule: int) -> None:
        self.size, self.granule = size, granule
        self.cells = -(-size // granule)
        plane = -(-self.cells * layout.RECORD_BYTES // ALIGN) * ALIGN
        data, self.address = aligned_bytes(max(plane, ALIGN) * len(layout.CELL))
        self.planes = data.view(np.uint64).reshape(len(layout.CELL), -1)
        self.written = self.planes[layout.CELL["write"], : self.cells]
        self._parts: dict[int, NDArray[np.bool_]] = {}
        """Which bytes are written of each cell that the host has written in part."""

    def wrote(self, offset: int, size: int) -> None:
        end = offset + size
        first, last = -(-offset // self.granule), (self.cells if end == self.size else end // self.granule)
        cells = self.written[first:last]
        cells[cells == 0] = WRITTEN_BEFORE
        for cell in {offset // self.granule, end // self.granule} - set(range(first, last)):
            begin = cell * self.granule
            if max(begin, offset) < min(begin + self.granule, end) and not self.written[cell]:
                self._wrote_part(cell, max(begin, offset) - begin, end - begin)

    def _wrote_part(self, cell: int, begin: int, end: int) -> None:
        part = self._parts.setdefault(cell, np.zeros(min(self.granule, self.size - cell * self.granule), np.bool_))
        part[begin:end] = True
        if part.all():
            self.written[cell] = WRITTEN_BEFORE

    def forget(self) -> None:
        """Keeps only which cells are written."""
        before = np.where(self.written != 0, np.uint64(WRITTEN_BEFORE), np.uint64(0))
        before[self.written == UNOWNED] = UNOWNED
        self.planes[...] = 0
        self.written[...] = before

    def gave(self, offset: int, pieces: Sequence[tuple[int, int]]) -> None:
        """Makes the first bytes of adjacent pieces, (bytes, all bytes) each, unwritten, and the others nobody's."""
        first = offset // self.granule
        counts: list[int] = []
        for size, room in pieces:
            used = -(-size // self.granule)
            counts += (used, room // self.granule - used)
        end = first + sum(counts)
        self.planes[:, first:end] = 0
        self.written[first:end] = np.repeat(_USED_AND_GAP[: len(counts)], counts)

    def took(self, offset: int, size: int) -> None:
        """Makes memory of the heap nobody's."""
        cells = slice(offset // self.granule, (offset + size) // self.granule)
        self.planes[:, cells] = 0
        self.written[cells] = UNOWNED

    def mask(self) -> NDArray[np.bool_]:
        """Returns, by byte, whether it is written."""
        mask = self._by_byte(self.written != 0)
        for cell, part in self._parts.items():
            mask[cell * self.granule :][: part.size] |= part
        return mask

    def wrote_all(self, mask: NDArray[np.bool_]) -> None:
        """Records that the host has written these bytes."""
        for begin, end in _runs(mask):
            self.wrote(begin, end - begin)

    def touched(self) -> tuple[NDArray[np.bool_], ...]:
        """Returns, by byte, whether it was read since `forget`, written, and last written by a strong access."""
        read, earlier = (self.planes[layout.CELL[name], : self.cells] for name in ("read", "earlier"))
        new, strong = self.written > WRITTEN_BEFORE, (self.written & np.uint64(STRONG)) != 0
        return tuple(map(self._by_byte, ((read | earlier) != 0, new & ~strong, new & strong)))

    def _by_byte(self, cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.repeat(cells, self.granule)[: self.size]


class _Scratch:
    """Room for the releases and the readers of a launch, of which most launches use little.

    Each launch finds it cleared: clearing what the last one used takes less than 96 MiB of new memory.
    """

    def __init__(self) -> None:
        # Only the part of these that is used takes memory.
        self.releases, self.release_address = aligned_bytes(layout.MOST_RELEASES * layout.RELEASE.size)
        self.readers, self.reader_address = aligned_bytes((layout.MOST_READERS + 64) * layout.READER.size)

    def clear(self, releases: int, readers: int) -> None:
        """Clears what a launch has used, which was this many of each."""
        self.releases[: releases * layout.RELEASE.size] = 0
        # None has the number 0.
        self.readers[: (readers + 1) * layout.READER.size] = 0


@dataclass
class LaunchRecords:
    """What the blocks of one launch share: their epochs, their releases, and the clock of these."""

    first_epoch: int
    words: NDArray[np.uint8]
    address: int
    stores: NDArray[np.uint8]
    """1 for each site that is a plain store."""
    kept: tuple[Any, ...]

    @property
    def begin(self) -> int:
        """The smallest record of the launch."""
        return self.first_epoch << layout.EPOCH_SHIFT

    def word(self, name: str) -> int:
        """Returns a 32-bit field of what the blocks share."""
        return int(self.words[LAUNCH[name] : LAUNCH[name] + 4].view(np.uint32)[0])

    @property
    def rested(self) -> str:
        """The remark on a launch that had too few epochs; "" if it had enough."""
        if not self.word("rested"):
            return ""
        epochs = self.word("chunks") << self.word("chunk_bits")
        return (
            f"races, reads of what nobody wrote and skipped barriers were looked for up to {epochs:,} barriers of the "
            "launch's blocks, and not after those: launch fewer rounds at a time to have all of them checked"
        )

    @property
    def next_epoch(self) -> int:
        """The first epoch that the launch has not used."""
        chunks = min(self.word("next_chunk"), self.word("chunks"))
        return self.first_epoch + (chunks << self.word("chunk_bits"))


@dataclass
class Watch:
    """The records of one memory, by slot. Arrays in neither `_unwritten` nor `_records` are completely written."""

    few_epochs: int = FEW_EPOCHS
    everything: bool = False
    """Whether launches record all that they read and write; `touched` then returns it for the last launch."""
    free_spans: Callable[[int], list[tuple[int, int]]] = field(default=lambda slot: [])
    """Returns the (begin, end) of what no thread has of a chunk of the heap."""
    _granule: int = 4
    _room: int = 0
    """Bytes that further records may take in the launch that is under way; 0 if it has no checks."""
    _epoch: int = 1
    _unwritten: dict[int, NDArray[np.bool_]] = field(default_factory=dict)
    _records: dict[int, _Records] = field(default_factory=dict)
    _scratch: _Scratch | None = None

    def add_unwritten(self, slot: int, size: int) -> None:
        """Adds an array of `size` bytes, none of them written."""
        self._unwritten[slot] = np.zeros(size, np.bool_)

    def add_heap(self, slot: int, size: int) -> int:
        """Adds a chunk of the heap, which no thread has yet; returns the address of its records, 0 without any."""
        self._room -= self._record_bytes(size)
        return self._records_of(slot, size).address if self._room > 0 else 0

    def gave(self, slot: int, offset: int, pieces: Sequence[tuple[int, int]]) -> None:
        """Records that threads get adjacent pieces of the heap: of each (bytes, all bytes) the first ones."""
        if slot in self._records:
            self._records[slot].gave(offset, pieces)

    def took(self, slot: int, offset: int, size: int) -> None:
        """Records that threads give back this part of the heap."""
        if slot in self._records:
            self._records[slot].took(offset, size)

    def remove(self, slot: int) -> None:
        self._unwritten.pop(slot, None)
        self._records.pop(slot, None)

    def clear(self, first: int) -> None:
        """Forgets the arrays from slot `first` on."""
        for slot in [s for s in (*self._unwritten, *self._records) if s >= first]:
            self.remove(slot)

    def forget(self) -> None:
        """Takes all arrays as written, after a launch without checks."""
        self._room = 0
        self._unwritten.clear()
        self._records.clear()

    def wrote(self, slot: int, offset: int, size: int) -> None:
        """Records that the host has written `size` bytes there."""
        if slot in self._records:
            self._records[slot].wrote(offset, size)
        elif slot in self._unwritten:
            self._unwritten[slot][offset : offset + size] = True

    def is_written(self, slot: int, offset: int, size: int) -> NDArray[np.bool_]:
        """Returns, by byte, whether anything has written there."""
        if slot in self._records:
            return self._records[slot].mask()[offset : offset + size]
        if slot in self._unwritten:
            return self._unwritten[slot][offset : offset + size]
        return np.ones(size, np.bool_)

    def copied(self, target: tuple[int, int], source: tuple[int, int], size: int) -> None:
        """Records a copy from one (slot, offset) to another: unwritten bytes stay unwritten in the target."""
        for begin, end in _runs(self.is_written(*source, size)):
            self.wrote(target[0], target[1] + begin, end - begin)

    def begin(
        self, sizes: Mapping[int, int], written: Iterable[int] | None, granule: int, blocks: int, warps: int
    ) -> tuple[dict[int, int], LaunchRecords]:
        """Prepares a launch; returns the addresses of the records of watched arrays, by slot, and what blocks share.

        `sizes` are the bytes of all arrays by slot, `written` the slots that the launch may write to; None: any.
        `granule` is in bytes.
        """
        self._set_granule(granule)
        if layout.LAST_EPOCH - self._epoch < self.few_epochs:
            for records in self._records.values():
                records.forget()
            self._epoch = 1
        if self.everything:
            written = None
            for records in self._records.values():
                records.forget()
        wanted = set(sizes if written is None else written) | {s for s in sizes if not self._is_full(s)}
        wanted &= set(sizes)
        watched = {slot: self._records_of(slot, sizes[slot]).address for slot in self._fit(wanted, sizes)}
        return watched, self._launch(blocks, warps)

    def _fit(self, wanted: set[int], sizes: Mapping[int, int]) -> list[int]:
        """Returns the slots of these arrays that may be watched, the smallest first; the others count as written."""
        room, fitting = WATCHED_BYTES, []
        for slot in sorted(wanted, key=lambda slot: (sizes[slot], slot)):
            room -= self._record_bytes(sizes[slot])
            if room >= 0:
                fitting.append(slot)
            else:
                self.remove(slot)
        self._room = room
        return fitting

    def _record_bytes(self, size: int) -> int:
        return -(-size // self._granule) * layout.RECORD_BYTES * len(layout.CELL)

    def _records_of(self, slot: int, size: int) -> _Records:
        if slot not in self._records:
            self._records[slot] = self._new_records(slot, size)
        return self._records[slot]

    def touched(self) -> dict[int, tuple[NDArray[np.bool_], ...]]:
        """Returns, by slot, what the last launch did, as `_Records.touched`; nothing without checks."""
        # What a thread gets of the heap another one may have had before it.
        records = ((slot, records) for slot, records in self._records.items() if slot not in layout.HEAP_SLOTS)
        return {slot: one.touched() for slot, one in records}

    def end(self, launch: LaunchRecords) -> None:
        """Ends a launch; if its checks stopped early, all arrays count as written."""
        self._epoch = max(self._epoch, launch.next_epoch)
        self._room = 0
        if self._scratch is not None:
            self._scratch.clear(launch.word("release_count"), launch.word("reader_count"))
        if launch.rested:
            self.forget()

    def _set_granule(self, granule: int) -> None:
        if granule == self._granule:
            return
        self._granule = granule
        for slot, records in self._records.items():
            mask = records.mask()
            if not mask.all() and slot not in layout.HEAP_SLOTS:
                self._unwritten[slot] = mask
        self._records.clear()

    def _is_full(self, slot: int) -> bool:
        if slot in layout.HEAP_SLOTS:
            return False
        if slot in self._records:
            written = self._records[slot].written
            return not written.size or bool(written[-1] and written.all())
        if slot in self._unwritten and self._unwritten[slot].all():
            del self._unwritten[slot]
        return slot not in self._unwritten

    def _new_records(self, slot: int, size: int) -> _Records:
        records = _Records(size, self._granule)
        mask = self._unwritten.pop(slot, None)
        if mask is None:
            records.written[...] = WRITTEN_BEFORE
        else:
            records.wrote_all(mask)
        if slot in layout.HEAP_SLOTS:
            for begin, end in self.free_spans(slot):
                first = -(-begin // self._granule)
                records.written[first : -(-end // self._granule)] = UNOWNED
        return records

    def _launch(self, blocks: int, warps: int) -> LaunchRecords:
        room = layout.LAST_EPOCH - self._epoch
        # Half of what is left, so that some remains for blocks with many barriers.
        bits = max(min((room // 2 // blocks).bit_length() - 1, _MOST_CHUNK_BITS), 0)
        chunks = room >> bits
        words, address = aligned_bytes(layout.LAUNCH.size)
        sizes_of = {
            "owners": chunks * layout.CHUNK.size,
            "releases": blocks * (warps + 1) * layout.RELEASES.size,
            "stores": SITE_MASK + 1,
        }
        arrays = {name: aligned_bytes(size) for name, size in sizes_of.items()}
        self._scratch = self._scratch or _Scratch()
        places = {name: place for name, (_, place) in arrays.items()}
        places |= {"release_times": self._scratch.release_address, "readers": self._scratch.reader_address}
        numbers = {
            "chunk_bits": bits,
            "chunks": chunks,
            "first_epoch": self._epoch,
            "warps": warps,
            "release_room": layout.MOST_RELEASES,
        }
        for name, value in numbers.items():
            words[LAUNCH[name] : LAUNCH[name] + 4].view(np.uint32)[0] = value
        for name, place in places.items():
            words[LAUNCH[name] : LAUNCH[name] + 8].view(np.uint64)[0] = place
        stores, _ = arrays["stores"]
        return LaunchRecords(self._epoch, words, address, stores, tuple(array for array, _ in arrays.values()))
