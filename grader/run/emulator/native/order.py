"""The order of threads: the times at which they met or published, as the race checks compare them.

An access is identified by its epoch, thread and time. Where exact knowledge would cost much, more is taken as ordered
than is: a race may go unseen, but what is reported is one.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CHUNK, CONTEXT, WARP
from grader.run.emulator.native.between_blocks import (
    has_acquired_last_routine,
    has_acquired_routine,
    known_of_block,
    release_routine,
    take_over_seen,
)
from grader.run.emulator.native.epochs import THREAD_BITS, owner_of, tick_routine
from grader.run.emulator.native.flow import where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule
from grader.run.emulator.native.part_barriers import hand_on_routine
from grader.run.emulator.native.places import ARGUMENTS, Places

_BOTH = [("ptr", "ctx"), ("ptr", "warp")]


def meet_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lanes)`: these lanes of a warp meet; each knows what the others did or knew."""

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


def fence_routine(module: IrModule, far: bool) -> str:
    """Returns the routine `(ctx, warp)`: a fence. What the warp has done can be published from now on.

    `far`: to other blocks too.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", _BOTH, attributes="nounwind noinline")
        now = f.call(tick_routine(owner), "i32", ["ptr %ctx"])
        f.store("i32", now, "%warp", WARP["fenced"])
        if far:
            f.store("i32", now, "%warp", WARP["far_fenced"])
            f.store("i32", known_of_block(f), "%warp", WARP["far_known"])
            take_over_seen(f)
        f.do("ret void")
        return f

    return module.routine("fenced_far" if far else "fenced", build)


def publish_routine(module: IrModule, words: int, store: bool, far: bool) -> str:
    """Returns the routine `(ctx, warp, addresses, mask)`: an atomic, or an access as strong, to `words` words.

    It acquires what the block's other warps have published there. With `store` it also publishes what came before a
    fence; what others published earlier and this warp has acquired is passed on without a fence. `far`: it publishes to
    other blocks too.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", ARGUMENTS, attributes="nounwind noinline")
        wanted = f.load("i32", "%ctx", CONTEXT["sanitize"])
        living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
        active = f.let(f"and i32 %mask, {living}")
        some = f.let(f"icmp ne i32 {active}, 0")
        with where(f, f.let(f"and i1 {some}, {f.let(f'icmp ne i32 {wanted}, 0')}"), "on"):
            _acquire_near(f, words, active)
            if store:
                _release_near(f, words, active)
            if store and far:
                f.call(release_routine(owner), "void", ["ptr %ctx", "ptr %warp"])
                seen = _later(f, f.load("i32", "%warp", WARP["far_acquired"]), "%ctx", CONTEXT["far_acquired"])
                clock = _later(f, seen, "%warp", WARP["far_release"])
                with where(f, f.let(f"icmp ne i32 {clock}, 0"), "far"):
                    Places(f, words, far=True).release(active, clock)
        f.do("ret void")
        return f

    return module.routine(f"{'publish' if store else 'look'}_{'far' if far else 'near'}_{words}", build)


def _later(f: IrFunction, time: str, place: str, field: int) -> str:
    return f.intrinsic("llvm.umax.i32", "i32", [f"i32 {time}", f"i32 {f.load('i32', place, field)}"])


def _acquire_near(f: IrFunction, words: int, active: str) -> None:
    known = Places(f, words, far=False).latest(active)
    with where(f, f.let(f"icmp ne i32 {known}, 0"), "known"):
        # Whatever other blocks have released to this block may have come with it too.
        for field, time in (("acquired", known), ("far_acquired", f.load("i32", "%ctx", CONTEXT["far_pending"]))):
            f.store("i32", _later(f, time, "%warp", WARP[field]), "%warp", WARP[field])


def _release_near(f: IrFunction, words: int, active: str) -> None:
    fenced = f.load("i32", "%warp", WARP["fenced"])
    published = f.load("i32", "%warp", WARP["published"])
    with where(f, f.let(f"icmp ugt i32 {fenced}, {published}"), "new"):
        f.store("i32", fenced, "%warp", WARP["published"])
        f.call(hand_on_routine(f.module), "void", ["ptr %ctx", "ptr %warp"])
        f.store("i32", f.call(tick_routine(f.module), "i32", ["ptr %ctx"]), "%warp", WARP["near_release"])
    time = _later(f, f.load("i32", "%warp", WARP["near_release"]), "%warp", WARP["acquired"])
    with where(f, f.let(f"icmp ne i32 {time}, 0"), "near"):
        Places(f, words, far=False).release(active, time)


