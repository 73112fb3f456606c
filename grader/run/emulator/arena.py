"""The state of one block in flight: its context, its warps, their registers, shared and local memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator import layout, pace
from grader.run.emulator.aligned import ALIGN, aligned_bytes
from grader.run.emulator.counters import Counters
from grader.run.emulator.journal import Journal
from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.memory import Memory
from grader.run.emulator.translate.storage import align_up
from grader.run.emulator.translation import Translation
from grader.run.emulator.watch import LaunchRecords

INT32, UINT64 = Struct("<i"), Struct("<Q")

_PATIENCE = 1 << 20
"""Checks whether another worker is about to write the same value: a twentieth of a second in all."""


def thread_indices(block: tuple[int, int, int]) -> NDArray[np.int32]:
    """Returns the index of each thread of a block: warp × axis × lane, padded to whole warps."""
    x, y, z = block
    warps = align_up(x * y * z, 32) // 32
    linear = np.arange(warps * 32)
    axes = np.stack([linear % x, linear // x % y, linear // (x * y)]).astype(np.int32)
    table, _ = aligned_bytes(axes.nbytes)
    view = table.view(np.int32).reshape(warps, 3, 32)
    view[...] = axes.reshape(3, warps, 32).swapaxes(0, 1)
    return view


@dataclass(frozen=True, eq=False)
class LaunchShape:
    """What all blocks of a launch share. `kernel` and `event` are addresses of native functions."""

    translation: Translation
    kernel: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared: int
    memory: Memory
    stop: NDArray[np.int32]
    next_block: NDArray[np.int64]
    remaining: NDArray[np.int64]
    event: int
    tid_table: NDArray[np.int32]
    """Thread indices: warp × axis × lane. Allocated once before the workers start: all of them hold addresses in it."""
    workspace: int = 0
    """The emulated address of a cooperative launch's workspace."""
    races: LaunchRecords | None = None
    """What the race checks work on; None if they are off."""
    counters: Counters | None = None
    journal: Journal | None = None
    """What is entered of the blocks; None if nothing is."""
    only_blocks: range | None = None
    """The numbers of the blocks that run; None for all."""
    unset_shared: int = -1
    """The word that fills the shared memory of a block that begins; a NaN by itself."""

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def end_block(self) -> int:
        """The number of blocks, or where those that run end."""
        blocks = self.grid[0] * self.grid[1] * self.grid[2]
        return blocks if self.only_blocks is None else min(self.only_blocks.stop, blocks)

    @property
    def first_block(self) -> int:
        """The number of the block that begins first."""
        turned = self.translation.meets and self.only_blocks is None
        return self.translation.first_of(self.end_block) if turned else 0

    @property
    def warps(self) -> int:
        return align_up(self.threads, 32) // 32

    @property
    def parameters(self) -> int:
        """The host address of the launch's parameters."""
        array = self.memory.at(layout.array_address(layout.PARAMETER_SLOT))
        assert array is not None
        return int(array.data.ctypes.data)


