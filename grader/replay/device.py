"""The emulator as a device that records: it finds the launch and the block to look at, and journals that block.

What a journal's entries mean is read elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.replay.steps import MOST_STEPS
from grader.replay.writers import Element, Writer, last_writer
from grader.run import emulator
from grader.run.emulated_device import EmulatedDevice
from grader.run.emulator import layout
from grader.run.emulator.faults import LaunchResult
from grader.run.emulator.journal import Journal
from grader.run.emulator.memory import Array
from grader.run.emulator.translate.noting import ATOMIC, CHANGED, WIDEST, WRITE
from grader.run.emulator.translation import Translation

ENTRIES, ROWS = 200_000, 16_000
"""Entries and rows that a recorded block may take: a row is an access of at most 32 threads, in 512 bytes."""
LOOKED, LOOKED_ROWS = 1 << 18, 1 << 16
"""What all blocks may take together, where only the accesses to one element or array are looked at."""
MOST_MEMORY = 256 << 20
"""Bytes of arrays whose contents before a launch are kept."""

Index3 = tuple[int, int, int]


@dataclass(frozen=True)
class Goal:
    """The launch, by its number in the plan, and its blocks to record, by their numbers in the grid."""

    launch: int
    blocks: tuple[int, ...]


@dataclass
class Recorded:
    """What a recorded launch left: a journal for each block, and the arrays as they were before."""

    translation: Translation
    symbol: str
    grid: Index3
    block: Index3
    shared_bytes: int
    blocks: tuple[int, ...]
    arrays: dict[int, Array]
    known: dict[int, NDArray[np.bool_]]
    """Which bytes of an array had a value before the launch, by slot."""
    journals: list[Journal] = field(default_factory=list)
    results: list[LaunchResult] = field(default_factory=list)
    arguments: tuple[bytes, ...] = ()
    """The kernel's arguments in the order of its parameters."""
    before: bool = False
    """Whether the blocks that begin before it were run first, because the block may depend on them."""


