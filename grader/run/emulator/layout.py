"""Where things lie: emulated addresses, and the structures that native code and Python share.

Every array has an address slot of its own, 64 GB wide (16 MB for a shared array), with the array in the middle.
An index that is wrong by any 32-bit amount therefore still falls into the slot of the array that it was meant for,
so that a fault names the right array, and no access can reach a neighbour unseen.
"""

from __future__ import annotations

from grader.run.emulator.structure import LANES, WIDE, WORD, Field, Structure, array, lanes

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
ENTRY = Structure(delta=WIDE, base=WIDE, size=WIDE, shadow=WIDE)
# Two tables of the global space: what may be read, and behind it what may be written.
TABLE_BYTES = SLOT_COUNT * ENTRY.size


def array_address(slot: int) -> int:
    """The generic address of the first byte of the array in a slot."""
    return (slot << SLOT_BITS) + SLOT_MIDDLE


def shared_address(slot: int) -> int:
    """The same of a shared array, in the shared space."""
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

# A barrier of a block.
BARRIER = Structure(
    least_align=64,
    arrived=WORD,
    expected=WORD,
    any=WORD,
    all=WORD,
    count=WORD,
    r_any=WORD,
    r_all=WORD,
    r_count=WORD,
    # The warps that have come, as bits, and whether some of them did not wait.
    members=WORD,
    passed=WORD,
    # Groups of barriers: those that it is in for threads that have not gone past it, and those that threads have.
    awaited=WIDE,
    passed_by=WIDE,
)

PLACE_BITS = 8
# The context of a block (one a worker).
CONTEXT = Structure(
    parameters=WIDE,
    globals=WIDE,
    shared_table=WIDE,
    event=WIDE,
    stop=WIDE,
    next_block=WIDE,
    remaining=WIDE,
    tid_table=WIDE,
    warps=WIDE,
    warp_stride=WIDE,
    warp_count=WORD,
    block_threads=WORD,
    blocks=WIDE,
    ctaid=array(WORD, 3),
    nctaid=array(WORD, 3),
    ntid=array(WORD, 3),
    alive=WORD,
    shared_host=WIDE,
    shared_bytes=WIDE,
    instructions=WIDE,
    block=WIDE,
    worker=WORD,
    resume=WORD,
    suspend_at=WIDE,
    kernel=WIDE,
    dynamic_shared=WORD,
    total_shared=WORD,
    local_base=WIDE,
    local_stride=WIDE,
    local_bytes=WIDE,
    clock=WIDE,
    entry=WORD,
    waits=WIDE,
    suspend_waits=WIDE,
    workspace=WIDE,
    shadow=WIDE,
    at=WIDE,
    epoch=WORD,
    epoch_end=WORD,
    time=WORD,
    other_thread=WORD,
    other_access=WORD,
    sanitize=WORD,
    remarks=WORD,
    plane=WIDE,
    launch=WIDE,
    begin=WIDE,
    chunk=WIDE,
    now=WIDE,
    never=WIDE,
    epoch_time=WORD,
    far_acquired=WORD,
    far_pending=WORD,
    other_block=WORD,
    dirty=WORD,
    unwritten=WORD,
    shared_cells=WORD,
    log_count=WORD,
    log=WIDE,
    copies=WORD,
    tracked=WORD,
    other_pending=WORD,
    local_values=WIDE,
    opened=WORD,
    polls=WORD,
    counters=WIDE,
    since=WIDE,
    base=WORD,
    reader_planes=WIDE,
    told=WIDE,
    far_covered=WORD,
    patience=WORD,
    # Groups of barriers that threads have gone past which have exited.
    passed=WIDE,
    barriers=array(BARRIER, BARRIERS),
    # By places that a block's threads synchronise through, the time of the last release there; addresses are hashed.
    places=array(WORD, 1 << PLACE_BITS),
)

# The state of a warp; registers follow it.
WARP = Structure(
    pc=lanes(WORD),
    frame=lanes(WORD),
    ready=WORD,
    alive=WORD,
    dead=WORD,
    turn=WORD,
    index=WORD,
    parked=WORD,
    local=WIDE,
    tid=WIDE,
    published=WORD,
    acquired=WORD,
    fenced=WORD,
    full=WORD,
    seen=WIDE,
    # By barrier of the block, the lanes that wait at it.
    waiting=array(WORD, BARRIERS),
    scratch=lanes(WIDE),
    scratch2=lanes(WIDE),
    far_fenced=WORD,
    far_published=WORD,
    far_acquired=WORD,
    copy_count=WORD,
    copies=WIDE,
    polled=WORD,
    near_release=WORD,
    far_release=WORD,
    handed_on=WORD,
    # By warp of the block, the time up to which this one has heard of it at barriers of some warps only.
    heard=lanes(WORD),
    # By lane, the groups of barriers that it has gone past since it last came to one.
    passed=lanes(WIDE),
)
# By lane, the times up to which it has seen what the warp's other lanes did.
SEEN_BYTES = array(lanes(WORD), LANES).size

