"""The releases of a launch, which all blocks can look up: lists for each block and for each of its warps.

A launch has a clock that each release advances. An access is covered by the first release after it that includes its
lane. If a launch makes more releases than there is room for, later ones are merged into the last one kept.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, LAUNCH, RELEASE, RELEASES, WARP
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat

_LOOKED_AT = 256
"""How many releases are searched for one that covers a certain lane. The next one is then taken to cover it."""


def list_of(f: IrFunction, block: str, number: str) -> str:
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


def append_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, list, time, clock, lanes)`: a release of what these lanes did before `time`.

    Other cores may read the list meanwhile.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "list"), ("i32", "time"), ("i32", "clock"), ("i32", "lanes")]
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
        # No room: the last entry now covers all lanes and the later time at its earlier clock. That orders more than is
        # ordered.
        f.do(f"atomicrmw sub ptr {f.field(launch, LAUNCH['release_count'])}, i32 {twice} monotonic")
        last = _entry(f, f.load("ptr", place), f.let(f"sub i32 {count}, 1"))
        f.do(f"store atomic i32 -1, ptr {f.field(last, RELEASE['lanes'])} monotonic, align 4")
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
        for field in ("time", "clock", "lanes"):
            f.store("i32", f"%{field}", entry, RELEASE[field])
        more = f.let(f"add i32 {count}, 1")
        f.do(f"store atomic i32 {more}, ptr {f.field('%list', RELEASES['count'])} release, align 4")
        f.do("ret void")
        return f

    return module.routine("append_release", build)


def append_lanes_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, times, clock)`, which appends a release of what each lane did before its time.

    What has been released before is left out. Lanes of one time share an entry.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), (f"<{LANES} x i32>", "times"), ("i32", "clock")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        times, published = V("i32", "%times"), f.load_lanes("i32", "%warp", WARP["far_published"])
        new = f.compare("icmp ugt", times, published)
        f.branch(f.let(f"icmp eq i32 {f.bits(new)}, 0"), "done", "some")
        f.block("some")
        f.store("i32", "1", "%warp", WARP["ordered"])
        f.store_lanes(f.map("llvm.umax", times, published), "%warp", WARP["far_published"])
        # Times increase along a list: those of lanes that came to their fence before the last release are raised.
        least = f.spread("i32", f.let(f"add i32 {f.load('i32', '%warp', WARP['far_last'])}, 1"))
        wanted = f.select(new, f.map("llvm.umax", times, least), splat("i32", 0))
        rest = f.alloca(f"<{LANES} x i32>")
        f.store_lanes(wanted, rest)
        number = f.let(f"add i32 {f.load('i32', '%warp', WARP['index'])}, 1")
        place = list_of(f, f.load("i64", "%ctx", CONTEXT["block"]), number)
        f.goto("next")
        f.block("next")
        left = f.load_lanes("i32", rest)
        there = f.compare("icmp ne", left, splat("i32", 0))
        f.branch(f.let(f"icmp eq i32 {f.bits(there)}, 0"), "done", "append")
        f.block("append")
        time = f.reduce("umin", f.select(there, left, splat("i32", -1)))
        since = f.spread("i32", time)
        covered = f.bits(f.compare("icmp uge", wanted, since))
        inputs = ["ptr %ctx", f"ptr {place}", f"i32 {time}", "i32 %clock", f"i32 {covered}"]
        f.call(append_routine(owner), "void", inputs)
        f.store("i32", time, "%warp", WARP["far_last"])
        f.store_lanes(f.select(f.compare("icmp eq", left, since), splat("i32", 0), left), rest)
        f.goto("next")
        f.block("done")
        f.do("ret void")
        return f

    return module.routine("append_lanes", build)


def release_clock_routine(module: IrModule, last: bool = False) -> str:
    """Returns the routine `(list, time, lane) -> clock`: of the first release after `time` that covers it; -1 for none.

    `last`: of the last release up to `time`, of whatever lanes, instead.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "list"), ("i32", "time"), ("i32", "lane")]
        f = IrFunction(owner, name, "i32", arguments, attributes="nounwind noinline cold")
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
        if last:
            f.branch(f.let(f"icmp ne i32 {first}, 0"), "some", "never")
            f.block("some")
            wanted = _entry(f, entries, f.let(f"sub i32 {first}, 1"))
        else:
            enough = f.let(f"add i32 {first}, {_LOOKED_AT}")
            f.goto("look")
            f.block("look")
            at = f.load("i32", low)
            f.branch(f.let(f"icmp ult i32 {at}, {count}"), "compare", "never")
            f.block("compare")
            wanted = _entry(f, entries, at)
            lanes = f.let(f"load atomic i32, ptr {f.field(wanted, RELEASE['lanes'])} monotonic, align 4")
            covers = f.let(f"trunc i32 {f.let(f'lshr i32 {lanes}, %lane')} to i1")
            f.store("i32", f.let(f"add i32 {at}, 1"), low)
            f.branch(f.let(f"or i1 {covers}, {f.let(f'icmp uge i32 {at}, {enough}')}"), "some", "look")
            f.block("some")
        f.do(f"ret i32 {f.load('i32', wanted, RELEASE['clock'])}")
        f.block("never")
        f.do("ret i32 -1")
        return f

    return module.routine("released_last" if last else "covered", build)
