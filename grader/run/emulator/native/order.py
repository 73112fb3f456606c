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
    release_routine,
    released_clock,
    take_over_pending,
)
from grader.run.emulator.native.epochs import THREAD_BITS, begin_to_hear, owner_of
from grader.run.emulator.native.flow import where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, splat
from grader.run.emulator.native.part_barriers import hand_on_routine, warp_at
from grader.run.emulator.native.places import ARGUMENTS, Places

_BOTH = [("ptr", "ctx"), ("ptr", "warp")]


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
                clock = released_clock(f)
                with where(f, f.let(f"icmp ne i32 {f.reduce('umax', clock)}, 0"), "far"):
                    Places(f, words, far=True).release(active, clock)
        f.do("ret void")
        return f

    return module.routine(f"{'publish' if store else 'look'}_{'far' if far else 'near'}_{words}", build)


def _acquire_near(f: IrFunction, words: int, active: str) -> None:
    places = Places(f, words, far=False)
    found = places.latest(active)
    with where(f, f.let(f"icmp ne i32 {f.reduce('umax', found)}, 0"), "known"):
        for field, times in (("learned", places.clock(active)), ("acquired", found)):
            f.store_lanes(f.map("llvm.umax", f.load_lanes("i32", "%warp", WARP[field]), times), "%warp", WARP[field])
        begin_to_hear(f)
        take_over_pending(f, f.compare("icmp ne", found, splat("i32", 0)))


def _release_near(f: IrFunction, words: int, active: str) -> None:
    fenced, published = (f.load_lanes("i32", "%warp", WARP[field]) for field in ("fenced", "published"))
    new = f.bits(f.compare("icmp ugt", fenced, published))
    with where(f, f.let(f"icmp ne i32 {new}, 0"), "new"):
        f.store_lanes(f.map("llvm.umax", fenced, published), "%warp", WARP["published"])
        f.call(hand_on_routine(f.module), "void", ["ptr %ctx", "ptr %warp"])
        known = f.map("llvm.umax", *(f.load_lanes("i32", "%warp", WARP[field]) for field in ("heard", "learned")))
        number = f.load("i32", "%warp", WARP["index"])
        f.store_lanes(known, "%warp", WARP["near_clock"])
        place = f.field(f.field("%warp", WARP["near_clock"]), f.let(f"shl i64 {f.let(f'zext i32 {number} to i64')}, 2"))
        f.store("i32", f.reduce("umax", fenced), place)
    # What others have published is passed on without a fence.
    clock = f.map("llvm.umax", *(f.load_lanes("i32", "%warp", WARP[field]) for field in ("near_clock", "learned")))
    with where(f, f.let(f"icmp ne i32 {f.reduce('umax', clock)}, 0"), "near"):
        Places(f, words, far=False).release(active, clock)


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
        there = [f"i64 {f.let(f'zext i32 {block} to i64')}", f"i32 {thread}", f"i32 {time}"]
        f.do(f"ret i1 {f.call(has_acquired_routine(owner), 'i1', ['ptr %ctx', 'ptr %warp', 'i32 %lane', *there])}")
        return f

    return module.routine("before", build)


