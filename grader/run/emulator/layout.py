"""Where things lie: emulated addresses, and the structures that native code and Python share.

Every array has an address slot of its own, 64 GB wide (16 MB for a shared array), with the array in the middle.
An index that is wrong by any 32-bit amount therefore still falls into the slot of the array that it was meant for,
so that a fault names the right array, and no access can reach a neighbour unseen.
"""

from __future__ import annotations

# Generic addresses: bits 36 and up choose the slot.
SLOT_BITS = 36
SLOT_MIDDLE = 1 << (SLOT_BITS - 1)
SLOT_COUNT = 4096
SHARED_WINDOW = 1 << SLOT_BITS
LOCAL_WINDOW = 2 << SLOT_BITS
PARAMETER_SLOT = 3
WORKSPACE_SLOT = 5
FIRST_VARIABLE_SLOT = 16
FIRST_ARRAY_SLOT = 2048
FUNCTION_SLOT = 4

# What a cooperative launch hands its blocks: where cooperative_groups keeps the barrier of the grid (struct
# grid_workspace in cooperative_groups/details/info.h).
WORKSPACE_BYTES = 64

# Addresses of the shared space: bits 24 and up choose the slot.
SHARED_SLOT_BITS = 24
SHARED_SLOT_MIDDLE = 1 << (SHARED_SLOT_BITS - 1)
SHARED_SLOT_COUNT = 256

# One entry of a slot table: host address minus emulated address, first emulated address, size in bytes, and where
# what is known of a global array's cells lies, 0 for an array that is not watched.
ENTRY_BYTES = 32
ENTRY_DELTA, ENTRY_BASE, ENTRY_SIZE, ENTRY_SHADOW = 0, 8, 16, 24


def array_address(slot: int) -> int:
    return (slot << SLOT_BITS) + SLOT_MIDDLE


def shared_address(slot: int) -> int:
    return (slot << SHARED_SLOT_BITS) + SHARED_SLOT_MIDDLE


# Limits of the emulated device, compute capability 8.9 with the shared memory of 9.0 (CUDA programming guide, table
# "Technical specifications per compute capability").
MAX_THREADS = 1024
MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_STATIC_SHARED = 48 * 1024
MAX_SHARED = 227 * 1024
BARRIERS = 16
STACK_BYTES = 64 * 1024

# The context of a block (one a worker): offsets in bytes.
CONTEXT = {
    "parameters": 0,
    "globals": 8,
    "shared_table": 16,
    "event": 24,
    "stop": 32,
    "next_block": 40,
    "remaining": 48,
    "tid_table": 56,
    "warps": 64,
    "warp_stride": 72,
    "warp_count": 80,
    "block_threads": 84,
    "blocks": 88,
    "ctaid": 96,
    "nctaid": 108,
    "ntid": 120,
    "alive": 132,
    "shared_host": 136,
    "shared_bytes": 144,
    "instructions": 152,
    "block": 160,
    "worker": 168,
    "resume": 172,
    "suspend_at": 176,
    "kernel": 184,
    "dynamic_shared": 192,
    "total_shared": 196,
    "local_base": 200,
    "local_stride": 208,
    "local_bytes": 216,
    "clock": 224,
    "entry": 232,
    "waits": 240,
    "suspend_waits": 248,
    "workspace": 256,
    "shadow": 264,
    "at": 272,
    "epoch": 280,
    "epoch_end": 284,
    "time": 288,
    "other_thread": 296,
    "other_access": 300,
    "sanitize": 304,
    "remarks": 308,
    "plane": 312,
    "launch": 320,
    "begin": 328,
    "chunk": 336,
    "now": 344,
    "never": 352,
    "epoch_time": 360,
    "far_acquired": 364,
    "far_pending": 368,
    "other_block": 372,
    "dirty": 376,
    "unwritten": 380,
    "shared_cells": 384,
    "log_count": 388,
    "log": 392,
    "copies": 400,
    "tracked": 404,
    "other_pending": 408,
    "local_values": 416,
    "opened": 424,
    "polls": 428,
    "counters": 440,
    "barriers": 448,
}
BARRIER_BYTES = 64
BARRIER = {
    "arrived": 0,
    "expected": 4,
    "any": 8,
    "all": 12,
    "count": 16,
    "r_any": 20,
    "r_all": 24,
    "r_count": 28,
    # The warps that have come, as bits, and whether some of them did not wait.
    "members": 32,
    "passed": 36,
}
# By places that a block's threads synchronise through, the time of the last release there; addresses are hashed.
CONTEXT["places"] = CONTEXT["barriers"] + BARRIERS * BARRIER_BYTES
PLACE_BITS = 8
CONTEXT_BYTES = CONTEXT["places"] + (4 << PLACE_BITS)