class RecordingDevice(EmulatedDevice):
    """Runs plans twice: `look` finds the place, then `record` takes the journal of that place."""

    goal: Goal | None = None
    rows = ROWS
    """The accesses that are recorded of a block."""
    keeps_last = False
    """Whether these are its last accesses, not its first."""
    before = False
    """Whether the blocks that begin before it run first in any case."""
    element: Element | None = None
    """Whose writers are looked for."""
    near = False
    """Whether those count that write elsewhere in its array."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.launches = 0
        self.writers: list[Writer] = []
        self.failed: tuple[int, Index3 | None] | None = None
        self.recorded: Recorded | None = None
        self._first: dict[int, bytes] = {}
        super().__init__(*arguments, **named)

    def begin(self, goal: Goal | None, element: Element | None = None, near: bool = False) -> None:
        """Begins a pass over a plan, whose arrays have just been placed."""
        self.goal, self.element, self.near, self.launches = goal, element, near, 0
        self.writers, self.failed, self.recorded = [], None, None
        self._first = {slot: array.data.tobytes() for slot, array in self._arrays().items()}

    def _module_of(self, image: str) -> emulator.Module:
        return emulator.Module(image, self._objects, journal=True)

    def _arrays(self) -> dict[int, Array]:
        arrays = {slot: self._memory.at(layout.array_address(slot)) for slot in self._memory.sizes()}
        return {slot: array for slot, array in arrays.items() if array is not None}

    def _run_kernel(self, kernel: str, symbol: str, **launch: Any) -> LaunchResult:
        number = self.launches
        self.launches += 1
        if self.goal is not None and self.goal.launch == number:
            self.recorded = self._record(kernel, symbol, self.goal.blocks, **launch)
            return LaunchResult("limit")
        result = self._look(number, kernel, symbol, **launch)
        if result.status != "done" and self.failed is None:
            self.failed = number, result.fault.block if result.fault is not None else None
        return result

    def _look(self, number: int, kernel: str, symbol: str, **launch: Any) -> LaunchResult:
        module = self._modules[kernel]
        element = self.element
        if element is None or self.goal is not None:
            return module.launch(symbol, **launch)
        array = self._memory.read(element.array)
        base = next(each.address for each in self._arrays().values() if each.data is array)
        # A wide access may begin before the element.
        first = 0 if self.near else max(element.begin - WIDEST + 1, 0)
        size = array.nbytes if self.near else element.begin + element.size - first
        journal = Journal(LOOKED, LOOKED_ROWS, (base + first, size))
        result = module.launch(symbol, journal=journal, **launch)
        writer = last_writer(number, *_writes(journal, module.translation_of(symbol), base), element)
        if writer is not None and (self.near or not writer.is_near):
            self.writers.append(writer)
        return result

    def _record(self, kernel: str, symbol: str, blocks: tuple[int, ...], **launch: Any) -> Recorded:
        module = self._modules[kernel]
        translation = module.translation_of(symbol)
        grid, block = launch["grid"], launch["block"]
        recorded = Recorded(translation, symbol, grid, block, launch["shared_bytes"], blocks, {}, {})
        recorded.arguments = tuple(launch["arguments"])
        if self.before or launch["cooperative"] or may_depend_on_blocks(translation):
            for begun in blocks_before(blocks, prod(grid), translation):
                recorded.before = True
                module.launch(symbol, only_blocks=begun, **{**launch, "cooperative": False})
        # A launch would do so, after what was there before has been looked at.
        module.place_variables(self._memory)
        self._keep(recorded)
        for number in blocks:
            # Of the last entries all have to become steps.
            entries = MOST_STEPS if self.keeps_last else ENTRIES
            journal = Journal(entries, self.rows, keeps_last=self.keeps_last)
            given = {**launch, "cooperative": False}
            result = module.launch(symbol, journal=journal, only_blocks=range(number, number + 1), **given)
            recorded.journals.append(journal)
            recorded.results.append(result)
        return recorded

    def ends_before(self, element: Element) -> bool:
        """Whether what was recorded ends, at a limit, before its blocks write an element."""
        recorded = self.recorded
        if recorded is None or not any(journal.is_cut for journal in recorded.journals):
            return False
        base = next((array.address for array in recorded.arrays.values() if array.name == element.array), None)
        if base is None:
            return False
        of_journals = (_writes(journal, recorded.translation, base) for journal in recorded.journals)
        writers = [last_writer(0, *writes, element) for writes in of_journals]
        return all(writer is None or writer.is_near for writer in writers)

    def _keep(self, recorded: Recorded) -> None:
        left = MOST_MEMORY
        for slot, array in self._arrays().items():
            data = array.data
            left -= data.nbytes
            if left < 0:
                break
            recorded.arrays[slot] = Array(
                array.name, array.address, data.copy(), array.plain, read_only=array.read_only
            )
            now = data.reshape(-1).view(np.uint8)
            known = self._memory.is_written(array.address, data.nbytes).copy()
            before = self._first.get(slot)
            if before is not None and len(before) == data.nbytes:
                # Launches that are not checked keep no record of what they write; a change shows it.
                known |= now != np.frombuffer(before, np.uint8)
            recorded.known[slot] = known


Writes = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def _writes(journal: Journal, translation: Translation, base: int) -> Writes:
    """The writes of a journal as `last_writer` takes them, of an array at the address `base`."""
    assert translation.noted is not None
    notes = translation.noted.notes
    writes = np.array([note.kind in (WRITE, CHANGED) for note in notes], np.bool_)
    widths = np.array([note.width for note in notes], np.int64)
    sites, blocks, masks, rows = (journal.column(name) for name in ("site", "block", "mask", "row"))
    kept = np.flatnonzero(writes[sites] & (rows >= 0))
    begins = journal.rows("addresses")[rows[kept]].astype(np.int64) - base
    return blocks[kept], masks[kept], begins, widths[sites[kept]]


def blocks_before(blocks: Sequence[int], count: int, translation: Translation) -> list[range]:
    """The blocks that begin before the first of `blocks` in a launch of `count`, in order, without empty ranges."""
    start = translation.first_of(count)
    begun = min((block - start) % count for block in blocks)
    ranges = range(start, min(start + begun, count)), range(max(start + begun - count, 0))
    return [each for each in ranges if each]


def may_depend_on_blocks(translation: Translation) -> bool:
    """Whether a kernel has atomic operations, by which blocks may take turns, or count each other."""
    assert translation.noted is not None
    return any(note.kind == ATOMIC and note.space != "shared" for note in translation.noted.notes)
