"""Orders threads of different blocks: a fence, an atomic that releases, and another block's atomic that acquires.

A launch has a clock that each release advances. Each block keeps a list of its releases; each warp keeps the clock of
the latest release it has acquired. An access is covered by the first release after it. If a launch makes more releases
than there is room for, later ones are merged into the last one kept.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, LAUNCH, RELEASE, RELEASES, WARP
from grader.run.emulator.native.flow import for_each_index, where
from grader.run.emulator.native.ir import IrFunction, IrModule
from grader.run.emulator.native.part_barriers import warp_at
from grader.run.emulator.native.places import ARGUMENTS, Places

_BOTH = [("ptr", "ctx"), ("ptr", "warp")]


def _list_of(f: IrFunction, block: str, number: str) -> str:
    """Returns the address of a release list of `block`.

    List 0 holds the releases that cover all warps of the block; list n + 1 those of warp n.
    """
    launch = f.load("ptr", "%ctx", CONTEXT["launch"])
    warps = f.load("i32", launch, LAUNCH["warps"])
    lists = f.let(f"zext i32 {f.let(f'add i32 {warps}, 1')} to i64")
    index = f.let(f"add i64 {f.let(f'mul i64 {block}, {lists}')}, {f.let(f'zext i32 {number} to i64')}")
    return f.field(f.load("ptr", launch, LAUNCH["releases"]), f.let(f"mul i64 {index}, {layout.RELEASES.size}"))


def _entry(f: IrFunction, entries: str, index: str) -> str:
    return f.field(entries, f.let(f"mul i64 {f.let(f'zext i32 {index} to i64')}, {layout.RELEASE.size}"))


def _append_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, list, time, clock)`, which appends a release of everything before `time`.

    Other cores may read the list meanwhile.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "list"), ("i32", "time"), ("i32", "clock")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        owner.declare("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
        count, capacity = (f.load("i32", "%list", RELEASES[field]) for field in ("count", "capacity"))
        place = f.field("%list", RELEASES["entries"])
        f.branch(f.let(f"icmp eq i32 {capacity}, 0"), "fresh", "known")
        f.block("fresh")
        f.store("i32", str(layout.FIRST_RELEASES), "%list", RELEASES["capacity"])
        f.do(f"store atomic ptr {f.field('%list', RELEASES['first'])}, ptr {place} release, align 8")
        f.goto("room")
        f.block("known")
        f.branch(f.let(f"icmp ult i32 {count}, {capacity}"), "room", "full")
        f.block("full")
        twice = f.let(f"shl i32 {capacity}, 1")
        launch = f.load("ptr", "%ctx", CONTEXT["launch"])
        at = f.let(f"atomicrmw add ptr {f.field(launch, LAUNCH['release_count'])}, i32 {twice} monotonic")
        end = f.intrinsic("llvm.uadd.sat.i32", "i32", [f"i32 {at}", f"i32 {twice}"])
        fits = f.let(f"icmp ule i32 {end}, {f.load('i32', launch, LAUNCH['release_room'])}")
        f.branch(fits, "grow", "lost")
        f.block("lost")
        # No room: the last entry now covers the later time at its earlier clock. That orders more than is ordered.
        f.do(f"atomicrmw sub ptr {f.field(launch, LAUNCH['release_count'])}, i32 {twice} monotonic")
        last = _entry(f, f.load("ptr", place), f.let(f"sub i32 {count}, 1"))
        f.do(f"store atomic i32 %time, ptr {f.field(last, RELEASE['time'])} monotonic, align 4")
        f.do("ret void")
        f.block("grow")
        larger = _entry(f, f.load("ptr", launch, LAUNCH["release_times"]), at)
        size = f.let(f"mul i64 {f.let(f'zext i32 {count} to i64')}, {layout.RELEASE.size}")
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {larger}, ptr {f.load('ptr', place)}, i64 {size}, i1 false)")
        f.store("i32", twice, "%list", RELEASES["capacity"])
        f.do(f"store atomic ptr {larger}, ptr {place} release, align 8")
        f.goto("room")
        f.block("room")
        entry = _entry(f, f.load("ptr", place), count)
        f.store("i32", "%time", entry, RELEASE["time"])
        f.store("i32", "%clock", entry, RELEASE["clock"])
        more = f.let(f"add i32 {count}, 1")
        f.do(f"store atomic i32 {more}, ptr {f.field('%list', RELEASES['count'])} release, align 4")
        f.do("ret void")
        return f

    return module.routine("append_release", build)


def _release_clock_routine(module: IrModule, last: bool = False) -> str:
    """Returns the routine `(list, time) -> clock`: the clock of the first release after `time`; -1 for none.

    `last`: of the last release up to `time` instead.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i32", [("ptr", "list"), ("i32", "time")], attributes="nounwind noinline cold")
        count = f.let(f"load atomic i32, ptr {f.field('%list', RELEASES['count'])} acquire, align 4")
        entries = f.let(f"load atomic ptr, ptr {f.field('%list', RELEASES['entries'])} acquire, align 8")
        low, high = f.alloca("i32", align=4), f.alloca("i32", align=4)
        f.store("i32", "0", low)
        f.store("i32", count, high)
        f.goto("next")
        f.block("next")
        first, end = f.load("i32", low), f.load("i32", high)
        f.branch(f.let(f"icmp ult i32 {first}, {end}"), "halve", "found")
        f.block("halve")
        middle = f.let(f"lshr i32 {f.let(f'add i32 {first}, {end}')}, 1")
        place = f.field(_entry(f, entries, middle), RELEASE["time"])
        time = f.let(f"load atomic i32, ptr {place} monotonic, align 4")
        f.branch(f.let(f"icmp ugt i32 {time}, %time"), "lower", "upper")
        f.block("lower")
        f.store("i32", middle, high)
        f.goto("next")
        f.block("upper")
        f.store("i32", f.let(f"add i32 {middle}, 1"), low)
        f.goto("next")
        f.block("found")
        there = f"icmp ne i32 {first}, 0" if last else f"icmp ult i32 {first}, {count}"
        f.branch(f.let(there), "some", "never")
        f.block("some")
        wanted = f.let(f"sub i32 {first}, {int(last)}")
        f.do(f"ret i32 {f.load('i32', _entry(f, entries, wanted), RELEASE['clock'])}")
        f.block("never")
        f.do("ret i32 -1")
        return f

    return module.routine("released_last" if last else "covered", build)