class Arena:
    """One block's memory. `address` is the address of its context, which native code works on."""

    def __init__(self, shape: LaunchShape, worker: int) -> None:
        self.shape = shape
        storage = shape.translation.storage
        self._context, self.address = aligned_bytes(layout.CONTEXT.size)
        self._stride = storage.state_bytes
        self._warps, warps = aligned_bytes(self._stride * shape.warps)
        static = align_up(storage.static_shared_bytes, 16)
        self.shared, shared = aligned_bytes(max(static + shape.dynamic_shared, 1))
        self._table, table = aligned_bytes(layout.SHARED_SLOT_COUNT * layout.ENTRY.size)
        self._fill_shared_table(shared, static)
        self._seen, seen = aligned_bytes(layout.SEEN_BYTES * shape.warps if shape.races else 0)
        plane = self._plane_bytes(static + shape.dynamic_shared)
        self._shadow, shadow = aligned_bytes(plane * len(layout.CELL))
        self._log, log = aligned_bytes(layout.LOG_ENTRIES * layout.LOG.size if shape.races else 0)
        self._reports, reports = aligned_bytes(layout.REPORT_ENTRIES * layout.REPORT.size if shape.races else 0)
        copies_bytes = layout.COPY_LIST.size if shape.translation.copies else 0
        self._copies, copies = aligned_bytes(copies_bytes * shape.warps)
        local_bytes = shape.translation.local_bytes
        local_stride = align_up(local_bytes, 16)
        self._local, local = aligned_bytes(max(local_stride * 32 * shape.warps, 1))
        known_bytes = self._local.nbytes if shape.translation.uses is not None else 0
        self._values, values_at = aligned_bytes(known_bytes)
        tids = shape.tid_table
        for index in range(shape.warps):
            self._set_warp(index, "index", INT32, index)
            self._set_warp(index, "local", UINT64, local + index * 32 * local_stride)
            if shape.races:
                self._set_warp(index, "seen", UINT64, seen + index * layout.SEEN_BYTES)
            if copies_bytes:
                self._set_warp(index, "copies", UINT64, copies + index * copies_bytes)
            self._set_warp(index, "tid", UINT64, tids.ctypes.data + index * 3 * 32 * 4)
        values = {
            "parameters": shape.parameters,
            "globals": shape.memory.table.ctypes.data,
            "shared_table": table,
            "event": shape.event,
            "stop": shape.stop.ctypes.data,
            "next_block": shape.next_block.ctypes.data,
            "remaining": shape.remaining.ctypes.data,
            "tid_table": tids.ctypes.data,
            "warps": warps,
            "warp_stride": self._stride,
            "blocks": shape.end_block,
            "slice": 0 if shape.translation.meets else pace.BLOCK_SLICE,
            "first_waits": pace.BLOCK_WAITS,
            "first_block": shape.first_block,
            "shared_host": shared,
            "shared_bytes": static + shape.dynamic_shared,
            "kernel": shape.kernel,
            "local_base": local,
            "local_stride": local_stride,
            "local_bytes": local_bytes,
            "local_values": values_at if known_bytes else 0,
            "workspace": shape.workspace,
            "shadow": shadow,
            "plane": plane,
            "log": log,
            "reports": reports,
            "launch": shape.races.address if shape.races else 0,
            "begin": shape.races.begin if shape.races else 0,
            "counters": shape.counters.address if shape.counters else 0,
            "journal": shape.journal.address if shape.journal else 0,
        }
        for name, value in values.items():
            self._set(name, UINT64, value)
        program = shape.translation.program
        words = {
            "warp_count": shape.warps,
            "block_threads": shape.threads,
            "worker": worker,
            "dynamic_shared": shape.dynamic_shared,
            "total_shared": static + shape.dynamic_shared,
            "entry": program.entries[program.kernel],
            "sanitize": int(shape.races is not None),
            "shared_cells": self._shared_cells(),
            "copies": int(shape.translation.copies),
            "patience": _PATIENCE,
            "unset_shared": shape.unset_shared,
        }
        for name, value in words.items():
            self._set(name, INT32, value)
        for axis in range(3):
            self._set("nctaid", INT32, shape.grid[axis], 4 * axis)
            self._set("ntid", INT32, shape.block[axis], 4 * axis)

    def _plane_bytes(self, shared: int) -> int:
        checks = self.shape.translation.checks
        if self.shape.races is None or checks is None or not shared:
            return 0
        return align_up(-(-shared // checks.shared_granule) * layout.RECORD_BYTES, ALIGN)

    def _shared_cells(self) -> int:
        """Returns the number of cells of all shared arrays, without the gaps between them."""
        checks, storage = self.shape.translation.checks, self.shape.translation.storage
        sizes = [size for _, size in storage.shared_offsets.values()] + [self.shape.dynamic_shared]
        return sum(-(-size // checks.shared_granule) for size in sizes) if checks is not None else 0

    def _fill_shared_table(self, shared: int, static: int) -> None:
        storage = self.shape.translation.storage
        places = dict(storage.shared_offsets)
        if storage.dynamic_slot:
            places[storage.dynamic_slot] = (static, self.shape.dynamic_shared)
        entries = self._table.view(np.uint64).reshape(layout.SHARED_SLOT_COUNT, -1)
        for slot, (offset, size) in places.items():
            base = layout.shared_address(slot)
            entries[slot] = layout.ENTRY.words(
                delta=(shared + offset - base) % (1 << 64), base=base, size=size, shadow=0
            )

    def _set(self, name: str, word: Struct, value: int, extra: int = 0) -> None:
        word.pack_into(self._context.data, CONTEXT[name] + extra, value)

    def _set_warp(self, index: int, name: str, word: Struct, value: int) -> None:
        word.pack_into(self._warps.data, index * self._stride + WARP[name], value)

    def _warp_words(self, index: int, name: str, count: int = 1) -> NDArray[np.uint32]:
        at = index * self._stride + WARP[name]
        return self._warps[at : at + 4 * count].view(np.uint32)

    @property
    def bytes(self) -> int:
        """The size of the block's memory in bytes."""
        own = (self._context, self._warps, self.shared, self._table, self._local)
        return sum(part.nbytes for part in (*own, self._seen, self._shadow, self._log, self._copies, self._values))

    @property
    def instructions(self) -> int:
        """The warp instructions that this worker's blocks in this arena have executed."""
        at = CONTEXT["instructions"]
        return int(self._context[at : at + 8].view(np.int64)[0])

    @property
    def block(self) -> int:
        """The number of its block in the launch."""
        return self._number("block")

    @property
    def is_sliced(self) -> bool:
        """Whether its block was suspended for the end of its slice: it neither waits nor lost a coin."""
        return self._number("suspend_at") > 0 and not self.waits_in_vain

    @property
    def waits_in_vain(self) -> bool:
        """Whether its block has looked too often for what others should have done."""
        return self._number("waits") > self._number("suspend_waits")

    def _number(self, name: str) -> int:
        at = CONTEXT[name]
        return int(self._context[at : at + 8].view(np.uint64)[0])

    def give_slice(self, instructions: int) -> None:
        """Lets blocks run in it for so long, all together if they share a slice."""
        self._set("suspend_at", UINT64, self.instructions + instructions)

    def lose_patience(self) -> None:
        """Has blocks that begin in it be suspended as soon as resumed ones, if they wait in vain."""
        self._set("first_waits", UINT64, pace.RESUMED_WAITS)

    def resume(self) -> None:
        """Lets the block continue where it was suspended, for another slice."""
        self._set("resume", INT32, 1)
        self.give_slice(pace.BLOCK_SLICE)
        self._set("waits", UINT64, 0)
        self._set("suspend_waits", UINT64, pace.RESUMED_WAITS)

    def go_on(self, patience: int) -> None:
        """Lets the block continue in the same slice; its next check is `patience` polls later than usual."""
        self._set("resume", INT32, 1)
        self._set("polls", INT32, -patience)

    def answers(self) -> tuple[int, int]:
        """Returns (number of the block, how often a phase of a barrier object was found to be over)."""
        opened = CONTEXT["opened"]
        return self.block, int(self._context[opened : opened + 4].view(np.uint32)[0])

    def polled(self) -> list[int]:
        """Returns, by warp, the lanes (bits) that have found a phase not over since `forget_polls`."""
        return [int(self._warp_words(warp, "polled")[0]) for warp in range(self.shape.warps)]

    def forget_polls(self) -> None:
        for warp in range(self.shape.warps):
            self._set_warp(warp, "polled", INT32, 0)

    def register(self, warp: int, lane: int, offset: int, size: int) -> int:
        """Returns a lane's register of `size` bytes, at `offset` of its warp's state."""
        at = warp * self._stride + offset + size * lane
        return int.from_bytes(self._warps[at : at + size].tobytes(), "little")

    def shared_word(self, address: int) -> int | None:
        """Returns 64 bits of shared memory; None for an address outside of its arrays."""
        slot = address >> layout.SHARED_SLOT_BITS
        if not 0 <= slot < layout.SHARED_SLOT_COUNT:
            return None
        entries = self._table.view(np.uint64).reshape(layout.SHARED_SLOT_COUNT, -1)
        entry = dict(zip(layout.ENTRY, map(int, entries[slot]), strict=True))
        if not entry["base"] <= address <= entry["base"] + entry["size"] - 8:
            return None
        at = (address + entry["delta"]) % (1 << 64) - int(self.shared.ctypes.data)
        return int.from_bytes(self.shared[at : at + 8].tobytes(), "little")

    def block_index(self) -> tuple[int, int, int]:
        at = CONTEXT["ctaid"]
        x, y, z = self._context[at : at + 12].view(np.int32)
        return int(x), int(y), int(z)

    def thread_index(self, warp: int, lane: int) -> tuple[int, int, int]:
        x, y, z = self.shape.tid_table[warp, :, lane]
        return int(x), int(y), int(z)

    def waiting(self) -> Iterator[tuple[int, int, int, bool]]:
        """Yields (warp, lane, program counter, whether it could run) of all threads that have not exited."""
        for warp in range(self.shape.warps):
            alive = int(self._warp_words(warp, "alive")[0])
            ready = int(self._warp_words(warp, "ready")[0])
            counters = self._warp_words(warp, "pc", 32)
            for lane in range(32):
                if alive >> lane & 1:
                    yield warp, lane, int(counters[lane]), bool(ready >> lane & 1)
