"""Threads that exit and threads that wait: retiring lanes, and the barriers of a block."""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import BARRIER, CONTEXT, WARP
from grader.run.emulator.native.epochs import new_epoch
from grader.run.emulator.native.flow import where
from grader.run.emulator.native.ir import IrFunction, IrModule, splat
from grader.run.emulator.native.meetings import meet_routine
from grader.run.emulator.native.part_barriers import arrive_in_part, open_part_routine
from grader.run.emulator.native.resolve import event_routine
from grader.run.emulator.native.skipped_barriers import record_exit, take_skipped_groups


def _popcount(f: IrFunction, bits: str) -> str:
    return f.intrinsic("llvm.ctpop.i32", "i32", [f"i32 {bits}"])


def retire_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lanes)`: these lanes exit; lanes parked at a warp-wide operation look again."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(
            owner,
            name,
            "void",
            [("ptr", "ctx"), ("ptr", "warp"), ("i32", "lanes")],
            attributes="nounwind noinline",
        )
        alive = f.load("i32", "%warp", WARP["alive"])
        leaving = f.let(f"and i32 {alive}, %lanes")
        stay = f.let("xor i32 %lanes, -1")
        f.store("i32", f.let(f"and i32 {alive}, {stay}"), "%warp", WARP["alive"])
        parked = f.let(f"and i32 {f.load('i32', '%warp', WARP['parked'])}, {stay}")
        ready = f.let(f"and i32 {f.load('i32', '%warp', WARP['ready'])}, {stay}")
        f.store("i32", f.let(f"or i32 {ready}, {parked}"), "%warp", WARP["ready"])
        f.store("i32", "0", "%warp", WARP["parked"])
        dead = f.load("i32", "%warp", WARP["dead"])
        f.store("i32", f.let(f"and i32 {dead}, {stay}"), "%warp", WARP["dead"])
        record_exit(f, leaving)
        threads = f.load("i32", "%ctx", CONTEXT["alive"])
        f.store("i32", f.let(f"sub i32 {threads}, {_popcount(f, leaving)}"), "%ctx", CONTEXT["alive"])
        f.do("ret void")
        return f

    return module.routine("retire", build)


def barrier_pointer(f: IrFunction, number: str) -> str:
    """Returns the address of a barrier of the block, by its number (i32)."""
    offset = f.let(f"mul i32 {number}, {layout.BARRIER.size}")
    return f.field("%ctx", f.let(f"add i64 {f.let(f'zext i32 {offset} to i64')}, {CONTEXT['barriers']}"))


def waiting_pointer(f: IrFunction, warp: str, number: str) -> str:
    """Returns the address of the lanes of a warp that wait at a barrier, by its number (i32)."""
    offset = f.let(f"zext i32 {f.let(f'mul i32 {number}, 4')} to i64")
    return f.field(warp, f.let(f"add i64 {offset}, {WARP['waiting']}"))


def release_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, number) -> i32`, which opens a barrier if enough threads have arrived; 1 if it did."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i32", [("ptr", "ctx"), ("i32", "number")], attributes="nounwind noinline")
        barrier = barrier_pointer(f, "%number")
        arrived = f.load("i32", barrier, BARRIER["arrived"])
        expected = f.load("i32", barrier, BARRIER["expected"])
        alive = f.load("i32", "%ctx", CONTEXT["alive"])
        everyone = f.let(f"icmp eq i32 {expected}, 0")
        needed = f.let(f"select i1 {everyone}, i32 {alive}, i32 {expected}")
        some = f.let(f"icmp ne i32 {arrived}, 0")
        enough = f.let(f"icmp uge i32 {arrived}, {needed}")
        f.branch(f.let(f"and i1 {some}, {enough}"), "open", "closed")
        f.block("closed")
        f.do("ret i32 0")
        f.block("open")
        passed = f.load("i32", barrier, BARRIER["passed"])
        f.store("i32", "0", barrier, BARRIER["passed"])
        all_wait = f.let(f"and i1 {f.let(f'icmp uge i32 {needed}, {alive}')}, {f.let(f'icmp eq i32 {passed}, 0')}")
        rests = f.let(f"icmp eq i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0")
        whole = f.let(f"or i1 {everyone}, {f.let(f'or i1 {all_wait}, {rests}')}")
        f.branch(whole, "whole", "part")
        f.block("whole")
        f.store("i32", "0", barrier, BARRIER["members"])
        new_epoch(f)
        f.goto("count")
        f.block("part")
        offset = f.let(f"zext i32 {f.let('mul i32 %number, 4')} to i64")
        place = f.let(f"add i64 {offset}, {WARP['waiting']}")
        inputs = ["ptr %ctx", f"ptr {barrier}", f"i64 {place}"]
        f.call(open_part_routine(owner, meet_routine(owner)), "void", inputs)
        f.goto("count")
        f.block("count")
        left = f.let(f"sub i32 {arrived}, {needed}")
        f.store("i32", f.let(f"select i1 {everyone}, i32 0, i32 {left}"), barrier, BARRIER["arrived"])
        for current, result in (("any", "r_any"), ("all", "r_all"), ("count", "r_count")):
            f.store("i32", f.load("i32", barrier, BARRIER[current]), barrier, BARRIER[result])
            f.store("i32", "1" if current == "all" else "0", barrier, BARRIER[current])
        warps = f.load("ptr", "%ctx", CONTEXT["warps"])
        stride = f.load("i64", "%ctx", CONTEXT["warp_stride"])
        count = f.load("i32", "%ctx", CONTEXT["warp_count"])
        index = f.alloca("i32", align=4)
        f.store("i32", "0", index)
        wanted = f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0")
        f.branch(f.let(f"and i1 {wanted}, {everyone}"), "compare", "next")
        f.block("compare")
        f.call(compare_waiting_routine(owner), "void", ["ptr %ctx", "i32 %number"])
        f.goto("next")
        f.block("next")
        current_index = f.load("i32", index)
        f.branch(f.let(f"icmp ult i32 {current_index}, {count}"), "warp", "opened")
        f.block("warp")
        wide = f.let(f"zext i32 {current_index} to i64")
        warp = f.field(warps, f.let(f"mul i64 {wide}, {stride}"))
        place = waiting_pointer(f, warp, "%number")
        waiting = f.load("i32", place)
        ready = f.load("i32", warp, WARP["ready"])
        f.store("i32", f.let(f"or i32 {ready}, {waiting}"), warp, WARP["ready"])
        f.store("i32", "0", place)
        f.store("i32", f.let(f"add i32 {current_index}, 1"), index)
        f.goto("next")
        f.block("opened")
        f.do("ret i32 1")
        return f

    return module.routine("release", build)


