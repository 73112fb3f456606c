"""Lanes of a warp that meet, by `__syncwarp()` or another operation that brings them together."""

from __future__ import annotations

from grader.run.emulator.layout import WARP
from grader.run.emulator.native.epochs import tick_routine
from grader.run.emulator.native.flow import where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, splat
from grader.run.emulator.native.resolve import for_each_lane, next_lane


def meet_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lanes)`: these lanes of a warp meet; each knows what the others did or knew."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("i32", "lanes")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        now = f.call(tick_routine(owner), "i32", ["ptr %ctx"])
        with where(f, f.let(f"icmp ne i32 {f.load('i32', '%warp', WARP['hears'])}, 0"), "hears"):
            _share_acquired(f)
        with where(f, f.let(f"icmp ne i32 {f.load('i32', '%warp', WARP['waited'])}, 0"), "waited"):
            flags = f.load_lanes("i64", "%warp", WARP["flags"])
            latest = f.reduce("umax", f.select(f.mask("%lanes"), flags, splat("i64", 0)))
            f.store_lanes(f.select(f.mask("%lanes"), f.spread("i64", latest), flags), "%warp", WARP["flags"])
        alive = f.load("i32", "%warp", WARP["alive"])
        absent = f.let(f"and i32 {alive}, {f.let('xor i32 %lanes, -1')}")
        f.branch(f.let(f"icmp eq i32 {absent}, 0"), "all", "some")
        f.block("all")
        f.store("i32", now, "%warp", WARP["full"])
        f.do("ret void")
        f.block("some")
        _share_rows(f, now)
        f.do("ret void")
        return f

    return module.routine("meet", build)


def _share_acquired(f: IrFunction) -> None:
    """Emits that each of `%lanes` has acquired what another one has."""
    here = f.mask("%lanes")
    for field in ("acquired", "far_acquired"):
        known = f.load_lanes("i32", "%warp", WARP[field])
        latest = f.reduce("umax", f.select(here, known, splat("i32", 0)))
        f.store_lanes(f.select(here, f.spread("i32", latest), known), "%warp", WARP[field])


def _share_rows(f: IrFunction, now: str) -> None:
    """Emits that each of `%lanes` knows all that the others did until `now`, or knew of lanes that are not here."""
    f.store("i32", "1", "%warp", WARP["partly"])
    seen = f.load("ptr", "%warp", WARP["seen"])
    rest = f.alloca(f"<{LANES} x i32>")
    f.store_lanes(splat("i32", 0), rest)
    for gathers in (True, False):
        lane, head, after = for_each_lane(f, "%lanes")
        row = f.let(f"mul i64 {f.let(f'zext i32 {lane} to i64')}, {4 * LANES}")
        known = f.load_lanes("i32", rest)
        if gathers:
            f.store_lanes(f.map("llvm.umax", known, f.load_lanes("i32", seen, row)), rest)
        else:
            f.store_lanes(f.select(f.mask("%lanes"), f.spread("i32", now), known), seen, row)
        next_lane(f, head, after)
