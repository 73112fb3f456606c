"""Barriers for some warps of a block: each of them knows afterwards what the others did before they arrived.

A warp keeps, for each other warp, the time up to which it knows that warp's accesses. What it publishes later, by a
fence and an atomic or by a barrier object, includes these.
"""

from __future__ import annotations

from grader.run.emulator.layout import BARRIER, CONTEXT, WARP
from grader.run.emulator.native.epochs import begin_to_hear, tick_routine
from grader.run.emulator.native.flow import for_each_index, where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, splat

_BOTH = [("ptr", "ctx"), ("ptr", "warp")]


def warp_at(f: IrFunction, number: str) -> str:
    """Returns the address of the state of warp `number` of the block."""
    offset = f.let(f"mul i64 {f.let(f'zext i32 {number} to i64')}, {f.load('i64', '%ctx', CONTEXT['warp_stride'])}")
    return f.field(f.load("ptr", "%ctx", CONTEXT["warps"]), offset)


def _heard_pointer(f: IrFunction, warp: str, number: str) -> str:
    """Returns the address of the time up to which `warp` knows the accesses of warp `number`."""
    return f.field(f.field(warp, WARP["heard"]), f.let(f"shl i64 {f.let(f'zext i32 {number} to i64')}, 2"))


def arrive_in_part(f: IrFunction, barrier: str) -> None:
    """Records that the current warp arrives at a barrier where not all threads of the block wait."""
    index = f.load("i32", "%warp", WARP["index"])
    f.store("i32", f.call(tick_routine(f.module), "i32", ["ptr %ctx"]), _heard_pointer(f, "%warp", index))
    f.store("i32", "1", "%warp", WARP["ordered"])
    members = f.load("i32", barrier, BARRIER["members"])
    f.store("i32", f.let(f"or i32 {members}, {f.let(f'shl i32 1, {index}')}"), barrier, BARRIER["members"])


def open_part_routine(module: IrModule, meet: str) -> str:
    """Returns the routine `(ctx, barrier, place)`, which opens the barrier.

    `place`: byte offset, in a warp's state, of the lanes that wait there. `meet`: the routine for lanes of a warp that
    have met.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "barrier"), ("i64", "place")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        count = f.load("i32", "%ctx", CONTEXT["warp_count"])
        members = f.load("i32", "%barrier", BARRIER["members"])
        f.store("i32", "0", "%barrier", BARRIER["members"])
        known = {field: f.alloca(f"<{LANES} x i32>") for field in ("heard", "learned")}
        acquired = f.alloca("i32", align=4)
        for place in known.values():
            f.store_lanes(splat("i32", 0), place)
        f.store("i32", "0", acquired)
        with for_each_index(f, count, "warp") as at:
            come_here = f.let(f"and i32 {f.let(f'lshr i32 {members}, {at}')}, 1")
            with where(f, f.let(f"icmp ne i32 {come_here}, 0"), "member"):
                warp = warp_at(f, at)
                for field, place in known.items():
                    more = f.load_lanes("i32", warp, WARP[field])
                    f.store_lanes(f.map("llvm.umax", f.load_lanes("i32", place), more), place)
                last = f.reduce("umax", f.load_lanes("i32", warp, WARP["acquired"]))
                both = [f"i32 {last}", f"i32 {f.load('i32', acquired)}"]
                f.store("i32", f.intrinsic("llvm.umax.i32", "i32", both), acquired)
        pending = f.load_lanes("i32", "%ctx", CONTEXT["far_pending"])
        with for_each_index(f, count, "warp") as at:
            warp = warp_at(f, at)
            waiting = f.load("i32", f.field(warp, "%place"))
            with where(f, f.let(f"icmp ne i32 {waiting}, 0"), "waiting"):
                for field, place in known.items():
                    f.store_lanes(f.load_lanes("i32", place), warp, WARP[field])
                # Whatever other blocks have released to this block may have come with it.
                far = f.load_lanes("i32", warp, WARP["far_learned"])
                f.store_lanes(f.map("llvm.umax", far, pending), warp, WARP["far_learned"])
                latest = {"acquired": f.load("i32", acquired), "far_acquired": f.reduce("umax", pending)}
                for field, time in latest.items():
                    before = f.load_lanes("i32", warp, WARP[field])
                    later = f.map("llvm.umax", before, f.spread("i32", time))
                    f.store_lanes(f.select(f.mask(waiting), later, before), warp, WARP[field])
                begin_to_hear(f, warp)
                f.call(meet, "void", ["ptr %ctx", f"ptr {warp}", f"i32 {waiting}"])
        f.do("ret void")
        return f

    return module.routine("open_part", build)


def hand_on_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp)`: the warp publishes its accesses, and those it knows of from such barriers."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", _BOTH, attributes="nounwind noinline")
        with for_each_index(f, f.load("i32", "%ctx", CONTEXT["warp_count"]), "warp") as at:
            time = f.load("i32", _heard_pointer(f, "%warp", at))
            other = warp_at(f, at)
            both = [f"i32 {f.load('i32', other, WARP['handed_on'])}", f"i32 {time}"]
            f.store("i32", f.intrinsic("llvm.umax.i32", "i32", both), other, WARP["handed_on"])
        f.do("ret void")
        return f

    return module.routine("hand_on", build)
