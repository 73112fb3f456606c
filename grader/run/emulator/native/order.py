"""What orders the threads of a block: the times at which they met or published, as the race checks compare them.

A block has an epoch, a new one after each barrier, and within it a clock that warp operations and fences move on.
An access is known by its epoch, thread and time. Where exact knowledge would cost much, more is taken as ordered than
is: a race may go unseen, but what is reported is one.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule

THREAD_BITS = 10
LAST_EPOCH = (1 << (32 - THREAD_BITS)) - 1
LAST_TIME = (1 << 16) - 1
_BOTH = [("ptr", "ctx"), ("ptr", "warp")]


def new_epoch(f: IrFunction) -> None:
    """Orders all that the block has done before all that it will do. After the last epoch the checks rest."""
    epoch = f.load("i32", "%ctx", CONTEXT["epoch"])
    over = f.let(f"icmp uge i32 {epoch}, {LAST_EPOCH}")
    wanted = f.load("i32", "%ctx", CONTEXT["sanitize"])
    f.store("i32", f.let(f"select i1 {over}, i32 0, i32 {wanted}"), "%ctx", CONTEXT["sanitize"])
    f.store("i32", f.let(f"select i1 {over}, i32 1, i32 {f.let(f'add i32 {epoch}, 1')}"), "%ctx", CONTEXT["epoch"])


def tick_routine(module: IrModule) -> str:
    """`(ctx) -> time`: moves the block's clock on; at its end a new epoch begins instead."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i32", [("ptr", "ctx")], attributes="nounwind noinline")
        time = f.load("i32", "%ctx", CONTEXT["time"])
        f.branch(f.let(f"icmp uge i32 {time}, {LAST_TIME}"), "last", "next", unlikely=True)
        f.block("last")
        new_epoch(f)
        f.do(f"ret i32 {time}")
        f.block("next")
        later = f.let(f"add i32 {time}, 1")
        f.store("i32", later, "%ctx", CONTEXT["time"])
        f.do(f"ret i32 {later}")
        return f

    return module.routine("tick", build)


def meet_routine(module: IrModule) -> str:
    """`(ctx, warp, lanes)`: these lanes of a warp have met: each has seen what the others have done or seen."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [*_BOTH, ("i32", "lanes")], attributes="nounwind noinline")
        now = f.call(tick_routine(owner), "i32", ["ptr %ctx"])
        alive = f.load("i32", "%warp", WARP["alive"])
        absent = f.let(f"and i32 {alive}, {f.let('xor i32 %lanes, -1')}")
        f.branch(f.let(f"icmp eq i32 {absent}, 0"), "all", "some")
        f.block("all")
        f.store("i32", now, "%warp", WARP["full"])
        f.do("ret void")
        f.block("some")
        seen = f.load("ptr", "%warp", WARP["seen"])
        index, rest = f.alloca("i32", align=4), f.alloca(f"<{LANES} x i32>")
        f.store_lanes(f.spread("i32", "0"), rest)
        for step in ("gather", "spread"):
            f.store("i32", "0", index)
            f.goto(step)
            f.block(step)
            lane = f.load("i32", index)
            f.store("i32", f.let(f"add i32 {lane}, 1"), index)
            bit = f.let(f"and i32 {f.let(f'lshr i32 %lanes, {lane}')}, 1")
            f.branch(f.let(f"icmp eq i32 {bit}, 0"), f"{step}.next", f"{step}.row")
            f.block(f"{step}.row")
            row = f.let(f"mul i64 {f.let(f'zext i32 {lane} to i64')}, {4 * LANES}")
            known = f.load_lanes("i32", rest)
            if step == "gather":
                more = f.load_lanes("i32", seen, row)
                f.store_lanes(f.map("llvm.umax", known, more), rest)
            else:
                joined = f.select(f.mask("%lanes"), f.spread("i32", now), known)
                f.store_lanes(joined, seen, row)
            f.goto(f"{step}.next")
            f.block(f"{step}.next")
            f.branch(f.let(f"icmp ult i32 {lane}, {LANES - 1}"), step, f"{step}.done")
            f.block(f"{step}.done")
        f.do("ret void")
        return f

    return module.routine("meet", build)


def fence_routine(module: IrModule) -> str:
    """`(ctx, warp)`: a fence: what the warp has done can be published from now on."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", _BOTH, attributes="nounwind noinline")
        now = f.call(tick_routine(owner), "i32", ["ptr %ctx"])
        f.store("i32", now, "%warp", WARP["fenced"])
        f.do("ret void")
        return f

    return module.routine("fenced", build)


