"""Fences: what the lanes that execute one have done, and what they know of, can be published from then on."""

from __future__ import annotations

from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.native.between_blocks import take_over_seen
from grader.run.emulator.native.epochs import tick_routine
from grader.run.emulator.native.flow import where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat
from grader.run.emulator.native.resolve import for_each_lane, next_lane


def fence_routine(module: IrModule, far: bool) -> str:
    """Returns the routine `(ctx, warp, lanes)`: these lanes execute a fence.

    `far`: one for other blocks too.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("i32", "lanes")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        now = f.spread("i32", f.call(tick_routine(owner), "i32", ["ptr %ctx"]))
        f.store("i32", "1", "%warp", WARP["ordered"])
        here = f.mask("%lanes")
        acquired = f.select(here, f.load_lanes("i32", "%warp", WARP["acquired"]), splat("i32", 0))
        latest = f.spread("i32", f.reduce("umax", acquired))
        known = _known_of_warp(f, latest)
        for field in ("fenced", "far_fenced") if far else ("fenced",):
            before = f.load_lanes("i32", "%warp", WARP[field])
            f.store_lanes(f.select(here, now, f.map("llvm.umax", before, known)), "%warp", WARP[field])
        if far:
            f.store("i32", f.load("i32", "%ctx", CONTEXT["epoch_time"]), "%warp", WARP["far_since"])
            learned = f.map("llvm.umin", f.load_lanes("i32", "%warp", WARP["learned"]), latest)
            of_others = f.map("llvm.umax", f.load_lanes("i32", "%warp", WARP["heard"]), learned)
            before = f.load_lanes("i32", "%warp", WARP["far_known"])
            f.store_lanes(f.map("llvm.umax", before, of_others), "%warp", WARP["far_known"])
            take_over_seen(f, here)
        f.do("ret void")
        return f

    return module.routine("fenced_far" if far else "fenced", build)


def _known_of_warp(f: IrFunction, acquired: V) -> V:
    """Returns, by lane of the warp, the time up to which one of `%lanes` knows what it did.

    They have met it, or acquired what it has published. `acquired` is the time of the latest of these releases.
    """
    handed = f.map("llvm.umin", f.load_lanes("i32", "%warp", WARP["published"]), acquired)
    full = f.spread("i32", f.load("i32", "%warp", WARP["full"]))
    known = f.alloca(f"<{LANES} x i32>")
    f.store_lanes(f.map("llvm.umax", handed, full), known)
    with where(f, f.let(f"icmp ne i32 {f.load('i32', '%warp', WARP['partly'])}, 0"), "partly"):
        seen = f.load("ptr", "%warp", WARP["seen"])
        lane, head, after = for_each_lane(f, "%lanes")
        row = f.let(f"mul i64 {f.let(f'zext i32 {lane} to i64')}, {4 * LANES}")
        f.store_lanes(f.map("llvm.umax", f.load_lanes("i32", known), f.load_lanes("i32", seen, row)), known)
        next_lane(f, head, after)
    return f.load_lanes("i32", known)
