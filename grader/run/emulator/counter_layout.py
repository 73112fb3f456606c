"""Where a launch's counters lie in their buffer, which native code and Python share: offsets in bytes.

First come the arrays of global memory by slot, then the basic blocks, then a row for each instruction. Beside it each
array has a map, with a cell for each of its sectors.
"""

from __future__ import annotations

from grader.run.emulator import layout

SECTOR = 32
"""Bytes of global memory that are moved at least."""
MANY = (1 << 63) - 1
"""In place of a slot: the row has touched more than one array."""

ARRAY = {
    "load_bytes": 0,
    "load_sectors": 8,
    "store_bytes": 16,
    "store_sectors": 24,
    "atomic_bytes": 32,
    "atomic_sectors": 40,
    "block_sectors": 48,
}
ARRAY_BYTES = 64

# What is known of a sector of an array: the number, from 1, of the block that read it last, and a bit a byte read.
CELL = {"block": 0, "bytes": 4}
CELL_BYTES = 8

BLOCKS = layout.SLOT_COUNT * ARRAY_BYTES
BLOCK = {"executed": 0, "threads": 8}
BLOCK_BYTES = 16

_NAMES = (
    *("requests", "sectors", "ideal_sectors", "bytes", "array"),
    *("shared_requests", "wavefronts", "ideal_wavefronts", "shared_bytes", "ways", "shared_array"),
    *("turns", "divergent", "sample_measure", "sample_mask", "sample_block", "sample_warp", "sample"),
)
ROW = {name: 8 * position for position, name in enumerate(_NAMES)}
ROW_BYTES = ROW["sample"] + 8 * 32


def rows_at(blocks: int) -> int:
    """Where the rows of a program of so many basic blocks begin."""
    return BLOCKS + blocks * BLOCK_BYTES