def publish_routine(module: IrModule) -> str:
    """`(ctx, warp)`: an atomic or the like: it publishes what a fence came after, and sees all that is published."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", _BOTH, attributes="nounwind noinline")
        fenced = f.load("i32", "%warp", WARP["fenced"])
        published = f.load("i32", "%warp", WARP["published"])
        f.store("i32", f.load("i32", "%ctx", CONTEXT["released"]), "%warp", WARP["acquired"])
        f.branch(f.let(f"icmp ugt i32 {fenced}, {published}"), "new", "old")
        f.block("new")
        f.store("i32", fenced, "%warp", WARP["published"])
        f.store("i32", f.call(tick_routine(owner), "i32", ["ptr %ctx"]), "%ctx", CONTEXT["released"])
        f.goto("old")
        f.block("old")
        f.do("ret void")
        return f

    return module.routine("publish", build)


def ordered_routine(module: IrModule) -> str:
    """`(ctx, warp, lane, thread, time) -> i1`: whether what a thread did then is before what this lane does now.

    The thread is another of this block, and the time is of this epoch.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, ("i32", "lane"), ("i32", "thread"), ("i32", "time")]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline")
        number = f.let("lshr i32 %thread, 5")
        stride = f.load("i64", "%ctx", CONTEXT["warp_stride"])
        offset = f.let(f"mul i64 {f.let(f'zext i32 {number} to i64')}, {stride}")
        other = f.field(f.load("ptr", "%ctx", CONTEXT["warps"]), offset)
        published = f.let(f"icmp ult i32 %time, {f.load('i32', other, WARP['published'])}")
        acquired = f.let(f"icmp ult i32 %time, {f.load('i32', '%warp', WARP['acquired'])}")
        handed = f.let(f"and i1 {published}, {acquired}")
        same = f.let(f"icmp eq i32 {number}, {f.load('i32', '%warp', WARP['index'])}")
        f.branch(same, "own", "foreign")
        f.block("foreign")
        f.do(f"ret i1 {handed}")
        f.block("own")
        row = f.let(f"mul i32 %lane, {4 * LANES}")
        column = f.let(f"shl i32 {f.let(f'and i32 %thread, {LANES - 1}')}, 2")
        place = f.let(f"add i32 {row}, {column}")
        seen = f.load("i32", f.load("ptr", "%warp", WARP["seen"]), f.let(f"zext i32 {place} to i64"))
        full = f.load("i32", "%warp", WARP["full"])
        latest = f.intrinsic("llvm.umax.i32", "i32", [f"i32 {seen}", f"i32 {full}"])
        met = f.let(f"icmp ult i32 %time, {latest}")
        f.do(f"ret i1 {f.let(f'or i1 {met}, {handed}')}")
        return f

    return module.routine("ordered", build)


def begin_block(f: IrFunction) -> None:
    """What a block starts with: nothing of earlier ones is known, and no shared memory is written."""
    new_epoch(f)
    first = f.let(f"shl i32 {f.load('i32', '%ctx', CONTEXT['epoch'])}, {THREAD_BITS}")
    f.store("i32", first, "%ctx", CONTEXT["first"])
    f.store("i32", "1", "%ctx", CONTEXT["time"])
    f.store("i32", "0", "%ctx", CONTEXT["released"])


def begin_warp(f: IrFunction, warp: str) -> None:
    for field in ("published", "acquired", "fenced", "full"):
        f.store("i32", "0", warp, WARP[field])
    seen = f.load("ptr", warp, WARP["seen"])
    clear, done = f.name_block("clear"), f.name_block("cleared")
    f.branch(f.let(f"icmp eq ptr {seen}, null"), done, clear)
    f.block(clear)
    f.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
    f.do(f"call void @llvm.memset.p0.i64(ptr {seen}, i8 0, i64 {layout.SEEN_BYTES}, i1 false)")
    f.goto(done)
    f.block(done)