# A copy from global to shared memory under way (cp.async), one for each instruction that a warp has executed: the lanes
# under way, the bytes that each writes, its cells of shared memory, and the logarithm of the granule of global memory;
# by lane its group, the bytes that it reads, and the barrier in shared memory that tracks it, with 1 added when its
# phase is over; host addresses, and those of cells.
COPY = Structure(
    mask=WORD,
    size=WORD,
    cells=WORD,
    shift=WORD,
    # The first record of the epoch in which the copy began.
    now=WIDE,
    group=lanes(WORD),
    bytes=lanes(WORD),
    barrier=lanes(WORD),
    source=lanes(WIDE),
    target=lanes(WIDE),
    source_cell=lanes(WIDE),
    target_cell=lanes(WIDE),
)
COPIES = 256
# The copies of a warp, and by lane the number of its open group.
COPY_LIST = Structure(open_group=lanes(WORD), copies=array(COPY, COPIES))

# What is known of a piece of memory, its cell: its last write, the last reads by one warp, an earlier read by another
# warp, and which lanes of the one warp have read. Each has a plane of its own, an i64 a cell, so that neighbouring
# cells are one vector. A record is an epoch of 22 bits, a thread of 10, flags and site in 16, and a time of 16.
# Where still more warps have read, shared memory has a plane for each warp of the block, and in global memory the upper
# half of `readers` is the number of the first node of a list, 0 for none.
CELL = {name: plane for plane, name in enumerate(("write", "read", "earlier", "readers"))}
RECORD_BYTES = WIDE.size
EPOCH_SHIFT = 42
TAG_SHIFT = 32
LAST_EPOCH = (1 << 22) - 1
"""The epoch of what is still under way: it is after all others, and begins for nobody."""

FAR_PLACE_BITS = 12
# What the blocks of a launch share for the race checks.
LAUNCH = Structure(
    next_chunk=WORD,
    chunk_bits=WORD,
    chunks=WORD,
    first_epoch=WORD,
    owners=WIDE,
    releases=WIDE,
    rested=WORD,
    readers=WIDE,
    release_times=WIDE,
    release_room=WORD,
    warps=WORD,
    # What all of them count in lies apart from what they only read.
    clock=Field(WORD.size, 64),
    reader_count=WORD,
    release_count=WORD,
    # The clock of the last release at each place that blocks synchronise through.
    places=array(WORD, 1 << FAR_PLACE_BITS, 64),
)
# One release: the time before which accesses are released, and the launch's clock then; both rise.
RELEASE = Structure(time=WORD, clock=WORD)
FIRST_RELEASES = 2
# The releases of a block: a list of those that cover all of its warps, then one for each warp. The first entries lie in
# the list itself.
RELEASES = Structure(count=WORD, capacity=WORD, entries=WIDE, first=array(RELEASE, FIRST_RELEASES))
MOST_RELEASES = 1 << 23
"""Entries that do not lie in the lists themselves, of a launch."""

# A chunk of epochs: its block, and the time of the block that the times in its records count from.
CHUNK = Structure(block=WORD, base=WORD)

# One more reader of a cell of global memory.
READER = Structure(record=WIDE, next=WORD)
MOST_READERS = 1 << 21

# What has been told of, of one worker's blocks: a key and how often, in a hash table.
TOLD = Structure(key=WIDE, times=WORD)
TOLD_ENTRIES = 512

# Reads of shared memory in an epoch without writes are only noted, until there is one.
LOG = Structure(address=lanes(WORD), routine=WIDE, warp=WIDE, mask=WORD, site=WORD, time=WORD)
LOG_ENTRIES = 512

# What a warp's run, and the driver's, ends with.
DONE, BLOCKED, SLICE, SUSPENDED, DEADLOCK, LIMIT, STOPPED, POLLING = range(8)

# What native code calls Python for.
EVENT_OUT_OF_BOUNDS, EVENT_MISALIGNED, EVENT_TRAP, EVENT_ASSERT, EVENT_PRINTF, EVENT_STACK, EVENT_BAD_CALL = range(7)
EVENT_WARP, EVENT_APART = range(7, 9)
# These leave the threads alone.
EVENT_RACE, EVENT_UNINITIALIZED, EVENT_BARRIER, EVENT_MASK, EVENT_UNSET, EVENT_PAST = range(9, 15)
# A block needs planes for the readers of its shared memory.
EVENT_READERS = 15
# These are remarks only, of which native code tells so many of a worker's blocks.
EVENT_SAME_VALUE, EVENT_LEFT, EVENT_GONE = range(16, 19)
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