# The state of a warp: offsets in bytes. `pc` and `frame` hold one i32 a lane; registers follow the header.
WARP = {
    "pc": 0,
    "frame": 128,
    "ready": 256,
    "alive": 260,
    "dead": 264,
    "turn": 268,
    "index": 272,
    "parked": 276,
    "local": 280,
    "tid": 288,
    "published": 296,
    "acquired": 300,
    "fenced": 304,
    "full": 308,
    "seen": 312,
    "waiting": 320,
    "scratch": 384,
    "scratch2": 640,
    "far_fenced": 896,
    "far_published": 900,
    "far_acquired": 904,
    "copy_count": 908,
    "copies": 912,
    "polled": 920,
    "near_release": 924,
    "far_release": 928,
    "handed_on": 932,
    # By warp of the block, the time up to which this one has heard of it at barriers of some warps only.
    "heard": 960,
}
WARP_HEADER_BYTES = 1088
# By lane, the times up to which it has seen what the warp's other lanes did.
SEEN_BYTES = 4096

# Copies from global to shared memory under way (cp.async): by lane the number of its open group, then one entry for
# each instruction that a warp has executed. An entry has the lanes under way, the bytes that each writes, its cells
# of shared memory, and the logarithm of the granule of global memory; by lane its group, the bytes that it reads, and
# the barrier in shared memory that tracks it, with 1 added when its phase is over; host addresses, and those of cells.
COPIES = 256
COPIES_HEAD = 128
COPY = {
    "mask": 0,
    "size": 4,
    "cells": 8,
    "shift": 12,
    "group": 64,
    "bytes": 192,
    "barrier": 320,
    "source": 448,
    "target": 704,
    "source_cell": 960,
    "target_cell": 1216,
}
COPY_BYTES = 1472
COPIES_BYTES = COPIES_HEAD + COPIES * COPY_BYTES

# What is known of a piece of memory, its cell: its last write, the last reads by one warp, an earlier read by another
# warp, and which lanes of the one warp have read. Each has a plane of its own, an i64 a cell, so that neighbouring
# cells are one vector. A record is an epoch of 22 bits, a thread of 10, flags and site in 16, and a time of 16.
CELL = {"write": 0, "read": 1, "earlier": 2, "readers": 3}
RECORD_BYTES = 8
EPOCH_SHIFT = 42
TAG_SHIFT = 32
LAST_EPOCH = (1 << 22) - 1
"""The epoch of what is still under way: it is after all others, and begins for nobody."""

# What the blocks of a launch share for the race checks.
LAUNCH = {
    "next_chunk": 0,
    "chunk_bits": 4,
    "chunks": 8,
    "first_epoch": 12,
    "owners": 16,
    "releases": 24,
    "rested": 32,
    "clock": 64,
    "places": 128,
}
# The clock of the last release at each place that blocks synchronise through.
FAR_PLACE_BITS = 12
LAUNCH_BYTES = LAUNCH["places"] + (4 << FAR_PLACE_BITS)
# The last releases of a block: the warp, the times before which all warps' and its own accesses are released, and the
# launch's clock; behind them the number of releases so far.
RELEASES = 16
RELEASE = {"warp": 0, "block_time": 4, "warp_time": 8, "clock": 12}
RELEASE_BYTES = 16
RELEASE_COUNT = RELEASES * RELEASE_BYTES
BLOCK_RELEASES_BYTES = RELEASE_COUNT + 16

# Reads of shared memory in an epoch without writes are only noted, until there is one: addresses, routine, warp, mask,
# site, time.
LOG = {"address": 0, "routine": 128, "warp": 136, "mask": 144, "site": 148, "time": 152}
LOG_ENTRY_BYTES = 192
LOG_ENTRIES = 512

# What a warp's run, and the driver's, ends with.
DONE, BLOCKED, SLICE, SUSPENDED, DEADLOCK, LIMIT, STOPPED, POLLING = range(8)

# What native code calls Python for.
EVENT_OUT_OF_BOUNDS, EVENT_MISALIGNED, EVENT_TRAP, EVENT_ASSERT, EVENT_PRINTF, EVENT_STACK, EVENT_BAD_CALL = range(7)
EVENT_WARP, EVENT_APART = range(7, 9)
# These leave the threads alone.
EVENT_RACE, EVENT_UNINITIALIZED, EVENT_BARRIER, EVENT_MASK, EVENT_UNSET = range(9, 14)
# These are remarks only, of which native code tells so many of a worker's blocks.
EVENT_SAME_VALUE, EVENT_LEFT = range(14, 16)
MOST_REMARKS = 64

# Instructions that a warp runs before the other warps of its block get their turn.
WARP_SLICE = 1 << 12

# A block is set aside for others after so many instructions, or sooner after so many of the kind that threads wait by:
# it may be waiting for a block that has not begun.
BLOCK_SLICE = 1 << 22
BLOCK_WAITS = 1 << 11
RESUMED_WAITS = 1 << 6

# After its lanes have asked so often in a row for phases of barrier objects that are not over, a block is looked at:
# perhaps nobody is left who could end one.
MOST_POLLS = 1 << 14
