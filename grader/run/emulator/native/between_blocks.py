"""Orders threads of different blocks: a fence, an atomic that releases, and another block's atomic that acquires.

A release covers what its warp's lanes had done before their fences, and what they knew of. What a warp has acquired is
told by two clocks: by block, the latest release of it that came with any acquisition of the warp, and by lane, the
latest release of all that the lane has acquired itself, or a lane that it has met since. Both together tell a lane that
has only looked on from one that has acquired, and one lock from another.
"""

from __future__ import annotations

from grader.run.emulator.layout import CONTEXT, LAUNCH, WARP
from grader.run.emulator.native.epochs import begin_to_hear
from grader.run.emulator.native.flow import for_each_index, where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V
from grader.run.emulator.native.part_barriers import warp_at
from grader.run.emulator.native.places import ARGUMENTS, Places
from grader.run.emulator.native.releases import (
    append_lanes_routine,
    append_routine,
    list_of,
    release_clock_routine,
)

_BOTH = [("ptr", "ctx"), ("ptr", "warp")]


def _most(f: IrFunction, *times: str) -> str:
    latest = times[0]
    for time in times[1:]:
        latest = f.intrinsic("llvm.umax.i32", "i32", [f"i32 {latest}", f"i32 {time}"])
    return latest


def _raise_lanes(f: IrFunction, place: str, field: int, clock: V) -> None:
    """Raises the vector at `field` to `clock` where that is later."""
    f.store_lanes(f.map("llvm.umax", f.load_lanes("i32", place, field), clock), place, field)


def _entry_of(f: IrFunction, place: str, field: int, number: str) -> str:
    """Returns one entry of the vector at `field`."""
    return f.load("i32", f.field(place, field), f.let(f"shl i64 {f.let(f'zext i32 {number} to i64')}, 2"))


def _bucket(f: IrFunction, block: str) -> str:
    """Returns the entry of a clock that is that of `block` (i64)."""
    return f.let(f"and i32 {f.let(f'trunc i64 {block} to i32')}, {LANES - 1}")


def _hand_on_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, clock)`, which releases what other warps of the block did.

    A fence is cumulative: it covers what this warp knew of at its last one. By the letter of the memory model it does
    not cover what others had fenced before they met this thread, if it has fenced before that itself. All GPUs behave
    as if it did, and "everybody fences, the block meets, one counts" is common.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [*_BOTH, ("i32", "clock")], attributes="nounwind noinline")
        own = f.load("i32", "%warp", WARP["index"])
        count = f.load("i32", "%ctx", CONTEXT["warp_count"])
        with for_each_index(f, count, "warp") as at, where(f, f.let(f"icmp ne i32 {at}, {own}"), "other"):
            other = warp_at(f, at)
            heard, learned, known = (
                _entry_of(f, "%warp", WARP[field], at) for field in ("heard", "learned", "far_known")
            )
            met = f.spread("i32", _most(f, f.load("i32", "%ctx", CONTEXT["epoch_time"]), heard, learned))
            fenced = f.map("llvm.umin", f.load_lanes("i32", other, WARP["far_fenced"]), met)
            times = f.map("llvm.umax", fenced, f.spread("i32", known))
            f.call(append_lanes_routine(owner), "void", ["ptr %ctx", f"ptr {other}", str(times), "i32 %clock"])
        f.do("ret void")
        return f

    return module.routine("hand_on_far", build)


def release_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp)`, which releases, once, what came before the warp's fences."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", _BOTH, attributes="nounwind noinline")
        fenced, published = (f.load_lanes("i32", "%warp", WARP[field]) for field in ("far_fenced", "far_published"))
        new = f.bits(f.compare("icmp ugt", fenced, published))
        f.branch(f.let(f"icmp ne i32 {new}, 0"), "new", "old")
        f.block("new")
        clock = f.field(f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["clock"])
        now = f.let(f"add i32 {f.let(f'atomicrmw add ptr {clock}, i32 1 seq_cst')}, 1")
        f.call(append_lanes_routine(owner), "void", ["ptr %ctx", "ptr %warp", str(fenced), f"i32 {now}"])
        time = f.load("i32", "%warp", WARP["far_since"])
        known = f.load("i32", "%ctx", CONTEXT["far_covered"])
        with where(f, f.let(f"icmp ugt i32 {time}, {known}"), "more"):
            f.store("i32", time, "%ctx", CONTEXT["far_covered"])
            whole = list_of(f, f.load("i64", "%ctx", CONTEXT["block"]), "0")
            inputs = ["ptr %ctx", f"ptr {whole}", f"i32 {time}", f"i32 {now}", "i32 -1"]
            f.call(append_routine(owner), "void", inputs)
        f.call(_hand_on_routine(owner), "void", ["ptr %ctx", "ptr %warp", f"i32 {now}"])
        f.store("i32", now, "%warp", WARP["far_release"])
        f.goto("old")
        f.block("old")
        f.do("ret void")
        return f

    return module.routine("release_far", build)


def released_clock(f: IrFunction) -> V:
    """Returns what a release by the warp covers: its block up to the last one, and what both have acquired."""
    known = f.map(
        "llvm.umax",
        f.load_lanes("i32", "%warp", WARP["far_learned"]),
        f.load_lanes("i32", "%ctx", CONTEXT["far_acquired"]),
    )
    number = _bucket(f, f.load("i64", "%ctx", CONTEXT["block"]))
    before = f.let(f"extractelement {known}, i32 {number}")
    own = _most(f, before, f.load("i32", "%warp", WARP["far_release"]))
    return V("i32", f.let(f"insertelement {known}, i32 {own}, i32 {number}"))