def has_seen_write_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lane, record) -> i1`: whether this lane must have read what a strong one wrote.

    It has if it acquired what the writing warp, another one, had released last when it wrote: the write itself, as far
    as this tells. A thread that hands on a lock or a turn does so by that write.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, ("i32", "lane"), ("i64", "record")]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline cold")
        epoch = f.let(f"trunc i64 {f.let(f'lshr i64 %record, {layout.EPOCH_SHIFT}')} to i32")
        f.branch(f.let(f"icmp eq i32 {epoch}, {layout.LAST_EPOCH}"), "never", "over", unlikely=True)
        f.block("never")
        f.do("ret i1 false")
        f.block("over")
        tag = f.let(f"trunc i64 {f.let(f'lshr i64 %record, {layout.TAG_SHIFT}')} to i32")
        thread = f.let(f"and i32 {tag}, {(1 << THREAD_BITS) - 1}")
        known = owner_of(f, epoch)
        time = f.let(f"and i32 {f.let('trunc i64 %record to i32')}, 65535")
        time = f.let(f"add i32 {time}, {f.load('i32', known, CHUNK['base'])}")
        block = f.load("i32", known, CHUNK["block"])
        own_block = f.let(f"trunc i64 {f.load('i64', '%ctx', CONTEXT['block'])} to i32")
        f.branch(f.let(f"icmp eq i32 {block}, {own_block}"), "own", "foreign")
        f.block("own")
        number = f.let(f"lshr i32 {thread}, 5")
        published = f.reduce("umax", f.load_lanes("i32", warp_at(f, number), WARP["published"]))
        some = f.let(f"icmp ne i32 {published}, 0")
        other = f.let(f"icmp ne i32 {number}, {f.load('i32', '%warp', WARP['index'])}")
        acquired = f.let(f"icmp ule i32 {published}, {_acquired_of(f, number)}")
        heard = f.let(f"and i1 {some}, {acquired}")
        f.do(f"ret i1 {f.let(f'and i1 {heard}, {other}')}")
        f.block("foreign")
        there = [f"i64 {f.let(f'zext i32 {block} to i64')}", f"i32 {thread}", f"i32 {time}"]
        f.do(f"ret i1 {f.call(has_acquired_last_routine(owner), 'i1', ['ptr %ctx', 'ptr %warp', 'i32 %lane', *there])}")
        return f

    return module.routine("seen_write", build)


def _word(f: IrFunction, place: str, number: str) -> str:
    """Returns word number `number` of the vector at `place`."""
    return f.load("i32", place, f.let(f"shl i64 {f.let(f'zext i32 {number} to i64')}, 2"))


def _acquired_of(f: IrFunction, number: str) -> str:
    """Returns the time up to which `%lane` has acquired what warp `number` of its block has published."""
    both = [f"i32 {_word(f, f.field('%warp', WARP['learned']), number)}"]
    both.append(f"i32 {_word(f, f.field('%warp', WARP['acquired']), '%lane')}")
    return f.intrinsic("llvm.umin.i32", "i32", both)


def is_ordered_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lane, thread, time) -> i1`.

    The result says whether what `thread` did at `time` is before what this lane does now. The thread is another one of
    this block; the time is after the block's last barrier.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, ("i32", "lane"), ("i32", "thread"), ("i32", "time")]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline")
        number = f.let("lshr i32 %thread, 5")
        other_lane = f.let(f"and i32 %thread, {LANES - 1}")
        other = warp_at(f, number)
        ways = [f"i32 {_word(f, f.field(other, WARP['published']), other_lane)}"]
        ways.append(f"i32 {f.load('i32', other, WARP['handed_on'])}")
        published = f.let(f"icmp ult i32 %time, {f.intrinsic('llvm.umax.i32', 'i32', ways)}")
        acquired = f.let(f"icmp ult i32 %time, {_acquired_of(f, number)}")
        handed = f.let(f"and i1 {published}, {acquired}")
        same = f.let(f"icmp eq i32 {number}, {f.load('i32', '%warp', WARP['index'])}")
        f.branch(same, "own", "foreign")
        f.block("foreign")
        heard = _word(f, f.field("%warp", WARP["heard"]), number)
        in_part = f.let(f"icmp ult i32 %time, {heard}")
        f.do(f"ret i1 {f.let(f'or i1 {handed}, {in_part}')}")
        f.block("own")
        row = f.let(f"mul i32 %lane, {LANES}")
        seen = _word(f, f.load("ptr", "%warp", WARP["seen"]), f.let(f"add i32 {row}, {other_lane}"))
        full = f.load("i32", "%warp", WARP["full"])
        latest = f.intrinsic("llvm.umax.i32", "i32", [f"i32 {seen}", f"i32 {full}"])
        met = f.let(f"icmp ult i32 %time, {latest}")
        f.do(f"ret i1 {f.let(f'or i1 {met}, {handed}')}")
        return f

    return module.routine("ordered", build)
