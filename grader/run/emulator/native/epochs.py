"""The time of the race checks: epochs, one from each barrier of a block to the next, and a clock within a block.

Epochs are numbered through all launches on a memory, so that a record of an earlier launch is told from one of this.
A launch hands them to its blocks in chunks: an epoch names its block. When none is left the checks rest, which the
launch's result says.

The clock of a block goes on through its barriers. A record has 16 bits of it, which count from the base of its chunk:
where they are used up the block gets another chunk, in the midst of what lies between two barriers.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CHUNK, CONTEXT, LAUNCH, WARP
from grader.run.emulator.native.ir import IrFunction, IrModule, splat
from grader.run.emulator.native.read_log import replay_routine

THREAD_BITS = layout.EPOCH_SHIFT - layout.TAG_SHIFT
LAST_TIME = (1 << 16) - 1


def record_of(f: IrFunction, epoch: str) -> str:
    """The smallest record of an epoch."""
    return f.let(f"shl i64 {f.let(f'zext i32 {epoch} to i64')}, {layout.EPOCH_SHIFT}")


def epoch_routine(module: IrModule) -> str:
    """`(ctx)`: orders all that the block has done before all that it will do."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [("ptr", "ctx")], attributes="nounwind noinline")
        wanted = f.load("i32", "%ctx", CONTEXT["sanitize"])
        f.branch(f.let(f"icmp eq i32 {wanted}, 0"), "off", "on")
        f.block("off")
        f.do("ret void")
        f.block("on")
        f.store("i32", "0", "%ctx", CONTEXT["log_count"])
        f.store("i32", f.call(tick_routine(owner), "i32", ["ptr %ctx"]), "%ctx", CONTEXT["epoch_time"])
        f.store("i32", f.load("i32", "%ctx", CONTEXT["far_pending"]), "%ctx", CONTEXT["far_acquired"])
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
    """`(ctx)`: a new chunk of epochs for the block, and the first of it begins."""

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
    """Where it is known of a chunk whose it is, and since when."""
    known = f.load("ptr", f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["owners"])
    return f.field(known, f.let(f"mul i64 {_wide(f, chunk)}, {layout.CHUNK.size}"))


def owner_of(f: IrFunction, epoch: str) -> str:
    """Where it is known of an epoch of this launch whose it is."""
    launch = f.load("ptr", "%ctx", CONTEXT["launch"])
    since = f.let(f"sub i32 {epoch}, {f.load('i32', launch, LAUNCH['first_epoch'])}")
    return chunk_at(f, f.let(f"lshr i32 {since}, {f.load('i32', launch, LAUNCH['chunk_bits'])}"))


def time_routine(module: IrModule) -> str:
    """`(ctx, record) -> time` by the clock of its block; 0 for a record that is not of this launch."""

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
    """`(ctx) -> time`: moves the block's clock on; where a record has no room for it, the block gets another chunk."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i32", [("ptr", "ctx")], attributes="nounwind noinline")
        time, base = (f.load("i32", "%ctx", CONTEXT[field]) for field in ("time", "base"))
        f.branch(f.let(f"icmp uge i32 {time}, {LAST_TIME}"), "last", "next", unlikely=True)
        f.block("last")
        # The reads that are put by are of the chunk at hand.
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
    f.call(epoch_routine(f.module), "void", ["ptr %ctx"])


def begin_block(f: IrFunction) -> None:
    """What a block starts with: nothing of earlier ones is known, and no shared memory is written."""
    begin, done = f.name_block("checked"), f.name_block("unchecked")
    f.store("i32", "1", "%ctx", CONTEXT["time"])
    f.store("i32", "0", "%ctx", CONTEXT["base"])
    wanted = f.load("i32", "%ctx", CONTEXT["sanitize"])
    f.branch(f.let(f"icmp eq i32 {wanted}, 0"), done, begin)
    f.block(begin)
    f.call(chunk_routine(f.module), "void", ["ptr %ctx"])
    f.store("i64", f.load("i64", "%ctx", CONTEXT["now"]), "%ctx", CONTEXT["never"])
    # An epoch of its own for what counts as written without a writer.
    new_epoch(f)
    f.store("i32", f.load("i32", "%ctx", CONTEXT["shared_cells"]), "%ctx", CONTEXT["unwritten"])
    _clear(f, f.field("%ctx", CONTEXT["places"]), 4 << layout.PLACE_BITS)
    for field in ("far_acquired", "far_pending", "far_covered", "dirty", "log_count"):
        f.store("i32", "0", "%ctx", CONTEXT[field])
    f.store("i64", "0", "%ctx", CONTEXT["passed"])
    f.goto(done)
    f.block(done)


def begin_warp(f: IrFunction, warp: str) -> None:
    near = ("published", "acquired", "fenced", "full", "near_release", "handed_on")
    for field in (*near, "far_fenced", "far_published", "far_acquired", "far_release"):
        f.store("i32", "0", warp, WARP[field])
    f.store_lanes(splat("i32", 0), warp, WARP["heard"])
    f.store_lanes(splat("i64", 0), warp, WARP["passed"])
    seen = f.load("ptr", warp, WARP["seen"])
    clear, done = f.name_block("clear"), f.name_block("cleared")
    f.branch(f.let(f"icmp eq ptr {seen}, null"), done, clear)
    f.block(clear)
    _clear(f, seen, layout.SEEN_BYTES)
    f.goto(done)
    f.block(done)


def _clear(f: IrFunction, pointer: str, size: int) -> None:
    f.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
    f.do(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {size}, i1 false)")


def _wide(f: IrFunction, value: str) -> str:
    return f.let(f"zext i32 {value} to i64")