def take_over(f: IrFunction, clock: V, lanes: V) -> None:
    """Emits that lanes (conditions) of the warp acquire all that `clock` covers."""
    latest = f.reduce("umax", clock)
    with where(f, f.let(f"icmp ne i32 {latest}, 0"), "acquired"):
        _raise_lanes(f, "%warp", WARP["far_learned"], clock)
        known = f.load_lanes("i32", "%warp", WARP["far_acquired"])
        later = f.map("llvm.umax", known, f.spread("i32", latest))
        f.store_lanes(f.select(lanes, later, known), "%warp", WARP["far_acquired"])
        begin_to_hear(f)


def take_over_pending(f: IrFunction, lanes: V) -> None:
    """Emits that lanes acquire whatever other blocks have released to this one: it may have come with something."""
    take_over(f, f.load_lanes("i32", "%ctx", CONTEXT["far_pending"]), lanes)


def take_over_seen(f: IrFunction, lanes: V) -> None:
    """Emits that a fence of lanes acquires what relaxed reads of the block have seen before it.

    Reads by other warps count too: they may have been handed on by a barrier.
    """
    seen = f.load_lanes("i32", "%ctx", CONTEXT["far_seen"])
    take_over(f, seen, lanes)
    _raise_lanes(f, "%ctx", CONTEXT["far_pending"], seen)


def acquire_routine(module: IrModule, words: int, relaxed: bool) -> str:
    """Returns the routine `(ctx, warp, addresses, mask)`, which acquires all that was released at the addresses.

    It runs after an atomic or an access of like strength to `words` words. What a `relaxed` read has seen is acquired
    by a fence that follows.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", ARGUMENTS, attributes="nounwind noinline")
        wanted = f.load("i32", "%ctx", CONTEXT["sanitize"])
        f.branch(f.let(f"icmp eq i32 {wanted}, 0"), "off", "on")
        f.block("off")
        f.do("ret void")
        f.block("on")
        f.do("fence acquire")
        living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
        active = f.let(f"and i32 %mask, {living}")
        places = Places(f, words, far=True)
        found = places.latest(active)
        with where(f, f.let(f"icmp ne i32 {f.reduce('umax', found)}, 0"), "released"):
            clock = places.clock(active)
            if relaxed:
                _raise_lanes(f, "%ctx", CONTEXT["far_seen"], clock)
            else:
                _raise_lanes(f, "%ctx", CONTEXT["far_pending"], clock)
                _raise_lanes(f, "%warp", WARP["far_learned"], clock)
                _raise_lanes(f, "%warp", WARP["far_acquired"], found)
                begin_to_hear(f)
        f.do("ret void")
        return f

    return module.routine(f"{'see' if relaxed else 'acquire'}_far_{words}", build)


_THREADS = [*_BOTH, ("i32", "lane"), ("i64", "block"), ("i32", "thread"), ("i32", "time")]


def has_acquired_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lane, block, thread, time) -> i1`.

    The result says whether this lane has acquired what `thread` of that block did at `time`.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i1", _THREADS, attributes="nounwind noinline cold")
        clocks = []
        for number in (f.let(f"add i32 {f.let('lshr i32 %thread, 5')}, 1"), "0"):
            lane = f.let(f"and i32 %thread, {LANES - 1}")
            inputs = [f"ptr {list_of(f, '%block', number)}", "i32 %time", f"i32 {lane}"]
            clocks.append(f"i32 {f.call(release_clock_routine(owner), 'i32', inputs)}")
        clock = f.intrinsic("llvm.umin.i32", "i32", clocks)
        looking = f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['far_looking'])}, 0")
        seen = _entry_of(f, "%ctx", CONTEXT["far_seen"], _bucket(f, "%block"))
        acquired = _most(f, _acquired(f), f.let(f"select i1 {looking}, i32 {seen}, i32 0"))
        f.do(f"ret i1 {f.let(f'icmp ule i32 {clock}, {acquired}')}")
        return f

    return module.routine("seen_far", build)


def has_acquired_last_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lane, block, thread, time) -> i1`.

    The result says whether this lane has acquired the last release, up to `time`, of that thread's warp.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i1", _THREADS, attributes="nounwind noinline cold")
        number = f.let(f"add i32 {f.let('lshr i32 %thread, 5')}, 1")
        inputs = [f"ptr {list_of(f, '%block', number)}", "i32 %time", "i32 0"]
        clock = f.call(release_clock_routine(owner, last=True), "i32", inputs)
        f.do(f"ret i1 {f.let(f'icmp ule i32 {clock}, {_acquired(f)}')}")
        return f

    return module.routine("seen_last_far", build)


def _acquired(f: IrFunction) -> str:
    """Returns the clock of the latest release of `%block` that `%lane` has acquired, or its whole block."""
    number = _bucket(f, "%block")
    own = [f"i32 {_entry_of(f, '%warp', WARP['far_learned'], number)}"]
    own.append(f"i32 {_entry_of(f, '%warp', WARP['far_acquired'], '%lane')}")
    both = f.intrinsic("llvm.umin.i32", "i32", own)
    return _most(f, both, _entry_of(f, "%ctx", CONTEXT["far_acquired"], number))
