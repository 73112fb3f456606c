"""The layout of emulated addresses, and of the structures that native code and Python share.

Every array has its own address slot, 64 GB wide (16 MB for a shared array), with the array in the middle. An index that
is wrong by any 32-bit amount therefore still falls into the slot of the array it was meant for: a fault names the right
array, and no access reaches a neighbour unseen.
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
HEAP_SLOTS = range(FIRST_ARRAY_SLOT - 10, FIRST_ARRAY_SLOT)
"""The slots of the arrays that memory for malloc() comes from."""
FUNCTION_SLOT = 4

# The workspace of a cooperative launch, where cooperative_groups keeps the barrier of the grid (struct grid_workspace
# in cooperative_groups/details/info.h).
WORKSPACE_BYTES = 64

# Addresses of the shared space: bits 24 and up choose the slot.
SHARED_SLOT_BITS = 24
SHARED_SLOT_MIDDLE = 1 << (SHARED_SLOT_BITS - 1)
SHARED_SLOT_COUNT = 256

# An entry of a slot table: host address minus emulated address, first emulated address, size in bytes, and the address
# of a global array's records, 0 for an array that is not watched.
ENTRY = Structure(delta=WIDE, base=WIDE, size=WIDE, shadow=WIDE)
# The global space has two tables: what may be read, followed by what may be written.
TABLE_BYTES = SLOT_COUNT * ENTRY.size


def array_address(slot: int) -> int:
    """Returns the generic address of the first byte of the array in a slot."""
    return (slot << SLOT_BITS) + SLOT_MIDDLE


def shared_address(slot: int) -> int:
    """Returns the address, in the shared space, of the first byte of the shared array in a slot."""
    return (slot << SHARED_SLOT_BITS) + SHARED_SLOT_MIDDLE


# Limits of the emulated device, compute capability 8.9 with the shared memory of 9.0 (CUDA programming guide, table
# "Technical specifications per compute capability").
MAX_THREADS = 1024
MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_STATIC_SHARED = 48 * 1024
MAX_SHARED = 227 * 1024
MAX_LOCAL = 512 * 1024
BARRIERS = 16
STACK_BYTES = 64 * 1024

LEFT_OVER = 0x5AFE5AFE
"""For unset shared memory: what the block before has left there."""

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
    # The warps that have arrived, as bits, and whether some of them did not wait.
    members=WORD,
    passed=WORD,
    # Groups of barriers (bits): those it belongs to for threads that have not skipped it, and those that threads
    # skipped.
    awaited=WIDE,
    passed_by=WIDE,
)

PLACE_BITS = 8
# The context of a block; each worker has one per block in flight.
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
    # The slice of a block that begins; 0 if blocks share their arena's slice.
    slice=WIDE,
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
    # What suspend_waits is for a block that begins.
    first_waits=WIDE,
    # The number of the block that begins first.
    first_block=WIDE,
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
    # Clocks of other blocks' releases, by block: those that all warps have acquired, and those that some warp has.
    far_acquired=lanes(WORD),
    far_pending=lanes(WORD),
    # Those that relaxed and volatile reads have seen, which a fence of the reader takes over.
    far_seen=lanes(WORD),
    # Whether a strong read is checked, which may also rely on what it has only seen.
    far_looking=WORD,
    # The record of a flag that all warps, or some warp, has waited for: who set it, and when.
    flag=WIDE,
    flag_pending=WIDE,
    # How often the block may still be suspended before it looks at what other blocks wait for, and before it sets that.
    look_stirs=WORD,
    set_stirs=WORD,
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
    journal=WIDE,
    since=WIDE,
    base=WORD,
    reader_planes=WIDE,
    reports=WIDE,
    far_covered=WORD,
    patience=WORD,
    # What unset shared memory holds; LEFT_OVER: what is there.
    unset_shared=WORD,
    # Groups of barriers (bits) that exited threads have skipped.
    passed=WIDE,
    barriers=array(BARRIER, BARRIERS),
    # The time of the last release at each place that the block's threads synchronise through; addresses are hashed.
    places=array(WORD, 1 << PLACE_BITS),
    # By place, the time up to which the releases there cover each warp. Valid only where the time is not 0.
    place_clocks=array(lanes(WORD), 1 << PLACE_BITS),
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
    # By lane, the time up to which its accesses have been followed by a fence, its own or one of a lane that knew of
    # them, and up to which they have been published after it.
    fenced=lanes(WORD),
    published=lanes(WORD),
    # By warp of the block, the time up to which its accesses are covered by what lanes of this one have acquired, and
    # by lane the time of the latest release that it has acquired, or a lane that it has met since.
    learned=lanes(WORD),
    acquired=lanes(WORD),
    # By warp of the block, the time up to which it publishes the accesses of that warp.
    near_clock=lanes(WORD),
    full=WORD,
    # Whether some lanes have met without others, so that `seen` tells more than `full`; whether any has acquired; and
    # whether fences, releases or acquisitions have left anything here that the next block has to find cleared.
    partly=WORD,
    hears=WORD,
    ordered=WORD,
    # By lane, the record of the last flag that it has waited for, or a lane that it has met since; valid if `waited`.
    waited=WORD,
    flags=lanes(WIDE),
    seen=WIDE,
    # By barrier of the block, the lanes that wait at it.
    waiting=array(WORD, BARRIERS),
    scratch=lanes(WIDE),
    scratch2=lanes(WIDE),
    # The same for other blocks; here others may have published what this warp had fenced.
    far_fenced=lanes(WORD),
    far_published=lanes(WORD),
    # The time of its last release in the launch's lists.
    far_last=WORD,
    # The time of the block's last barrier before its last fence, and by warp the time up to which it knew then what
    # that warp had done.
    far_since=WORD,
    far_known=lanes(WORD),
    # By block, the clock of its latest release that lanes of this warp have acquired, and by lane the clock of the
    # latest release that it has acquired, or a lane that it has met since.
    far_learned=lanes(WORD),
    far_acquired=lanes(WORD),
    copy_count=WORD,
    copies=WIDE,
    polled=WORD,
    far_release=WORD,
    handed_on=WORD,
    # By warp of the block, the time up to which this one knows its accesses, from barriers of some warps only.
    heard=lanes(WORD),
    # By lane, the groups of barriers (bits) that it has skipped since it last came to one.
    passed=lanes(WIDE),
)
# By lane, the times up to which it knows what the warp's other lanes did.
SEEN_BYTES = array(lanes(WORD), LANES).size

# A pending copy from global to shared memory (cp.async), one for each instruction that a warp has executed: the pending
# lanes, the bytes that each writes, its cells of shared memory, and log2 of the granule of global memory; by lane its
# group, the bytes that it reads, and the barrier object that tracks it, plus 1 when its phase is over; the host
# addresses of both sides, and of their cells.
COPY = Structure(
    mask=WORD,
    size=WORD,
    cells=WORD,
    shift=WORD,
    # The smallest record of the epoch in which the copy began.
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

# The records of a cell: its last write, the last reads by one warp, an earlier read by another warp, and the lanes of
# the one warp that read. Each has its own plane, an i64 per cell, so that neighbouring cells form a vector. A record is
# an epoch of 22 bits, a thread of 10, flags and site in 16, and a time of 16. If more warps have read, shared memory
# has a plane for each warp of the block; in global memory the upper half of `readers` is the number of the first node
# of a list, 0 for none.
CELL = {name: plane for plane, name in enumerate(("write", "read", "earlier", "readers"))}
RECORD_BYTES = WIDE.size
EPOCH_SHIFT = 42
TAG_SHIFT = 32
LAST_EPOCH = (1 << 22) - 1
"""The epoch of pending accesses: later than all others, and given to no block."""

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
    # By site, a byte: PLAIN_STORE or STRONG_STORE if its instruction is one.
    stores=WIDE,
    # Whether a plain write has been kept among the reads of its cell.
    kept_writes=WORD,
    # Fields that all blocks count in are apart from those that they only read.
    clock=Field(WORD.size, 64),
    reader_count=WORD,
    release_count=WORD,
    # The clock of the last release at each place that blocks synchronise through, and by block the last one of those
    # that it covers. Blocks whose numbers differ by a multiple of 32 share a clock.
    places=array(WORD, 1 << FAR_PLACE_BITS, 64),
    place_clocks=array(lanes(WORD), 1 << FAR_PLACE_BITS),
)
PLAIN_STORE, STRONG_STORE = 1, 2
# One release: the time before which accesses are released, the launch's clock then, and the lanes (bits) whose accesses
# they are; time and clock increase along a list.
RELEASE = Structure(time=WORD, clock=WORD, lanes=WORD)
FIRST_RELEASES = 2
# The releases of a block: a list of those that cover all of its warps, then one for each warp. The first entries are in
# the list itself.
RELEASES = Structure(count=WORD, capacity=WORD, entries=WIDE, first=array(RELEASE, FIRST_RELEASES))
MOST_RELEASES = 1 << 23
"""The entries of a launch that are not in the lists themselves."""

# A chunk of epochs: its block, and the block's time that the times in its records count from.
CHUNK = Structure(block=WORD, base=WORD)

# One more reader of a cell of global memory.
READER = Structure(record=WIDE, next=WORD, strong=WORD)
"""`strong`: this read and all those further down its list are of the strength of an atomic."""
MOST_READERS = 1 << 21

# The reports from one worker's blocks, a hash table: a key, and how often.
REPORT = Structure(key=WIDE, times=WORD)
REPORT_ENTRIES = 512

# Reads of shared memory in an epoch without writes are only logged, until there is a write.
LOG = Structure(address=lanes(WORD), routine=WIDE, warp=WIDE, mask=WORD, site=WORD, time=WORD)
LOG_ENTRIES = 512

# The journal of a block: its entries, and for accesses a row each of 32 addresses and 32 values. If `watched_bytes` is
# not 0, only accesses to those bytes from `watched` on are entered.
JOURNAL = Structure(
    entries=WIDE,
    count=WIDE,
    capacity=WIDE,
    rows=WIDE,
    row_count=WIDE,
    row_capacity=WIDE,
    watched=WIDE,
    watched_bytes=WIDE,
    keeps_last=WIDE,
)
ENTRY_OF_JOURNAL = Structure(block=WIDE, site=WORD, warp=WORD, mask=WORD, row=WORD)
JOURNAL_ROW = Structure(addresses=lanes(WIDE), values=lanes(WIDE))

# The status that the run of a warp, or the driver, ends with.
DONE, BLOCKED, SLICE, SUSPENDED, DEADLOCK, LIMIT, STOPPED, POLLING = range(8)

# The events that native code calls Python for.
EVENT_OUT_OF_BOUNDS, EVENT_MISALIGNED, EVENT_TRAP, EVENT_ASSERT, EVENT_PRINTF, EVENT_STACK, EVENT_BAD_CALL = range(7)
EVENT_WARP, EVENT_APART = range(7, 9)
# These leave the threads running.
EVENT_RACE, EVENT_UNINITIALIZED, EVENT_BARRIER, EVENT_MASK, EVENT_UNSET, EVENT_PAST, EVENT_STALE = range(9, 16)
# A block needs planes for the readers of its shared memory.
EVENT_READERS = 16
# Threads ask for memory of the heap, and give it back.
EVENT_MALLOC, EVENT_FREE = range(17, 19)
# These are only remarks, of which native code reports at most MOST_REMARKS per context.
EVENT_SAME_VALUE, EVENT_LEFT, EVENT_ABSENT = range(19, 22)
MOST_REMARKS = 64