def known_of_block(f: IrFunction) -> str:
    """Returns the time up to which the warp knows what other warps of its block have done, by barriers and atomics."""
    times = [f"i32 {f.load('i32', '%ctx', CONTEXT['epoch_time'])}", f"i32 {f.load('i32', '%warp', WARP['acquired'])}"]
    heard = f.reduce("umax", f.load_lanes("i32", "%warp", WARP["heard"]))
    return f.intrinsic("llvm.umax.i32", "i32", [f"i32 {f.intrinsic('llvm.umax.i32', 'i32', times)}", f"i32 {heard}"])


def _hand_on_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, clock)`, which releases what others of the block had fenced before they met.

    By the letter of the memory model it is not released, for this thread has fenced before it met them. All GPUs behave
    as if it were, and "everybody fences, the block meets, one counts" is common.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [*_BOTH, ("i32", "clock")], attributes="nounwind noinline")
        known = known_of_block(f)
        block = f.load("i64", "%ctx", CONTEXT["block"])
        with for_each_index(f, f.load("i32", "%ctx", CONTEXT["warp_count"]), "warp") as at:
            other = warp_at(f, at)
            fenced = [f"i32 {f.load('i32', other, WARP['far_fenced'])}", f"i32 {known}"]
            time = f.intrinsic("llvm.umin.i32", "i32", fenced)
            ways = [f"i32 {f.load('i32', other, WARP[field])}" for field in ("far_published", "far_handed")]
            new = f.let(f"icmp ugt i32 {time}, {f.intrinsic('llvm.umax.i32', 'i32', ways)}")
            with where(f, new, "new"):
                f.store("i32", time, other, WARP["far_handed"])
                place = _list_of(f, block, f.let(f"add i32 {at}, 1"))
                f.call(_append_routine(owner), "void", ["ptr %ctx", f"ptr {place}", f"i32 {time}", "i32 %clock"])
        f.do("ret void")
        return f

    return module.routine("hand_on_far", build)


def release_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp)`, which releases, once, what came before the warp's last fence."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", _BOTH, attributes="nounwind noinline")
        fenced = f.load("i32", "%warp", WARP["far_fenced"])
        published = f.load("i32", "%warp", WARP["far_published"])
        f.branch(f.let(f"icmp ugt i32 {fenced}, {published}"), "new", "old")
        f.block("new")
        f.store("i32", fenced, "%warp", WARP["far_published"])
        clock = f.field(f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["clock"])
        now = f.let(f"add i32 {f.let(f'atomicrmw add ptr {clock}, i32 1 seq_cst')}, 1")
        block = f.load("i64", "%ctx", CONTEXT["block"])
        number = f.let(f"add i32 {f.load('i32', '%warp', WARP['index'])}, 1")
        inputs = ["ptr %ctx", f"ptr {_list_of(f, block, number)}", f"i32 {fenced}", f"i32 {now}"]
        f.call(_append_routine(owner), "void", inputs)
        # A fence is cumulative: it also publishes what other warps of the block had handed to this one before it.
        time = f.load("i32", "%warp", WARP["far_known"])
        known = f.load("i32", "%ctx", CONTEXT["far_covered"])
        with where(f, f.let(f"icmp ugt i32 {time}, {known}"), "more"):
            f.store("i32", time, "%ctx", CONTEXT["far_covered"])
            inputs = ["ptr %ctx", f"ptr {_list_of(f, block, '0')}", f"i32 {time}", f"i32 {now}"]
            f.call(_append_routine(owner), "void", inputs)
        f.call(_hand_on_routine(owner), "void", ["ptr %ctx", "ptr %warp", f"i32 {now}"])
        f.store("i32", now, "%warp", WARP["far_release"])
        f.goto("old")
        f.block("old")
        f.do("ret void")
        return f

    return module.routine("release_far", build)


