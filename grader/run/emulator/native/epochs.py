"""The time of the race checks: epochs, one between two barriers of a block, and a clock within a block.

Epochs are numbered through all launches on a memory, which tells records of earlier launches apart. A launch gives
epochs to its blocks in chunks, so that an epoch names its block. When no chunk is left the checks pause, and the
launch's result says so.

The block's clock continues through its barriers. A record has 16 bits of it, counted from the base of its chunk. When
these are used up, the block gets another chunk, even between two barriers.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CHUNK, CONTEXT, LAUNCH, WARP
from grader.run.emulator.native.flow import where
from grader.run.emulator.native.ir import IrFunction, IrModule, splat
from grader.run.emulator.native.read_log import replay_routine

THREAD_BITS = layout.EPOCH_SHIFT - layout.TAG_SHIFT
LAST_TIME = (1 << 16) - 1


def record_of(f: IrFunction, epoch: str) -> str:
    """Returns the smallest record of an epoch."""
    return f.let(f"shl i64 {f.let(f'zext i32 {epoch} to i64')}, {layout.EPOCH_SHIFT}")


def epoch_routine(module: IrModule) -> str:
    """Returns the routine `(ctx)`, which begins an epoch: all that the block has done is before all that it will do."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [("ptr", "ctx")], attributes="nounwind noinline")
        wanted = f.load("i32", "%ctx", CONTEXT["sanitize"])
        f.branch(f.let(f"icmp eq i32 {wanted}, 0"), "off", "on")
        f.block("off")
        f.do("ret void")
        f.block("on")
        f.store("i32", "0", "%ctx", CONTEXT["log_count"])
        f.store("i32", f.call(tick_routine(owner), "i32", ["ptr %ctx"]), "%ctx", CONTEXT["epoch_time"])
        f.store_lanes(f.load_lanes("i32", "%ctx", CONTEXT["far_pending"]), "%ctx", CONTEXT["far_acquired"])
        f.store("i64", f.load("i64", "%ctx", CONTEXT["flag_pending"]), "%ctx", CONTEXT["flag"])
        epoch = f.let(f"add i32 {f.load('i32', '%ctx', CONTEXT['epoch'])}, 1")
        end = f.load("i32", "%ctx", CONTEXT["epoch_end"])
        f.branch(f.let(f"icmp uge i32 {epoch}, {end}"), "over", "within", unlikely=True)
        f.block("over")
        f.call(chunk_routine(owner), "void", ["ptr %ctx"])
        f.goto("begun")
        f.block("within")
        f.store("i32", epoch, "%ctx", CONTEXT["epoch"])
        f.store("i64", record_of(f, epoch), "%ctx", CONTEXT["now"])
        f.goto("begun")
        f.block("begun")
        f.store("i64", f.load("i64", "%ctx", CONTEXT["now"]), "%ctx", CONTEXT["since"])
        f.do("ret void")
        return f

    return module.routine("new_epoch", build)


def chunk_routine(module: IrModule) -> str:
    """Returns the routine `(ctx)`, which gives the block a new chunk of epochs and begins the first of them."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [("ptr", "ctx")], attributes="nounwind noinline")
        launch = f.load("ptr", "%ctx", CONTEXT["launch"])
        chunk = f.let(f"atomicrmw add ptr {f.field(launch, LAUNCH['next_chunk'])}, i32 1 monotonic")
        most = f.load("i32", launch, LAUNCH["chunks"])
        f.branch(f.let(f"icmp uge i32 {chunk}, {most}"), "none", "some", unlikely=True)
        f.block("none")
        f.store("i32", "0", "%ctx", CONTEXT["sanitize"])
        f.store("i32", "1", launch, LAUNCH["rested"])
        f.do("ret void")
        f.block("some")
        bits = f.load("i32", launch, LAUNCH["chunk_bits"])
        offset = f.let(f"shl i32 {chunk}, {bits}")
        epoch = f.let(f"add i32 {f.load('i32', launch, LAUNCH['first_epoch'])}, {offset}")
        block = f.let(f"trunc i64 {f.load('i64', '%ctx', CONTEXT['block'])} to i32")
        known = chunk_at(f, chunk)
        f.store("i32", block, known, CHUNK["block"])
        f.store("i32", f.load("i32", "%ctx", CONTEXT["base"]), known, CHUNK["base"])
        f.store("i32", epoch, "%ctx", CONTEXT["epoch"])
        f.store("i32", f.let(f"add i32 {epoch}, {f.let(f'shl i32 1, {bits}')}"), "%ctx", CONTEXT["epoch_end"])
        first = record_of(f, epoch)
        f.store("i64", first, "%ctx", CONTEXT["chunk"])
        f.store("i64", first, "%ctx", CONTEXT["now"])
        f.do("ret void")
        return f

    return module.routine("new_chunk", build)


def chunk_at(f: IrFunction, chunk: str) -> str:
    """Returns the address of the entry that holds a chunk's block and base time."""
    known = f.load("ptr", f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["owners"])
    return f.field(known, f.let(f"mul i64 {_wide(f, chunk)}, {layout.CHUNK.size}"))


def owner_of(f: IrFunction, epoch: str) -> str:
    """Returns the address of the chunk entry of an epoch of this launch."""
    launch = f.load("ptr", "%ctx", CONTEXT["launch"])
    since = f.let(f"sub i32 {epoch}, {f.load('i32', launch, LAUNCH['first_epoch'])}")
    return chunk_at(f, f.let(f"lshr i32 {since}, {f.load('i32', launch, LAUNCH['chunk_bits'])}"))


