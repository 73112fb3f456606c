"""The counters of one launch: the memory that native code counts in, and the results."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator import layout
from grader.run.emulator.aligned import aligned_bytes
from grader.run.emulator.counter_layout import (
    ARRAY,
    BLOCK,
    BLOCKS,
    CELL,
    MANY,
    ROW,
    SECTOR,
    TRACE,
    TRACES,
    rows_at,
)
from grader.run.emulator.counts import ArrayCounts, LaunchCounts, RowCounts, Sample
from grader.run.emulator.memory import Memory
from grader.run.emulator.names import source_name
from grader.run.emulator.traces import Traces
from grader.run.emulator.translate.counter_rows import CounterRows
from grader.run.emulator.translate.storage import Storage

MAPPED_BYTES = 1 << 30
"""Bytes of arrays with a map of what was read; the largest arrays beyond this have none."""
_SUMS = (
    *("requests", "sectors", "ideal_sectors", "bytes", "shared_requests", "wavefronts", "ideal_wavefronts"),
    *("shared_bytes", "ways", "turns", "words", "divergent"),
)


class Counters:
    """Counts one launch, by one worker.

    `address`: that of the buffer. `maps`: the addresses of the arrays' maps by slot; there are none with `traces`,
    whose sectors tell more.
    """

    def __init__(self, counting: CounterRows, storage: Storage, memory: Memory, traces: Traces | None = None) -> None:
        self._counting = counting
        self._storage = storage
        self._memory = memory
        self._buffer, self.address = aligned_bytes(rows_at(counting.blocks) + len(counting.rows) * ROW.size)
        self._traces = traces or Traces(0, 0)
        self._traces.begin(self._words(TRACES, TRACE.size // 8))
        self._maps: dict[int, NDArray[np.uint8]] = {}
        self.maps: dict[int, int] = {}
        room = MAPPED_BYTES if traces is None else 0
        for slot, size in sorted(memory.sizes().items(), key=lambda pair: pair[1]):
            room -= size
            if size and room >= 0:
                self._maps[slot], self.maps[slot] = aligned_bytes(-(-size // SECTOR) * CELL.size)

    def result(self) -> LaunchCounts:
        """Returns what has been counted so far; instructions internal to the emulator have no row."""
        self._traces.end(self._words(TRACES, TRACE.size // 8))
        rows = tuple(self._row(number) for number in range(len(self._counting.rows)))
        return LaunchCounts(tuple(row for row in rows if row is not None), tuple(self._arrays()))

    def _words(self, start: int, count: int) -> NDArray[np.uint64]:
        return self._buffer[start : start + 8 * count].view(np.uint64)

    def _row(self, number: int) -> RowCounts | None:
        """Returns the counts of one instruction; None for one internal to the emulator."""
        instruction, block = self._counting.rows[number]
        if instruction.opcode.startswith("%"):
            return None
        of_block = self._words(BLOCKS + block * BLOCK.size, BLOCK.size // 8)
        words = self._words(rows_at(self._counting.blocks) + number * ROW.size, ROW.size // 8)
        found = {name: int(words[ROW[name] // 8]) for name in ROW}
        return RowCounts(
            instruction.line,
            instruction.text,
            instruction.opcode,
            instruction.modifiers,
            block,
            **{name: int(of_block[at // 8]) for name, at in BLOCK.items()},
            **{name: found[name] for name in _SUMS},
            array=self._array_name(found["array"]),
            shared_array=self._shared_name(found["shared_array"]),
            sample=self._sample(found, words[ROW["sample"] // 8 :]),
        )

    def _array_name(self, slot: int) -> str:
        array = self._memory.at(layout.array_address(slot)) if 0 < slot < layout.SLOT_COUNT else None
        return source_name(array.name) if array is not None else ""

    def _shared_name(self, slot: int) -> str:
        if not slot or slot == MANY:
            return ""
        return next((source_name(name) for name, own in self._storage.shared.items() if own == slot), "")

    def _sample(self, found: dict[str, int], addresses: NDArray[np.uint64]) -> Sample | None:
        if not found["sample_measure"]:
            return None
        mask = found["sample_mask"]
        first = int(addresses[(mask & -mask).bit_length() - 1])
        if found["requests"]:
            base = layout.array_address(first >> layout.SLOT_BITS)
        else:
            base = layout.shared_address(first >> layout.SHARED_SLOT_BITS)
        offsets = tuple(int(a) - base if mask >> lane & 1 else None for lane, a in enumerate(addresses))
        return Sample(found["sample_block"], found["sample_warp"], offsets)

    def _arrays(self) -> Iterator[ArrayCounts]:
        for slot, size in self._memory.sizes().items():
            words = self._words(slot * ARRAY.size, ARRAY.size // 8)
            if not words.any():
                continue
            array = self._memory.at(layout.array_address(slot))
            assert array is not None
            yield ArrayCounts(
                self._array_name(slot),
                size,
                0 if array.plain else array.itemsize,
                **{name: int(words[at // 8]) for name, at in ARRAY.items()},
                distinct_bytes=self._distinct(slot),
            )

    def _distinct(self, slot: int) -> int:
        """Returns the number of bytes of an array that were read."""
        if slot not in self._maps:
            return 0
        marks = self._maps[slot].reshape(-1, CELL.size)[:, CELL["bytes"] :]
        return int(np.unpackbits(np.ascontiguousarray(marks)).sum(dtype=np.int64))