def acquire_routine(module: IrModule, words: int, relaxed: bool) -> str:
    """Returns the routine `(ctx, warp, addresses, mask)`, which acquires all that was released at the addresses.

    It runs after an atomic or an access of like strength to `words` words. What a `relaxed` read has seen is acquired
    by a fence that follows.
    """
    taking = [(CONTEXT["far_seen"], "%ctx")]
    if not relaxed:
        taking = [(WARP["far_acquired"], "%warp"), (CONTEXT["far_pending"], "%ctx")]

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", ARGUMENTS, attributes="nounwind noinline")
        wanted = f.load("i32", "%ctx", CONTEXT["sanitize"])
        f.branch(f.let(f"icmp eq i32 {wanted}, 0"), "off", "on")
        f.block("off")
        f.do("ret void")
        f.block("on")
        f.do("fence acquire")
        living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
        known = Places(f, words, far=True).latest(f.let(f"and i32 %mask, {living}"))
        for field, place in taking:
            both = [f"i32 {f.load('i32', place, field)}", f"i32 {known}"]
            f.store("i32", f.intrinsic("llvm.umax.i32", "i32", both), place, field)
        f.do("ret void")
        return f

    return module.routine(f"{'see' if relaxed else 'acquire'}_far_{words}", build)


def take_over_seen(f: IrFunction) -> None:
    """Emits that a fence acquires what relaxed reads of the block have seen before it.

    Reads by other warps count too: they may have been handed on by a barrier.
    """
    seen = f.load("i32", "%ctx", CONTEXT["far_seen"])
    for field, place in ((WARP["far_acquired"], "%warp"), (CONTEXT["far_pending"], "%ctx")):
        both = [f"i32 {f.load('i32', place, field)}", f"i32 {seen}"]
        f.store("i32", f.intrinsic("llvm.umax.i32", "i32", both), place, field)


def has_acquired_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, block, other, time) -> i1`.

    The result says whether this warp has acquired what warp `other` of that block did at `time`.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, ("i64", "block"), ("i32", "other"), ("i32", "time")]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline cold")
        acquired = _acquired(f, "far_acquired", "far_looking")
        clocks = []
        for number in (f.let("add i32 %other, 1"), "0"):
            inputs = [f"ptr {_list_of(f, '%block', number)}", "i32 %time"]
            clocks.append(f"i32 {f.call(_release_clock_routine(owner), 'i32', inputs)}")
        clock = f.intrinsic("llvm.umin.i32", "i32", clocks)
        f.do(f"ret i1 {f.let(f'icmp ule i32 {clock}, {acquired}')}")
        return f

    return module.routine("seen_far", build)


def has_acquired_last_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, block, other, time) -> i1`.

    The result says whether this warp has acquired the last release of warp `other` of that block up to `time`.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("i64", "block"), ("i32", "other"), ("i32", "time")]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline cold")
        acquired = _acquired(f, "far_acquired")
        inputs = [f"ptr {_list_of(f, '%block', f.let('add i32 %other, 1'))}", "i32 %time"]
        clock = f.call(_release_clock_routine(owner, last=True), "i32", inputs)
        f.do(f"ret i1 {f.let(f'icmp ule i32 {clock}, {acquired}')}")
        return f

    return module.routine("seen_last_far", build)


def _acquired(f: IrFunction, *fields: str) -> str:
    """Returns the latest clock that this warp has acquired: its own, or one of these fields of its block."""
    latest = f.load("i32", "%warp", WARP["far_acquired"])
    for field in fields:
        latest = f.intrinsic("llvm.umax.i32", "i32", [f"i32 {latest}", f"i32 {f.load('i32', '%ctx', CONTEXT[field])}"])
    return latest
