"""What is known of global memory: which of it is written, and during a launch who reads and writes it.

Arrays that a launch can't write to, and that are all written, are not watched: nothing can go wrong with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator import layout
from grader.run.emulator.aligned import ALIGN, aligned_bytes
from grader.run.emulator.layout import LAUNCH
from grader.run.emulator.native.cells import WRITTEN_BEFORE

WATCHED_BYTES = 1 << 28
"""What the records of all watched arrays may take; where it is not enough, the largest are not watched."""
_FEW_EPOCHS = 1 << 20
_MOST_CHUNK_BITS = 8


class _Records:
    """The records of one array: a plane for each field, a cell for each granule."""

    def __init__(self, size: int, granule: int) -> None:
        self.size, self.granule = size, granule
        self.cells = -(-size // granule)
        plane = -(-self.cells * layout.RECORD_BYTES // ALIGN) * ALIGN
        data, self.address = aligned_bytes(max(plane, ALIGN) * len(layout.CELL))
        self.planes = data.view(np.uint64).reshape(len(layout.CELL), -1)
        self.written = self.planes[layout.CELL["write"], : self.cells]

    def wrote(self, offset: int, size: int) -> None:
        cells = self.written[offset // self.granule : -(-(offset + size) // self.granule)]
        cells[cells == 0] = WRITTEN_BEFORE

    def forget(self) -> None:
        """Leaves of all records only what is written."""
        before = np.where(self.written != 0, np.uint64(WRITTEN_BEFORE), np.uint64(0))
        self.planes[...] = 0
        self.written[...] = before

    def mask(self) -> NDArray[np.bool_]:
        """By byte, whether it is written."""
        return np.repeat(self.written != 0, self.granule)[: self.size]


@dataclass
class LaunchRecords:
    """What the blocks of one launch share: their epochs, the clock of their releases, and these releases."""

    first_epoch: int
    words: NDArray[np.uint8]
    address: int
    kept: tuple[Any, ...]

    @property
    def begin(self) -> int:
        return self.first_epoch << layout.EPOCH_SHIFT

    def word(self, name: str) -> int:
        return int(self.words[LAUNCH[name] : LAUNCH[name] + 4].view(np.uint32)[0])

    @property
    def next_epoch(self) -> int:
        chunks = min(self.word("next_chunk"), self.word("chunks"))
        return self.first_epoch + (chunks << self.word("chunk_bits"))


@dataclass
class Watch:
    """Of one memory. Slots number its arrays; what is not in `_unwritten` or `_records` is all written."""

    _granule: int = 4
    _epoch: int = 1
    _unwritten: dict[int, NDArray[np.bool_]] = field(default_factory=dict)
    _records: dict[int, _Records] = field(default_factory=dict)

    def add_unwritten(self, slot: int, size: int) -> None:
        self._unwritten[slot] = np.zeros(size, np.bool_)

    def remove(self, slot: int) -> None:
        self._unwritten.pop(slot, None)
        self._records.pop(slot, None)

    def clear(self, first: int) -> None:
        """Forgets the arrays from this slot on."""
        for slot in [s for s in (*self._unwritten, *self._records) if s >= first]:
            self.remove(slot)

    def forget(self) -> None:
        """Takes all arrays as written: something has run that was not watched."""
        self._unwritten.clear()
        self._records.clear()

    def wrote(self, slot: int, offset: int, size: int) -> None:
        """The host has written there."""
        if slot in self._records:
            self._records[slot].wrote(offset, size)
        elif slot in self._unwritten:
            self._unwritten[slot][offset : offset + size] = True

    def copied(self, target: tuple[int, int], source: tuple[int, int], size: int) -> None:
        """Bytes were copied from one (slot, offset) to another: what was not written there is not written here."""
        slot, offset = source
        if slot in self._records:
            mask = self._records[slot].mask()[offset : offset + size]
        elif slot in self._unwritten:
            mask = self._unwritten[slot][offset : offset + size]
        else:
            mask = np.ones(size, np.bool_)
        edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
        for begin, end in edges.reshape(-1, 2):
            self.wrote(target[0], target[1] + int(begin), int(end - begin))

    def begin(
        self, sizes: Mapping[int, int], written: Iterable[int] | None, granule: int, blocks: int
    ) -> tuple[dict[int, int], LaunchRecords]:
        """Gets ready for a launch: the addresses of the records of the arrays to be watched, and what blocks share.

        `sizes` are the bytes of all arrays by slot, `written` the slots that the launch may write to; None: any.
        """
        self._set_granule(granule)
        if layout.LAST_EPOCH - self._epoch < _FEW_EPOCHS:
            for records in self._records.values():
                records.forget()
            self._epoch = 1
        wanted = set(sizes if written is None else written) | {s for s in sizes if not self._is_full(s)}
        wanted &= set(sizes)
        watched = {slot: self._records_of(slot, sizes[slot]).address for slot in self._fit(wanted, sizes)}
        return watched, self._launch(blocks)

    def _fit(self, wanted: set[int], sizes: Mapping[int, int]) -> list[int]:
        """As many of these arrays as may be watched, the smallest first; the others count as written."""
        room, fitting = WATCHED_BYTES, []
        for slot in sorted(wanted, key=lambda slot: (sizes[slot], slot)):
            room -= -(-sizes[slot] // self._granule) * layout.RECORD_BYTES * len(layout.CELL)
            if room >= 0:
                fitting.append(slot)
            else:
                self.remove(slot)
        return fitting

    def _records_of(self, slot: int, size: int) -> _Records:
        if slot not in self._records:
            self._records[slot] = self._new_records(slot, size)
        return self._records[slot]

    def end(self, launch: LaunchRecords) -> None:
        self._epoch = max(self._epoch, launch.next_epoch)
        if launch.word("rested"):
            self.forget()

    def _set_granule(self, granule: int) -> None:
        if granule == self._granule:
            return
        self._granule = granule
        for slot, records in self._records.items():
            mask = records.mask()
            if not mask.all():
                self._unwritten[slot] = mask
        self._records.clear()

    def _is_full(self, slot: int) -> bool:
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
        elif mask.any():
            padded = np.zeros(records.cells * self._granule, np.bool_)
            padded[:size] = mask
            records.written[padded.reshape(-1, self._granule).any(axis=1)] = WRITTEN_BEFORE
        return records

    def _launch(self, blocks: int) -> LaunchRecords:
        room = layout.LAST_EPOCH - self._epoch
        # Half of what is left, so that some is left for blocks with many barriers.
        bits = max(min((room // 2 // blocks).bit_length() - 1, _MOST_CHUNK_BITS), 0)
        chunks = room >> bits
        words, address = aligned_bytes(layout.LAUNCH_BYTES)
        owners = np.zeros(chunks, np.uint32)
        releases = np.zeros(blocks * layout.BLOCK_RELEASES_BYTES, np.uint8)
        for name, value in (("chunk_bits", bits), ("chunks", chunks), ("first_epoch", self._epoch)):
            words[LAUNCH[name] : LAUNCH[name] + 4].view(np.uint32)[0] = value
        for name, array in (("owners", owners), ("releases", releases)):
            words[LAUNCH[name] : LAUNCH[name] + 8].view(np.uint64)[0] = array.ctypes.data
        return LaunchRecords(self._epoch, words, address, (owners, releases))