def time_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, record) -> time`, on the clock of the record's block.

    The time is 0 for a record of an earlier launch, or of a pending access.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i32", [("ptr", "ctx"), ("i64", "record")], attributes="nounwind noinline")
        epoch = f.let(f"trunc i64 {f.let(f'lshr i64 %record, {layout.EPOCH_SHIFT}')} to i32")
        of_launch = f.let(f"icmp uge i64 %record, {f.load('i64', '%ctx', CONTEXT['begin'])}")
        over = f.let(f"icmp ne i32 {epoch}, {layout.LAST_EPOCH}")
        f.branch(f.let(f"and i1 {of_launch}, {over}"), "known", "unknown")
        f.block("unknown")
        f.do("ret i32 0")
        f.block("known")
        time = f.let(f"and i32 {f.let('trunc i64 %record to i32')}, {LAST_TIME}")
        base = f.load("i32", owner_of(f, epoch), CHUNK["base"])
        f.do(f"ret i32 {f.let(f'add i32 {time}, {base}')}")
        return f

    return module.routine("time_of", build)


def tick_routine(module: IrModule) -> str:
    """Returns the routine `(ctx) -> time`, which advances the block's clock.

    If a record has no room for the time, the block gets another chunk.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i32", [("ptr", "ctx")], attributes="nounwind noinline")
        time, base = (f.load("i32", "%ctx", CONTEXT[field]) for field in ("time", "base"))
        f.branch(f.let(f"icmp uge i32 {time}, {LAST_TIME}"), "last", "next", unlikely=True)
        f.block("last")
        # The deferred reads belong to the current chunk.
        f.call(replay_routine(owner), "void", ["ptr %ctx"])
        further = f.let(f"add i32 {base}, {time}")
        f.store("i32", further, "%ctx", CONTEXT["base"])
        f.store("i32", "1", "%ctx", CONTEXT["time"])
        f.call(chunk_routine(owner), "void", ["ptr %ctx"])
        f.store("i32", f.load("i32", "%ctx", CONTEXT["epoch"]), "%ctx", CONTEXT["dirty"])
        f.do(f"ret i32 {f.let(f'add i32 {further}, 1')}")
        f.block("next")
        later = f.let(f"add i32 {time}, 1")
        f.store("i32", later, "%ctx", CONTEXT["time"])
        f.do(f"ret i32 {f.let(f'add i32 {base}, {later}')}")
        return f

    return module.routine("tick", build)


def new_epoch(f: IrFunction) -> None:
    """Emits the start of a new epoch of the block."""
    f.call(epoch_routine(f.module), "void", ["ptr %ctx"])


def begin_block(f: IrFunction) -> None:
    """Resets a block's state: it knows nothing of earlier blocks, and no shared memory is written."""
    begin, done = f.name_block("checked"), f.name_block("unchecked")
    f.store("i32", "1", "%ctx", CONTEXT["time"])
    f.store("i32", "0", "%ctx", CONTEXT["base"])
    wanted = f.load("i32", "%ctx", CONTEXT["sanitize"])
    f.branch(f.let(f"icmp eq i32 {wanted}, 0"), done, begin)
    f.block(begin)
    f.call(chunk_routine(f.module), "void", ["ptr %ctx"])
    f.store("i64", f.load("i64", "%ctx", CONTEXT["now"]), "%ctx", CONTEXT["never"])
    # Cells that count as written without a writer have the epoch before this one.
    new_epoch(f)
    f.store("i32", f.load("i32", "%ctx", CONTEXT["shared_cells"]), "%ctx", CONTEXT["unwritten"])
    _clear(f, f.field("%ctx", CONTEXT["places"]), 4 << layout.PLACE_BITS)
    for field in ("far_covered", "far_looking", "dirty", "log_count"):
        f.store("i32", "0", "%ctx", CONTEXT[field])
    for field in ("far_acquired", "far_pending", "far_seen"):
        f.store_lanes(splat("i32", 0), "%ctx", CONTEXT[field])
    for field in ("passed", "flag", "flag_pending"):
        f.store("i64", "0", "%ctx", CONTEXT[field])
    f.goto(done)
    f.block(done)


def begin_warp(f: IrFunction, warp: str) -> None:
    """Resets what a warp knows of other threads, at the start of a block."""
    # Most blocks leave neither: clearing them takes longer than a short kernel.
    with where(f, f.let(f"icmp ne i32 {f.load('i32', warp, WARP['ordered'])}, 0"), "ordered"):
        near = ("fenced", "published", "learned", "acquired", "near_clock", "heard")
        far = ("far_fenced", "far_published", "far_known", "far_learned", "far_acquired")
        for field in (*near, *far):
            f.store_lanes(splat("i32", 0), warp, WARP[field])
    with where(f, f.let(f"icmp ne i32 {f.load('i32', warp, WARP['partly'])}, 0"), "partly"):
        _clear(f, f.load("ptr", warp, WARP["seen"]), layout.SEEN_BYTES)
    flags = ("full", "partly", "hears", "ordered", "waited")
    for field in (*flags, "handed_on", "far_last", "far_since", "far_release"):
        f.store("i32", "0", warp, WARP[field])
    f.store_lanes(splat("i64", 0), warp, WARP["passed"])


def begin_to_hear(f: IrFunction, warp: str = "%warp") -> None:
    """Emits that a warp knows of releases from now on."""
    for field in ("hears", "ordered"):
        f.store("i32", "1", warp, WARP[field])


def _clear(f: IrFunction, pointer: str, size: int) -> None:
    f.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
    f.do(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {size}, i1 false)")


def _wide(f: IrFunction, value: str) -> str:
    return f.let(f"zext i32 {value} to i64")
