"""The layout of a launch's counters, which native code and Python share: offsets in bytes.

First come the arrays of global memory by slot, then where traces are written, then the basic blocks, then a row for
each instruction. Each array also has a map, with a cell for each of its sectors.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.structure import LANES, WIDE, WORD, Structure, array

SECTOR = 32
"""Bytes: the smallest transfer of global memory."""
MANY = (1 << 63) - 1
"""Stands for a slot: the row has touched more than one array."""

ARRAY = Structure(
    least_align=64,
    load_bytes=WIDE,
    load_sectors=WIDE,
    store_bytes=WIDE,
    store_sectors=WIDE,
    atomic_bytes=WIDE,
    atomic_sectors=WIDE,
    block_sectors=WIDE,
)

# A sector of an array: the number, from 1, of the block that read it last, and one bit per byte read.
CELL = Structure(block=WORD, bytes=WORD)

# Where the next record of a trace goes, and the place that takes all records of a full one. Native code writes without
# asking whether there is a trace: without one both are the address of a cell that nobody reads.
TRACES = layout.SLOT_COUNT * ARRAY.size
TRACE = Structure(least_align=64, sectors=WIDE, last_sector=WIDE, steps=WIDE, last_step=WIDE)
STEP = Structure(where=WIDE)
"""A warp executes a basic block: warp number × 2^32 + the block's."""
TOUCH = Structure(sector=WIDE, where=WIDE)
"""A request touches a sector (address / SECTOR): the offset of its row × 2^32 + its number × 2^16 + the warp's."""

BLOCKS = TRACES + TRACE.size
BLOCK = Structure(executed=WIDE, threads=WIDE)

ROW = Structure(
    requests=WIDE,
    sectors=WIDE,
    ideal_sectors=WIDE,
    bytes=WIDE,
    array=WIDE,
    shared_requests=WIDE,
    wavefronts=WIDE,
    ideal_wavefronts=WIDE,
    shared_bytes=WIDE,
    ways=WIDE,
    shared_array=WIDE,
    turns=WIDE,
    words=WIDE,
    divergent=WIDE,
    sample_measure=WIDE,
    sample_mask=WIDE,
    sample_block=WIDE,
    sample_warp=WIDE,
    sample=array(WIDE, LANES),
)


def rows_at(blocks: int) -> int:
    """Returns the offset of the rows, for a program of `blocks` basic blocks."""
    return BLOCKS + blocks * BLOCK.size
