"""The time of the race checks: epochs, one from each barrier of a block to the next, and a clock within a block.

Epochs are numbered through all launches on a memory, so that a record of an earlier launch is told from one of this.
A launch hands them to its blocks in chunks: an epoch names its block. When none is left the checks rest.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, LAUNCH, WARP
from grader.run.emulator.native.ir import IrFunction, IrModule, splat

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
        time = f.load("i32", "%ctx", CONTEXT["time"])
        later = f.intrinsic("llvm.umin.i32", "i32", [f"i32 {f.let(f'add i32 {time}, 1')}", f"i32 {LAST_TIME}"])
        f.store("i32", later, "%ctx", CONTEXT["time"])
        f.store("i32", later, "%ctx", CONTEXT["epoch_time"])
        f.store("i32", f.load("i32", "%ctx", CONTEXT["far_pending"]), "%ctx", CONTEXT["far_acquired"])
        f.store("i32", "0", "%ctx", CONTEXT["log_count"])
        epoch = f.let(f"add i32 {f.load('i32', '%ctx', CONTEXT['epoch'])}, 1")
        end = f.load("i32", "%ctx", CONTEXT["epoch_end"])
        f.branch(f.let(f"icmp uge i32 {epoch}, {end}"), "over", "within", unlikely=True)
        f.block("over")
        f.call(chunk_routine(owner), "void", ["ptr %ctx"])
        f.do("ret void")
        f.block("within")
        f.store("i32", epoch, "%ctx", CONTEXT["epoch"])
        f.store("i64", record_of(f, epoch), "%ctx", CONTEXT["now"])
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
        f.store("i32", block, f.load("ptr", launch, LAUNCH["owners"]), f.let(f"mul i64 {_wide(f, chunk)}, 4"))
        f.store("i32", epoch, "%ctx", CONTEXT["epoch"])
        f.store("i32", f.let(f"add i32 {epoch}, {f.let(f'shl i32 1, {bits}')}"), "%ctx", CONTEXT["epoch_end"])
        first = record_of(f, epoch)
        f.store("i64", first, "%ctx", CONTEXT["chunk"])
        f.store("i64", first, "%ctx", CONTEXT["now"])
        f.do("ret void")
        return f

    return module.routine("new_chunk", build)


def tick_routine(module: IrModule) -> str:
    """`(ctx) -> time`: moves the block's clock on; at its end a new epoch begins instead."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i32", [("ptr", "ctx")], attributes="nounwind noinline")
        time = f.load("i32", "%ctx", CONTEXT["time"])
        f.branch(f.let(f"icmp uge i32 {time}, {LAST_TIME}"), "last", "next", unlikely=True)
        f.block("last")
        f.call(epoch_routine(owner), "void", ["ptr %ctx"])
        f.do(f"ret i32 {time}")
        f.block("next")
        later = f.let(f"add i32 {time}, 1")
        f.store("i32", later, "%ctx", CONTEXT["time"])
        f.do(f"ret i32 {later}")
        return f

    return module.routine("tick", build)


def new_epoch(f: IrFunction) -> None:
    f.call(epoch_routine(f.module), "void", ["ptr %ctx"])


def begin_block(f: IrFunction) -> None:
    """What a block starts with: nothing of earlier ones is known, and no shared memory is written."""
    begin, done = f.name_block("checked"), f.name_block("unchecked")
    f.store("i32", "1", "%ctx", CONTEXT["time"])
    wanted = f.load("i32", "%ctx", CONTEXT["sanitize"])
    f.branch(f.let(f"icmp eq i32 {wanted}, 0"), done, begin)
    f.block(begin)
    f.call(chunk_routine(f.module), "void", ["ptr %ctx"])
    f.store("i64", f.load("i64", "%ctx", CONTEXT["now"]), "%ctx", CONTEXT["never"])
    f.store("i32", f.load("i32", "%ctx", CONTEXT["shared_cells"]), "%ctx", CONTEXT["unwritten"])
    _clear(f, f.field("%ctx", CONTEXT["places"]), 4 << layout.PLACE_BITS)
    for field in ("epoch_time", "far_acquired", "far_pending", "dirty", "log_count"):
        f.store("i32", "0", "%ctx", CONTEXT[field])
    f.goto(done)
    f.block(done)


def begin_warp(f: IrFunction, warp: str) -> None:
    near = ("published", "acquired", "fenced", "full", "near_release", "handed_on")
    for field in (*near, "far_fenced", "far_published", "far_acquired", "far_release"):
        f.store("i32", "0", warp, WARP[field])
    f.store_lanes(splat("i32", 0), warp, WARP["heard"])
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