def is_before_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lane, record) -> i1`: whether an access is before what the lane does now.

    The access is of this launch.

    It stores in the context the block that made the access, and whether the access is still pending.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, ("i32", "lane"), ("i64", "record")]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline")
        tag = f.let(f"trunc i64 {f.let(f'lshr i64 %record, {layout.TAG_SHIFT}')} to i32")
        thread = f.let(f"and i32 {tag}, {(1 << THREAD_BITS) - 1}")
        epoch = f.let(f"lshr i32 {tag}, {THREAD_BITS}")
        time = f.let(f"and i32 {f.let('trunc i64 %record to i32')}, 65535")
        own_block = f.let(f"trunc i64 {f.load('i64', '%ctx', CONTEXT['block'])} to i32")
        f.store("i32", own_block, "%ctx", CONTEXT["other_block"])
        under_way = f.let(f"icmp eq i32 {epoch}, {layout.LAST_EPOCH}")
        f.store("i32", f.let(f"zext i1 {under_way} to i32"), "%ctx", CONTEXT["other_pending"])
        f.branch(under_way, "never", "over", unlikely=True)
        f.block("never")
        f.do("ret i1 false")
        f.block("over")
        known = owner_of(f, epoch)
        block = f.load("i32", known, CHUNK["block"])
        time = f.let(f"add i32 {time}, {f.load('i32', known, CHUNK['base'])}")
        f.store("i32", block, "%ctx", CONTEXT["other_block"])
        f.branch(f.let(f"icmp eq i32 {block}, {own_block}"), "own", "foreign")
        f.block("own")
        recent = f.let(f"icmp uge i64 %record, {f.load('i64', '%ctx', CONTEXT['since'])}")
        f.branch(recent, "now", "passed")
        f.block("passed")
        f.do("ret i1 true")
        f.block("now")
        inputs = ["ptr %ctx", "ptr %warp", "i32 %lane", f"i32 {thread}", f"i32 {time}"]
        f.do(f"ret i1 {f.call(is_ordered_routine(owner), 'i1', inputs)}")
        f.block("foreign")
        warp = f.let(f"lshr i32 {thread}, 5")
        inputs = ["ptr %ctx", "ptr %warp", f"i64 {f.let(f'zext i32 {block} to i64')}", f"i32 {warp}", f"i32 {time}"]
        f.do(f"ret i1 {f.call(has_acquired_routine(owner), 'i1', inputs)}")
        return f

    return module.routine("before", build)


def has_seen_write_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, record) -> i1`: whether this warp must have read what a strong write wrote.

    It has if it acquired what the writing warp, another one, had released last when it wrote: the write itself, as far
    as this tells. A thread that hands on a lock or a turn does so by that write.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i1", [*_BOTH, ("i64", "record")], attributes="nounwind noinline cold")
        epoch = f.let(f"trunc i64 {f.let(f'lshr i64 %record, {layout.EPOCH_SHIFT}')} to i32")
        f.branch(f.let(f"icmp eq i32 {epoch}, {layout.LAST_EPOCH}"), "never", "over", unlikely=True)
        f.block("never")
        f.do("ret i1 false")
        f.block("over")
        tag = f.let(f"trunc i64 {f.let(f'lshr i64 %record, {layout.TAG_SHIFT}')} to i32")
        number = f.let(f"lshr i32 {f.let(f'and i32 {tag}, {(1 << THREAD_BITS) - 1}')}, 5")
        known = owner_of(f, epoch)
        time = f.let(f"and i32 {f.let('trunc i64 %record to i32')}, 65535")
        time = f.let(f"add i32 {time}, {f.load('i32', known, CHUNK['base'])}")
        block = f.load("i32", known, CHUNK["block"])
        own_block = f.let(f"trunc i64 {f.load('i64', '%ctx', CONTEXT['block'])} to i32")
        f.branch(f.let(f"icmp eq i32 {block}, {own_block}"), "own", "foreign")
        f.block("own")
        offset = f.let(f"mul i64 {f.let(f'zext i32 {number} to i64')}, {f.load('i64', '%ctx', CONTEXT['warp_stride'])}")
        published = f.load("i32", f.field(f.load("ptr", "%ctx", CONTEXT["warps"]), offset), WARP["published"])
        some = f.let(f"icmp ne i32 {published}, 0")
        other = f.let(f"icmp ne i32 {number}, {f.load('i32', '%warp', WARP['index'])}")
        acquired = f.let(f"icmp ule i32 {published}, {f.load('i32', '%warp', WARP['acquired'])}")
        heard = f.let(f"and i1 {some}, {acquired}")
        f.do(f"ret i1 {f.let(f'and i1 {heard}, {other}')}")
        f.block("foreign")
        inputs = ["ptr %ctx", "ptr %warp", f"i64 {f.let(f'zext i32 {block} to i64')}", f"i32 {number}", f"i32 {time}"]
        f.do(f"ret i1 {f.call(has_acquired_last_routine(owner), 'i1', inputs)}")
        return f

    return module.routine("seen_write", build)


def is_ordered_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lane, thread, time) -> i1`.

    The result says whether what `thread` did at `time` is before what this lane does now. The thread is another one of
    this block; the time is after the block's last barrier.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, ("i32", "lane"), ("i32", "thread"), ("i32", "time")]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline")
        number = f.let("lshr i32 %thread, 5")
        stride = f.load("i64", "%ctx", CONTEXT["warp_stride"])
        offset = f.let(f"mul i64 {f.let(f'zext i32 {number} to i64')}, {stride}")
        other = f.field(f.load("ptr", "%ctx", CONTEXT["warps"]), offset)
        ways = [f"i32 {f.load('i32', other, WARP[field])}" for field in ("published", "handed_on")]
        published = f.let(f"icmp ult i32 %time, {f.intrinsic('llvm.umax.i32', 'i32', ways)}")
        acquired = f.let(f"icmp ult i32 %time, {f.load('i32', '%warp', WARP['acquired'])}")
        handed = f.let(f"and i1 {published}, {acquired}")
        same = f.let(f"icmp eq i32 {number}, {f.load('i32', '%warp', WARP['index'])}")
        f.branch(same, "own", "foreign")
        f.block("foreign")
        column = f.let(f"shl i64 {f.let(f'zext i32 {number} to i64')}, 2")
        heard = f.load("i32", f.field("%warp", WARP["heard"]), column)
        in_part = f.let(f"icmp ult i32 %time, {heard}")
        f.do(f"ret i1 {f.let(f'or i1 {handed}, {in_part}')}")
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
