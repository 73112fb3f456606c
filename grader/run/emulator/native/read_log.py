"""Reads of shared memory in an epoch in which nobody has written: put by until somebody does, which is seldom.

A barrier lets them be forgotten: then they can be in nobody's way.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, LOG
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V


def log_routine(module: IrModule) -> str:
    """`(ctx, warp, addresses, mask, site, routine)`: puts a read by; `routine` is what checks it. There is room."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [
            ("ptr", "ctx"),
            ("ptr", "warp"),
            (f"<{LANES} x i64>", "address"),
            ("i32", "mask"),
            ("i32", "site"),
            ("ptr", "routine"),
        ]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        count = f.load("i32", "%ctx", CONTEXT["log_count"])
        f.store("i32", f.let(f"add i32 {count}, 1"), "%ctx", CONTEXT["log_count"])
        entry = _entry(f, count)
        # Addresses of the shared space have 32 bits.
        f.store_lanes(f.cast("trunc", V("i64", "%address"), "i32"), entry, LOG["address"])
        for field, t, value in (
            ("routine", "ptr", "%routine"),
            ("warp", "ptr", "%warp"),
            ("mask", "i32", "%mask"),
            ("site", "i32", "%site"),
            ("time", "i32", f.load("i32", "%ctx", CONTEXT["time"])),
        ):
            f.store(t, value, entry, LOG[field])
        f.do("ret void")
        return f

    return module.routine("log_read", build)


def replay_routine(module: IrModule) -> str:
    """`(ctx)`: somebody writes: all reads of this epoch so far are noted, and those to come at once."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [("ptr", "ctx")], attributes="nounwind noinline")
        f.store("i32", f.load("i32", "%ctx", CONTEXT["epoch"]), "%ctx", CONTEXT["dirty"])
        time = f.load("i32", "%ctx", CONTEXT["time"])
        count = f.load("i32", "%ctx", CONTEXT["log_count"])
        f.store("i32", "0", "%ctx", CONTEXT["log_count"])
        index = f.alloca("i32", align=4)
        f.store("i32", "0", index)
        f.goto("next")
        f.block("next")
        at = f.load("i32", index)
        f.branch(f.let(f"icmp ult i32 {at}, {count}"), "one", "done")
        f.block("one")
        f.store("i32", f.let(f"add i32 {at}, 1"), index)
        entry = _entry(f, at)
        f.store("i32", f.load("i32", entry, LOG["time"]), "%ctx", CONTEXT["time"])
        address = f.cast("zext", f.load_lanes("i32", entry, LOG["address"]), "i64")
        routine, warp = f.load("ptr", entry, LOG["routine"]), f.load("ptr", entry, LOG["warp"])
        mask, site = f.load("i32", entry, LOG["mask"]), f.load("i32", entry, LOG["site"])
        f.do(f"call void {routine}(ptr %ctx, ptr {warp}, {address}, i32 {mask}, i32 {site})")
        f.goto("next")
        f.block("done")
        f.store("i32", time, "%ctx", CONTEXT["time"])
        f.do("ret void")
        return f

    return module.routine("replay_reads", build)


def _entry(f: IrFunction, index: str) -> str:
    offset = f.let(f"mul i64 {f.let(f'zext i32 {index} to i64')}, {layout.LOG.size}")
    return f.field(f.load("ptr", "%ctx", CONTEXT["log"]), offset)


def is_dirty(f: IrFunction) -> str:
    """Whether somebody has written to shared memory in this epoch."""
    epoch = f.load("i32", "%ctx", CONTEXT["epoch"])
    return f.let(f"icmp eq i32 {f.load('i32', '%ctx', CONTEXT['dirty'])}, {epoch}")
