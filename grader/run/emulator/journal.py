"""The journal of a launch: what its blocks did, in order, as native code enters it.

An entry is a site of the instrumented code, a warp and its lanes; that of an access has a row of addresses and values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator.aligned import aligned_bytes
from grader.run.emulator.faults import Fault
from grader.run.emulator.layout import ENTRY_OF_JOURNAL, JOURNAL, JOURNAL_ROW
from grader.run.emulator.structure import LANES

_WIDE = Struct("<Q")


@dataclass(frozen=True)
class JournalFault:
    """A fault, after how many entries it happened, and to which lanes (bits) of which warp."""

    fault: Fault
    entries: int
    block: int
    warp: int
    lanes: int


class Journal:
    """At most `entries` entries, of which `rows` are of accesses: the first, or with `keeps_last` the last.

    A launch ends where a journal of the first is full. `watched`: the address and the bytes of which accesses are
    entered, and nothing else; None for all.
    """

    def __init__(
        self, entries: int, rows: int, watched: tuple[int, int] | None = None, *, keeps_last: bool = False
    ) -> None:
        self._keeps_last = keeps_last
        self._header, self.address = aligned_bytes(JOURNAL.size)
        self._entries, at = aligned_bytes(entries * ENTRY_OF_JOURNAL.size)
        self._rows, rows_at = aligned_bytes(rows * JOURNAL_ROW.size)
        first, size = watched or (0, 0)
        values = {"entries": at, "capacity": entries, "rows": rows_at, "row_capacity": rows}
        values |= {"watched": first, "watched_bytes": size, "keeps_last": int(keeps_last)}
        for name, value in values.items():
            _WIDE.pack_into(self._header.data, JOURNAL[name], value)
        self._faults: list[JournalFault] = []

    def _field(self, name: str) -> int:
        return int(_WIDE.unpack_from(self._header.data, JOURNAL[name])[0])

    @property
    def count(self) -> int:
        """How many entries there are."""
        return self._field("count") - self.begin

    @property
    def is_full(self) -> bool:
        """Whether something may have been left out."""
        return self._field("count") >= self._field("capacity") or self._field("row_count") >= self._field(
            "row_capacity"
        )

    @property
    def is_cut(self) -> bool:
        """Whether it may end before the launch does."""
        return self.is_full and not self._keeps_last

    @property
    def begin(self) -> int:
        """How many entries came before the first that is kept, whose row is kept as well."""
        count, capacity = self._field("count"), self._field("capacity")
        begin = max(count - capacity, 0)
        lost = self._field("row_count") - self._field("row_capacity")
        if lost > 0:
            rows = self._raw("row", np.int32)[np.arange(begin, count) % capacity]
            with_row = np.flatnonzero(rows >= 0)
            kept = with_row[-self._field("row_capacity") :]
            begin += int(kept[0]) if len(kept) < len(with_row) else 0
        return begin

    def add_fault(self, fault: Fault, block: int, warp: int, lanes: int) -> None:
        """Adds a fault that happens now."""
        self._faults.append(JournalFault(fault, self._field("count"), block, warp, lanes))

    @property
    def faults(self) -> list[JournalFault]:
        """The faults, in order; the entries are negative for one before the first that is kept."""
        begin = self.begin
        return [replace(fault, entries=fault.entries - begin) for fault in self._faults]

    def column(self, name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """A field of all entries: block, site, warp, mask (32 bits), or row (-1 without)."""
        kind = np.uint64 if name == "block" else np.uint32 if name == "mask" else np.int32
        places = np.arange(self.begin, self._field("count")) % self._field("capacity")
        return self._raw(name, kind)[places].astype(np.int64)

    def _raw(self, name: str, kind: type[np.generic]) -> NDArray[Any]:
        """A field of all entries as they lie there."""
        entries = self._entries.reshape(-1, ENTRY_OF_JOURNAL.size)
        at = ENTRY_OF_JOURNAL[name]
        return np.ascontiguousarray(entries[:, at : at + np.dtype(kind).itemsize]).view(kind).reshape(-1)

    def rows(self, name: str) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
        """The `addresses` or the `values` of all rows, by lane."""
        rows = self._rows.reshape(-1, JOURNAL_ROW.size)[: min(self._field("row_count"), self._field("row_capacity"))]
        at = JOURNAL_ROW[name]
        return np.ascontiguousarray(rows[:, at : at + 8 * LANES]).view(np.uint64).reshape(-1, LANES)