def compare_waiting_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, number)`, which compares the threads of a barrier that opens.

    It reports threads that wait at different places, have skipped the barrier, or have exited; nothing if nobody waits.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [("ptr", "ctx"), ("i32", "number")], attributes="nounwind noinline")
        warps = f.load("ptr", "%ctx", CONTEXT["warps"])
        stride = f.load("i64", "%ctx", CONTEXT["warp_stride"])
        count = f.load("i32", "%ctx", CONTEXT["warp_count"])
        index, low, high, last = (f.alloca(t, align=8) for t in ("i32", "i32", "i32", "ptr"))
        for variable, value in ((index, "0"), (low, "2147483647"), (high, "0")):
            f.store("i32", value, variable)
        f.store("ptr", warps, last)
        f.goto("next")
        f.block("next")
        at = f.load("i32", index)
        f.branch(f.let(f"icmp ult i32 {at}, {count}"), "warp", "all")
        f.block("warp")
        f.store("i32", f.let(f"add i32 {at}, 1"), index)
        warp = f.field(warps, f.let(f"mul i64 {f.let(f'zext i32 {at} to i64')}, {stride}"))
        waiting = f.load("i32", waiting_pointer(f, warp, "%number"))
        f.branch(f.let(f"icmp eq i32 {waiting}, 0"), "next", "some")
        f.block("some")
        here, places = f.mask(waiting), f.load_lanes("i32", warp, WARP["pc"])
        least = f.reduce("umin", f.select(here, places, splat("i32", 0x7FFFFFFF)))
        most = f.reduce("umax", f.select(here, places, splat("i32", 0)))
        before = f.load("i32", high)
        f.store("i32", f.intrinsic("llvm.umin.i32", "i32", [f"i32 {f.load('i32', low)}", f"i32 {least}"]), low)
        f.branch(f.let(f"icmp ugt i32 {most}, {before}"), "higher", "next")
        f.block("higher")
        f.store("i32", most, high)
        f.store("ptr", warp, last)
        f.goto("next")
        f.block("all")
        first, final = f.load("i32", low), f.load("i32", high)
        f.store("i32", first, "%ctx", CONTEXT["other_access"])
        f.store("i32", final, "%ctx", CONTEXT["other_thread"])
        f.branch(f.let(f"icmp ult i32 {first}, {final}"), "differ", "same", unlikely=True)
        for at_block, event, then in (
            ("differ", layout.EVENT_BARRIER, "same"),
            ("past", layout.EVENT_PAST, "whole"),
            ("left", layout.EVENT_LEFT, "whole"),
        ):
            f.block(at_block)
            inputs = ["ptr %ctx", f"ptr {f.load('ptr', last)}", f"i32 {event}", "i32 0", "i32 1"]
            f.call(event_routine(owner), "void", inputs)
            f.goto(then)
        f.block("same")
        skipped = take_skipped_groups(f, barrier_pointer(f, "%number"))
        # A `bar.arrive` may open a barrier at which nobody waits: there is nobody to tell of, and no place of theirs.
        f.branch(f.let(f"icmp eq i32 {final}, 0"), "whole", "awaited", unlikely=True)
        f.block("awaited")
        f.branch(f.let(f"icmp ne i64 {skipped}, 0"), "past", "none.past", unlikely=True)
        f.block("none.past")
        threads = f.load("i32", "%ctx", CONTEXT["block_threads"])
        gone = f.let(f"icmp ult i32 {f.load('i32', '%ctx', CONTEXT['alive'])}, {threads}")
        f.branch(gone, "left", "whole", unlikely=True)
        f.block("whole")
        f.do("ret void")
        return f

    return module.routine("same_barrier", build)


def arrive_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lanes, number, expected, predicate, wait)`: lanes arrive at a barrier.

    They wait there if `wait`. `expected`: a count of threads, 0 for all of the block. `predicate`: the lanes whose
    condition holds, for bar.red.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp")]
        arguments += [("i32", n) for n in ("lanes", "number", "expected", "predicate", "wait")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        barrier = barrier_pointer(f, "%number")
        # Counts of threads are multiples of a warp: a complete warp counts 32, exited lanes included.
        alive = f.load("i32", "%warp", WARP["alive"])
        complete = f.let(f"icmp eq i32 {alive}, %lanes")
        counted = f.let("icmp ne i32 %expected, 0")
        whole = f.let(f"and i1 {complete}, {counted}")
        threads = f.let(f"select i1 {whole}, i32 32, i32 {_popcount(f, '%lanes')}")
        arrived = f.load("i32", barrier, BARRIER["arrived"])
        f.store("i32", f.let(f"add i32 {arrived}, {threads}"), barrier, BARRIER["arrived"])
        f.store("i32", "%expected", barrier, BARRIER["expected"])
        holds = f.let("and i32 %predicate, %lanes")
        some = f.let(f"zext i1 {f.let(f'icmp ne i32 {holds}, 0')} to i32")
        every = f.let(f"zext i1 {f.let(f'icmp eq i32 {holds}, %lanes')} to i32")
        for field, opcode, value in (
            ("any", "or", some),
            ("all", "and", every),
            ("count", "add", _popcount(f, holds)),
        ):
            before = f.load("i32", barrier, BARRIER[field])
            f.store("i32", f.let(f"{opcode} i32 {before}, {value}"), barrier, BARRIER[field])
        wanted = f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0")
        with where(f, f.let(f"and i1 {wanted}, {counted}"), "come"):
            arrive_in_part(f, barrier)
        f.branch(f.let("icmp ne i32 %wait, 0"), "hold", "pass")
        f.block("pass")
        f.store("i32", "1", barrier, BARRIER["passed"])
        f.goto("check")
        f.block("hold")
        place = waiting_pointer(f, "%warp", "%number")
        f.store("i32", f.let(f"or i32 {f.load('i32', place)}, %lanes"), place)
        ready = f.load("i32", "%warp", WARP["ready"])
        f.store("i32", f.let(f"and i32 {ready}, {f.let('xor i32 %lanes, -1')}"), "%warp", WARP["ready"])
        f.goto("check")
        f.block("check")
        f.call(release_routine(owner), "i32", ["ptr %ctx", "i32 %number"])
        f.do("ret void")
        return f

    return module.routine("arrive", build)
